import type { Row } from '@lineprint/persistence';
import { blamedCommits, RandomRepository } from '../random-repository';
import { type RealRepository, suggested, typed, Workbench } from './git-reality/real-repository';

// Some three hundred starts of git.
jest.setTimeout(240_000);

const COMMITS = 40;
const MAIN = 'refs/heads/main';
const seed = Number(process.env['LINEPRINT_TEST_SEED'] ?? 1);

let bench: Workbench;
let repository: RealRepository;
beforeAll(async () => {
  bench = await Workbench.start({ LINEPRINT_COUNTED_BRANCHES: 'release/*' });
});
afterAll(() => bench.stop());
beforeEach(async () => {
  repository = await bench.repository();
});

const git = (...args: string[]) => repository.git(...args);

/** Pushes a branch, says what it names, and waits for the ledger. */
async function follow(branch = 'main'): Promise<void> {
  await repository.push(branch);
  await repository.tell(branch);
  await repository.isTold(branch);
  await repository.ledgerKept();
}

/** The commit of each line of each file at a ref's tip. */
async function commitsByFile(ref = MAIN): Promise<Record<string, (string | null)[]>> {
  const rows = await repository.rows<{ path: string; line_count: number; origin_commit: string | null }>(
    `SELECT path, line_count, origin_commit FROM head_runs
     WHERE org_id = $1 AND ref = '${ref}' ORDER BY path COLLATE "C", start_line`,
  );
  const files: Record<string, (string | null)[]> = {};
  for (const { path, line_count, origin_commit } of rows) {
    (files[path] ??= []).push(...Array<string | null>(line_count).fill(origin_commit));
  }
  return files;
}

function blamed(branch: string): Record<string, string[]> {
  const names = git('ls-tree', '-r', '--name-only', branch).split('\n').filter(Boolean);
  return Object.fromEntries(
    names
      .sort()
      .map((name) => [name, blamedCommits(git, branch, name)] as const)
      .filter(([, lines]) => lines.length > 0),
  );
}

/** Lines at main's tip by kind, and lives by whether they go on. */
async function kinds(): Promise<Record<string, number>> {
  const counts = async (sql: string) =>
    (await repository.rows<Row & { what: string; lines: number }>(sql)).map(
      ({ what, lines }) => [what, lines] as const,
    );
  return Object.fromEntries([
    ...(await counts(
      `SELECT kind AS what, SUM(lines) AS lines FROM head_file_lines WHERE org_id = $1 AND ref = '${MAIN}' GROUP BY 1`,
    )),
    ...(await counts(
      `SELECT kind || CASE WHEN died_at IS NULL THEN ' lives' ELSE ' died' END AS what, SUM(lines) AS lines
         FROM life_lines WHERE org_id = $1 AND ref = '${MAIN}' GROUP BY 1`,
    )),
  ]);
}

it(`names the commit of every line as git blame does, also after forced pushes (seed ${seed})`, async () => {
  let state = seed;
  const below = (limit: number) => (state = (state * 48_271 + 11) % 2_147_483_647) % limit;
  const random = new RandomRepository(repository.path, git, below);
  random.begin();
  for (let i = 0; i < COMMITS; i++) {
    random.goOn(i);
    if (i === 15) git('branch', 'release/1');
    if (i === 25) {
      await follow();
      await follow('release/1');
      expect(await commitsByFile()).toEqual(blamed('main'));
      git('reset', '-q', '--hard', 'HEAD~9');
    }
  }
  await follow();
  expect(await commitsByFile()).toEqual(blamed('main'));
  expect(await commitsByFile('refs/heads/release/1')).toEqual(blamed('release/1'));
  const [lives] = await repository.rows<{ standing: number; all: number }>(
    `SELECT (SELECT SUM(line_count) FROM line_lives WHERE org_id = $1 AND ref = '${MAIN}' AND died_at IS NULL) AS standing,
            (SELECT SUM(line_count) FROM head_runs WHERE org_id = $1 AND ref = '${MAIN}') AS all`,
  );
  expect(lives!.standing).toBe(lives!.all);
});

it('follows the assistant’s lines through a rename and a move, and lets those die that are deleted', async () => {
  repository.write('src/base.ts', typed('Base'));
  repository.commit();
  repository.accept('src/tide.ts', suggested('Tide'));
  repository.commit();
  await follow();
  expect(await kinds()).toEqual({ H: 5, P: 9, 'H lives': 5, 'P lives': 9 });

  git('mv', 'src/tide.ts', 'src/tides.ts');
  repository.commit();
  const lines = repository.read('src/tides.ts').split('\n');
  repository.write('src/tides.ts', lines.slice(4).join('\n'));
  repository.write('src/fresh.ts', `${lines.slice(0, 4).join('\n')}\n`);
  repository.commit();
  await follow();
  expect(await kinds()).toEqual({ H: 5, P: 9, 'H lives': 5, 'P lives': 9 });
  expect(Object.keys(await commitsByFile())).toEqual(['src/base.ts', 'src/fresh.ts', 'src/tides.ts']);

  git('rm', '-q', 'src/tides.ts');
  repository.commit();
  await follow();
  expect(await kinds()).toEqual({ H: 5, P: 4, 'H lives': 5, 'P lives': 4, 'P died': 5 });
});

it('gives back to the assistant what a revert brings back, as lines that are born again', async () => {
  repository.write('src/base.ts', typed('Base'));
  repository.commit();
  repository.accept('src/tide.ts', suggested('Tide'));
  const added = repository.commit();
  await follow();
  git('revert', '--no-edit', added);
  await follow();
  expect(await kinds()).toEqual({ H: 5, 'H lives': 5, 'P died': 9 });
  git('revert', '--no-edit', 'HEAD');
  await follow();
  expect(await kinds()).toEqual({ H: 5, P: 9, 'H lives': 5, 'P lives': 9, 'P died': 9 });
});
