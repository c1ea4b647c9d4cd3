import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HistoryLineage, type TreeLineage } from '@lineprint/attribution';
import { lineEdits } from '@lineprint/contracts';
import { listCommits, openRepository, readCommits } from '@lineprint/git';
import { blamedCommits, RandomRepository } from '../random-repository';

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
  git('init', '-q', '-b', 'main');
  const random = new RandomRepository(path, git, below);
  random.begin();
  for (let i = 0; i < COMMITS; i++) random.goOn(i);

  const tree = await lineageOfHead();
  expect([...tree.keys()].sort()).toEqual(random.files().sort());
  for (const [name, lineage] of tree) {
    const ours = lineage.flatMap(({ origin, count }) =>
      Array<string | undefined>(count).fill(origin?.commit),
    );
    expect({ name, commits: ours }).toEqual({ name, commits: blamedCommits(git, 'HEAD', name) });
  }
});
