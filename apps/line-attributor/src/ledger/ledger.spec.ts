import type { TreeLineage } from '@lineprint/attribution';
import { DEFAULT_POLICY } from '@lineprint/contracts';
import {
  createPolicy,
  type Database,
  dropPolicy,
  ensureFirstPolicy,
  ensureTenant,
  forgetLedgerRequests,
  insertFollowedCommits,
  ledgerRequests,
  MIGRATIONS_DIRECTORY,
  migrate,
  openDatabase,
  type Row,
  saveRefState,
} from '@lineprint/persistence';
import { attributionRows, writeVerdicts } from '@lineprint/results';
import { followRepository } from './follow-repository';
import { labelLines } from './label-worker';
import {
  followedRow,
  type HistoryCommit,
  kindOf,
  ownLines,
  PLACE,
  randomHistory,
  treesOf,
  userOf,
  verdictOf,
} from './random-history';

jest.setTimeout(120_000);

const ROUNDS = Number(process.env['LINEPRINT_TEST_ROUNDS'] ?? 4);
const COMMITS = 40;
const POLICIES = ['default', 'strict'];
const MAIN = 'refs/heads/main';
const RELEASE = 'refs/heads/release';
const CLOCK = { timeZone: 'UTC', dayBy: 'author' } as const;

let database: Database;
beforeAll(async () => {
  database = await openDatabase('pglite:memory');
  await migrate(database, MIGRATIONS_DIRECTORY);
});
beforeEach(async () => {
  const tables = await database.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`,
  );
  await database.query(`TRUNCATE ${tables.map(({ name }) => `"${name}"`).join(', ')}`);
  await ensureTenant(database, { orgId: PLACE.orgId, name: 'Acme' });
  await ensureFirstPolicy(database, PLACE.orgId, DEFAULT_POLICY);
  await createPolicy(database, PLACE.orgId, { ...DEFAULT_POLICY, id: 'strict' });
});
afterAll(() => database.close());

function draws(seed: number): (limit: number) => number {
  let state = seed + 1;
  return (limit) => (state = (state * 48_271 + 11) % 2_147_483_647) % limit;
}

type Refs = Readonly<Record<string, string>>;

async function tell(refs: Refs): Promise<void> {
  await database.transaction((tx) =>
    saveRefState(tx, PLACE, {
      ...{ decided: true, defaultRef: MAIN, nextDefault: null, horizon: null },
      refs: Object.entries(refs).map(([ref, sha]) => ({ ref, sha, pending: [], counts: ref !== MAIN })),
    }),
  );
}

async function judge(
  commits: readonly HistoryCommit[],
  policies: readonly string[] = POLICIES,
): Promise<void> {
  const events = commits.flatMap((commit) =>
    policies.map((policy) => verdictOf(commit, verdictTrees.get(commit.sha)!, policy)),
  );
  await database.transaction((tx) =>
    writeVerdicts(
      tx,
      events.map((event) => attributionRows(event, CLOCK)),
    ),
  );
}
/** Of the history under test. */
let verdictTrees: Map<string, TreeLineage>;

const signal = new AbortController().signal;

/** Does all that the ledger was asked for. */
async function keepLedger(): Promise<void> {
  for (const { ids, ...place } of await ledgerRequests(database, 1_000)) {
    expect(await followRepository(database, place, signal)).toBe(true);
    expect(await labelLines(database, place, signal)).toBe(true);
    await forgetLedgerRequests(database, ids);
  }
}

/** A line at a tip, as the ledger names it. */
const nameOf = (commit: string, path: string, line: number) => `${commit.slice(-3)}/${path}:${line}`;

function linesOf(tree: TreeLineage): string[] {
  return [...tree.values()].flatMap((lineage) =>
    lineage.flatMap(({ origin, line, count }) =>
      origin ? Array.from({ length: count }, (_, i) => nameOf(origin.commit, origin.path, line + i)) : [],
    ),
  );
}

/** The lives of lines by the definition, one line and one commit after the other. */
function livesByLine(
  tip: string,
  bySha: ReadonlyMap<string, HistoryCommit>,
  trees: ReadonlyMap<string, TreeLineage>,
): string[] {
  const chain: HistoryCommit[] = [];
  for (let commit = bySha.get(tip); commit; commit = bySha.get(commit.parents[0] ?? ''))
    chain.unshift(commit);
  const open = new Map<string, { depth: number; at: number }[]>();
  const lives: string[] = [];
  const iso = (at: number) => new Date(at).toISOString();
  let at = 0;
  chain.forEach(({ sha, committedAt }, depth) => {
    at = Math.max(at, committedAt);
    const counts = new Map<string, number>();
    for (const line of linesOf(trees.get(sha)!)) counts.set(line, (counts.get(line) ?? 0) + 1);
    for (const line of new Set([...open.keys(), ...counts.keys()])) {
      const standing = open.get(line) ?? [];
      const count = counts.get(line) ?? 0;
      while (standing.length > count) {
        const { depth: born, at: bornAt } = standing.pop()!;
        lives.push(`${line} ${born} ${iso(bornAt)} ${depth} ${iso(at)}`);
      }
      while (standing.length < count) standing.push({ depth, at });
      open.set(line, standing);
    }
  });
  for (const [line, standing] of open) {
    for (const { depth, at: bornAt } of standing) lives.push(`${line} ${depth} ${iso(bornAt)} - -`);
  }
  return lives.sort();
}

async function storedLives(ref: string): Promise<string[]> {
  const rows = await database.query<{
    origin_commit: string;
    origin_path: string;
    first_line: number;
    line_count: number;
    born_depth: number;
    born_at: Date;
    died_depth: number | null;
    died_at: Date | null;
  }>('SELECT * FROM line_lives WHERE ref = $1', [ref]);
  return rows
    .flatMap((row) =>
      Array.from({ length: row.line_count }, (_, i) => {
        const line = nameOf(row.origin_commit, row.origin_path, row.first_line + i);
        const died = row.died_at ? `${row.died_depth} ${row.died_at.toISOString()}` : '- -';
        return `${line} ${row.born_depth} ${row.born_at.toISOString()} ${died}`;
      }),
    )
    .sort();
}

async function storedTree(ref: string): Promise<Record<string, string>> {
  const rows = await database.query<{
    path: string;
    start_line: number;
    line_count: number;
    origin_commit: string | null;
    origin_path: string | null;
    origin_line: number | null;
  }>('SELECT * FROM head_runs WHERE ref = $1 ORDER BY path COLLATE "C", start_line', [ref]);
  const tree: Record<string, string> = {};
  for (const row of rows) {
    const origin = row.origin_commit ? nameOf(row.origin_commit, row.origin_path!, row.origin_line!) : '?';
    tree[row.path] = `${tree[row.path] ?? ''}${row.start_line}=${origin}+${row.line_count} `;
  }
  return tree;
}

function shownTree(tree: TreeLineage): Record<string, string> {
  return Object.fromEntries(
    [...tree]
      .filter(([, lineage]) => lineage.length > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, lineage]) => {
        let start = 0;
        const runs = lineage.map(({ origin, line, count }) => {
          const run = `${start}=${origin ? nameOf(origin.commit, origin.path, line) : '?'}+${count} `;
          start += count;
          return run;
        });
        return [path, runs.join('')];
      }),
  );
}

/** What a policy says of a line that a commit added, as far as it has judged the commit. */
function labelOf(
  policy: string,
  { commit, path, line }: { commit: string; path: string; line: number },
  bySha: ReadonlyMap<string, HistoryCommit>,
  judged: ReadonlySet<string>,
): string | undefined {
  if (!judged.has(commit)) return 'U';
  const { copied, files } = bySha.get(commit)!;
  if (!ownLines(commit, path, verdictTrees.get(commit)!).includes(line)) {
    // While the parent is not known that it came from, it is the commit's own to the ledger; not to the verdict.
    const moved = files.find((file) => file.path === path)?.inherited ?? [];
    return moved.some(({ start, count }) => line >= start && line < start + count) ? 'U' : undefined;
  }
  const copy = copied.get(path)?.find(({ start }) => start === line);
  if (!copy) return kindOf(policy, commit, path, line);
  return judged.has(copy.fromCommit) ? kindOf(policy, copy.fromCommit, path, copy.fromLine!) : 'U';
}

function expectedParts(
  policy: string,
  tree: TreeLineage,
  bySha: ReadonlyMap<string, HistoryCommit>,
  judged: ReadonlySet<string>,
): Record<string, number> {
  const parts: Record<string, number> = {};
  for (const [path, lineage] of tree) {
    for (const { origin, line, count } of lineage) {
      for (let i = 0; i < count; i++) {
        const kind = origin ? labelOf(policy, { ...origin, line: line + i }, bySha, judged) : 'U';
        if (!kind) continue;
        const key = `${path} ${kind} ${kind === 'U' ? null : userOf(origin!.commit)}`;
        parts[key] = (parts[key] ?? 0) + 1;
      }
    }
  }
  return parts;
}

async function storedParts(policy: string, ref: string): Promise<Record<string, number>> {
  const rows = await database.query<{ path: string; kind: string; user_id: string | null; lines: number }>(
    'SELECT path, kind, user_id, lines FROM head_file_lines WHERE policy_id = $1 AND ref = $2',
    [policy, ref],
  );
  return Object.fromEntries(
    rows.map(({ path, kind, user_id, lines }) => [`${path} ${kind} ${user_id}`, lines]),
  );
}

/** Everything that the same commits, refs and verdicts always give. */
async function ledger(): Promise<Record<string, unknown>> {
  const sorted = async (sql: string) =>
    (await database.query<Row>(sql)).map((row) => JSON.stringify(row)).sort();
  return {
    heads: await sorted('SELECT * FROM line_heads'),
    runs: await sorted('SELECT * FROM head_runs'),
    lives: [await storedLives(MAIN), await storedLives(RELEASE)],
    files: await sorted('SELECT * FROM head_file_lines'),
    lifeLines: await sorted(
      `SELECT policy_id, ref, project_id, origin_commit, language, kind, source, model, user_id, born_at, died_at, lines
         FROM life_lines`,
    ),
    stale: await sorted('SELECT path FROM stale_head_files UNION ALL SELECT origin_commit FROM stale_lives'),
    asked: await sorted(
      'SELECT repository FROM ledger_requests UNION ALL SELECT commit_sha FROM ledger_relabels',
    ),
  };
}

async function check(
  refs: Refs,
  commits: readonly HistoryCommit[],
  arrived: ReadonlySet<string>,
  judged: ReadonlySet<string>,
): Promise<void> {
  const known = commits.filter(({ sha }) => arrived.has(sha));
  const trees = treesOf(known);
  const bySha = new Map(known.map((commit) => [commit.sha, commit]));
  for (const ref of [MAIN, RELEASE]) {
    const tree = trees.get(refs[ref] ?? '');
    // A tip that has not arrived leaves the ledger where it is.
    if (refs[ref] !== undefined && !tree) continue;
    expect(await storedTree(ref)).toEqual(shownTree(tree ?? new Map()));
    const lives = tree ? livesByLine(refs[ref]!, bySha, trees) : [];
    expect(await storedLives(ref)).toEqual(lives);
    expect(lives.filter((life) => life.endsWith('- -'))).toHaveLength(tree ? linesOf(tree).length : 0);
    if (judged.size === 0) continue;
    for (const policy of POLICIES) {
      expect(await storedParts(policy, ref)).toEqual(
        tree ? expectedParts(policy, tree, new Map(commits.map((c) => [c.sha, c])), judged) : {},
      );
    }
  }
}

describe('the ledger of a repository', () => {
  it.each(Array.from({ length: ROUNDS }, (_, seed) => seed))(
    'is that of its definition after whatever has come in whatever order, and the same when made anew (seed %i)',
    async (seed) => {
      const below = draws(seed);
      const commits = randomHistory(COMMITS, below);
      verdictTrees = treesOf(commits);
      const arrived = new Set<string>();
      const judged = new Set<string>();
      let refs: Refs = {};
      const anyOf = (from: readonly HistoryCommit[]) => from[below(from.length)]!;
      // Mostly in order, some late: neighbours change places, and some come at the end.
      const late = commits.filter(() => below(12) === 0);
      const inOrder = [...commits.filter((commit) => !late.includes(commit)), ...late];
      while (inOrder.length > 0) {
        const batch = inOrder.splice(0, 1 + below(6));
        await insertFollowedCommits(
          database,
          [
            ...batch,
            anyOf(commits.filter(({ sha }) => arrived.has(sha) || batch.some((b) => b.sha === sha))),
          ].map(followedRow),
        );
        for (const { sha } of batch) arrived.add(sha);
        if (below(2)) {
          const verdicts = commits.filter(({ sha }) => arrived.has(sha) && !judged.has(sha) && below(3));
          await judge(verdicts);
          for (const { sha } of verdicts) judged.add(sha);
        }
        if (below(3) === 0) continue;
        const tips = commits.filter(({ sha }) => arrived.has(sha));
        refs = {
          [MAIN]: below(4) ? tips.at(-1)!.sha : anyOf(tips).sha,
          ...(below(3) ? { [RELEASE]: anyOf(tips).sha } : {}),
        };
        await tell(refs);
        await keepLedger();
        await check(refs, commits, arrived, judged);
      }
      await judge(commits);
      await keepLedger();
      const all = new Set(commits.map(({ sha }) => sha));
      await check(refs, commits, all, all);

      const once = await ledger();
      expect([once.stale, once.asked]).toEqual([[], []]);
      await insertFollowedCommits(database, commits.map(followedRow));
      await judge(commits);
      await tell(refs);
      await keepLedger();
      expect(await ledger()).toEqual(once);

      for (const table of [
        'line_trees',
        'line_heads',
        'head_runs',
        'line_lives',
        'head_file_lines',
        'life_lines',
        'labelled_repositories',
      ])
        await database.query(`DELETE FROM ${table}`);
      await database.query(
        'INSERT INTO ledger_relabels (org_id, policy_id, repository, commit_sha) SELECT org_id, policy_id, repository, commit_sha FROM commit_verdicts',
      );
      await tell(refs);
      await keepLedger();
      expect(await ledger()).toEqual(once);

      const left = await storedParts('default', MAIN);
      await dropPolicy(database, PLACE.orgId, 'strict');
      await judge(commits, ['default']);
      await tell(refs);
      await keepLedger();
      expect(await storedParts('strict', MAIN)).toEqual({});
      expect(await storedParts('default', MAIN)).toEqual(left);
    },
  );
});
