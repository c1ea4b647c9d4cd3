import { randomUUID } from 'node:crypto';
import type { Database } from './database';
import {
  type AnalysedCommit,
  type ArrivedSnippet,
  claimReanalysis,
  deleteRequests,
  dropPassedReanalysis,
  expireAnalysedCommits,
  isReanalysisOverdue,
  neededOffsets,
  requestReanalysis,
  saveAnalysedCommits,
  saveSentReanalysis,
} from './reanalysis';
import { insertSnippets } from './snippets';

const NOON = Date.UTC(2026, 5, 1, 12);
const MINUTE = 60_000;
const LIMITS = { maxAgeMs: 90 * 24 * 60 * MINUTE, maxCommits: 10 };
const NOW = { quietMs: 0, longestMs: 0, claimMs: 60_000, limit: 100 };

/** What every database must do about commits that come again. */
export function reanalysisConformance(databaseOf: () => Database): void {
  let database: Database;
  let orgId: string;
  beforeEach(() => {
    database = databaseOf();
    orgId = `org-${randomUUID()}`;
  });
  // What is left would be claimed by the next test.
  afterEach(() => database.query('DELETE FROM reanalysis_requests'));

  const commit = (sha: string, offset: number, changes: Partial<AnalysedCommit> = {}): AnalysedCommit => ({
    orgId,
    repository: 'harbour/berths',
    sha,
    projectId: 'berths',
    committedAt: NOON + offset * MINUTE,
    partition: 2,
    offset,
    revision: 0,
    horizon: [0, 10, 0],
    needed: [],
    ...changes,
  });
  const snippet = (offset: number, changes: Partial<ArrivedSnippet> = {}): ArrivedSnippet => ({
    orgId,
    projectId: 'berths',
    repository: null,
    createdAt: new Date(NOON),
    partition: 1,
    offset,
    ...changes,
  });
  const save = (...commits: AnalysedCommit[]) =>
    database.transaction((tx) => saveAnalysedCommits(tx, commits, LIMITS));
  const arrive = (...snippets: ArrivedSnippet[]) =>
    database.transaction((tx) => requestReanalysis(tx, snippets, LIMITS));
  const claim = (indexed = [99, 99, 99]) => claimReanalysis(database, { ...NOW, indexed });
  const open = async () => {
    const rows = await database.query<{ sha: string; needed: number[]; sent_offset: number | null }>(
      'SELECT sha, needed, sent_offset FROM reanalysis_requests WHERE org_id = $1 ORDER BY sha',
      [orgId],
    );
    return rows.map(({ sha, needed, sent_offset }) => [sha, needed, sent_offset]);
  };
  /** Appends what is claimed from an offset on. */
  const append = async (from: number) => {
    const claimed = await claim();
    await saveSentReanalysis(
      database,
      claimed.map((one, i) => ({ ...one, sentOffset: from + i })),
    );
    return claimed;
  };

  it('asks for the commits that a snippet is not younger than, that are of its project and have not seen it', async () => {
    await save(
      commit('earlier', 0, { committedAt: NOON - 1, repository: 'r1' }),
      commit('same-time', 1, { committedAt: NOON, repository: 'r2' }),
      commit('later', 2, { repository: 'r3' }),
      commit('seen', 3, { horizon: [0, 13, 0], repository: 'r4' }),
      commit('far', 4, { committedAt: NOON + LIMITS.maxAgeMs + 1, repository: 'r5' }),
      commit('elsewhere', 5, { projectId: 'tides', repository: 'r6' }),
      commit('by-repository', 6, { projectId: 'tides', repository: 'tides' }),
      commit('stranger', 7, { orgId: `${orgId}-other`, repository: 'r8' }),
    );
    expect(await arrive(snippet(12, { repository: 'tides' }))).toEqual({ requested: 3, leftOut: 0 });
    expect(await open()).toEqual([
      ['by-repository', [0, 13], null],
      ['later', [0, 13], null],
      ['same-time', [0, 13], null],
    ]);
    expect(await arrive()).toEqual({ requested: 0, leftOut: 0 });
  });

  it('has one request for a commit, however many snippets there are, which each commit needs as far as they are older', async () => {
    await save(commit('a', 0), commit('b', 5));
    await arrive(snippet(10), snippet(11, { createdAt: new Date(NOON + MINUTE) }));
    await arrive(snippet(12, { createdAt: new Date(NOON + 9 * MINUTE) }));
    await arrive(snippet(4, { partition: 0 }));
    expect(await open()).toEqual([
      ['a', [5, 11], null],
      ['b', [5, 12], null],
    ]);
  });

  it('brings what follows in the repository again as well, after it', async () => {
    await save(
      commit('before', 0, { committedAt: NOON - MINUTE }),
      commit('touched', 1),
      commit('follows', 2, { committedAt: NOON - MINUTE, projectId: 'other' }),
    );
    await arrive(snippet(10));
    expect(await open()).toEqual([
      ['follows', [], null],
      ['touched', [0, 11], null],
    ]);
    expect((await claim()).map(({ sha }) => sha)).toEqual(['touched', 'follows']);
  });

  it('leaves out what is too much, the commits furthest from the snippets, and says how much', async () => {
    await save(...Array.from({ length: 13 }, (_, i) => commit(`c${i}`, i)));
    expect(await arrive(snippet(10))).toEqual({ requested: 10, leftOut: 3 });
    expect((await claim()).map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('gives commits to be appended to one process, once their snippets are indexed, as the next revision', async () => {
    await save(commit('a', 0), commit('b', 1));
    await arrive(snippet(10));
    expect(await claim([99, 10, 99])).toEqual([]);
    expect(await claim([])).toEqual([]);
    const claimed = await claim([0, 11]);
    expect(claimed).toMatchObject([
      {
        orgId,
        repository: 'harbour/berths',
        sha: 'a',
        partition: 2,
        offset: 0,
        revision: 1,
        horizon: [0, 11, 0],
      },
      { sha: 'b', offset: 1, revision: 1, horizon: [0, 11, 0] },
    ]);
    expect(await claim()).toEqual([]);
    await saveSentReanalysis(database, [{ ...claimed[0]!, sentOffset: 7 }]);
    expect(await open()).toEqual([
      ['a', [0, 11], 7],
      ['b', [0, 11], null],
    ]);
  });

  it('waits until no more snippets come, but not for ever', async () => {
    await save(commit('a', 0));
    await arrive(snippet(10));
    const patient = { ...NOW, indexed: [99, 99], quietMs: 3_600_000 };
    expect(await claimReanalysis(database, { ...patient, longestMs: 3_600_000 })).toEqual([]);
    expect(await claimReanalysis(database, patient)).toHaveLength(1);
  });

  it('gives what a process did not append to another one later', async () => {
    await save(commit('a', 0));
    await arrive(snippet(10));
    expect(await claimReanalysis(database, { ...NOW, indexed: [0, 99], claimMs: 0 })).toHaveLength(1);
    expect(await claim()).toHaveLength(1);
  });

  it('is done with a request once a revision has seen what it asked for', async () => {
    await save(commit('a', 0));
    await arrive(snippet(10));
    await append(20);
    await save(commit('a', 20, { revision: 1, horizon: [0, 11, 0] }));
    expect(await open()).toEqual([]);
    expect(await arrive(snippet(10))).toEqual({ requested: 0, leftOut: 0 });
    // The original, once more.
    await save(commit('a', 0));
    expect(await arrive(snippet(10))).toEqual({ requested: 0, leftOut: 0 });
  });

  it('asks again for what arrived while a revision was on its way', async () => {
    await save(commit('a', 0));
    await arrive(snippet(10));
    await append(20);
    await arrive(snippet(11));
    await save(commit('a', 20, { revision: 1, horizon: [0, 11, 0] }));
    expect(await open()).toEqual([['a', [0, 12], null]]);
    expect(await append(30)).toMatchObject([{ revision: 2, horizon: [0, 12, 0], offset: 0 }]);
    // The first revision, once more: the second is on its way.
    await save(commit('a', 21, { revision: 1, horizon: [0, 11, 0] }));
    expect(await open()).toEqual([['a', [0, 12], 30]]);
    await save(commit('a', 30, { revision: 2, horizon: [0, 12, 0] }));
    expect(await open()).toEqual([]);
  });

  it('does not take a revision for one on its way that was analysed before that could be noted', async () => {
    await save(commit('a', 0));
    await arrive(snippet(10));
    const claimed = await claim();
    await arrive(snippet(11));
    await save(commit('a', 20, { revision: 1, horizon: [0, 11, 0] }));
    await saveSentReanalysis(database, [{ ...claimed[0]!, sentOffset: 20 }]);
    expect(await open()).toEqual([['a', [0, 12], null]]);
  });

  it('brings a commit again that was analysed between a revision and its request', async () => {
    await save(commit('a', 0));
    await arrive(snippet(10));
    // It knows the snippet, but not that its ancestor will.
    await save(commit('b', 1, { horizon: [0, 11, 0] }));
    await append(20);
    expect(await open()).toEqual([
      ['a', [0, 11], 20],
      ['b', [], 21],
    ]);
    // This one lies before the revision in the log as well.
    await save(commit('c', 2, { horizon: [0, 11, 0] }));
    await save(
      commit('a', 20, { revision: 1, horizon: [0, 11, 0] }),
      commit('b', 21, { revision: 1, horizon: [0, 11, 0] }),
      commit('d', 22, { horizon: [0, 11, 0] }),
    );
    expect((await open()).map(([sha]) => sha)).toEqual(['c', 'd']);
    await append(30);
    await save(
      commit('c', 30, { revision: 1, horizon: [0, 11, 0] }),
      commit('d', 31, { revision: 1, horizon: [0, 11, 0] }),
      commit('e', 32, { horizon: [0, 11, 0] }),
    );
    expect(await open()).toEqual([]);
  });

  it('finds the snippets that were stored while a commit was analysed', async () => {
    const bytes = new Uint8Array(4);
    const row = {
      ...snippet(10),
      codeId: 'code',
      sessionId: 's',
      userId: 'ada',
      source: 'tab' as const,
      signature: bytes,
      lshBuckets: bytes,
      language: 'go',
      fileExtension: 'go',
      lineCount: 1,
      charCount: 1,
      structureHash: '0'.repeat(16),
      rawCodeEncrypted: null,
      protocol: 2,
      model: null,
      client: null,
      editKind: null,
      acceptedPartially: null,
      declaredBy: null,
      astSignature: null,
      keyId: null,
      linePrints: null,
      pathKey: null,
      before: null,
      after: null,
    };
    await database.transaction((tx) =>
      insertSnippets(tx, [
        row,
        { ...row, codeId: 'younger', offset: 11, createdAt: new Date(NOON + 9 * MINUTE) },
        { ...row, codeId: 'declared', offset: 12, declaredBy: 'a'.repeat(40) },
        { ...row, codeId: 'elsewhere', offset: 13, projectId: 'tides' },
      ]),
    );
    await save(commit('a', 0), commit('b', 1, { projectId: 'none', repository: 'none' }));
    expect(await open()).toEqual([['a', [0, 11], null]]);
  });

  it('tells what the waiting requests need together', async () => {
    expect(await neededOffsets(database)).toBeNull();
    await save(commit('a', 0), commit('b', 1, { repository: 'other' }));
    await arrive(snippet(10), snippet(11, { createdAt: new Date(NOON + MINUTE) }));
    await arrive(snippet(4, { partition: 0 }));
    expect(await neededOffsets(database)).toEqual([5, 12]);
    await append(20);
    expect(await neededOffsets(database)).toBeNull();
  });

  it('asks for a commit that could not wait for its snippets', async () => {
    await save(commit('a', 0, { horizon: [3, 0, 0], needed: [3, 10, 0] }));
    expect(await open()).toEqual([['a', [3, 10, 0], null]]);
    expect(await claim([3, 9, 0])).toEqual([]);
    expect(await claim([3, 10, 0])).toMatchObject([{ horizon: [3, 10, 0] }]);
  });

  it('gives up what was passed without being analysed, and what is not known any more', async () => {
    await save(commit('a', 0), commit('b', 1, { repository: 'other' }));
    await arrive(snippet(10));
    await deleteRequests(database, [commit('b', 1, { repository: 'other' })]);
    await append(20);
    expect(await isReanalysisOverdue(database, 60_000)).toBe(false);
    expect(await isReanalysisOverdue(database, -1)).toBe(true);
    expect(await dropPassedReanalysis(database, [99, 99, 20])).toBe(0);
    expect(await dropPassedReanalysis(database, [0, 0, 21])).toBe(1);
    await arrive(snippet(10));
    expect((await open()).map(([sha]) => sha)).toEqual(['a', 'b']);
    expect(await expireAnalysedCommits(database, new Date(Date.now() + 60_000))).toBeGreaterThanOrEqual(2);
    expect(await claim()).toEqual([]);
    expect(await open()).toEqual([]);
  });
}
