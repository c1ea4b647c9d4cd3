import { randomInt, randomUUID } from 'node:crypto';
import { MAX_POSTINGS, type Posting, type RecallEntry, type RecallIndex } from './recall-index';

const entry = (codeId: string, keys: readonly string[], position: Partial<Posting> = {}): RecallEntry => ({
  codeId,
  eventTime: 1_780_000_000_000,
  partition: 0,
  offset: 0,
  ...position,
  keys,
});

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `snippet-${i}`);

/** What every adapter of the recall index must do. Each test has its own tenant, so servers can be shared. */
export function recallConformance(name: string, open: () => Promise<RecallIndex>): void {
  describe(`${name} recall index`, () => {
    let index: RecallIndex;
    let tenant: string;
    const codeIdsOf = async (key: string): Promise<string[] | undefined> =>
      (await index.postings(tenant, [key])).get(key)?.map((posting) => posting.codeId);

    beforeAll(async () => {
      index = await open();
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

    it('finds nothing for keys that nobody added', async () => {
      expect(await index.postings(tenant, ['h1:00', 'h3:00'])).toEqual(new Map());
    });

    it('gives a posting back as it was added, for each of its keys', async () => {
      const posting = {
        codeId: randomUUID(),
        eventTime: 253_402_300_799_999,
        partition: 511,
        offset: 2 ** 47,
      };
      await index.add(tenant, [{ ...posting, keys: ['h1:aa', 'text:3:00ff'] }]);
      expect(await index.postings(tenant, ['h1:aa', 'h1:bb', 'text:3:00ff'])).toEqual(
        new Map([
          ['h1:aa', [posting]],
          ['text:3:00ff', [posting]],
        ]),
      );
    });

    it('keeps any text as codeId', async () => {
      const codeIds = ['x', 'a:b}{c', 'naïve ☃', '00000000-0000-0000-0000-00000000000G', 'é'.repeat(64)];
      await index.add(
        tenant,
        codeIds.map((codeId) => entry(codeId, ['h1:aa'])),
      );
      expect(await codeIdsOf('h1:aa')).toEqual(codeIds);
      await index.remove(tenant, codeIds.slice(1));
      expect(await codeIdsOf('h1:aa')).toEqual(['x']);
    });

    it('keeps postings in order of arrival, whatever their time and offset', async () => {
      await index.add(tenant, [entry('b', ['h1:aa'], { offset: 9 }), entry('c', ['h1:aa'], { offset: 3 })]);
      await index.add(tenant, [entry('a', ['h1:aa'], { eventTime: 5 })]);
      expect(await codeIdsOf('h1:aa')).toEqual(['b', 'c', 'a']);
    });

    it('changes nothing when an entry is added twice', async () => {
      const entries = [entry('a', ['h1:aa', 'h1:aa', 'h1:bb']), entry('b', ['h1:aa'])];
      await index.add(tenant, [...entries, ...entries]);
      await index.add(tenant, entries);
      expect(await codeIdsOf('h1:aa')).toEqual(['a', 'b']);
      expect(await codeIdsOf('h1:bb')).toEqual(['a']);
    });

    it('keeps the first posting of a snippet that comes again from another offset', async () => {
      await index.add(tenant, [entry('a', ['h1:aa'], { offset: 1 })]);
      await index.add(tenant, [entry('a', ['h1:aa', 'h1:bb'], { offset: 2 })]);
      const found = await index.postings(tenant, ['h1:aa', 'h1:bb']);
      expect(found.get('h1:aa')?.map((posting) => posting.offset)).toEqual([1]);
      expect(found.get('h1:bb')?.map((posting) => posting.offset)).toEqual([2]);
    });

    it('keeps the first MAX_POSTINGS postings of a key in a partition', async () => {
      const codeIds = numbered(MAX_POSTINGS + 6);
      await index.add(
        tenant,
        codeIds.map((codeId) => entry(codeId, ['h1:aa'])),
      );
      await index.add(tenant, [entry('late', ['h1:aa', 'h1:bb'])]);
      expect(await codeIdsOf('h1:aa')).toEqual(codeIds.slice(0, MAX_POSTINGS));
      expect(await codeIdsOf('h1:bb')).toEqual(['late']);
    });

    it('keeps the same postings whatever the order in which partitions come', async () => {
      const first = numbered(MAX_POSTINGS + 6).map((codeId, offset) =>
        entry(`first-${codeId}`, ['h1:aa'], { partition: 0, offset }),
      );
      const second = numbered(3).map((codeId, offset) =>
        entry(`second-${codeId}`, ['h1:aa'], { partition: 258, offset }),
      );
      const other = `${tenant}-other`;
      await index.add(tenant, [...first, ...second]);
      await index.add(other, [...second, ...first]);
      const kept = [...first.slice(0, MAX_POSTINGS), ...second].map(({ codeId }) => codeId).sort();
      expect((await codeIdsOf('h1:aa'))?.sort()).toEqual(kept);
      const others = (await index.postings(other, ['h1:aa'])).get('h1:aa');
      expect(others?.map(({ codeId }) => codeId).sort()).toEqual(kept);
    });

    it('answers thousands of keys at once', async () => {
      const keys = Array.from({ length: 5000 }, (_, i) => `h1:${i.toString(16).padStart(16, '0')}`);
      await index.add(tenant, [entry('wide', keys.slice(0, 2500)), entry('narrow', [keys[4321]!])]);
      const found = await index.postings(tenant, keys);
      expect(found.size).toBe(2501);
      expect(found.get(keys[2499]!)?.map((posting) => posting.codeId)).toEqual(['wide']);
      expect(found.get(keys[4321]!)?.map((posting) => posting.codeId)).toEqual(['narrow']);
    });

    it('adds thousands of entries at once', async () => {
      const codeIds = numbered(3000);
      await index.add(
        tenant,
        codeIds.map((codeId, i) => entry(codeId, [`h1:${i}`, `h3:${i}`], { offset: i })),
      );
      const found = await index.postings(
        tenant,
        codeIds.map((_, i) => `h3:${i}`),
      );
      expect([...found.values()].map(([posting]) => posting?.offset)).toEqual(codeIds.map((_, i) => i));
    });

    it('takes an entry without keys', async () => {
      await index.add(tenant, [entry('bare', []), entry('a', ['h1:aa'])]);
      await index.remove(tenant, ['bare']);
      expect(await codeIdsOf('h1:aa')).toEqual(['a']);
    });

    it('never crosses tenants, even if their names try to', async () => {
      const others = [`${tenant}}:x`, `{${tenant}}`, `${tenant}:h1`, `${tenant}%7D`];
      await index.add(tenant, [entry('mine', ['h1:aa', 'x:h1:aa'])]);
      for (const other of others) {
        expect(await index.postings(other, ['h1:aa', 'aa', 'x:h1:aa'])).toEqual(new Map());
        await index.add(other, [entry(other, ['h1:aa', 'aa'])]);
        await index.remove(other, ['mine']);
      }
      expect(await codeIdsOf('h1:aa')).toEqual(['mine']);
    });

    it('removes a snippet from every key and leaves the others in order', async () => {
      await index.add(tenant, [
        entry('a', ['h1:aa', 'h1:bb']),
        entry('b', ['h1:aa', 'h1:cc']),
        entry('c', ['h1:aa', 'h1:bb']),
      ]);
      await index.add(tenant, [entry('b', ['h1:dd'])]);
      await index.remove(tenant, ['b', 'unknown']);
      expect(await codeIdsOf('h1:aa')).toEqual(['a', 'c']);
      expect(await codeIdsOf('h1:bb')).toEqual(['a', 'c']);
      expect(await index.postings(tenant, ['h1:cc', 'h1:dd'])).toEqual(new Map());
      await index.remove(tenant, ['b', 'a', 'c']);
      expect(await index.postings(tenant, ['h1:aa', 'h1:bb'])).toEqual(new Map());
    });

    it('keeps how far it reaches, and never goes back', async () => {
      // A server is shared, its coverage as well: partitions that no log has.
      const [a, b] = [randomInt(1_000_000, 2 ** 40), randomInt(1_000_000, 2 ** 40)];
      const start = await index.coverage();
      expect(start.next.get(a)).toBeUndefined();
      await index.cover(start, a, 2 ** 47);
      await index.cover(start, b, 5);
      await index.cover(start, b, 3);
      const { run, next } = await index.coverage();
      expect(run).toBe(start.run);
      expect([next.get(a), next.get(b)]).toEqual([2 ** 47, 5]);
    });

    it('takes a snippet again after its removal', async () => {
      await index.add(tenant, [entry('a', ['h1:aa']), entry('b', ['h1:aa'])]);
      await index.remove(tenant, ['a']);
      await index.add(tenant, [entry('a', ['h1:aa'], { offset: 7 })]);
      expect(await codeIdsOf('h1:aa')).toEqual(['b', 'a']);
    });
  });
}
