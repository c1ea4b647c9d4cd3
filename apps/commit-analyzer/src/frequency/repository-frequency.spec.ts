import { randomUUID } from 'node:crypto';
import {
  type Database,
  expireLineChanges,
  MIGRATIONS_DIRECTORY,
  migrate,
  openDatabase,
} from '@lineprint/persistence';
import { array, asyncProperty, assert, constantFrom, integer, record } from 'fast-check';
import { type CommitToCount, RepositoryFrequency } from './repository-frequency';
import { type LineChange, lineChange, type RepositoryLines } from './repository-lines';

/** A snapshot after every few commits, so that small histories have some. */
const LIMITS = { maxBytes: 64 * 1024 * 1024, minSnapshotBytes: 100 };
const TIME = Date.UTC(2026, 2, 1);
const HASHES = Array.from({ length: 12 }, (_, i) => BigInt(i + 1));

/** A change of few different lines, so that they meet again. */
const anyChange = record({
  added: array(constantFrom(...HASHES), { maxLength: 6 }),
  removed: array(constantFrom(...HASHES), { maxLength: 4 }),
  path: integer({ min: 1, max: 3 }),
}).map(({ added, removed, path }): LineChange => {
  const lines = (hashes: readonly bigint[]) => hashes.map((h1) => ({ h1, h2: h1 + 100n }));
  const hunks = [{ added: lines(added), removed: lines(removed) }];
  return lineChange([{ hunks, pathKeys: [path.toString(16).padStart(16, '0')] }], TIME + path);
});
const anyHistory = array(anyChange, { minLength: 1, maxLength: 25 });

/** Everything that a commit could read of it. */
function seen(lines: RepositoryLines): string {
  const { total, paths } = lines.snapshot();
  const counts = HASHES.flatMap((hash) => [lines.exact(hash), lines.abstract(hash + 100n)]);
  const times = [...paths].map(([path, time]) => `${path}:${time}`).sort();
  return JSON.stringify([lines.position, total, counts, times]);
}

describe('the counts of a repository', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase('pglite:memory');
    await migrate(database, MIGRATIONS_DIRECTORY);
  }, 60_000);
  afterAll(() => database.close());

  const frequency = () => new RepositoryFrequency(database, LIMITS);
  const commitsOf = (repository: string, history: readonly LineChange[]): CommitToCount[] =>
    history.map((change, i) => ({
      orgId: 'harbour',
      repository,
      generation: 'key.1',
      changeId: `${repository}-${i}`,
      change,
      committedAt: TIME,
    }));

  /** What each commit saw, by its id, of batches of so many. */
  async function run(
    counting: RepositoryFrequency,
    commits: readonly CommitToCount[],
    batch = commits.length,
  ): Promise<Map<string, string>> {
    const views = new Map<string, string>();
    for (let from = 0; from < commits.length; from += batch) {
      const part = commits.slice(from, from + batch);
      await counting.count(part, (index, before) => void views.set(part[index]!.changeId, seen(before)));
    }
    return views;
  }

  it('are those of all earlier commits, none below 0', async () => {
    await assert(
      asyncProperty(anyHistory, async (history) => {
        const views = await run(frequency(), commitsOf(randomUUID(), history), 4);
        const counts = new Map<bigint, number>();
        let total = 0;
        [...views.values()].forEach((view, i) => {
          const expected = HASHES.flatMap((hash) => [counts.get(hash) ?? 0, counts.get(hash + 100n) ?? 0]);
          expect((JSON.parse(view) as unknown[]).slice(0, 3)).toEqual([i, total, expected]);
          const { lines, total: more } = history[i]!;
          for (const [hash, change] of lines) counts.set(hash, Math.max(0, (counts.get(hash) ?? 0) + change));
          total = Math.max(0, total + more);
        });
      }),
      { numRuns: 20 },
    );
  });

  it('are the same for a commit that comes again, whether kept in memory or rebuilt from what is stored', async () => {
    await assert(
      asyncProperty(
        anyHistory,
        integer({ min: 1, max: 7 }),
        integer({ min: 0, max: 24 }),
        async (history, batch, from) => {
          const commits = commitsOf(randomUUID(), history);
          const live = frequency();
          const first = await run(live, commits, batch);
          const again = commits.slice(from);
          const expected = new Map([...first].slice(from));
          expect(await run(live, again, 3)).toEqual(expected);
          expect(await run(frequency(), again, 5)).toEqual(expected);
          // And they still go on where they were.
          const next = commitsOf('next', [history[0]!]).map((commit) => ({
            ...commit,
            repository: commits[0]!.repository,
          }));
          const after = await run(live, next);
          expect(await run(frequency(), next)).toEqual(after);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('do not depend on how commits of two repositories come one between the other', async () => {
    await assert(
      asyncProperty(
        anyHistory,
        anyHistory,
        array(integer({ min: 0, max: 1 }), { maxLength: 50 }),
        async (one, two, order) => {
          const names = [randomUUID(), randomUUID()] as const;
          const apart = new Map([
            ...(await run(frequency(), commitsOf(`${names[0]}`, one), 5)),
            ...(await run(frequency(), commitsOf(`${names[1]}`, two), 5)),
          ]);
          const other = 'island';
          const queues = [commitsOf(names[0], one), commitsOf(names[1], two)].map((commits) =>
            commits.map((commit) => ({ ...commit, orgId: other })),
          );
          const mixed = order.flatMap((which) => queues[which]!.shift() ?? []);
          mixed.push(...queues[0]!, ...queues[1]!);
          // With room for one repository only.
          const counting = new RepositoryFrequency(database, { ...LIMITS, maxBytes: 1 });
          const views = await run(counting, mixed, 3);
          expect(new Map([...views].sort())).toEqual(new Map([...apart].sort()));
        },
      ),
      { numRuns: 10 },
    );
  });

  it('are not changed by a batch that could not be stored', async () => {
    const change = lineChange(
      [{ hunks: [{ added: [{ h1: 1n, h2: 2n }], removed: [] }], pathKeys: [] }],
      TIME,
    );
    const commits = commitsOf(randomUUID(), [change, change, change]);
    let broken = false;
    const failing: Database = {
      kind: database.kind,
      query: (sql, params) => database.query(sql, params),
      transaction: (work) => (broken ? Promise.reject(new Error('gone')) : database.transaction(work)),
      script: (sql) => database.script(sql),
      ping: () => database.ping(),
      close: () => Promise.resolve(),
    };
    const counting = new RepositoryFrequency(failing, LIMITS);
    await run(counting, commits.slice(0, 1));
    broken = true;
    await expect(run(counting, commits.slice(1))).rejects.toThrow('gone');
    broken = false;
    const views = await run(counting, commits.slice(1));
    expect([...views.values()].map((view) => (JSON.parse(view) as number[])[1])).toEqual([1, 2]);
  });

  it('are refused, to be counted anew, where another process has counted other commits', async () => {
    const repository = randomUUID();
    const change = lineChange([], TIME);
    const [ours, theirs] = commitsOf(repository, [change, change]);
    let interfere = async () => {};
    const slow = new RepositoryFrequency(
      {
        kind: database.kind,
        query: (sql, params) => database.query(sql, params),
        transaction: async (work) => {
          await interfere();
          return database.transaction(work);
        },
        script: (sql) => database.script(sql),
        ping: () => database.ping(),
        close: () => Promise.resolve(),
      },
      LIMITS,
    );
    interfere = async () => {
      interfere = async () => {};
      await run(frequency(), [theirs!]);
    };
    await expect(run(slow, [ours!])).rejects.toMatchObject({
      code: 'line-changes-conflict',
      transient: true,
    });
    expect([...(await run(slow, [ours!])).values()]).toHaveLength(1);
  });

  it('keep the ids of expired changes, so that an old commit that comes again counts once', async () => {
    const change = lineChange(
      [{ hunks: [{ added: [{ h1: 1n, h2: 2n }], removed: [] }], pathKeys: ['00000000000000aa'] }],
      TIME,
    );
    const commits = commitsOf(
      randomUUID(),
      Array.from({ length: 12 }, () => change),
    );
    await run(frequency(), commits);
    expect(await expireLineChanges(database, new Date(Date.now() + 1_000))).toBeGreaterThan(0);
    const [old] = commits;
    await run(frequency(), [old!]);
    const [view] = (
      await run(
        frequency(),
        commitsOf('later', [change]).map((later) => ({
          ...later,
          repository: old!.repository,
        })),
      )
    ).values();
    expect((JSON.parse(view!) as number[]).slice(0, 2)).toEqual([12, 12]);
  });

  describe('with a baseline', () => {
    const change = (count: number) =>
      lineChange(
        [
          {
            hunks: [{ added: Array.from({ length: count }, () => ({ h1: 1n, h2: 2n })), removed: [] }],
            pathKeys: [],
          },
        ],
        TIME,
      );
    const part = (repository: string, sha: string, index: number, lines: number): CommitToCount => ({
      ...commitsOf(repository, [{ ...change(lines), baselineAt: TIME - 1 }])[0]!,
      changeId: `${sha}+${index}`,
      baseline: `${sha}+`,
    });
    const totals = (views: Map<string, string>) =>
      [...views.values()].map((view) => (JSON.parse(view) as number[])[1]);

    it('begin with all of its parts, and see no commit in them', async () => {
      const repository = randomUUID();
      const parts = [part(repository, 'base', 0, 5), part(repository, 'base', 1, 7)];
      const commits = commitsOf(repository, [change(1), change(1)]);
      const views = await run(frequency(), [...parts, ...parts, ...commits], 3);
      expect([...views.keys()]).toEqual(commits.map(({ changeId }) => changeId));
      expect(totals(views)).toEqual([12, 13]);
    });

    it('leave out one that comes after a commit, and a second one of another commit', async () => {
      const repository = randomUUID();
      const commits = commitsOf(repository, [change(1), change(1)]);
      const views = await run(frequency(), [
        part(repository, 'base', 0, 5),
        part(repository, 'other', 0, 100),
        commits[0]!,
        part(repository, 'base', 1, 7),
        commits[1]!,
      ]);
      expect(totals(views)).toEqual([5, 6]);
    });

    it('do not count again what was committed before it, however late that is sent', async () => {
      const repository = randomUUID();
      const [newer, older, newest] = commitsOf(repository, [change(1), change(1), change(1)]);
      const commits = [newer!, { ...older!, committedAt: TIME - 1 }, newest!];
      const counting = frequency();
      const views = await run(counting, [part(repository, 'base', 0, 5), ...commits]);
      expect(totals(views)).toEqual([5, 6, 6]);
      expect(await run(frequency(), commits)).toEqual(views);
    });
  });
});
