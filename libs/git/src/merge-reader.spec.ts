import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MergeReader } from './merge-reader';
import { mergedFiles } from './merged-files';
import { readCommits } from './read-commits';
import { openRepository } from './repository';

// Each test starts git dozens of times.
jest.setTimeout(60_000);

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'lineprint-merge-'));
  git('init', '-q', '-b', 'main');
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

function git(...args: string[]): string {
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...person, ...args], {
    cwd: path,
    encoding: 'utf8',
    env,
    stdio: 'pipe',
  }).trim();
}
const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${name} says ${i}\n`);
const write = (file: string, lines: string[]) => writeFileSync(join(path, file), lines.join(''));
function commit(message = 'change'): string {
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', message);
  return git('rev-parse', 'HEAD');
}

/** Two branches on top of one commit, each made by its function, merged without a commit. */
function branches(left: () => void, right: () => void): void {
  commit('base');
  git('checkout', '-q', '-b', 'side');
  right();
  commit('right =end of nothing');
  git('checkout', '-q', 'main');
  left();
  commit('left');
  git('merge', '-q', '--no-commit', '--no-ff', 'side');
}

async function merged(sha: string) {
  const items = [];
  for await (const item of readCommits(await openRepository(path), [sha])) items.push(item);
  const [item] = items;
  return item?.kind === 'commit' ? item.commit.merged : item;
}

describe('what a merge has from which parent', () => {
  it('names a file of the other parent whole, and one of both with the edits against each', async () => {
    const base = numbered('base', 20);
    write('both.txt', base);
    branches(
      () => write('both.txt', ['left\n', ...base]),
      () => {
        write('both.txt', [...base, 'right\n']);
        write('new.txt', ['right\n']);
      },
    );
    const sha = commit('merge');
    expect(await merged(sha)).toEqual([
      {
        path: 'both.txt',
        from: [
          { parent: 0, edits: [21, 0, 21, 1] },
          { parent: 1, edits: [0, 0, 0, 1] },
        ],
      },
      { path: 'new.txt', from: [{ parent: 1, edits: [] }] },
    ]);
  });

  it('says which files are gone, by their names in the first parent', async () => {
    write('kept.txt', numbered('kept', 9));
    write('old.txt', numbered('old', 9));
    write('dropped.txt', numbered('dropped', 9));
    branches(
      () => undefined,
      () => {
        git('mv', 'old.txt', 'new.txt');
        git('rm', '-q', 'dropped.txt');
      },
    );
    expect(await merged(commit('merge'))).toEqual([
      { path: 'dropped.txt', from: [] },
      { path: 'old.txt', from: [] },
      { path: 'new.txt', from: [{ parent: 1, edits: [] }] },
    ]);
  });

  it('has the lines that the merge itself adds in no parent', async () => {
    write('a.txt', numbered('a', 3));
    branches(
      () => write('left.txt', ['left\n']),
      () => write('right.txt', ['right\n']),
    );
    write('own.txt', ['one\n', 'two\n']);
    const files = await merged(commit('merge'));
    expect(files).toContainEqual({ path: 'own.txt', from: [{ parent: 0, edits: [0, 0, 0, 2] }] });
  });

  it('leaves out a file whose content the clone lacks', async () => {
    write('a.txt', numbered('a', 3));
    branches(
      () => write('left.txt', ['left\n']),
      () => {
        write('right.txt', ['right\n']);
        write('video.bin', numbered('video', 99));
      },
    );
    const sha = commit('merge');
    const id = git('rev-parse', 'HEAD:video.bin');
    rmSync(join(path, '.git/objects', id.slice(0, 2), id.slice(2)));
    expect(await merged(sha)).toEqual([{ path: 'right.txt', from: [{ parent: 1, edits: [] }] }]);
  });

  it('is not known where a commit is missing', async () => {
    commit('base');
    const reader = new MergeReader(await openRepository(path));
    const missing = 'f'.repeat(40);
    const head = git('rev-parse', 'HEAD');
    const nothing = () => undefined;
    expect(await reader.read(missing, [head, head], nothing)).toBeUndefined();
    expect(await reader.read(head, [head, head], nothing)).toEqual([[], []]);
    reader.close();
    expect(mergedFiles([])).toEqual([]);
  });
});

describe('a commit with a file whose content the clone lacks', () => {
  it('is skipped, or read without the file where that is asked for', async () => {
    commit('base');
    write('code.txt', ['code\n']);
    write('video.bin', numbered('video', 99));
    const sha = commit('both');
    const id = git('rev-parse', 'HEAD:video.bin');
    rmSync(join(path, '.git/objects', id.slice(0, 2), id.slice(2)));
    expect(await merged(sha)).toMatchObject({ kind: 'skipped' });
    const repository = await openRepository(path);
    for await (const item of readCommits(repository, [sha], { missing: 'leave-out' })) {
      expect(item).toMatchObject({
        kind: 'commit',
        commit: { sha, files: [{ path: 'code.txt', addedLines: 1 }] },
      });
    }
  });
});
