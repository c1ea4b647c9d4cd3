import { randomUUID } from 'node:crypto';
import {
  connectedPatterns,
  knownCommits,
  loadCommitGraph,
  loadRefState,
  newestGap,
  NO_REFS,
  noteAwaitedCommits,
  noteCommitGaps,
  type RefState,
  type RepositoryPlace,
  saveRefState,
  takeFilledGaps,
  unreachedAncestors,
  unsettledRepositories,
} from './counted-refs';
import type { Database, Transaction } from './database';

const HOUR_MS = 3_600_000;

/** What is stored of refs, and how commits are walked along, on every adapter. */
export function countedRefsConformance(database: () => Database): void {
  const aRepository = () => ({ orgId: `org-${randomUUID()}`, repository: 'acme/engine' });

  /** Stores commits, `sha: parents`, an hour apart; a sha in capitals is reached. */
  async function store(place: RepositoryPlace, commits: Record<string, readonly string[]>): Promise<void> {
    const shas = Object.keys(commits);
    for (const [i, sha] of shas.entries()) {
      await database().query(
        `INSERT INTO commits (org_id, repository, sha, project_id, user_id, author_name, author_email, parents,
           authored_at, committed_at, reached)
         VALUES ($1, $2, $3, 'p', 'u', 'Ada', 'ada@example.org', $4::text[], $5::timestamptz, $5::timestamptz, $6)`,
        [place.orgId, place.repository, sha, commits[sha]!, new Date(i * HOUR_MS), sha === sha.toUpperCase()],
      );
    }
    await database().transaction((tx) =>
      noteCommitGaps(
        tx,
        shas.map((sha) => ({ ...place, sha, parents: commits[sha]! })),
      ),
    );
  }
  const within = <T>(work: (tx: Transaction) => Promise<T>) => database().transaction(work);

  const STATE: RefState = {
    decided: true,
    defaultRef: 'refs/heads/main',
    nextDefault: null,
    horizon: new Date(HOUR_MS),
    refs: [
      { ref: 'refs/heads/main', sha: 'a', pending: [], counts: false },
      {
        ref: 'refs/heads/release/ü',
        sha: null,
        pending: [
          { sha: 'b', moves: false, before: 'a' },
          { sha: 'c', moves: true },
        ],
        counts: true,
      },
    ],
  };

  it('keeps what is known of refs, in place of what was', async () => {
    const place = aRepository();
    expect(await loadRefState(database(), place)).toEqual(NO_REFS);
    await within((tx) => saveRefState(tx, place, STATE));
    expect(await loadRefState(database(), place)).toEqual(STATE);
    const next: RefState = {
      ...{ decided: true, defaultRef: 'refs/heads/main', nextDefault: 'refs/heads/trunk', horizon: null },
      refs: [{ ref: 'refs/heads/main', sha: 'c', pending: [], counts: true }],
    };
    await within((tx) => saveRefState(tx, place, next));
    expect(await loadRefState(database(), place)).toEqual(next);
    expect(await loadRefState(database(), { ...place, repository: 'other' })).toEqual(NO_REFS);
  });

  it('walks to ancestors until it meets what is reached, and not past a commit that is not known', async () => {
    const place = aRepository();
    await store(place, { A: [], B: ['A'], c: ['B', 'gone'], d: ['c', 'A'], other: ['A'] });
    await store(aRepository(), { d: ['other'] });
    const { unreached, met } = await unreachedAncestors(database(), place, ['d', 'not-known']);
    expect([unreached.sort(), [...met].sort()]).toEqual([
      ['c', 'd'],
      ['A', 'B'],
    ]);
    expect(await unreachedAncestors(database(), place, ['B'])).toEqual({
      unreached: [],
      met: new Set(['B']),
    });
    expect(await knownCommits(database(), place, ['A', 'c', 'gone', 'c'])).toEqual(
      new Map([
        ['A', true],
        ['c', false],
      ]),
    );
    expect((await loadCommitGraph(database(), place)).find(({ sha }) => sha === 'c')).toEqual({
      ...{
        sha: 'c',
        parents: ['B', 'gone'],
        committed_at: new Date(2 * HOUR_MS),
        reached: false,
        counted: true,
      },
    });
  });

  it('knows the newest commit whose parent is missing, until the parent is there', async () => {
    const place = aRepository();
    await store(place, { A: ['gone'], b: ['lost'], C: ['lost'], d: ['C'] });
    expect(await newestGap(database(), place, ['A', 'd'])).toEqual(new Date(0));
    expect(await newestGap(database(), place, ['A', 'b', 'C', 'd'])).toEqual(new Date(2 * HOUR_MS));
    expect(await newestGap(database(), place, ['d'])).toBeNull();
    await store(place, { lost: [] });
    expect(await within((tx) => takeFilledGaps(tx, place))).toEqual(['lost']);
    expect(await within((tx) => takeFilledGaps(tx, place))).toEqual([]);
    expect(await newestGap(database(), place, ['A', 'b', 'C', 'd'])).toEqual(new Date(0));
  });

  it('notes commits that a ref or another commit has waited for, until the repository is settled', async () => {
    const [awaited, gap, neither] = [aRepository(), aRepository(), aRepository()];
    for (const place of [awaited, gap, neither]) {
      await within((tx) => saveRefState(tx, place, place === awaited ? STATE : { ...STATE, refs: [] }));
    }
    await store(gap, { child: ['c'] });
    const ours = async () => {
      const all = await unsettledRepositories(database());
      return [awaited, gap, neither].map(({ orgId }) => all.some((place) => place.orgId === orgId));
    };
    const note = (sha: string) =>
      within((tx) =>
        noteAwaitedCommits(
          tx,
          [awaited, gap, neither].map((place) => ({ ...place, sha })),
        ),
      );
    await note('d');
    expect(await ours()).toEqual([false, false, false]);
    await note('c');
    expect(await ours()).toEqual([true, true, false]);
    await within((tx) => saveRefState(tx, awaited, STATE));
    expect(await ours()).toEqual([false, true, false]);
  });

  it('has no patterns of a repository that is not connected', async () => {
    const { orgId, repository } = aRepository();
    expect(await connectedPatterns(database(), orgId, repository)).toEqual([]);
  });
}
