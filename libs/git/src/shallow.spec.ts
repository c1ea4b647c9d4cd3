import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRepository } from './repository';
import { listPushedCommits } from './shallow';

const ZEROS = '0'.repeat(40);

describe('listPushedCommits', () => {
  let folder: string;
  let shas: string[];
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  const origin = () => join(folder, 'origin');
  const commit = (message: string) => {
    git(origin(), 'commit', '-q', '--allow-empty', '-m', message);
    return git(origin(), 'rev-parse', 'HEAD');
  };
  /** As CI clones. */
  const clone = (...args: string[]) => {
    git(folder, 'clone', '-q', ...args, `file://${origin()}`, join(folder, 'clone'));
    return openRepository(join(folder, 'clone'));
  };
  const listed = async (
    repository: Awaited<ReturnType<typeof clone>>,
    range: string,
    options: Parameters<typeof listPushedCommits>[2] = { remote: 'origin' },
  ) => (await listPushedCommits(repository, range, options)).map(({ sha }) => sha);

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'lineprint-shallow-')));
    mkdirSync(origin());
    git(origin(), 'init', '-q', '-b', 'main');
    git(origin(), 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    shas = ['a', 'b', 'c', 'd', 'e'].map(commit);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are those of the range, fetched where a shallow clone has the last one only', async () => {
    const repository = await clone('--depth', '1');
    expect(await listed(repository, `${shas[1]}..${shas[4]}`)).toEqual(shas.slice(2));
  });

  it('are fetched by what the clone follows where a host gives no commit by its id', async () => {
    git(origin(), 'config', 'uploadpack.allowAnySHA1InWant', 'false');
    const repository = await clone('--depth', '2');
    git(origin(), 'branch', 'other', `${shas[4]}`);
    git(origin(), 'checkout', '-q', 'other');
    commit('newer');
    expect(await listed(repository, `${shas[1]}..${shas[4]}`)).toEqual(shas.slice(2));
  });

  it('have their parents as well, or it is said how to clone', async () => {
    const repository = await clone('--depth', '3');
    const range = `${shas[1]}..${shas[4]}`;
    await expect(listed(repository, range, {})).rejects.toMatchObject({
      code: 'history-missing',
      message: expect.stringContaining('fetch-depth: 0') as string,
    });
    git(join(folder, 'clone'), 'remote', 'set-url', 'origin', join(folder, 'nowhere'));
    await expect(listed(repository, range)).rejects.toMatchObject({ code: 'history-missing' });
    expect(await listed(repository, `${shas[3]}..${shas[4]}`, {})).toEqual([shas[4]]);
  });

  it('are all of a new branch that the base does not have', async () => {
    git(origin(), 'checkout', '-q', '-b', 'feature', `${shas[2]}`);
    const feature = [commit('x'), commit('y')];
    const repository = await clone('--branch', 'feature');
    expect(await listed(repository, `${ZEROS}..${feature[1]}`, { base: 'origin/main' })).toEqual(feature);
  });

  it('are the whole history where the base itself is new', async () => {
    const repository = await clone();
    expect(await listed(repository, `${ZEROS}..${shas[4]}`, { base: 'origin/main' })).toEqual(shas);
    expect(await listed(repository, `${ZEROS}..${shas[4]}`)).toEqual(shas);
  });

  it('are those beside the base where what was there before was force-pushed away', async () => {
    git(origin(), 'checkout', '-q', '-b', 'feature', `${shas[2]}`);
    const after = commit('x');
    const repository = await clone('--branch', 'feature');
    const range = `${'f'.repeat(40)}..${after}`;
    expect(await listed(repository, range, { base: 'origin/main', remote: 'origin' })).toEqual([after]);
  });

  it('are none where a branch was deleted', async () => {
    expect(await listed(await clone(), `${shas[4]}..${ZEROS}`)).toEqual([]);
  });

  it('are the whole history of a name alone', async () => {
    expect(await listed(await clone(), 'HEAD')).toEqual(shas);
  });

  it('are refused for what is no range, and for a tip that is nowhere', async () => {
    const repository = await clone();
    await expect(listed(repository, 'a..b..c')).rejects.toMatchObject({ code: 'range-invalid' });
    await expect(listed(repository, 'nowhere..main')).rejects.toMatchObject({ code: 'unknown-ref' });
    await expect(listed(repository, '--all')).rejects.toMatchObject({ code: 'unknown-ref' });
    await expect(listed(repository, `${shas[0]}..nowhere`)).rejects.toMatchObject({ code: 'unknown-ref' });
  });
});
