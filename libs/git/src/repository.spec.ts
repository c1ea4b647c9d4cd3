import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listCommits, openRepository } from './repository';

describe('openRepository and listCommits', () => {
  let path: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
      cwd: path,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const commit = (message: string) => {
    git('commit', '-q', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  beforeEach(() => {
    path = realpathSync(mkdtempSync(join(tmpdir(), 'lineprint-repository-')));
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));

  it('says what is wrong with a path', async () => {
    await expect(openRepository(join(path, 'none'))).rejects.toMatchObject({ code: 'not-a-repository' });
    await expect(openRepository(path)).rejects.toMatchObject({ code: 'not-a-repository' });
    git('init', '-q');
    await expect(openRepository(path)).rejects.toMatchObject({ code: 'no-commits' });
    await expect(openRepository(path, { git: '/nowhere/git' })).rejects.toMatchObject({
      code: 'git-missing',
    });
  });

  it('finds git on the PATH, and in the usual places when that is empty', async () => {
    git('init', '-q');
    commit('x');
    const { PATH } = process.env;
    const called = join(path, 'called');
    writeFileSync(join(path, 'git'), `#!/bin/sh\n: > '${called}'\nPATH='${PATH}' exec git "$@"\n`, {
      mode: 0o755,
    });
    try {
      process.env.PATH = path;
      await openRepository(path);
      expect(existsSync(called)).toBe(true);
      delete process.env.PATH;
      await openRepository(path);
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('opens a working tree, a folder inside it, and a bare repository', async () => {
    git('init', '-q');
    const head = commit('x');
    mkdirSync(join(path, 'deep'));
    git('clone', '-q', '--bare', path, join(path, 'bare'));
    expect(await openRepository(path)).toMatchObject({ path, gitDir: join(path, '.git'), head });
    expect(await openRepository(join(path, 'deep'))).toMatchObject({ gitDir: join(path, '.git'), head });
    expect(await openRepository(join(path, 'bare'))).toMatchObject({ gitDir: join(path, 'bare'), head });
  });

  it('lists parents before children, merges included, and the newest when limited', async () => {
    git('init', '-q', '-b', 'main');
    const root = commit('root');
    git('checkout', '-q', '-b', 'side');
    const side = commit('side');
    git('checkout', '-q', 'main');
    const main = commit('main');
    git('merge', '-q', '--no-edit', 'side');
    const merge = git('rev-parse', 'HEAD');
    const repository = await openRepository(path);
    const all = await listCommits(repository);
    expect(all[0]).toEqual({ sha: root, parents: [] });
    expect(all.slice(1, 3)).toEqual(
      expect.arrayContaining([
        { sha: side, parents: [root] },
        { sha: main, parents: [root] },
      ]),
    );
    expect(all[3]).toEqual({ sha: merge, parents: [main, side] });
    expect(await listCommits(repository, { ref: 'side' })).toHaveLength(2);
    expect(await listCommits(repository, { range: 'side..main' })).toHaveLength(2);
    expect((await listCommits(repository, { max: 1 })).map(({ sha }) => sha)).toEqual([merge]);
  });

  it('refuses refs that are unknown or look like options', async () => {
    git('init', '-q');
    commit('x');
    const repository = await openRepository(path);
    for (const ref of ['nowhere', '--all', '-n1', 'a b', '', 'x\n--all']) {
      await expect(listCommits(repository, { ref })).rejects.toMatchObject({ code: 'unknown-ref' });
    }
  });
});
