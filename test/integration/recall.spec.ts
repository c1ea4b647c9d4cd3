import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import {
  type Coverage,
  epochOf,
  openRecallIndex,
  type RecallEntry,
  type RecallIndex,
} from '@lineprint/recall';
import { generationConformance, recallConformance } from '../../libs/recall/src/conformance';

function redisUrl(database = 0): string {
  const url = process.env['LINEPRINT_TEST_REDIS_URL'];
  if (!url) throw new Error('LINEPRINT_TEST_REDIS_URL must name a Redis server; `npm test` starts one');
  if (database === 0) return url;
  const own = new URL(url);
  own.pathname = `/${database}`;
  return own.href;
}

/** A database of its own, which may be emptied. */
async function openEmptied(database: number): Promise<RecallIndex> {
  const server = new Redis(redisUrl(database));
  await server.flushdb();
  await server.quit();
  return openRecallIndex(redisUrl(database));
}

async function current(index: RecallIndex): Promise<Coverage> {
  const at = await index.coverage();
  if (at.generation > 0) return at;
  await index.activate(await index.begin());
  return index.coverage();
}

const NOW = Date.UTC(2026, 5, 1);
/** Sees nothing, and so gets all that is held. */
const all = { notBefore: NOW - 90 * 86_400_000, notAfter: NOW, horizon: [] };
const entry = (id: number, keys: readonly number[]): RecallEntry => ({
  id,
  eventTime: NOW,
  partition: 0,
  offset: id,
  keys,
});

// A busy machine takes its time for tens of thousands of keys.
jest.setTimeout(60_000);

recallConformance('redis', async () => openRecallIndex(redisUrl()));
generationConformance('redis', () => openEmptied(9));

describe('redis recall index', () => {
  it('keeps its postings when the process that wrote them ends', async () => {
    const tenant = `tenant-${randomUUID()}`;
    const { keys, ...posting } = entry(1, [9]);
    const writer = await openRecallIndex(redisUrl());
    expect(writer.kind).toBe('redis');
    await writer.add(await current(writer), tenant, [{ ...posting, keys }]);
    await writer.close();
    const reader = await openRecallIndex(redisUrl());
    const found = await reader.postings(await reader.coverage(), tenant, [9], all);
    expect(found.get(9)).toEqual([posting]);
    await reader.close();
  });

  it('does not say that it holds what it lost while it was written', async () => {
    const index = await openEmptied(10);
    const server = new Redis(redisUrl(10));
    const start = await current(index);
    await index.cover(start, 0, 10);
    const since = await index.coverage();
    await server.flushdb();
    const lost = { code: 'recall-lost', transient: true };
    await expect(index.cover(since, 0, 20)).rejects.toMatchObject(lost);
    await index.activate(await index.begin());
    await expect(index.cover({ ...since, run: 'another' }, 1, 20)).rejects.toMatchObject(lost);
    expect((await index.coverage()).next).toEqual(new Map());
    await Promise.all([index.close(), server.quit()]);
  });

  it('keeps listpacks, however many keys an organisation has, each with an expiry', async () => {
    const index = await openEmptied(11);
    const server = new Redis(redisUrl(11));
    const at = await current(index);
    const hot = Array.from({ length: 8 }, (_, i) => i);
    const rareOf = (id: number) => Array.from({ length: 25 }, (_, k) => (id * 25 + k) * 7_919_927);
    const entries = Array.from({ length: 4000 }, (_, id) => ({
      ...entry(id, [...rareOf(id), ...hot]),
      partition: id % 6,
    }));
    await index.add(at, 'acme', entries);
    const shards = await server.keys('lp:{acme}:l:*');
    expect(shards.length).toBeGreaterThan(250);
    const encodings = await Promise.all(shards.map((key) => server.object('ENCODING', key)));
    expect(new Set(encodings)).toEqual(new Set(['listpack']));
    const lengths = await Promise.all(shards.map((key) => server.hlen(key)));
    expect(Math.max(...lengths)).toBeLessThan(300);
    const keys = await server.keys('lp:{acme}:*');
    for (const key of keys) expect(await server.ttl(key)).toBeGreaterThan(3000);
    // Six partitions fill a key with 16 each.
    const found = await index.postings(at, 'acme', hot, all);
    expect(hot.map((key) => found.get(key)!.length)).toEqual(hot.map(() => 96));
    for (let id = 1; id < 4000; id += 7) {
      const rare = await index.postings(at, 'acme', rareOf(id), all);
      expect([...rare.values()].flat().map((posting) => posting.id)).toEqual(rareOf(id).map(() => id));
    }
    // What was rebuilt takes its place, and leaves nothing behind.
    await index.activate(await index.begin());
    expect(await server.keys('*')).toEqual(['lp:coverage']);
    await Promise.all([index.close(), server.quit()]);
  });

  it('finds every key while an epoch grows beyond the shards with which rows keep a byte less', async () => {
    const index = await openEmptied(11);
    const reader = await openRecallIndex(redisUrl(11));
    const server = new Redis(redisUrl(11));
    const at = await current(index);
    const lane = `l:${epochOf(NOW)}`;
    const sizes = `lp:{acme}:m:${at.generation}:sizes`;
    // As if it had grown already: twelve thousand keys do what else takes half a million.
    await server.hset(sizes, `shards:${lane}`, 1000, `rows:${lane}`, 1000 * 256);
    const keysOf = (id: number) => Array.from({ length: 60 }, (_, k) => (id * 60 + k) * 7_919_927);
    const found = async (ids: readonly number[]) => {
      for (const id of ids) {
        const postings = await reader.postings(at, 'acme', keysOf(id), all);
        expect(keysOf(id).map((key) => postings.get(key)?.map((posting) => posting.id))).toEqual(
          keysOf(id).map(() => [id]),
        );
      }
    };
    const ids = Array.from({ length: 200 }, (_, i) => i + 1);
    for (const id of ids) {
      await index.add(at, 'acme', [entry(id, keysOf(id))]);
      await found([id]);
    }
    expect(Number(await server.hget(sizes, `shards:${lane}`))).toBeGreaterThan(1024);
    await found(ids);
    await index.remove(at, 'acme', [entry(100, keysOf(100))]);
    await found(ids.filter((id) => id !== 100));
    expect((await reader.postings(at, 'acme', keysOf(100), all)).size).toBe(0);
    await Promise.all([index.close(), reader.close(), server.quit()]);
  });

  it('reports a closed connection as worth another try', async () => {
    const index = await openRecallIndex(redisUrl());
    await index.close();
    await expect(index.ping()).rejects.toMatchObject({ code: 'recall-unavailable', transient: true });
    await expect(index.close()).resolves.toBeUndefined();
  });
});

describe('the filters in front of Redis', () => {
  const keysOf = (id: number) => Array.from({ length: 20 }, (_, k) => (id * 20 + k) * 7_919_927);
  let index: RecallIndex;
  let server: Redis;
  let at: Coverage;

  beforeEach(async () => {
    index = await openEmptied(12);
    server = new Redis(redisUrl(12));
    at = await current(index);
  });
  afterEach(async () => {
    await Promise.all([index.close(), server.quit()]);
  });

  const strangers = Array.from({ length: 5000 }, (_, i) => i * 104_729 + 3);

  /** How many keys Redis itself looks up for a question. */
  async function lookups(reader: RecallIndex, keys: readonly number[]): Promise<number> {
    const count = async () => {
      const [, calls] = /cmdstat_hget:calls=(\d+)/.exec(await server.info('commandstats')) ?? [];
      return Number(calls);
    };
    const before = await count();
    await reader.postings(at, 'acme', keys, all);
    return (await count()) - before;
  }

  async function untilFiltered(reader: RecallIndex): Promise<void> {
    while ((await lookups(reader, strangers)) >= strangers.length) await setImmediate();
  }

  it('let pass what may be there, and keep back most of what is not', async () => {
    await index.add(
      at,
      'acme',
      Array.from({ length: 3000 }, (_, i) => entry(i, keysOf(i))),
    );
    const reader = await openRecallIndex(redisUrl(12));
    await untilFiltered(reader);
    expect(await lookups(reader, strangers)).toBeLessThan(300);
    for (let id = 0; id < 3000; id++) {
      const found = await reader.postings(at, 'acme', keysOf(id), all);
      expect(found.size).toBe(20);
    }
    await reader.close();
  });

  it('are made anew when they have missed too much, and when the index was lost', async () => {
    const reader = await openRecallIndex(redisUrl(12));
    await index.add(at, 'acme', [entry(9000, keysOf(9000))]);
    await untilFiltered(reader);
    for (let id = 0; id < 300; id++) await index.add(at, 'acme', [entry(id, keysOf(id))]);
    for (const id of [0, 299, 9000]) {
      expect((await reader.postings(at, 'acme', keysOf(id), all)).size).toBe(20);
    }
    await untilFiltered(reader);
    expect((await reader.postings(at, 'acme', keysOf(0), all)).size).toBe(20);
    await server.flushdb();
    at = await current(index);
    for (let id = 1000; id < 1400; id++) await index.add(at, 'acme', [entry(id, keysOf(id))]);
    expect((await reader.postings(at, 'acme', keysOf(1000), all)).size).toBe(20);
    await untilFiltered(reader);
    for (const id of [1000, 1399]) {
      expect((await reader.postings(at, 'acme', keysOf(id), all)).size).toBe(20);
    }
    expect((await reader.postings(at, 'acme', keysOf(0), all)).size).toBe(0);
    await reader.close();
  });

  it('never hide a posting from a reader, however its questions and the writer mix', async () => {
    const reader = await openRecallIndex(redisUrl(12));
    await index.add(at, 'acme', [entry(9000, keysOf(9000))]);
    await untilFiltered(reader);
    for (let id = 0; id < 400; id++) {
      const asked = reader.postings(at, 'acme', keysOf(id), all);
      await index.add(at, 'acme', [entry(id, keysOf(id))]);
      await asked;
      const found = await reader.postings(at, 'acme', [...keysOf(id), ...keysOf(Math.floor(id / 2))], all);
      expect(found.size).toBe(id === 0 ? 20 : 40);
    }
    await reader.close();
  });
});
