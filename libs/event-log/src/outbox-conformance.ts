import { randomBytes } from 'node:crypto';
import type { Database } from '@lineprint/persistence';
import { StoreError } from '@lineprint/platform';
import type { OutgoingRecord, RecordPosition } from './log';
import { enqueue, holdLease } from './outbox';
import { OutboxRelay } from './outbox-relay';

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

function record(id: string, value: Uint8Array = Buffer.from(id)): OutgoingRecord {
  return { topic: 'lineprint.commits.v1', key: 'acme/shop', value, headers: { ce_id: id } };
}

/** A log that says whether it takes records, and what of an append is to go wrong. */
class FakeLog {
  readonly taken: OutgoingRecord[] = [];
  /** Called before records are taken, and after. */
  before: () => void = () => undefined;
  after: () => Promise<void> | void = () => undefined;

  async append(records: readonly OutgoingRecord[]): Promise<RecordPosition[]> {
    this.before();
    this.taken.push(...records);
    await this.after();
    return records.map((_, i) => ({ partition: 0, offset: this.taken.length + i }));
  }

  get ids(): (string | undefined)[] {
    return this.taken.map(({ headers }) => headers['ce_id']);
  }
}

/** What the outbox and its relay do on every database. The database's outbox must be empty. */
export function outboxConformance(name: string, databaseOf: () => Database): void {
  describe(`the outbox on ${name}`, () => {
    let database: Database;
    let log: FakeLog;
    const relays: OutboxRelay[] = [];
    const relay = (): OutboxRelay => {
      const made = new OutboxRelay({ database, log, report: () => undefined });
      relays.push(made);
      made.start();
      return made;
    };
    const put = (...records: OutgoingRecord[]) => database.transaction((tx) => enqueue(tx, records));
    const waiting = async () =>
      (await database.query<{ count: number }>('SELECT COUNT(*) AS count FROM outbox'))[0]!.count;

    beforeEach(async () => {
      database = databaseOf();
      log = new FakeLog();
      await database.query('DELETE FROM outbox');
      await database.query('DELETE FROM outbox_lease');
    });

    afterEach(async () => {
      await Promise.all(relays.splice(0).map((one) => one.stop()));
    });

    it('relays what was committed, as it was and in its order, and nothing that was rolled back', async () => {
      const binary = record('2', randomBytes(3000));
      const odd = { ...record('3'), key: 'a\u0000b/ü', headers: { ce_id: '3', odd: 'x\u0000"\\ é' } };
      await put(record('1'), binary);
      await expect(
        database.transaction(async (tx) => {
          await enqueue(tx, [record('never')]);
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      await put(odd, { ...record('4'), topic: 'lineprint.snippets.v1' });
      await database.transaction((tx) => enqueue(tx, []));
      relay();
      await until(async () => (await waiting()) === 0);
      expect(log.ids).toEqual(['1', '2', '3', '4']);
      expect(Buffer.from(log.taken[1]!.value).equals(binary.value)).toBe(true);
      expect(log.taken[2]).toEqual({ ...odd, value: new Uint8Array(odd.value) });
      expect(log.taken[3]!.topic).toBe('lineprint.snippets.v1');
    });

    it('relays at once when it is woken, and by itself what nobody woke it for', async () => {
      const made = relay();
      await put(record('woken'));
      made.wake();
      await until(() => log.taken.length === 1);
      await put(record('found'));
      await until(() => log.taken.length === 2);
    });

    it('repeats, with the same ids, what it had appended when it was killed before it deleted', async () => {
      await put(record('1'), record('2'));
      log.after = () => {
        log.after = () => undefined;
        throw new StoreError('killed', 'after the append');
      };
      relay();
      await until(async () => (await waiting()) === 0);
      expect(log.ids).toEqual(['1', '2', '1', '2']);
    });

    it('lets nothing overtake while the log does not answer, and says how long the oldest waits', async () => {
      let away = true;
      log.before = () => {
        if (away) throw new StoreError('log-unavailable', 'away');
      };
      const made = relay();
      await put(record('1'));
      made.wake();
      await until(() => made.age(Date.now() + 5_000) > 0);
      await put(record('2'));
      away = false;
      made.wake();
      await until(async () => (await waiting()) === 0);
      expect(log.ids).toEqual(['1', '2']);
      await until(() => made.age(Date.now() + 5_000) === 0);
    });

    it('works in one of several processes at a time, and goes on in another when that one stops', async () => {
      let appending = 0;
      let most = 0;
      log.after = async () => {
        appending += 1;
        most = Math.max(most, appending);
        await new Promise((resolve) => setTimeout(resolve, 5));
        appending -= 1;
      };
      const all = [relay(), relay(), relay()];
      for (let i = 0; i < 30; i++) {
        await put(record(String(i)));
        all[i % 3]!.wake();
        if (i === 10) await all[0]!.stop();
        if (i === 20) await all[1]!.stop();
      }
      await until(async () => (await waiting()) === 0);
      expect(most).toBe(1);
      expect(log.ids).toEqual(Array.from({ length: 30 }, (_, i) => String(i)));
    });

    it('takes over from a process that is gone once its lease is over', async () => {
      expect(await holdLease(database, 'gone', 600_000)).toBe(true);
      expect(await holdLease(database, 'other', 600_000)).toBe(false);
      expect(await holdLease(database, 'gone', 0)).toBe(true);
      expect(await holdLease(database, 'other', 600_000)).toBe(true);
    });

    it('relays nothing of a transaction that came later while an earlier one is not committed', async () => {
      let commit: () => void = () => undefined;
      const committing = new Promise<void>((resolve) => (commit = resolve));
      let enqueued = false;
      const earlier = database.transaction(async (tx) => {
        await enqueue(tx, [record('earlier')]);
        enqueued = true;
        await committing;
      });
      await until(() => enqueued);
      const later = put(record('later'));
      relay();
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(log.ids).toEqual([]);
      commit();
      await Promise.all([earlier, later]);
      await until(async () => (await waiting()) === 0);
      expect(log.ids).toEqual(['earlier', 'later']);
    });

    it('hands over more than a batch holds', async () => {
      await put(...Array.from({ length: 450 }, (_, i) => record(String(i))));
      relay();
      await until(async () => (await waiting()) === 0);
      expect(log.ids).toEqual(Array.from({ length: 450 }, (_, i) => String(i)));
    });
  });
}
