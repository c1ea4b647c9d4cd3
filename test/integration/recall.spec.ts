import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Coverage, openRecallIndex, type RecallEntry, type RecallIndex } from '@lineprint/recall';
import { generationConformance, recallConformance } from '../../libs/recall/src/conformance';
import { KeyFilters } from '../../libs/recall/src/key-filters';
import { connectRedis } from '../../libs/recall/src/redis-connection';

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
const window = { notBefore: NOW - 90 * 86_400_000, notAfter: NOW };
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
    const found = await reader.postings(await reader.coverage(), tenant, [9], window);
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
    expect(shards.length).toBeGreaterThan(600);
    const encodings = await Promise.all(shards.map((key) => server.object('ENCODING', key)));
    expect(new Set(encodings)).toEqual(new Set(['listpack']));
    const lengths = await Promise.all(shards.map((key) => server.hlen(key)));
    expect(Math.max(...lengths)).toBeLessThan(300);
    const all = await server.keys('lp:{acme}:*');
    for (const key of all) expect(await server.ttl(key)).toBeGreaterThan(3000);
    // Six partitions fill a key with 16 each.
    const found = await index.postings(at, 'acme', hot, window);
    expect(hot.map((key) => found.get(key)!.length)).toEqual(hot.map(() => 96));
    for (let id = 1; id < 4000; id += 7) {
      const rare = await index.postings(at, 'acme', rareOf(id), window);
      expect([...rare.values()].flat().map((posting) => posting.id)).toEqual(rareOf(id).map(() => id));
    }
    // What was rebuilt takes its place, and leaves nothing behind.
    await index.activate(await index.begin());
    expect(await server.keys('*')).toEqual(['lp:coverage']);
    await Promise.all([index.close(), server.quit()]);
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
  const epoch = Math.floor(NOW / (30 * 86_400_000));
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

  async function madeFilters() {
    const redis = await connectRedis(redisUrl(12));
    const filters = new KeyFilters(redis);
    const made = async () => {
      for (;;) {
        const filter = await filters.current(at, 'acme');
        if (filter) return filter;
        await setImmediate();
      }
    };
    return { made, filters, close: () => redis.quit() };
  }

  it('know every key that was added before they are asked, and few others', async () => {
    await index.add(
      at,
      'acme',
      Array.from({ length: 3000 }, (_, i) => entry(i, keysOf(i))),
    );
    const { made, close } = await madeFilters();
    await made();
    for (let id = 3000; id < 3400; id++) {
      await index.add(at, 'acme', [entry(id, keysOf(id))]);
      if (id % 50 !== 0) continue;
      const filter = await made();
      expect(keysOf(id).every((key) => filter.mayHave(key, epoch))).toBe(true);
    }
    const filter = await made();
    for (let id = 0; id < 3400; id++) {
      expect(keysOf(id).every((key) => filter.mayHave(key, epoch))).toBe(true);
    }
    expect(keysOf(5).some((key) => filter.mayHave(key, epoch + 1))).toBe(false);
    const others = Array.from({ length: 10_000 }, (_, i) => i * 104_729 + 3);
    expect(others.filter((key) => filter.mayHave(key, epoch)).length).toBeLessThan(300);
    await close();
  });

  it('are made anew when they have missed too much, and when the index was lost', async () => {
    const { made, filters, close } = await madeFilters();
    await made();
    for (let id = 0; id < 300; id++) await index.add(at, 'acme', [entry(id, keysOf(id))]);
    expect(await filters.current(at, 'acme')).toBeUndefined();
    expect((await made()).mayHave(keysOf(0)[0]!, epoch)).toBe(true);
    await server.flushdb();
    at = await current(index);
    for (let id = 1000; id < 1400; id++) await index.add(at, 'acme', [entry(id, keysOf(id))]);
    expect(await filters.current(at, 'acme')).toBeUndefined();
    expect((await made()).mayHave(keysOf(1000)[0]!, epoch)).toBe(true);
    await close();
  });

  it('never hide a posting from a reader, however its questions and the writer mix', async () => {
    const reader = await openRecallIndex(redisUrl(12));
    for (let id = 0; id < 400; id++) {
      const asked = reader.postings(at, 'acme', keysOf(id), window);
      await index.add(at, 'acme', [entry(id, keysOf(id))]);
      await asked;
      const found = await reader.postings(at, 'acme', [...keysOf(id), ...keysOf(Math.floor(id / 2))], window);
      expect(found.size).toBe(id === 0 ? 20 : 40);
    }
    await reader.close();
  });
});
