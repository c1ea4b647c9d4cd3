import { encodeRemovedLines } from '@lineprint/attribution';
import {
  type AttributionEvent,
  attributionEventSchema,
  type CandidatesEvent,
  DEFAULT_POLICY,
  repositoryKey,
  TOPICS,
} from '@lineprint/contracts';
import { type Batch, type EventLog, type OutgoingRecord, parseJson } from '@lineprint/event-log';
import {
  type Database,
  ensureFirstPolicy,
  ensureTenant,
  insertSnippets,
  MIGRATIONS_DIRECTORY,
  migrate,
  openDatabase,
} from '@lineprint/persistence';
import { StoreError } from '@lineprint/platform';
import { CandidatesConsumer } from './candidates.consumer';
import { JudgeCaches } from './judge-caches';
import { commitOf, prints, storedSnippet } from './candidates.fixture';

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

let database: Database;
let appended: OutgoingRecord[];
let failure: Error | undefined;
let consumer: CandidatesConsumer;

beforeAll(async () => {
  database = await openDatabase('pglite:memory');
  await migrate(database, MIGRATIONS_DIRECTORY);
  for (const orgId of ['acme', 'rival']) {
    await ensureTenant(database, { orgId, name: orgId });
    await ensureFirstPolicy(database, orgId, DEFAULT_POLICY);
  }
  await insertSnippets(database, [
    storedSnippet('acme', 'shared', 'tab'),
    storedSnippet('rival', 'shared', 'agent'),
    storedSnippet('rival', 'secret', 'chat'),
  ]);
  const log: Pick<EventLog, 'append'> = {
    append: (records) => {
      if (failure) return Promise.reject(failure);
      appended.push(...records);
      return Promise.resolve(records.map((_, offset) => ({ partition: 0, offset })));
    },
  };
  consumer = new CandidatesConsumer(database, log as EventLog, new JudgeCaches(database));
});
beforeEach(() => {
  appended = [];
  failure = undefined;
});
afterAll(() => database.close());

/** A commit that adds the code whole and names the given snippets as candidates. */
const candidatesOf = (tenant: string, sha: string, codeIds: readonly string[]): CandidatesEvent =>
  commitOf(sha.repeat(40), codeIds, { tenant });

function batchOf(values: readonly unknown[], headers: Record<string, string> = {}): Batch {
  return {
    topic: TOPICS.candidates,
    partition: 0,
    signal: new AbortController().signal,
    records: values.map((value, i) => ({
      topic: TOPICS.candidates,
      partition: 0,
      offset: 40 + i,
      key: 'key',
      value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
      headers,
      timestamp: 0,
    })),
  };
}

const verdicts = (): AttributionEvent[] =>
  appended.map(({ value }) => parseJson({ value }, attributionEventSchema));
const sourcesOf = (event: AttributionEvent) =>
  event.files.flatMap(({ results }) => results.map(({ source }) => source));

/** Which of its lines a commit got from a snippet, by sha. */
const aiLines = (): Record<string, number> =>
  Object.fromEntries(
    verdicts().map(({ commit, files }) => [
      commit.sha[0],
      files
        .flatMap(({ results }) => results)
        .reduce((sum, { preserved, modified }) => sum + preserved + modified, 0),
    ]),
  );

describe('a line of history', () => {
  const removed = (): Partial<CandidatesEvent> => {
    const lines = prints.map((print, ordinal) => ({ ...print, ordinal, bits: 20 }));
    return { removedLines: encodeRemovedLines([{ path: 'fee.ts', hunks: [{ removed: lines, added: [] }] }]) };
  };
  const commit = (repository: string, sha: string, parent: string, fields: Partial<CandidatesEvent> = {}) => {
    const event = candidatesOf('acme', sha, ['shared']);
    const parents = parent === '' ? [] : [parent.repeat(40)];
    return { ...event, commit: { ...event.commit, repository, parents }, ...fields };
  };
  const nothing = { files: [], candidates: [] };

  it('uses a snippet once; another branch copies its lines, another repository uses it as well', async () => {
    await consumer.consume(
      batchOf([
        commit('once', 'a', '', nothing),
        commit('once', 'b', 'a'),
        commit('once', 'c', 'b'),
        commit('once', 'd', 'a'),
        commit('elsewhere', 'e', 'b'),
      ]),
    );
    expect(aiLines()).toEqual({ a: 0, b: 5, c: 0, d: 0, e: 5 });
    const fromCommit = 'b'.repeat(40);
    expect(verdicts()[3]!.files[0]!.inherited).toEqual([
      { start: 0, count: 5, how: 'copied', fromCommit, fromLine: 0 },
    ]);
  });

  it('gives lines back to the snippet that a revert of a revert brings back, each time', async () => {
    const gone = { ...removed(), ...nothing };
    await consumer.consume(batchOf([commit('back', 'a', ''), commit('back', 'b', 'a', gone)]));
    await consumer.consume(batchOf([commit('back', 'c', 'b'), commit('back', 'd', 'c', gone)]));
    await consumer.consume(batchOf([commit('back', 'e', 'd'), commit('back', 'f', 'e')]));
    expect(aiLines()).toEqual({ a: 5, b: 0, c: 5, d: 0, e: 5, f: 0 });
  });

  it('is the same in a process that starts in the middle of it', async () => {
    await consumer.consume(batchOf([commit('restart', 'a', ''), commit('restart', 'b', 'a')]));
    failure = new StoreError('log-unavailable', 'gone');
    await expect(consumer.consume(batchOf([commit('restart', 'c', 'b')]))).rejects.toBe(failure);
    failure = undefined;
    const log: Pick<EventLog, 'append'> = {
      append: (records) =>
        Promise.resolve(records.map((record, offset) => (appended.push(record), { partition: 0, offset }))),
    };
    await new CandidatesConsumer(database, log as EventLog, new JudgeCaches(database)).consume(
      batchOf([commit('restart', 'b', 'a'), commit('restart', 'c', 'b')]),
    );
    expect(aiLines()).toEqual({ a: 5, b: 0, c: 0 });
  });
});

describe('a batch of candidates', () => {
  it('goes out in the order in which it came in, whatever organisations its commits belong to', async () => {
    const tenants = ['acme', 'rival', 'acme', 'rival', 'rival', 'acme'];
    const answer = await consumer.consume(
      batchOf(tenants.map((tenant, i) => candidatesOf(tenant, String(i), ['shared']))),
    );
    expect(answer).toEqual({ processed: 6, deadLetters: [] });
    expect(verdicts().map(({ commit }) => commit.sha[0])).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(appended.map((record) => record.key)).toEqual(
      tenants.map((tenant) => repositoryKey(tenant, 'shop')),
    );
    expect(appended.map(({ headers }) => headers['lp_tenant'])).toEqual(tenants);
  });

  it('never gives one organisation the snippets of another, even under the same id', async () => {
    await consumer.consume(
      batchOf([
        candidatesOf('acme', 'a', ['shared']),
        candidatesOf('rival', 'b', ['shared']),
        candidatesOf('acme', 'c', ['secret']),
        candidatesOf('rival', 'd', ['secret']),
      ]),
    );
    expect(verdicts().map(sourcesOf)).toEqual([['tab'], ['agent'], [null], ['chat']]);
  });

  it('keeps the lines of a commit whose candidates are gone as human ones', async () => {
    await consumer.consume(batchOf([candidatesOf('acme', 'a', ['deleted'])]));
    expect(verdicts()[0]!.files[0]).toMatchObject({
      results: [{ human: 5, preserved: 0 }],
      lines: [{ start: 0, count: 5, kind: 'H', result: 0 }],
    });
  });

  it('dead-letters what is not an event, and judges its neighbours', async () => {
    const { processed, deadLetters } = await consumer.consume(
      batchOf([candidatesOf('acme', 'a', []), 'no JSON', candidatesOf('acme', 'b', [])]),
    );
    expect(processed).toBe(3);
    expect(deadLetters?.map(({ record }) => record.offset)).toEqual([41]);
    expect(verdicts().map(({ commit }) => commit.sha[0])).toEqual(['a', 'b']);
  });

  it('judges the same the second time', async () => {
    const batch = batchOf([candidatesOf('acme', 'a', ['shared']), candidatesOf('rival', 'b', ['shared'])]);
    await consumer.consume(batch);
    const once = verdicts();
    appended = [];
    await consumer.consume(batch);
    expect(verdicts()).toEqual(once);
  });

  it('carries the trace on, and does without one', async () => {
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    await consumer.consume(batchOf([candidatesOf('acme', 'a', [])], { traceparent }));
    await consumer.consume(batchOf([candidatesOf('acme', 'b', [])]));
    expect(appended.map(({ headers }) => headers['traceparent'])).toEqual([traceparent, undefined]);
  });

  it('counts as not processed when the log does not take its verdicts', async () => {
    failure = new StoreError('log-unavailable', 'gone');
    await expect(consumer.consume(batchOf([candidatesOf('acme', 'a', [])]))).rejects.toBe(failure);
  });

  it('is judged under each organisation’s live policy, and left to the replays where there is none', async () => {
    await ensureTenant(database, { orgId: 'careful', name: 'careful' });
    await ensureFirstPolicy(database, 'careful', { ...DEFAULT_POLICY, id: 'strict' });
    const unknown = candidatesOf('newcomer', 'c', []);
    await consumer.consume(
      batchOf([candidatesOf('acme', 'a', []), candidatesOf('careful', 'b', []), unknown]),
    );
    expect(verdicts().map(({ policy }) => policy)).toEqual(['default', 'strict']);
  });

  it('counts nothing of the files that the organisation’s policy excludes', async () => {
    const exclusions = [{ glob: 'fee.*', reason: 'bought in' }];
    await ensureTenant(database, { orgId: 'thrifty', name: 'thrifty' });
    await ensureFirstPolicy(database, 'thrifty', { ...DEFAULT_POLICY, id: 'without-fees', exclusions });
    await consumer.consume(
      batchOf([candidatesOf('thrifty', 'a', ['shared']), candidatesOf('acme', 'b', ['shared'])]),
    );
    expect(verdicts().map(({ files }) => files[0]!.excluded)).toEqual(['organisation', undefined]);
    expect(verdicts()[0]!.files[0]).toMatchObject({ results: [], lines: [] });
  });
});
