import { encodeWords, GROUPS, type SnippetEvent, TOPICS } from '@lineprint/contracts';
import type { Batch } from '@lineprint/event-log';
import {
  computeLinePrints,
  deriveLineKey,
  hex64,
  linePrintsToBase64,
  pathKey,
  RECALL_LANES,
  recallLane,
  structureHash,
  textBands,
  textSignature,
} from '@lineprint/fingerprint';
import {
  type Database,
  loadProgress,
  loadSnippetPrints,
  MIGRATIONS_DIRECTORY,
  migrate,
  openDatabase,
} from '@lineprint/persistence';
import { createLogger, createMetrics, loadConfig, RawCodeKeys, StoreError } from '@lineprint/platform';
import { openRecallIndex, type Posting, type RecallIndex } from '@lineprint/recall';
import { IndexFiller } from './index-filler';
import { SnippetConsumer } from './snippet.consumer';

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

const config = loadConfig({ LINEPRINT_RAW_CODE_KEY: Buffer.alloc(32, 9).toString('base64') });
const logger = createLogger('indexer', 'silent');
const key = deriveLineKey(new Uint8Array(32).fill(7), 'lk_test');

let database: Database;
let index: RecallIndex;
/** Every key that the index was given, by tenant. */
let keys: Map<string, Set<number>>;

const consumers: SnippetConsumer[] = [];
const fillers: IndexFiller[] = [];
function fillerOf(on: { database?: Database; index?: RecallIndex } = {}): IndexFiller {
  const filler = new IndexFiller(on.database ?? database, on.index ?? index, config, logger);
  fillers.push(filler);
  return filler;
}
function consumerOf(
  on: { database?: Database; index?: RecallIndex } = {},
  filler = fillerOf(on),
): SnippetConsumer {
  const consumer = new SnippetConsumer(
    on.database ?? database,
    filler,
    config,
    logger,
    createMetrics('indexer'),
  );
  consumers.push(consumer);
  return consumer;
}

beforeAll(async () => {
  database = await openDatabase('pglite:memory');
  await migrate(database, MIGRATIONS_DIRECTORY);
});
beforeEach(async () => {
  await database.script(
    'TRUNCATE ai_code_fingerprints, ai_code_fingerprint_ids, recall_counters, snippet_prints, consumer_progress, analysed_commits, reanalysis_requests',
  );
  keys = new Map();
  index = watched(await openRecallIndex('memory:'));
});
afterEach(async () => {
  for (const filler of fillers.splice(0)) await filler.beforeApplicationShutdown();
  for (const consumer of consumers.splice(0)) await consumer.onApplicationShutdown();
});
afterAll(() => database.close());

/** The index, with `before` run first at each addition. */
function watched(
  inner: RecallIndex | (() => RecallIndex),
  before: () => Promise<void> = () => Promise.resolve(),
): RecallIndex {
  const target = () => (typeof inner === 'function' ? inner() : inner);
  return {
    kind: 'memory',
    add: async (at, tenant, entries) => {
      await before();
      const known = keys.get(tenant) ?? new Set();
      keys.set(tenant, known);
      for (const entry of entries) for (const name of entry.keys) known.add(name);
      await target().add(at, tenant, entries);
    },
    postings: (at, tenant, names, query) => target().postings(at, tenant, names, query),
    remove: (at, tenant, entries) => target().remove(at, tenant, entries),
    coverage: () => target().coverage(),
    cover: (since, partition, next) => target().cover(since, partition, next),
    begin: () => target().begin(),
    activate: (rebuilt) => target().activate(rebuilt),
    size: () => target().size(),
    ping: () => target().ping(),
    close: () => target().close(),
  };
}

const code = (name: string) =>
  `export function ${name}(items: Item[]) {\n  return items.map((${name}) => 1);\n}`;

function snippet(codeId: string, changes: Partial<SnippetEvent> = {}, text = code(codeId)): SnippetEvent {
  const signature = textSignature(text);
  return {
    tenant: 'acme',
    projectId: 'shop',
    codeId,
    sessionId: 's',
    userId: 'ada@example.org',
    source: 'tab',
    protocol: 2,
    signature: encodeWords(signature),
    lshBuckets: encodeWords(textBands(signature)),
    language: 'typescript',
    fileExtension: 'ts',
    timestamp: Date.UTC(2026, 5, 1),
    lineCount: 3,
    charCount: text.length,
    structureHash: structureHash(text),
    linePrints: linePrintsToBase64(computeLinePrints(text, 'typescript', key)),
    keyId: key.keyId,
    pathKey: pathKey('src/a.ts', key),
    before: hex64(computeLinePrints('before();', 'typescript', key)[0]!.h1),
    after: hex64(computeLinePrints('after();', 'typescript', key)[0]!.h1),
    ...changes,
  };
}

function v1(codeId: string, changes: Partial<SnippetEvent> = {}): SnippetEvent {
  const {
    linePrints: _linePrints,
    keyId: _keyId,
    pathKey: _pathKey,
    before: _before,
    after: _after,
    ...event
  } = snippet(codeId, changes);
  return { ...event, protocol: 1 };
}

function batchOf(values: readonly unknown[], firstOffset = 0, partition = 0): Batch {
  return {
    topic: TOPICS.snippets,
    partition,
    signal: new AbortController().signal,
    records: values.map((value, i) => ({
      topic: TOPICS.snippets,
      partition,
      offset: firstOffset + i,
      key: 'key',
      value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
      headers: {},
      timestamp: 0,
    })),
  };
}

/** All that the tests' snippets may be in. */
const ALWAYS = { notBefore: Date.UTC(2024, 0, 1), notAfter: Date.UTC(2027, 0, 1), horizon: [] };

/** Everything an index answers, each key's postings in the order of their ids. */
async function contentOf(tenant: string, from = index): Promise<[number, Posting[]][]> {
  const found = await from.postings(await from.coverage(), tenant, keys.get(tenant) ?? [], ALWAYS);
  return [...found]
    .map(([name, postings]): [number, Posting[]] => [name, postings.sort((a, b) => a.id - b.id)])
    .sort(([a], [b]) => a - b);
}
const offsetsIn = (content: readonly [number, Posting[]][]) =>
  new Set(content.flatMap(([, found]) => found.map(({ offset }) => offset)));

const progress = () => loadProgress(database, GROUPS.indexer, TOPICS.snippets);

describe('a batch of snippets', () => {
  it('is stored and indexed with its position and the client’s time', async () => {
    const answer = await consumerOf().consume(batchOf([snippet('a'), snippet('b')], 5, 2));
    expect(answer).toEqual({ processed: 2, deadLetters: [] });
    const [a, b] = await loadSnippetPrints(database, 'acme', ['a', 'b']);
    expect(a).toMatchObject({ codeId: 'a', partition: 2, offset: 5, keyId: key.keyId });
    expect(b).toMatchObject({ codeId: 'b', partition: 2, offset: 6 });
    const postings = (await contentOf('acme')).flatMap(([, found]) => found);
    const byId = new Map(postings.map((posting) => [posting.id, posting]));
    expect([...byId.values()].sort((x, y) => x.id - y.id)).toEqual(
      [5, 6].map((offset, i) => ({
        id: i + 1,
        eventTime: Date.UTC(2026, 5, 1),
        partition: 2,
        offset,
      })),
    );
    expect(await progress()).toEqual(new Map([[2, 7]]));
  });

  it('keeps the first of two snippets with one id, in a batch and across batches', async () => {
    const consumer = consumerOf();
    const keysOfA = async () =>
      (await contentOf('acme')).flatMap(([name, postings]) =>
        postings.filter(({ id }) => id === 1).map(({ offset }) => [name, offset]),
      );
    await consumer.consume(batchOf([snippet('a'), snippet('a', {}, code('other'))]));
    const first = await keysOfA();
    expect(first.length).toBeGreaterThan(0);
    await consumer.consume(batchOf([snippet('a', { userId: 'bob' }, code('third')), snippet('b')], 2));
    expect(await keysOfA()).toEqual(first);
    expect(new Set(first.map(([, offset]) => offset))).toEqual(new Set([0]));
    const [stored] = await loadSnippetPrints(database, 'acme', ['a']);
    expect(stored).toMatchObject({ userId: 'ada@example.org', offset: 0 });
    expect(await progress()).toEqual(new Map([[0, 4]]));
  });

  it('lets two organisations have the same id, and never shows one the other’s', async () => {
    await consumerOf().consume(batchOf([snippet('a'), snippet('a', { tenant: 'rival', userId: 'eve' })]));
    expect(await loadSnippetPrints(database, 'acme', ['a'])).toMatchObject([{ userId: 'ada@example.org' }]);
    expect(await loadSnippetPrints(database, 'rival', ['a'])).toMatchObject([{ userId: 'eve' }]);
    expect(offsetsIn(await contentOf('acme'))).toEqual(new Set([0]));
    expect(offsetsIn(await contentOf('rival'))).toEqual(new Set([1]));
  });

  it('dead-letters prints that cannot be read and what is no snippet, and keeps their neighbours', async () => {
    const wrong = snippet('wrong', { linePrints: 'AAAA' });
    const { processed, deadLetters } = await consumerOf().consume(
      batchOf([snippet('a'), wrong, 'no JSON', { tenant: 'acme' }, snippet('b')]),
    );
    expect(processed).toBe(5);
    expect(deadLetters?.map(({ record, code: fault }) => [record.offset, fault]).sort()).toEqual([
      [1, 'line-prints-invalid'],
      [2, 'event-invalid'],
      [3, 'event-invalid'],
    ]);
    const stored = await loadSnippetPrints(database, 'acme', ['a', 'wrong', 'b']);
    expect(stored.map(({ codeId }) => codeId)).toEqual(['a', 'b']);
    expect(await progress()).toEqual(new Map([[0, 5]]));
    // What was refused does not hold its id: the client may send it again, put right.
    await consumerOf().consume(batchOf([snippet('wrong')], 5));
    expect(await loadSnippetPrints(database, 'acme', ['wrong'])).toHaveLength(1);
  });

  it('is indexed by its prints where its code was encrypted with another key', async () => {
    const rawCodeEncrypted = new RawCodeKeys([Buffer.alloc(32, 8)]).encrypt(code('a').repeat(5));
    const answer = await consumerOf().consume(batchOf([snippet('a', { rawCodeEncrypted })]));
    expect(answer).toEqual({ processed: 1, deadLetters: [] });
    expect(await loadSnippetPrints(database, 'acme', ['a'])).toMatchObject([{ astSignature: null }]);
    expect((await contentOf('acme')).length).toBeGreaterThan(10);
  });

  it('changes nothing when it is delivered again', async () => {
    const batch = batchOf([snippet('a'), v1('b'), snippet('c', { tenant: 'rival' })]);
    await consumerOf().consume(batch);
    const once = [await contentOf('acme'), await contentOf('rival')];
    await consumerOf().consume(batch);
    expect([await contentOf('acme'), await contentOf('rival')]).toEqual(once);
    const [row] = await database.query('SELECT COUNT(*) AS stored FROM ai_code_fingerprints');
    expect(row).toEqual({ stored: 3 });
  });

  it('is indexed when it comes again after its snippets were stored and nothing else', async () => {
    const failing = watched(index, () => Promise.reject(new StoreError('recall-unavailable', 'gone')));
    const batch = batchOf([snippet('a'), v1('b')]);
    await expect(consumerOf({ index: failing }).consume(batch)).rejects.toMatchObject({ transient: true });
    expect(await progress()).toEqual(new Map());
    expect(await loadSnippetPrints(database, 'acme', ['a', 'b'])).toHaveLength(2);
    expect(await contentOf('acme')).toEqual([]);
    await consumerOf().consume(batch);
    expect(await progress()).toEqual(new Map([[0, 2]]));
    expect(offsetsIn(await contentOf('acme'))).toEqual(new Set([0, 1]));
  });

  it('is in the index before its progress is published', async () => {
    const seen: Map<number, number>[] = [];
    const slow = watched(await openRecallIndex('memory:'), async () => {
      seen.push(await progress());
    });
    await consumerOf({ index: slow }).consume(batchOf([snippet('a')]));
    expect(seen).toEqual([new Map()]);
    const broken = watched(slow, () => Promise.reject(new StoreError('recall-unavailable', 'gone')));
    await expect(consumerOf({ index: broken }).consume(batchOf([snippet('b')], 1))).rejects.toMatchObject({
      code: 'recall-unavailable',
    });
    expect(await progress()).toEqual(new Map([[0, 1]]));
  });
});

describe('an index that lives in the process', () => {
  it('is filled at start with what the live one held', async () => {
    const live = consumerOf();
    const { keyId: _keyId, ...unnamedKey } = snippet('prints-without-key');
    const { linePrints: _linePrints, ...placeOnly } = snippet('place-without-prints');
    const rawCodeEncrypted = config.rawCodeKeys!.encrypt(code('parsed').repeat(5));
    await live.consume(
      batchOf([
        snippet('a'),
        v1('b'),
        unnamedKey,
        placeOnly,
        snippet('c', { tenant: 'rival' }),
        snippet('old', { timestamp: Date.UTC(2025, 0, 31) }),
        snippet('parsed', { rawCodeEncrypted }),
        snippet('empty', { linePrints: linePrintsToBase64([]) }),
        snippet('silent', { signature: encodeWords(new Uint32Array(128).fill(0xffff_ffff)) }),
      ]),
    );
    await live.consume(batchOf([snippet('d'), snippet('a', {}, code('again'))], 0, 1));
    const held = [await contentOf('acme'), await contentOf('rival')];
    expect([...keys.get('acme')!].some((name) => recallLane(name) === RECALL_LANES.ast)).toBe(true);
    expect(held[0]!.length).toBeGreaterThan(100);

    const rebuilt = watched(await openRecallIndex('memory:'));
    await fillerOf({ index: rebuilt }).onApplicationBootstrap();
    expect([await contentOf('acme', rebuilt), await contentOf('rival', rebuilt)]).toEqual(held);
  });

  it('is filled by the next batch when it has lost everything, or the last part', async () => {
    const consumer = consumerOf();
    await consumer.consume(batchOf([snippet('a'), v1('b')]));
    const empty = watched(await openRecallIndex('memory:'));
    await consumerOf({ index: empty }).consume(batchOf([snippet('c')], 2));
    // The live one gets what it missed as well: both have the same.
    await consumer.consume(batchOf([snippet('d')], 3));
    await consumerOf({ index: empty }).consume(batchOf([snippet('d')], 3));
    expect(await contentOf('acme', empty)).toEqual(await contentOf('acme'));
    expect((await empty.coverage()).next).toEqual(new Map([[0, 4]]));

    const older = watched(await openRecallIndex('memory:'));
    await older.activate(await older.begin());
    await older.cover(await older.coverage(), 0, 2);
    await consumerOf({ index: older }).consume(batchOf([snippet('e')], 4));
    expect(offsetsIn(await contentOf('acme', older))).toEqual(new Set([2, 3, 4]));
  });

  it('is filled without any batch', async () => {
    await consumerOf().consume(batchOf([snippet('a')]));
    const held = await contentOf('acme');
    let inner = await openRecallIndex('memory:');
    await fillerOf({ index: watched(() => inner) }).onApplicationBootstrap();
    const lost = (inner = await openRecallIndex('memory:'));
    while ((await lost.coverage()).next.get(0) !== 1) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await contentOf('acme', lost)).toEqual(held);
  });

  it('is built anew at start when it knows snippets that the database does not', async () => {
    await consumerOf().consume(batchOf([snippet('old')]));
    await consumerOf().consume(batchOf([snippet('lost')], 1));
    const before = await index.coverage();
    // What a restored database looks like.
    await database.script(`
      DELETE FROM ai_code_fingerprints WHERE code_id = 'lost';
      DELETE FROM ai_code_fingerprint_ids WHERE code_id = 'lost';
      DELETE FROM snippet_prints WHERE code_id = 'lost';
      UPDATE recall_counters SET next_id = next_id - 1;
      UPDATE consumer_progress SET next_offset = 1`);
    await fillerOf().onApplicationBootstrap();
    const after = await index.coverage();
    expect(after.generation).not.toBe(before.generation);
    expect(after.next).toEqual(new Map([[0, 1]]));
    expect(offsetsIn(await contentOf('acme'))).toEqual(new Set([0]));
    // The number of the one that was lost is another's now.
    await consumerOf().consume(batchOf([snippet('other')], 1));
    const filled = watched(await openRecallIndex('memory:'));
    await fillerOf({ index: filled }).onApplicationBootstrap();
    expect(await contentOf('acme')).toEqual(await contentOf('acme', filled));
  });

  it('is rebuilt beside the current one, and equals it', async () => {
    const filler = fillerOf();
    const consumer = consumerOf({}, filler);
    await consumer.consume(batchOf([snippet('a'), v1('b'), snippet('c', { tenant: 'rival' })]));
    const held = [await contentOf('acme'), await contentOf('rival')];
    const before = await index.coverage();
    expect(await filler.rebuild()).toBe(true);
    const after = await index.coverage();
    expect(after.generation).not.toBe(before.generation);
    expect(after.next).toEqual(before.next);
    expect([await contentOf('acme'), await contentOf('rival')]).toEqual(held);
    await consumer.consume(batchOf([snippet('d')], 3));
    expect(offsetsIn(await contentOf('acme'))).toEqual(new Set([0, 1, 3]));
  });

  it('is rebuilt in parts, as far as it may, and goes on there', async () => {
    const filler = fillerOf();
    await consumerOf({}, filler).consume(batchOf(['a', 'b'].map((id) => snippet(id))));
    await consumerOf({}, filler).consume(batchOf([snippet('c')], 0, 1));
    const held = await contentOf('acme');
    const before = await index.coverage();
    const told: number[][] = [];
    const oncePartition = (partition: number, next: number) => {
      told.push([partition, next]);
      return Promise.resolve(told.length > 1);
    };
    expect(await filler.rebuild(oncePartition)).toBe(false);
    expect(await index.coverage()).toEqual(before);
    expect(await filler.rebuild(oncePartition)).toBe(true);
    expect(told).toEqual([
      [0, 2],
      [1, 1],
    ]);
    expect((await index.coverage()).generation).not.toBe(before.generation);
    expect(await contentOf('acme')).toEqual(held);
  });
});
