import { encodeExplanations, encodeRemovedLines } from '@lineprint/attribution';
import type { AttributedFile, CandidatesEvent } from '@lineprint/contracts';
import { linePrintsToBase64 } from '@lineprint/fingerprint';
import { type Database, MIGRATIONS_DIRECTORY, migrate, openDatabase } from '@lineprint/persistence';
import { ConsumedByAncestors } from './consumed-by-ancestors';
import { LoadedHistories } from './loaded-histories';

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

let database: Database;
beforeAll(async () => {
  database = await openDatabase('pglite:memory');
  await migrate(database, MIGRATIONS_DIRECTORY);
});
beforeEach(() => database.script('TRUNCATE judged_commits'));
afterAll(() => database.close());

/** Numbers from 0 to below `end` that follow from the seed (mulberry32). */
function generator(seed: number): (end: number) => number {
  let state = seed >>> 0;
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
}

/** A snippet `s` of six lines; the commit's line `n` equals the snippet's line `n`. */
const SNIPPET_LINES = 6;
const NOON = Date.UTC(2026, 5, 1, 12);

interface Commit {
  readonly repository: string;
  readonly sha: string;
  readonly parents: readonly string[];
  readonly added: readonly number[];
  readonly removed: readonly number[];
  readonly committedAt: number;
  /** How often it has come again. */
  readonly revision?: number;
  /** The snippet arrived after it. */
  readonly isBlind?: boolean;
}

const printOf = (n: number, line: number) => {
  const h = BigInt(1000 + n);
  return { line, h1: h, h2: h, h3: h, bloom: h, tokens: 9 };
};

function eventOf(commit: Commit): CandidatesEvent {
  const { repository, sha, parents, added, removed, committedAt, revision, isBlind } = commit;
  const removedLines = encodeRemovedLines([
    {
      path: 'a.ts',
      hunks: [
        {
          removed: removed.map((n, i) => ({ ...printOf(n, i), ordinal: i, bits: 20 })),
          added: added.map((n, i) => ({ ...printOf(n, i), ordinal: i, bits: 20 })),
        },
      ],
    },
  ]);
  return {
    commit: {
      tenant: 'acme',
      projectId: 'shop',
      repository,
      sha,
      parents: [...parents],
      authorName: 'Ada',
      authorEmail: 'ada@acme.dev',
      userId: 'ada@acme.dev',
      authoredAt: committedAt,
      committedAt,
      late: false,
      ...(revision === undefined ? {} : { revision }),
    },
    repositoryLines: 0,
    ...(removedLines === '' ? {} : { removedLines }),
    files: [
      {
        path: 'a.ts',
        status: 'modified',
        language: 'typescript',
        addedLines: added.length,
        deletedLines: removed.length,
        blankLines: 0,
        inherited: [],
        linePrints: linePrintsToBase64(added.map(printOf)),
        tokenBits: '',
        occurrences: '',
        pathKeys: [],
        hunks: [],
      },
    ],
    candidates: isBlind ? [] : [{ codeId: 's', file: 0, score: 9 }],
  };
}

/** Gives every added line to the snippet's line that it equals, unless that is used up. */
function verdictOf(commit: Commit, consumed: ReadonlySet<number>): AttributedFile {
  const isAi = commit.added.map((n) => !commit.isBlind && n < SNIPPET_LINES && !consumed.has(n));
  const origin = {
    model: undefined,
    similarity: null,
    bits: 9,
    preserved: 0,
    modified: 0,
    human: 0,
    suspect: 0,
  };
  return {
    path: 'a.ts',
    status: 'modified',
    language: 'typescript',
    addedLines: commit.added.length,
    deletedLines: commit.removed.length,
    blankLines: 0,
    inheritedLines: 0,
    inherited: [],
    results: [
      { ...origin, codeId: 's', source: 'agent', evidence: 'matched', confidence: 'HIGH' },
      { ...origin, codeId: null, source: null, evidence: 'none', confidence: 'UNIQUE' },
    ],
    lines: isAi.map((ai, start) => ({ start, count: 1, kind: ai ? 'P' : 'H', result: ai ? 0 : 1 })),
    explanations: encodeExplanations(
      commit.added
        .filter((_, i) => isAi[i])
        .map((snippetLine) => ({ rule: 'line' as const, snippetLine, bits: 9 })),
    ),
  };
}

/** The lines that each commit was given of the snippet, by sha, in batches of the given size. */
async function judgeAll(
  commits: readonly Commit[],
  batch: (index: number) => ConsumedByAncestors,
  size: number,
): Promise<Map<string, number[]>> {
  const given = new Map<string, number[]>();
  for (let from = 0; from < commits.length; from += size) {
    const own = commits.slice(from, from + size);
    const bySha = new Map(own.map((commit) => [commit.sha, commit]));
    await batch(from).judge('acme', 'default', own.map(eventOf), ({ commit: { sha } }, consumed) => {
      const commit = bySha.get(sha)!;
      const used = consumed.get('s') ?? new Set<number>();
      given.set(
        sha,
        commit.added.filter((n) => !commit.isBlind && n < SNIPPET_LINES && !used.has(n)),
      );
      return [verdictOf(commit, used)];
    });
  }
  return given;
}

const inOneProcess = () => {
  const ledger = new ConsumedByAncestors(database);
  return () => ledger;
};

interface RandomHistory {
  readonly commits: readonly Commit[];
  /** By sha: its ancestors, and the lines that stand after it. */
  readonly ancestorsOf: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Commits on branches that are merged again, which add lines, take them out and bring them back. */
function randomHistory(seed: number, repository = 'shop', length = 40): RandomHistory {
  const random = generator(seed);
  const commits: Commit[] = [];
  const ancestorsOf = new Map<string, ReadonlySet<string>>();
  const standing = new Map<string, ReadonlySet<number>>();
  const heads: string[] = [];
  for (let n = 0; n < length; n++) {
    const sha = `${repository}-${n}`;
    const parents = [...new Set(heads.length === 0 ? [] : [heads[random(heads.length)]!])];
    if (heads.length > 1 && random(4) === 0) {
      parents.push(...heads.filter((head) => head !== parents[0]).slice(0, 1));
    }
    const ancestors = new Set(parents.flatMap((sha) => [sha, ...ancestorsOf.get(sha)!]));
    const before = new Set(parents.flatMap((sha) => [...standing.get(sha)!]));
    const isMerge = parents.length > 1;
    const removed = isMerge ? [] : [...before].filter(() => random(4) === 0);
    const added = isMerge
      ? []
      : Array.from({ length: SNIPPET_LINES + 2 }, (_, line) => line).filter(
          (line) => !before.has(line) && random(3) === 0,
        );
    commits.push({ repository, sha, parents, added, removed, committedAt: NOON + n * 60_000 });
    ancestorsOf.set(sha, ancestors);
    standing.set(sha, new Set([...[...before].filter((line) => !removed.includes(line)), ...added]));
    if (parents.length > 0 && random(3) > 0) heads.splice(heads.indexOf(parents[0]!), 1);
    if (isMerge) heads.splice(heads.indexOf(parents[1]!), 1);
    heads.push(sha);
  }
  return { commits, ancestorsOf };
}

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed + 1);

describe('whatever the history', () => {
  it('no line of a snippet is used twice along a line of history, unless it was removed in between', async () => {
    let again = 0;
    for (const seed of SEEDS) {
      await database.script('TRUNCATE judged_commits');
      const { commits, ancestorsOf } = randomHistory(seed);
      const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
      const given = await judgeAll(commits, inOneProcess(), 7);
      for (const [sha, lines] of given) {
        for (const line of lines) {
          const ancestors = [...ancestorsOf.get(sha)!];
          const users = ancestors.filter((ancestor) => given.get(ancestor)!.includes(line));
          for (const user of users) {
            const between = ancestors.filter((ancestor) => ancestorsOf.get(ancestor)!.has(user));
            expect(between.some((ancestor) => bySha.get(ancestor)!.removed.includes(line))).toBe(true);
            again++;
          }
        }
      }
    }
    expect(again).toBeGreaterThan(10);
  });

  it('lines that come back after they were removed are AI’s again', async () => {
    let back = 0;
    for (const seed of SEEDS) {
      await database.script('TRUNCATE judged_commits');
      const { commits, ancestorsOf } = randomHistory(seed);
      const given = await judgeAll(commits, inOneProcess(), 7);
      // A line is only added here where no parent has it.
      for (const { sha, added } of commits) {
        if (ancestorsOf.get(sha)!.size === 0) continue;
        expect(given.get(sha)).toEqual(added.filter((line) => line < SNIPPET_LINES));
        back += given.get(sha)!.length;
      }
    }
    expect(back).toBeGreaterThan(100);
  });

  it('a replay, in whatever batches and processes, gives the same', async () => {
    for (const seed of SEEDS) {
      await database.script('TRUNCATE judged_commits');
      const { commits } = randomHistory(seed);
      const copied = commits.map((commit, i) => ({ ...commit, added: i % 3 ? commit.added : [0, 1, 2] }));
      const once = await judgeAll(copied, inOneProcess(), 7);
      expect(await judgeAll(copied, () => new ConsumedByAncestors(database), 5)).toEqual(once);
      expect(await judgeAll(copied, inOneProcess(), 1)).toEqual(once);
      await database.script('TRUNCATE judged_commits');
      expect(await judgeAll(copied, () => new ConsumedByAncestors(database), 3)).toEqual(once);
    }
  });

  it('commits that come again with a snippet that was late leave what the right order leaves', async () => {
    const ledger = async () => {
      const rows = await database.query(
        'SELECT position, commit_sha, encode(uses, $1) AS uses FROM judged_commits ORDER BY position',
        ['hex'],
      );
      return JSON.stringify(rows);
    };
    for (const seed of SEEDS) {
      const random = generator(seed);
      const { commits } = randomHistory(seed);
      const copied = commits.map((commit, i) => ({ ...commit, added: i % 3 ? commit.added : [0, 1, 2] }));
      await database.script('TRUNCATE judged_commits');
      const right = await judgeAll(copied, inOneProcess(), 7);
      const expected = await ledger();
      await database.script('TRUNCATE judged_commits');
      // Some commits come before the snippet; from the first of them on all come again, and so do a few another time.
      const first = random(20);
      const late = copied.map((commit, i) => ({ ...commit, isBlind: i >= first && random(2) === 0 }));
      const again = copied.slice(first).map((commit) => ({ ...commit, revision: 1 }));
      const third = copied.slice(30).map((commit) => ({ ...commit, revision: 2 }));
      const one = new ConsumedByAncestors(database);
      const other = new ConsumedByAncestors(database);
      // Two processes that take over from each other: what one replaces the other must see.
      let turn = 0;
      const either = () => (turn++ % 3 === 0 ? other : one);
      await judgeAll(late, either, 4);
      const given = new Map([
        ...(await judgeAll(late.slice(0, first), either, 5)),
        ...(await judgeAll([...again, ...third], either, 5)),
      ]);
      expect(given).toEqual(right);
      expect(await ledger()).toBe(expected);
      // What comes again of an earlier revision changes nothing.
      await judgeAll(late, either, 6);
      expect(await ledger()).toBe(expected);
    }
  });

  it('the order of commits in different repositories changes nothing', async () => {
    for (const seed of SEEDS.slice(0, 4)) {
      await database.script('TRUNCATE judged_commits');
      const one = randomHistory(seed, 'one').commits;
      const two = randomHistory(seed, 'two').commits;
      const after = await judgeAll([...one, ...two], inOneProcess(), 7);
      await database.script('TRUNCATE judged_commits');
      const mixed = one.flatMap((commit, i) => [two[i]!, commit]);
      expect(new Map([...(await judgeAll(mixed, inOneProcess(), 9))].sort())).toEqual(
        new Map([...after].sort()),
      );
    }
  });
});

describe('a batch', () => {
  const commit = (sha: string, parents: string[], added: number[], removed: number[] = []): Commit => {
    return { repository: 'shop', sha, parents, added, removed, committedAt: NOON };
  };

  it('lets a child see what its parent uses', async () => {
    const given = await judgeAll([commit('a', [], [0, 1]), commit('b', ['a'], [0, 2])], inOneProcess(), 9);
    expect(given.get('b')).toEqual([2]);
  });

  it('judges a commit that comes twice the same both times', async () => {
    const twice = [commit('a', [], [0]), commit('b', ['a'], [0, 1]), commit('b', ['a'], [0, 1])];
    expect((await judgeAll(twice, inOneProcess(), 9)).get('b')).toEqual([1]);
    const rows = await database.query('SELECT position, commit_sha FROM judged_commits ORDER BY position');
    expect(rows).toEqual([
      { position: 1, commit_sha: 'a' },
      { position: 2, commit_sha: 'b' },
    ]);
  });

  it('judges a child that came before its parent without it, now and in a replay', async () => {
    const commits = [commit('child', ['parent'], [0]), commit('parent', [], [0])];
    expect((await judgeAll(commits, inOneProcess(), 9)).get('child')).toEqual([0]);
    expect((await judgeAll(commits, inOneProcess(), 9)).get('child')).toEqual([0]);
  });

  it('counts under its own policy and organisation only', async () => {
    const ledger = new ConsumedByAncestors(database);
    const used: number[][] = [];
    const run = (org: string, policy: string, own: Commit) =>
      ledger.judge(org, policy, [eventOf(own)], (_, consumed) => {
        used.push([...(consumed.get('s') ?? [])]);
        return [verdictOf(own, consumed.get('s') ?? new Set())];
      });
    await run('acme', 'default', commit('a', [], [0]));
    for (const [org, policy] of [
      ['acme', 'default'],
      ['acme', 'strict'],
      ['rival', 'default'],
    ] as const) {
      await run(org, policy, commit('b', ['a'], [0]));
    }
    expect(used).toEqual([[], [0], [], []]);
  });

  it('that another process was faster with is tried again on its history', async () => {
    const [ours, theirs] = [new ConsumedByAncestors(database), new ConsumedByAncestors(database)];
    await judgeAll([commit('a', [], [])], () => ours, 1);
    const between = jest.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
      await judgeAll([commit('b', ['a'], [0])], () => theirs, 1);
      return database.transaction(work);
    });
    await expect(judgeAll([commit('c', ['b'], [0])], () => ours, 1)).rejects.toMatchObject({
      code: 'judged-commits-conflict',
      transient: true,
    });
    between.mockRestore();
    expect((await judgeAll([commit('c', ['b'], [0])], () => ours, 1)).get('c')).toEqual([]);
  });

  it('forgets the histories not used for longest, and knows them again', async () => {
    const small = new ConsumedByAncestors(database, new LoadedHistories(1));
    const of = (repository: string, sha: string, parents: string[], added: number[]): Commit => ({
      ...commit(sha, parents, added),
      repository,
    });
    const commits = [
      of('one', 'a', [], [0]),
      of('two', 'a', [], [1]),
      of('one', 'b', ['a'], [0, 1]),
      of('two', 'c', ['a'], [0, 1]),
    ];
    const given = await judgeAll(commits, () => small, 1);
    expect([given.get('b'), given.get('c')]).toEqual([[1], [0]]);
  });
});
