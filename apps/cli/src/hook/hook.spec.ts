import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hookLayout, openRepository } from '@lineprint/git';
import { commitsOf, SentCommits } from './hook-commits';
import { HookDirectory } from './hook-directory';
import { HOOKS, hookStatus, installHooks, uninstallHooks } from './hook-files';
import { drainQueue, type HookEntry, parseEntries, waitingFiles } from './hook-queue';

const OLD_HOOK = '#!/bin/sh\n# exactly these bytes\necho before >> "$(git rev-parse --show-toplevel)/ran"';

let folder: string;
let path: string;
let directory: HookDirectory;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'lineprint-hook-')));
  path = join(folder, 'my repo');
  mkdirSync(path);
  git('init', '-q', '-b', 'main');
  directory = new HookDirectory(join(path, '.git'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(cwd: string, args: readonly string[]) {
  return spawnSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    cwd,
    encoding: 'utf8',
    input: '',
    env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: join(folder, 'config') },
  });
}
/** @throws Error when git fails */
function git(...args: string[]): string {
  const { status, stdout, stderr } = run(path, args);
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}
function commit(message: string): string {
  git('commit', '-q', '--allow-empty', '-m', message);
  return git('rev-parse', 'HEAD');
}
/** Installs hooks whose sender does nothing, so that what they wrote down can be looked at. */
async function install(at = path) {
  const sender = join(folder, 'sender.js');
  writeFileSync(sender, '');
  const layout = await hookLayout(at);
  await directory.write({ name: 'my repo', state: join(folder, 'state'), aiDefaults: true }, sender);
  await installHooks(layout);
  return layout;
}
async function entries(): Promise<HookEntry[]> {
  const found: HookEntry[] = [];
  for (const file of await waitingFiles(directory)) found.push(...parseEntries(readFileSync(file, 'utf8')));
  return found;
}
function write(file: string, text: string, mode = 0o755): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

describe('hooks', () => {
  it('tell of each commit, of what an amend and a rebase rewrote, and of what is pushed', async () => {
    await install();
    const root = commit('root');
    const first = commit('first');
    expect(await entries()).toEqual([
      { kind: 'commit', sha: root },
      { kind: 'commit', sha: first },
    ]);
    git('commit', '-q', '--amend', '--allow-empty', '-m', 'better');
    const amended = git('rev-parse', 'HEAD');
    expect((await entries()).slice(2)).toEqual([
      { kind: 'commit', sha: amended },
      { kind: 'commit', sha: amended },
    ]);
    git('init', '-q', '--bare', join(folder, 'remote'));
    git('remote', 'add', 'origin', join(folder, 'remote'));
    git('push', '-q', 'origin', 'main');
    expect((await entries()).slice(4)).toEqual([
      { kind: 'push', sha: amended, known: '0'.repeat(40), remote: 'origin' },
    ]);
    git('push', '-q', 'origin', ':main');
    expect((await entries()).slice(5)).toEqual([]);
  });

  it('run the hooks that were there first, with their input, and let those of a push refuse it', async () => {
    write(join(path, '.git/hooks/post-commit'), OLD_HOOK);
    write(
      join(path, '.git/hooks/pre-push'),
      `#!/bin/sh\ncat > '${folder}/given'\necho "$1" >> '${folder}/given'\nexit 3\n`,
    );
    await install();
    const head = commit('root');
    expect(readFileSync(join(path, 'ran'), 'utf8')).toBe('before\n');
    git('init', '-q', '--bare', join(folder, 'remote'));
    git('remote', 'add', 'origin', join(folder, 'remote'));
    expect(run(path, ['push', '-q', 'origin', 'main']).status).not.toBe(0);
    expect(readFileSync(join(folder, 'given'), 'utf8')).toBe(
      `refs/heads/main ${head} refs/heads/main ${'0'.repeat(40)}\norigin\n`,
    );
    expect(await entries()).toEqual([{ kind: 'commit', sha: head }]);
  });

  it('are there once when they are installed twice, and leave what was there byte for byte', async () => {
    const hooks = join(path, '.git/hooks');
    rmSync(hooks, { recursive: true, force: true });
    write(join(hooks, 'post-commit'), OLD_HOOK, 0o750);
    write(join(hooks, 'pre-push'), 'never run: not executable', 0o644);
    const layout = await install();
    await install();
    expect((await hookStatus(layout)).map(({ state, chained }) => [state, chained])).toEqual([
      ['installed', true],
      ['installed', false],
      ['installed', true],
    ]);
    await uninstallHooks(layout);
    expect(readdirSync(hooks).sort()).toEqual(['post-commit', 'pre-push']);
    expect(readFileSync(join(hooks, 'post-commit'), 'utf8')).toBe(OLD_HOOK);
    expect(statSync(join(hooks, 'post-commit')).mode & 0o777).toBe(0o750);
    expect(statSync(join(hooks, 'pre-push')).mode & 0o777).toBe(0o644);
  });

  it('do not touch a hook that replaced ours', async () => {
    const hook = join(path, '.git/hooks/post-commit');
    write(hook, OLD_HOOK);
    const layout = await install();
    write(hook, '#!/bin/sh\n# newer\n');
    await expect(installHooks(layout)).rejects.toMatchObject({ code: 'hook-conflict' });
    await uninstallHooks(layout);
    expect(readFileSync(hook, 'utf8')).toBe('#!/bin/sh\n# newer\n');
  });

  it.each([
    ['of the repository', () => git('config', 'core.hooksPath', 'tools/hooks'), 'my repo/tools/hooks'],
    [
      'of the user',
      () => writeFileSync(join(folder, 'config'), `[core]\n\thooksPath = ${folder}/all hooks\n`),
      'all hooks',
    ],
  ])('go where core.hooksPath %s says', async (_, configure, expected) => {
    configure();
    const global = process.env['GIT_CONFIG_GLOBAL'];
    process.env['GIT_CONFIG_GLOBAL'] = join(folder, 'config');
    try {
      const layout = await install();
      expect(layout.hooksDirectory).toBe(join(folder, expected));
    } finally {
      if (global === undefined) delete process.env['GIT_CONFIG_GLOBAL'];
      else process.env['GIT_CONFIG_GLOBAL'] = global;
    }
    const head = commit('root');
    expect(await entries()).toEqual([{ kind: 'commit', sha: head }]);
  });

  it('go into .husky itself, not into what husky writes anew, and chain its hooks as husky runs them', async () => {
    git('config', 'core.hooksPath', '.husky/_');
    // What version 9 of husky does: a stub a hook, which runs the file of the same name above it.
    for (const hook of HOOKS) {
      write(
        join(path, '.husky/_', hook),
        '#!/bin/sh\ns="$(dirname "$(dirname "$0")")/${0##*/}"\n[ ! -f "$s" ] || sh -e "$s" "$@"\n',
      );
    }
    write(join(path, '.husky/post-commit'), 'echo husky >> ran\n', 0o644);
    const layout = await install();
    expect(layout).toMatchObject({ husky: true, hooksDirectory: join(path, '.husky') });
    const head = commit('root');
    expect(readFileSync(join(path, 'ran'), 'utf8')).toBe('husky\n');
    expect(await entries()).toEqual([{ kind: 'commit', sha: head }]);
    const text = readFileSync(join(path, '.husky/post-commit'), 'utf8');
    expect(text).not.toContain(folder);
    await uninstallHooks(layout);
    expect(readFileSync(join(path, '.husky/post-commit'), 'utf8')).toBe('echo husky >> ran\n');
    expect(readdirSync(join(path, '.husky')).sort()).toEqual(['_', 'post-commit']);
  });

  it('serve every working tree of a repository, and a detached HEAD', async () => {
    const root = commit('root');
    git('worktree', 'add', '-q', '--detach', join(folder, 'tree'));
    const layout = await install(join(folder, 'tree'));
    expect(layout.commonDir).toBe(join(path, '.git'));
    expect(run(join(folder, 'tree'), ['commit', '-q', '--allow-empty', '-m', 'there']).status).toBe(0);
    const there = run(join(folder, 'tree'), ['rev-parse', 'HEAD']).stdout.trim();
    const here = commit('here');
    expect(await entries()).toEqual([
      { kind: 'commit', sha: there },
      { kind: 'commit', sha: here },
    ]);
    const listed = await commitsOf(await entries(), await openRepository(directory.commonDir));
    expect(listed).toEqual([
      { sha: there, parents: [root] },
      { sha: here, parents: [root] },
    ]);
  });

  it('start a sender beside git, and none while one is at work', async () => {
    await install();
    const started = join(folder, 'started');
    const sender = `const fs = require('node:fs');
      fs.appendFileSync(${JSON.stringify(started)}, process.argv.slice(2).join(' ') + ' ' + (process.env.GIT_DIR ?? ''));
      fs.writeFileSync(${JSON.stringify(join(folder, 'done'))}, '');`;
    writeFileSync(join(folder, 'sender.js'), sender);
    commit('root');
    while (!existsSync(join(folder, 'done'))) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(readFileSync(started, 'utf8')).toBe(`hook send ${directory.path} `);
    writeFileSync(directory.lockPath, String(process.pid));
    rmSync(join(folder, 'sender.js'));
    commit('second');
    expect(readFileSync(directory.logPath, 'utf8')).toBe('');
  });

  it('start no sender for a while after one failed', async () => {
    await install();
    await directory.pause(60_000);
    const head = commit('root');
    expect(await entries()).toEqual([{ kind: 'commit', sha: head }]);
    expect(existsSync(directory.lockPath)).toBe(false);
    await directory.pause(-1_000);
    commit('later');
    expect(existsSync(directory.lockPath)).toBe(true);
  });

  it('let git succeed whatever becomes of Lineprint', async () => {
    await install();
    rmSync(directory.path, { recursive: true });
    expect(run(path, ['commit', '-q', '--allow-empty', '-m', 'without the directory'])).toMatchObject({
      status: 0,
      stderr: '',
    });
    await directory.write(
      { name: 'my repo', state: join(folder, 'state'), aiDefaults: true },
      join(folder, 'gone.js'),
    );
    rmSync(directory.queuePath, { recursive: true });
    expect(run(path, ['commit', '-q', '--allow-empty', '-m', 'without the queue'])).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it('are refused where there is no working tree', async () => {
    await expect(hookLayout(folder)).rejects.toMatchObject({ code: 'not-a-repository' });
    git('init', '-q', '--bare', join(folder, 'bare'));
    await expect(hookLayout(join(folder, 'bare'))).rejects.toMatchObject({ code: 'not-a-repository' });
  });
});

describe('what hooks wrote down', () => {
  const ids = (parsed: readonly HookEntry[]) => parsed.map(({ sha }) => sha);

  beforeEach(async () => {
    await install();
    await directory.pause(60_000);
  });

  it('waits while sending fails, and is sent once', async () => {
    const first = commit('first');
    await expect(drainQueue(directory, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    const second = commit('second');
    const sent: string[][] = [];
    const send = (parsed: HookEntry[]) => Promise.resolve(void sent.push(ids(parsed)));
    await drainQueue(directory, send);
    await drainQueue(directory, send);
    expect(sent).toEqual([[first, second]]);
    expect(existsSync(directory.lockPath)).toBe(false);
  });

  it('is sent by one process at a time, and after one that was killed by the next', async () => {
    const head = commit('first');
    const sent: string[][] = [];
    const send = (parsed: HookEntry[]) => Promise.resolve(void sent.push(ids(parsed)));
    writeFileSync(directory.lockPath, String(process.ppid));
    await drainQueue(directory, send);
    expect(sent).toEqual([]);
    const { pid } = spawnSync('true');
    writeFileSync(directory.lockPath, String(pid));
    await drainQueue(directory, send);
    expect(sent).toEqual([[head]]);
  });

  it('is parents first and each commit once, without what is pruned and what the remote has', async () => {
    const root = commit('root');
    git('update-ref', 'refs/remotes/origin/main', root);
    const [a, b, c] = ['a', 'b', 'c'].map(commit) as [string, string, string];
    const repository = await openRepository(path);
    const zeros = '0'.repeat(40);
    const told: HookEntry[] = [
      { kind: 'commit', sha: c },
      { kind: 'commit', sha: 'f'.repeat(40) },
      { kind: 'commit', sha: a },
      { kind: 'push', sha: c, known: zeros, remote: 'origin' },
      { kind: 'push', sha: b, known: a, remote: 'https://example.org/elsewhere.git' },
    ];
    expect((await commitsOf(told, repository)).map(({ sha }) => sha)).toEqual([a, b, c]);
  });

  it('is remembered by installation once it is sent', async () => {
    const sent = join(folder, 'sent');
    await (await SentCommits.load(sent, 'lk_1')).add(['a', 'b']);
    await (await SentCommits.load(sent, 'lk_1')).add(['c']);
    const known = await SentCommits.load(sent, 'lk_1');
    expect(['a', 'c', 'd'].map((sha) => known.has(sha))).toEqual([true, true, false]);
    expect((await SentCommits.load(sent, 'lk_2')).has('a')).toBe(false);
  });
});
