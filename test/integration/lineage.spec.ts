import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HistoryLineage, type TreeLineage } from '@lineprint/attribution';
import { lineEdits } from '@lineprint/contracts';
import { listCommits, openRepository, readCommits } from '@lineprint/git';

// Some three hundred starts of git.
jest.setTimeout(120_000);

const COMMITS = 60;
const seed = Number(process.env['LINEPRINT_TEST_SEED'] ?? 1);
const path = mkdtempSync(join(tmpdir(), 'lineprint-lineage-'));
afterAll(() => rmSync(path, { recursive: true, force: true }));

function git(...args: string[]): string {
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...person, ...args], { cwd: path, encoding: 'utf8', env, stdio: 'pipe' });
}

/** The lineage of HEAD's tree. */
async function lineageOfHead(): Promise<TreeLineage> {
  const repository = await openRepository(path);
  const refs = await listCommits(repository);
  const history = new HistoryLineage(refs);
  let tree: TreeLineage = new Map();
  for await (const item of readCommits(
    repository,
    refs.map(({ sha }) => sha),
  )) {
    if (item.kind !== 'commit') throw new Error(item.reason);
    const { sha, parents, files, merged } = item.commit;
    const followed = files.map((file) => ({ ...file, edits: lineEdits(file.hunks), inherited: [] }));
    tree = history.add({ sha, parents, files: followed, merged });
  }
  return tree;
}

it(`says of every line which commit added it, as git blame does (seed ${seed})`, async () => {
  let state = seed;
  const below = (limit: number) => (state = (state * 48_271 + 11) % 2_147_483_647) % limit;
  let written = 0;
  const newLines = (count: number) =>
    Array.from({ length: count }, () => `line ${++written} of ${below(1e6)}`);
  const files = () => git('ls-files').split('\n').filter(Boolean);
  const linesOf = (name: string) => readFileSync(join(path, name), 'utf8').split('\n').slice(0, -1);
  const write = (name: string, lines: string[]) =>
    writeFileSync(join(path, name), lines.map((line) => `${line}\n`).join(''));
  const edit = (name: string) => {
    const lines = linesOf(name);
    lines.splice(below(lines.length + 1), below(4), ...newLines(1 + below(4)));
    write(name, lines);
  };
  const commit = () => {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', `commit ${written}`);
  };

  git('init', '-q', '-b', 'main');
  for (const name of ['a.ts', 'b.ts', 'c.ts']) write(name, newLines(30));
  commit();
  for (let i = 0; i < COMMITS; i++) {
    const names = files();
    const name = names[below(names.length)]!;
    const what = below(10);
    if (what === 0) write(`new${i}.ts`, newLines(5 + below(20)));
    else if (what === 1) git('mv', name, `renamed${i}.ts`);
    else if (what === 2 && names.length > 3) git('rm', '-q', name);
    else if (what <= 4) {
      // A branch with an edit of its own, merged with whatever comes of it.
      git('checkout', '-q', '-b', `side${i}`);
      edit(name);
      commit();
      git('checkout', '-q', 'main');
      edit(names[below(names.length)]!);
      commit();
      try {
        git('merge', '-q', '--no-ff', '--no-edit', `side${i}`);
      } catch {
        const conflicting = git('diff', '--name-only', '--diff-filter=U').split('\n').filter(Boolean);
        for (const each of conflicting)
          write(each, [...linesOf(each).filter((line) => !/^[<=>]{7}/.test(line)), ...newLines(1)]);
      }
    } else edit(name);
    commit();
  }
  commit();

  const tree = await lineageOfHead();
  expect([...tree.keys()].sort()).toEqual(files().sort());
  for (const [name, lineage] of tree) {
    const ours = lineage.flatMap(({ origin, count }) =>
      Array<string | undefined>(count).fill(origin?.commit),
    );
    const blamed = git('blame', '--porcelain', 'HEAD', '--', name).matchAll(/^([0-9a-f]{40}) \d+ \d+/gm);
    expect({ name, commits: ours }).toEqual({ name, commits: [...blamed].map(([, sha]) => sha) });
  }
});
