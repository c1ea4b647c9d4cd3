import { randomInt, randomUUID } from 'node:crypto';
import { eligible } from './eligibility';
import { EPOCH_MS, epochsOf } from './epoch';
import {
  type Coverage,
  type Posting,
  type RecallEntry,
  type RecallIndex,
  type RecallQuery,
  STOP_POSTINGS,
} from './recall-index';

const NOW = Date.UTC(2026, 5, 1);
const DAY = 86_400_000;
const LANE = 2 ** 40;

const entry = (id: number, keys: readonly number[], changes: Partial<Posting> = {}): RecallEntry => ({
  id,
  eventTime: NOW,
  partition: 0,
  offset: id,
  ...changes,
  keys,
});
const numbered = (count: number, keys: readonly number[], changes: Partial<Posting> = {}): RecallEntry[] =>
  Array.from({ length: count }, (_, i) => entry(i + 1, keys, changes));
/** Nobody who may see nothing finds a stop key, so that all is given that is held. */
const all: RecallQuery = { notBefore: NOW - 90 * DAY, notAfter: NOW, horizon: [] };

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What every adapter of the recall index must do. Each test has its own tenant, so servers can be shared. */
export function recallConformance(name: string, open: () => Promise<RecallIndex>): void {
  describe(`${name} recall index`, () => {
    let index: RecallIndex;
    let at: Coverage;
    let tenant: string;
    const add = (...added: RecallEntry[]) => index.add(at, tenant, added);
    const idsOf = async (
      key: number,
      span: Pick<RecallQuery, 'notBefore' | 'notAfter'> = all,
      of = tenant,
    ): Promise<number[] | undefined> =>
      (await index.postings(at, of, [key], { ...all, ...span }))
        .get(key)
        ?.map(({ id }) => id)
        .sort((a, b) => a - b);

    beforeAll(async () => {
      index = await open();
      at = await index.coverage();
      if (at.generation === 0) {
        await index.activate(await index.begin());
        at = await index.coverage();
      }
    });
    beforeEach(() => {
      tenant = `tenant-${randomUUID()}`;
    });
    afterAll(async () => {
      await index.close();
    });

    it('answers a ping', async () => {
      await expect(index.ping()).resolves.toBeUndefined();
    });

    it('has a size', async () => {
      await add(...numbered(100, [1, 2, 3]));
      expect(await index.size()).toBeGreaterThan(100);
    });

    it('finds nothing for keys that nobody added', async () => {
      expect(await index.postings(at, tenant, [0, 5, 3 * LANE], all)).toEqual(new Map());
    });

    it('gives a posting back as it was added, for each of its keys, in each lane', async () => {
      const posting = {
        id: 2 ** 32 - 2,
        eventTime: NOW,
        partition: 511,
        offset: 2 ** 47,
      };
      const keys = [0, LANE - 1, LANE + 7, 2 * LANE + 2 ** 32, 4 * LANE - 1];
      await add({ ...posting, keys });
      expect(await index.postings(at, tenant, [1, ...keys], all)).toEqual(
        new Map(keys.map((key) => [key, [posting]])),
      );
    });

    it('tells keys apart that differ in one bit, and lanes with the same hash', async () => {
      const keys = Array.from({ length: 42 }, (_, bit) => 2 ** bit);
      await add(...keys.map((key, i) => entry(i + 1, [key])));
      for (const [i, key] of keys.entries()) expect(await idsOf(key)).toEqual([i + 1]);
      expect(await idsOf(0)).toBeUndefined();
    });

    it('finds the snippets of the epochs that a window touches', async () => {
      const start = Math.floor(NOW / EPOCH_MS) * EPOCH_MS;
      const times = [start - 1, start, start + EPOCH_MS - 1, start + EPOCH_MS];
      await add(...times.map((eventTime, i) => entry(i + 1, [9], { eventTime })));
      expect(await idsOf(9, { notBefore: start + 5, notAfter: start + 6 })).toEqual([2, 3]);
      expect(await idsOf(9, { notBefore: start - 1, notAfter: start })).toEqual([1, 2, 3]);
      expect(await idsOf(9, { notBefore: start, notAfter: start + EPOCH_MS })).toEqual([2, 3, 4]);
      expect(await idsOf(9, { notBefore: start + 2 * EPOCH_MS, notAfter: start })).toBeUndefined();
    });

    it('changes nothing when an entry is added twice', async () => {
      const added = [entry(1, [8, 9]), entry(2, [8])];
      await add(...added, ...added);
      await add(...added);
      expect(await idsOf(8)).toEqual([1, 2]);
      expect(await idsOf(9)).toEqual([1]);
    });

    it('keeps as many postings of a partition as make a stop key, and leaves out those after them', async () => {
      await add(...numbered(STOP_POSTINGS + 10, [9]));
      await add(entry(99, [8, 9]));
      expect(await idsOf(9)).toEqual(Array.from({ length: STOP_POSTINGS }, (_, i) => i + 1));
      expect(await idsOf(8)).toEqual([99]);
    });

    it('keeps a posting that is older than those before it in the log', async () => {
      await add(...numbered(STOP_POSTINGS, [9]), entry(90, [9], { eventTime: NOW - 1 }), entry(91, [9]));
      expect(await idsOf(9)).toEqual([...Array.from({ length: STOP_POSTINGS }, (_, i) => i + 1), 90]);
    });

    it('keeps four times as many at most, whatever the clocks say', async () => {
      await add(
        ...Array.from({ length: 100 }, (_, i) => entry(i + 1, [9], { eventTime: NOW - i, offset: i })),
      );
      expect(await idsOf(9)).toEqual(Array.from({ length: 4 * STOP_POSTINGS }, (_, i) => i + 1));
    });

    it('gives every commit the same, in whatever order partitions come, cut into batches, and come again', async () => {
      const random = randomNumbers(1);
      const below = (end: number) => Math.floor(random() * end);
      const keys = Array.from({ length: 6 }, (_, i) => i * LANE * 0.75 + i);
      const partitions = [0, 1, 258].map((partition, p) =>
        Array.from({ length: 120 }, (_, offset) =>
          entry(offset * 3 + p + 1, keys.slice(below(3), 3 + below(4)), {
            partition,
            offset,
            // In order but for a day, over five epochs; some stand still.
            eventTime: NOW - 150 * DAY + Math.floor(offset / 4) * 5 * DAY - (below(3) === 0 ? below(DAY) : 0),
          }),
        ),
      );
      const everything = partitions.flat();
      const queries = Array.from({ length: 100 }, (): RecallQuery => {
        const notAfter = NOW - 150 * DAY + below(160 * DAY);
        const horizon = Array.from({ length: 259 }, () => below(130));
        const query = { notBefore: notAfter - 90 * DAY, notAfter, horizon };
        if (below(2) === 0) return query;
        // One that comes again.
        return {
          ...query,
          late: { notAfter: notAfter - below(DAY), horizon: horizon.map((end) => end + below(40)) },
        };
      });
      /** What the rule says when it is given everything. */
      const expected = (key: number, query: RecallQuery) => {
        const touched = new Set(epochsOf(query));
        const holding = everything.filter(
          (item) => item.keys.includes(key) && touched.has(Math.floor(item.eventTime / EPOCH_MS)),
        );
        return asIds(eligible(holding, query));
      };
      const asIds = (answer: readonly Posting[] | 'stop') =>
        answer === 'stop' ? answer : answer.map(({ id }) => id).sort((a, b) => a - b);
      const answers = queries.map((query) => keys.map((key) => expected(key, query)));
      expect(answers.flat().filter((answer) => answer === 'stop').length).toBeGreaterThan(20);
      expect(
        answers.flat().filter((answer) => answer !== 'stop' && answer.length > 2).length,
      ).toBeGreaterThan(20);

      for (let round = 0; round < 6; round++) {
        tenant = `tenant-${randomUUID()}`;
        const next = partitions.map(() => 0);
        while (next.some((offset) => offset < 120)) {
          const p = below(3);
          const batch = partitions[p]!.slice(Math.max(0, next[p]! - below(5)), next[p]! + below(40));
          await add(...batch);
          next[p] = Math.max(next[p]!, (batch.at(-1)?.offset ?? -1) + 1);
        }
        for (const [q, query] of queries.entries()) {
          const found = await index.postings(at, tenant, keys, query);
          const answer = keys.map((key) => asIds(eligible(found.get(key) ?? [], query)));
          expect([round, q, answer]).toEqual([round, q, answers[q]]);
        }
      }
    });

    it('answers thousands of keys at once', async () => {
      const keys = Array.from({ length: 5000 }, (_, i) => i * 1_000_003);
      await add(entry(1, keys.slice(0, 2500)), entry(2, [keys[4321]!]));
      const found = await index.postings(at, tenant, keys, all);
      expect(found.size).toBe(2501);
      expect(found.get(keys[2499]!)?.map(({ id }) => id)).toEqual([1]);
      expect(found.get(keys[4321]!)?.map(({ id }) => id)).toEqual([2]);
    });

    it('adds thousands of entries, and finds each', async () => {
      const keysOf = (i: number) =>
        Array.from({ length: 15 }, (_, k) => (i * 15 + k) * 7_919_927 + (k % 2) * LANE);
      await add(...Array.from({ length: 2000 }, (_, i) => entry(i + 1, keysOf(i))));
      for (let i = 0; i < 2000; i += 500) {
        const asked = Array.from({ length: 500 }, (_, j) => keysOf(i + j)).flat();
        const found = await index.postings(at, tenant, asked, all);
        expect(asked.map((key) => found.get(key)?.map(({ id }) => id))).toEqual(
          asked.map((_, k) => [i + Math.floor(k / 15) + 1]),
        );
      }
    });

    it('takes an entry without keys', async () => {
      await add(entry(1, []), entry(2, [9]));
      await index.remove(at, tenant, [entry(1, [])]);
      expect(await idsOf(9)).toEqual([2]);
    });

    it('never crosses tenants, even if their names try to', async () => {
      const others = [`${tenant}}:l`, `{${tenant}}`, `${tenant}:l:1`, `${tenant}%7D`];
      await add(entry(1, [9]));
      for (const other of others) {
        expect(await idsOf(9, all, other)).toBeUndefined();
        await index.add(at, other, [entry(2, [9])]);
        await index.remove(at, other, [entry(1, [9])]);
        expect(await idsOf(9, all, other)).toEqual([2]);
      }
      expect(await idsOf(9)).toEqual([1]);
    });

    it('removes a snippet from every key and leaves the others', async () => {
      const [a, b, c] = [entry(1, [8, 9]), entry(2, [7, 8]), entry(3, [8, 9])];
      await add(a, b, c);
      await index.remove(at, tenant, [b, entry(99, [8])]);
      expect(await idsOf(8)).toEqual([1, 3]);
      expect(await idsOf(9)).toEqual([1, 3]);
      expect(await idsOf(7)).toBeUndefined();
      await index.remove(at, tenant, [a, b, c]);
      expect(await index.postings(at, tenant, [7, 8, 9], all)).toEqual(new Map());
      await add(b);
      expect(await idsOf(7)).toEqual([2]);
    });

    it('removes a snippet from a key that several partitions have filled', async () => {
      const entries = Array.from({ length: 3 * STOP_POSTINGS }, (_, i) =>
        entry(i + 1, [9], { partition: i % 3 }),
      );
      await add(...entries);
      for (const removed of [entries[0]!, entries[20]!, entries[47]!])
        await index.remove(at, tenant, [removed]);
      expect(await idsOf(9)).toEqual(entries.map(({ id }) => id).filter((id) => ![1, 21, 48].includes(id)));
      await add(entries[20]!);
      expect(await idsOf(9)).toHaveLength(46);
    });

    it('keeps how far it reaches, and never goes back', async () => {
      // A server is shared, its coverage as well: partitions that no log has.
      const [a, b] = [randomInt(1_000_000, 2 ** 40), randomInt(1_000_000, 2 ** 40)];
      const start = await index.coverage();
      expect(start.next.get(a)).toBeUndefined();
      await index.cover(start, a, 2 ** 47);
      await index.cover(start, b, 5);
      await index.cover(start, b, 3);
      const { run, generation, next } = await index.coverage();
      expect([run, generation]).toEqual([start.run, start.generation]);
      expect([next.get(a), next.get(b)]).toEqual([2 ** 47, 5]);
    });
  });
}

/** What every adapter does when its index is rebuilt. Other tests must not use the server meanwhile. */
export function generationConformance(name: string, open: () => Promise<RecallIndex>): void {
  describe(`a generation of the ${name} recall index`, () => {
    const tenant = 'acme';
    let index: RecallIndex;
    const idsOf = async (at: Coverage) =>
      (await index.postings(at, tenant, [9], all)).get(9)?.map(({ id }) => id);

    beforeEach(async () => {
      index = await open();
    });
    afterEach(() => index.close());

    it('is none at first, and begun once, whoever begins', async () => {
      const none = await index.coverage();
      expect(none).toMatchObject({ generation: 0, next: new Map() });
      expect(await idsOf(none)).toBeUndefined();
      const begun = await index.begin();
      expect(begun.generation).toBeGreaterThan(0);
      await index.cover(begun, 0, 5);
      expect(await index.begin()).toEqual({ ...begun, next: new Map([[0, 5]]) });
      expect((await index.coverage()).generation).toBe(0);
      await index.activate(begun);
      expect(await index.coverage()).toEqual({ ...begun, next: new Map([[0, 5]]) });
    });

    it('is filled beside the current one, takes its place at once, and ends it', async () => {
      await index.activate(await index.begin());
      const first = await index.coverage();
      await index.add(first, tenant, [entry(1, [9])]);
      await index.cover(first, 0, 2);
      const second = await index.begin();
      expect(second.generation).not.toBe(first.generation);
      expect(second.next).toEqual(new Map());
      await index.add(second, tenant, [entry(2, [9])]);
      await index.cover(second, 0, 3);
      expect(await idsOf(await index.coverage())).toEqual([1]);
      await index.add(first, tenant, [entry(3, [9])]);
      await index.activate(second);
      const after = await index.coverage();
      expect([after.generation, after.next]).toEqual([second.generation, new Map([[0, 3]])]);
      expect(await idsOf(after)).toEqual([2]);
      await index.activate(second);
      expect(await idsOf(await index.coverage())).toEqual([2]);
      const lost = { code: 'recall-lost', transient: true };
      await expect(index.cover(first, 0, 9)).rejects.toMatchObject(lost);
      await expect(index.activate(first)).rejects.toMatchObject(lost);
    });
  });
}
