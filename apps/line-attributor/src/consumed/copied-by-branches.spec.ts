import type { CopiedLine } from '@lineprint/attribution';
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

interface Commit {
  readonly sha: string;
  readonly parents: readonly string[];
  /** Numbers of the lines that it adds to the one file, in a hunk each. */
  readonly added: readonly number[];
}

const NOON = Date.UTC(2026, 5, 1, 12);

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

/** Commits on branches and merges of them, which add some of eight lines. */
function randomCommits(seed: number, count: number): Commit[] {
  const below = generator(seed);
  return Array.from({ length: count }, (_, i) => {
    const parent = () => `c${Math.max(0, i - 1 - below(6))}`;
    const parents = i === 0 ? [] : [...new Set(below(5) === 0 ? [parent(), parent()] : [parent()])];
    return { sha: `c${i}`, parents, added: Array.from({ length: below(4) }, () => below(8)) };
  });
}

function eventOf({ sha, parents, added }: Commit, place: number): CandidatesEvent {
  const prints = added.map((n, line) => {
    const hash = BigInt(1000 + n);
    return { line, h1: hash, h2: hash, h3: hash, bloom: 0n, tokens: 9 };
  });
  return {
    commit: {
      ...{ tenant: 'acme', projectId: 'shop', repository: 'shop', sha, parents: [...parents], late: false },
      ...{ authorName: 'Ada', authorEmail: 'ada@acme.dev', userId: 'ada@acme.dev' },
      ...{ authoredAt: NOON + place, committedAt: NOON + place },
    },
    repositoryLines: 0,
    files: [
      {
        ...{ path: 'a.ts', status: 'modified', language: 'typescript', addedLines: added.length },
        ...{ deletedLines: 0, blankLines: 0, inherited: [], occurrences: '' },
        linePrints: linePrintsToBase64(prints),
        tokenBits: Buffer.alloc(2 * added.length).toString('base64'),
        pathKeys: ['00000000000000aa'],
        hunks: added.map((_, i) => ({ first: i, last: i })),
      },
    ],
    candidates: [],
  };
}

const NO_VERDICT: AttributedFile = {
  ...{ path: 'a.ts', status: 'modified', language: 'typescript', addedLines: 0, deletedLines: 0 },
  ...{ blankLines: 0, inheritedLines: 0, inherited: [], results: [], lines: [], explanations: '' },
};

/** For each commit, `line<commit` of what it copies, judged in batches of the given sizes. */
async function judge(
  judges: () => ConsumedByAncestors,
  commits: readonly Commit[],
  batch: () => number,
): Promise<Map<string, string[]>> {
  const copied = new Map<string, string[]>();
  const events = commits.map(eventOf);
  const attribute = (event: CandidatesEvent, _: unknown, lines: readonly CopiedLine[]) => {
    copied.set(
      event.commit.sha,
      lines.map(({ hash, fromCommit }) => `${hash - 1000}<${fromCommit}`),
    );
    return [NO_VERDICT];
  };
  for (let from = 0, to; from < events.length; from = to) {
    to = from + batch();
    await judges().judge('acme', 'default', events.slice(from, to), attribute);
  }
  return copied;
}

/** The same by the rule itself: what is a copy follows from the commits before, whatever they are stored in. */
function expected(commits: readonly Commit[]): Map<string, string[]> {
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const originals = new Map<string, number[]>();
  const copies = new Map<string, string[]>();
  commits.forEach(({ sha, parents, added }, place) => {
    const ancestors = new Set<string>();
    const visit = (name: string) => {
      if (ancestors.has(name)) return;
      ancestors.add(name);
      bySha.get(name)!.parents.forEach(visit);
    };
    parents.forEach(visit);
    const left = new Map<number, string[]>();
    for (const line of new Set(added)) {
      const elsewhere = commits
        .slice(0, place)
        .filter((other) => !ancestors.has(other.sha))
        .flatMap((other) => (originals.get(other.sha) ?? []).filter((n) => n === line).map(() => other.sha));
      const known = [...ancestors].flatMap((name) => copies.get(name) ?? []);
      left.set(line, elsewhere.slice(known.filter((copy) => copy.startsWith(`${line}<`)).length));
    }
    const own: number[] = [];
    const copied: string[] = [];
    for (const line of added) {
      const from = left.get(line)!.shift();
      if (from === undefined) own.push(line);
      else copied.push(`${line}<${from}`);
    }
    originals.set(sha, own);
    copies.set(sha, copied);
  });
  return copies;
}

describe('lines that two lines of history have', () => {
  it('are copied as the rule says, in random histories of branches and merges', async () => {
    let copies = 0;
    for (let seed = 1; seed <= 30; seed++) {
      await database.script('TRUNCATE judged_commits');
      const commits = randomCommits(seed, 40);
      const one = new ConsumedByAncestors(database);
      const found = await judge(
        () => one,
        commits,
        () => 40,
      );
      expect(found).toEqual(expected(commits));
      copies += [...found.values()].flat().length;
    }
    expect(copies).toBeGreaterThan(100);
  });

  it('are the same whatever the batches, in one process or a new one for each, and when commits come again', async () => {
    for (let seed = 31; seed <= 45; seed++) {
      await database.script('TRUNCATE judged_commits');
      const below = generator(seed);
      const commits = randomCommits(seed, 40);
      const fresh = () => new ConsumedByAncestors(database, new LoadedHistories(1));
      const found = await judge(fresh, commits, () => 1 + below(9));
      expect(found).toEqual(expected(commits));
      const again = await judge(fresh, commits, () => 1 + below(9));
      expect(again).toEqual(found);
    }
  });
});
