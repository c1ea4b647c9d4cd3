import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TreeLineage } from '@lineprint/attribution';
import { CopiedBlocks } from '../../bench/lineage/copied-blocks';
import { followHistory, noMoves } from '../../bench/lineage/follow-history';

// Some two hundred starts of git.
jest.setTimeout(120_000);

const SCORE = 100;
const seed = Number(process.env['LINEPRINT_TEST_SEED'] ?? 1);
let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'lineprint-copied-'));
  git('init', '-q');
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

function git(...args: string[]): string {
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...person, ...args], { cwd: path, encoding: 'utf8', env, stdio: 'pipe' });
}
const linesOf = (name: string) => readFileSync(join(path, name), 'utf8').split('\n').slice(0, -1);
const write = (name: string, lines: readonly string[]) =>
  writeFileSync(join(path, name), lines.map((line) => `${line}\n`).join(''));

function commit(): string {
  git('add', '-A');
  git('commit', '-q', '--allow-empty', '-m', 'x');
  return git('rev-parse', 'HEAD').trim();
}

async function follow(): Promise<{ copied: CopiedBlocks; moved: TreeLineage; added: TreeLineage }> {
  const copied = new CopiedBlocks(SCORE);
  const trees: TreeLineage[] = [];
  await followHistory(path, [copied, noMoves], (_commit, ...after) => trees.splice(0, 2, ...after));
  return { copied, moved: trees[0]!, added: trees[1]! };
}

function commitsOf(tree: TreeLineage, name: string): (string | undefined)[] {
  return tree
    .get(name)!
    .flatMap(({ origin, count }) => Array<string | undefined>(count).fill(origin?.commit));
}

function blamed(name: string): string[] {
  const text = git('blame', '--root', `-M${SCORE}`, `-C${SCORE}`, '-C', '-C', '-l', '-s', 'HEAD', '--', name);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(0, 40));
}

let written = 0;
const newLines = (count: number, letters = 20) =>
  Array.from({ length: count }, () => `line ${++written} ${'x'.repeat(letters)}`);

it(`follows blocks that were moved and copied, as git blame -M100 -C100 -C -C does (seed ${seed})`, async () => {
  let state = seed;
  const below = (limit: number) => (state = (state * 48_271 + 11) % 2_147_483_647) % limit;
  const names = ['a', 'b', 'c', 'd'];
  // Each line is a block by itself: what is left of a larger one is found by git as well.
  for (const name of names) write(name, newLines(20, SCORE));
  commit();
  // And each is copied once: git's diff may cross one of several copies.
  const copies = new Set<string>();
  for (let i = 0; i < 30; i++) {
    const from = linesOf(names[below(4)]!).filter((line) => !copies.has(line));
    const block = from.slice(below(from.length)).slice(0, 1 + below(8));
    block.forEach((line) => copies.add(line));
    const to = names[below(4)]!;
    const lines = linesOf(to);
    lines.splice(below(lines.length + 1), below(3), ...newLines(1 + below(3), SCORE), ...block);
    write(to, lines);
    commit();
  }
  const { moved } = await follow();
  for (const name of names) expect(commitsOf(moved, name)).toEqual(blamed(name));
});

it('takes lines from the file itself first, then from the one that has most of them', async () => {
  const [block, more] = [newLines(6), newLines(2)];
  write('a', [...newLines(3), ...block]);
  const first = commit();
  write('b', [...block, ...more]);
  const second = commit();
  write('c', [...block, ...more]);
  write('a', [...linesOf('a'), ...newLines(1), ...block]);
  const third = commit();
  const { moved } = await follow();
  const times = (sha: string, count: number) => Array<string>(count).fill(sha);
  expect(commitsOf(moved, 'b')).toEqual([...times(first, 6), ...times(second, 2)]);
  expect(commitsOf(moved, 'c')).toEqual([...times(first, 6), ...times(second, 2)]);
  expect(commitsOf(moved, 'a')).toEqual([...times(first, 9), third, ...times(first, 6)]);
});

it('takes no block with fewer letters and digits, nor one with other white space', async () => {
  const block = newLines(8);
  write('a', block);
  commit();
  write('b', block.slice(0, 3));
  write(
    'c',
    block.map((line) => `  ${line}`),
  );
  const second = commit();
  const { moved } = await follow();
  expect(new Set([...commitsOf(moved, 'b'), ...commitsOf(moved, 'c')])).toEqual(new Set([second]));
});

it('tells what later edits have left of a copied block', async () => {
  const block = newLines(8);
  write('a', block);
  commit();
  write('b', [...newLines(1), ...block]);
  const second = commit();
  const lines = linesOf('b');
  write('b', [...lines.slice(0, 3), ...newLines(1), ...lines.slice(4)]);
  commit();
  const { copied, added } = await follow();
  expect(copied.standing(added.get('b')!)).toEqual([
    { start: 1, count: 2, commit: second, path: 'b', line: 1, score: expect.any(Number) },
    { start: 4, count: 5, commit: second, path: 'b', line: 4, score: expect.any(Number) },
  ]);
});
