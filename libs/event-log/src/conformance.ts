import { randomBytes, randomUUID } from 'node:crypto';
import { deadLetterTopic, type TopicSpec } from '@lineprint/contracts';
import { LineprintError, StoreError } from '@lineprint/platform';
import type { Delivery } from './delivery';
import type {
  Batch,
  BatchHandler,
  ConsumeOptions,
  Consumption,
  EventLog,
  LogRecord,
  OutgoingRecord,
} from './log';
import { partitionFor } from './partitioner';

/** An adapter under test. `open` answers the same store each time, as a process that starts again would see it. */
export type OpenLog = (delivery?: Partial<Omit<Delivery, 'service'>>) => Promise<EventLog>;

const DAY_MS = 86_400_000;
/** Until a condition holds; the tier's own time limit ends a wait that never does. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

function text(record: LogRecord): string {
  return Buffer.from(record.value).toString('utf8');
}

const everything: BatchHandler = (batch) => Promise.resolve({ processed: batch.records.length });

/** What every adapter of the log port does. Topic and group names are unique, so a cluster may be shared. */
export function eventLogConformance(name: string, open: OpenLog): void {
  describe(`${name} as an event log`, () => {
    let log: EventLog;
    let topic: string;
    let group: string;
    const consumptions: Consumption[] = [];

    const specs = (partitions: number): TopicSpec[] =>
      [topic, deadLetterTopic(topic)].map((t) => ({ name: t, partitions, retentionMs: DAY_MS }));
    const record = (key: string, value: string | Uint8Array, headers = {}): OutgoingRecord => ({
      topic,
      key,
      value: typeof value === 'string' ? Buffer.from(value) : value,
      headers,
    });
    const consume = async (
      handler: BatchHandler,
      options: Partial<ConsumeOptions> = {},
    ): Promise<Consumption> => {
      const consumption = await log.consume({ group, topic, handler, ...options });
      consumptions.push(consumption);
      return consumption;
    };
    /** Everything that one more group sees in a topic once it has `count` records. */
    const readAll = async (from: string, count: number): Promise<LogRecord[]> => {
      const seen: LogRecord[] = [];
      const reader = await log.consume({
        group: `reader-${randomUUID()}`,
        topic: from,
        handler: (batch) => {
          seen.push(...batch.records);
          return everything(batch);
        },
      });
      await until(() => seen.length >= count);
      await reader.stop();
      return seen;
    };
    const committedSum = async (): Promise<number> =>
      (await log.committed(group, topic)).reduce((sum, offset) => sum + offset, 0);

    beforeAll(async () => {
      log = await open();
    });

    afterAll(async () => {
      await log.close();
    });

    beforeEach(async () => {
      topic = `conformance.${randomUUID()}.v1`;
      group = `group-${randomUUID()}`;
      await log.ensureTopics(specs(1));
    });

    afterEach(async () => {
      await Promise.all(consumptions.splice(0).map((consumption) => consumption.stop()));
    });

    it('answers positions that grow by one in the order of the records, and the end after them', async () => {
      const first = await log.append([record('k', 'a'), record('k', 'b')]);
      const second = await log.append([record('k', 'c')]);
      expect([...first, ...second]).toEqual([0, 1, 2].map((offset) => ({ partition: 0, offset })));
      expect(await log.endOffsets(topic)).toEqual([3]);
      expect(await log.committed(group, topic)).toEqual([0]);
    });

    it('takes an empty append', async () => {
      expect(await log.append([])).toEqual([]);
    });

    it('refuses an append to a topic that does not exist, until it does', async () => {
      const stray = { ...record('k', 'a'), topic: `missing.${randomUUID()}.v1` };
      await expect(log.append([stray])).rejects.toMatchObject({ code: 'topic-unknown', transient: true });
    });

    it('creates topics twice without harm, adds partitions, and refuses to take them away', async () => {
      await log.append([record('k', 'a')]);
      await log.ensureTopics(specs(1));
      await log.ensureTopics(specs(3));
      expect(await log.endOffsets(topic)).toEqual([1, 0, 0]);
      await expect(log.ensureTopics(specs(2))).rejects.toMatchObject({ code: 'config-invalid' });
      expect(await log.endOffsets(topic)).toEqual([1, 0, 0]);
    });

    it('puts a key where Kafka’s own clients put it, and keeps the order of each key', async () => {
      await log.ensureTopics(specs(4));
      const keys = ['tenant/project', 'tenant/üñí', '', 'a', 'ab', 'abc', 'acme/web', 'acme/api'];
      const sent = [0, 1, 2].flatMap((round) => keys.map((key) => record(key, `${key}#${round}`)));
      const positions = await log.append(sent);
      expect(positions.map((p) => p.partition)).toEqual(sent.map((r) => partitionFor(r.key, 4)));
      const seen = await readAll(topic, sent.length);
      for (const key of keys) {
        expect(seen.filter((r) => r.key === key).map(text)).toEqual([0, 1, 2].map((n) => `${key}#${n}`));
      }
      for (const [i, position] of positions.entries()) {
        const stored = seen.find((r) => r.partition === position.partition && r.offset === position.offset);
        expect(stored && text(stored)).toBe(text({ ...stored!, value: sent[i]!.value }));
      }
    });

    it('gives back keys, headers and any bytes as they were', async () => {
      const bytes = Uint8Array.from({ length: 4096 }, (_, i) => i % 256);
      const headers = { ce_id: '1', 'content-type': 'application/json', text: 'ä “quoted” \\ line\nend' };
      const before = Date.now();
      await log.append([
        record('k/ü', bytes, headers),
        record('k/ü', new Uint8Array(0)),
        record('k/ü', '{}'),
      ]);
      const [binary, empty, json] = await readAll(topic, 3);
      expect(binary).toMatchObject({ topic, partition: 0, offset: 0, key: 'k/ü', headers });
      expect(Buffer.from(binary!.value).equals(bytes)).toBe(true);
      expect(Math.abs(binary!.timestamp - before)).toBeLessThan(DAY_MS);
      expect(empty!.value).toHaveLength(0);
      expect(empty!.headers).toEqual({});
      expect(text(json!)).toBe('{}');
    });

    it('carries a value over the broker’s limit as it was, among small ones', async () => {
      const large = randomBytes(3_000_000);
      const repetitive = Buffer.alloc(2_000_000, 'lineprint ');
      const headers = { ce_id: 'large' };
      await log.append([
        record('k', 'before'),
        record('k', large, headers),
        record('k', repetitive),
        record('k', 'after'),
      ]);
      const seen = await readAll(topic, 4);
      expect(seen.map((r) => r.offset)).toEqual([0, 1, 2, 3]);
      expect([text(seen[0]!), text(seen[3]!)]).toEqual(['before', 'after']);
      expect(large.equals(seen[1]!.value)).toBe(true);
      expect(seen[1]!.headers).toEqual(headers);
      expect(repetitive.equals(seen[2]!.value)).toBe(true);
    });

    it('answers the position of each record of an append that takes several requests', async () => {
      await log.ensureTopics(specs(3));
      const sent = Array.from({ length: 60 }, (_, i) => record(`key-${i}`, randomBytes(50_000)));
      const positions = await log.append(sent);
      const seen = await readAll(topic, sent.length);
      for (const [i, { partition, offset }] of positions.entries()) {
        const stored = seen.find((r) => r.partition === partition && r.offset === offset);
        expect(stored?.key).toBe(sent[i]!.key);
        expect(Buffer.from(stored!.value).equals(sent[i]!.value)).toBe(true);
      }
    });

    it('hands over batches of one partition, in order, within the limits', async () => {
      await log.ensureTopics(specs(2));
      await log.append(
        Array.from({ length: 20 }, (_, i) => record(`key-${i}`, Buffer.alloc(1000, 120 + (i % 2)))),
      );
      const batches: Batch[] = [];
      const handler: BatchHandler = (batch) => {
        batches.push(batch);
        return everything(batch);
      };
      await consume(handler, { maxRecords: 7, maxBytes: 3000 });
      await until(async () => (await committedSum()) === 20);
      for (const { records, partition } of batches) {
        expect(records.length).toBeGreaterThan(0);
        expect(records.length).toBeLessThanOrEqual(3);
        expect(records.every((r) => r.partition === partition && r.topic === topic)).toBe(true);
      }
      for (const partition of [0, 1]) {
        const offsets = batches.flatMap((b) => b.records.filter((r) => r.partition === partition));
        expect(offsets.map((r) => r.offset)).toEqual(offsets.map((_, i) => i));
      }
    });

    it('is ready once partitions are assigned, ticks, and wakes for records that come later', async () => {
      const seen: string[] = [];
      const consumption = await consume((batch) => {
        seen.push(...batch.records.map(text));
        return everything(batch);
      });
      await until(() => consumption.ready);
      const tick = consumption.lastTickAt;
      await until(() => consumption.lastTickAt > tick);
      await log.append([record('k', 'late')]);
      await until(() => seen.length === 1);
      await consumption.stop();
      expect(consumption.ready).toBe(false);
    });

    it('commits after the handler’s result, not before', async () => {
      await log.append([record('k', 'a')]);
      let committedDuring: number | undefined;
      await consume(async (batch) => {
        committedDuring = await committedSum();
        return everything(batch);
      });
      await until(async () => (await committedSum()) === 1);
      expect(committedDuring).toBe(0);
    });

    it('hands a batch over again after a transient error', async () => {
      await log.append([record('k', 'a'), record('k', 'b')]);
      const calls: string[][] = [];
      await consume((batch) => {
        calls.push(batch.records.map(text));
        if (calls.length < 3) throw new StoreError('store-down', 'not now');
        return everything(batch);
      });
      await until(async () => (await committedSum()) === 2);
      expect(calls).toEqual([
        ['a', 'b'],
        ['a', 'b'],
        ['a', 'b'],
      ]);
      expect(await log.endOffsets(deadLetterTopic(topic))).toEqual([0]);
    });

    it('goes on at the first unprocessed record after the time asked for, other partitions meanwhile', async () => {
      await log.ensureTopics(specs(2));
      const keyOf = (partition: number) =>
        Array.from({ length: 50 }, (_, i) => `k${i}`).find((key) => partitionFor(key, 2) === partition)!;
      await log.append(['a', 'b', 'c'].map((value) => record(keyOf(0), value)));
      const calls: string[][] = [];
      let open = false;
      await consume((batch) => {
        if (batch.partition === 1) {
          open = true;
          return everything(batch);
        }
        calls.push(batch.records.map(text));
        if (batch.records.length === 3) return Promise.resolve({ processed: 1, retryAfterMs: 50 });
        return Promise.resolve(
          open ? { processed: batch.records.length } : { processed: 0, retryAfterMs: 50 },
        );
      });
      await until(() => calls.length >= 2);
      expect(await log.committed(group, topic)).toEqual([1, 0]);
      await log.append([record(keyOf(1), 'other')]);
      await until(async () => (await committedSum()) === 4);
      expect(calls[0]).toEqual(['a', 'b', 'c']);
      expect(calls.slice(1).every((call) => call.join() === 'b,c')).toBe(true);
    });

    it('writes the handler’s dead letters with their origin and commits past them', async () => {
      await log.append([record('k', 'good', { ce_id: '1' }), record('k', 'bad', { ce_id: '2' })]);
      await consume((batch) =>
        Promise.resolve({
          processed: batch.records.length,
          deadLetters: batch.records
            .filter((r) => text(r) === 'bad')
            .map((r) => ({ record: r, code: 'event-invalid', message: 'no such shape' })),
        }),
      );
      await until(async () => (await committedSum()) === 2);
      const letters = await readAll(deadLetterTopic(topic), 1);
      expect(letters).toHaveLength(1);
      expect(letters[0]).toMatchObject({
        key: 'k',
        headers: {
          ce_id: '2',
          lp_dlq_topic: topic,
          lp_dlq_partition: '0',
          lp_dlq_offset: '1',
          lp_dlq_group: group,
          lp_dlq_code: 'event-invalid',
          lp_dlq_message: 'no such shape',
          lp_dlq_attempts: '1',
        },
      });
      expect(text(letters[0]!)).toBe('bad');
    });

    it('dead-letters only the record that fails for good, and processes its neighbours', async () => {
      await log.append(['a', 'poison', 'b'].map((value) => record('k', value)));
      const processed: string[] = [];
      await consume((batch) => {
        if (batch.records.some((r) => text(r) === 'poison')) {
          throw new LineprintError('record-poisonous', 'cannot\u0000 be read');
        }
        processed.push(...batch.records.map(text));
        return everything(batch);
      });
      await until(async () => (await committedSum()) === 3);
      expect(processed).toEqual(['a', 'b']);
      const letters = await readAll(deadLetterTopic(topic), 1);
      expect(letters.map(text)).toEqual(['poison']);
      expect(letters[0]!.headers).toMatchObject({
        lp_dlq_code: 'record-poisonous',
        lp_dlq_message: 'cannot  be read',
        lp_dlq_attempts: '2',
      });
    });

    it('commits nothing while the dead-letter topic cannot be written', async () => {
      const bare = `conformance.${randomUUID()}.v1`;
      await log.ensureTopics([{ name: bare, partitions: 1, retentionMs: DAY_MS }]);
      await log.append([{ ...record('k', 'poison'), topic: bare }]);
      let calls = 0;
      await consume(
        () => {
          calls += 1;
          throw new LineprintError('record-poisonous', 'never');
        },
        { topic: bare },
      );
      await until(() => calls >= 2);
      expect(await log.committed(group, bare)).toEqual([0]);
      await log.ensureTopics([{ name: deadLetterTopic(bare), partitions: 1, retentionMs: DAY_MS }]);
      await until(async () => (await log.committed(group, bare))[0] === 1);
      expect(await log.endOffsets(deadLetterTopic(bare))).toEqual([1]);
    });

    it('finishes and commits the running batch when it is stopped, and tells the handler', async () => {
      await log.append([record('k', 'a')]);
      let started = false;
      let told = false;
      const consumption = await consume(async (batch) => {
        started = true;
        await until(() => batch.signal.aborted);
        told = true;
        return everything(batch);
      });
      await until(() => started);
      await consumption.stop();
      expect(told).toBe(true);
      expect(await committedSum()).toBe(1);
    });

    it('gives up a batch longer than the grace period: it is another member’s, and never committed', async () => {
      await log.append([record('k', 'a')]);
      const impatient = await open({ shutdownGraceMs: 50 });
      let started = false;
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const stuck = await impatient.consume({
        group,
        topic,
        handler: async (batch) => {
          started = true;
          await released;
          return everything(batch);
        },
      });
      await until(() => started);
      await stuck.stop();
      expect(await committedSum()).toBe(0);
      const seen: string[] = [];
      await consume((batch) => {
        seen.push(...batch.records.map(text));
        return Promise.resolve({ processed: 0, retryAfterMs: 60_000 });
      });
      await until(() => seen.length > 0);
      release();
      await impatient.close();
      expect(seen).toEqual(['a']);
      expect(await committedSum()).toBe(0);
    });

    it('stands still rather than empty a topic into its dead-letter topic, says why, and stays alive', async () => {
      await log.append(['a', 'b', 'c', 'd'].map((value) => record('k', value)));
      const strict = await open({ deadLetterLimits: { window: 100, least: 2, ratio: 0 } });
      const consumption = await strict.consume({
        group,
        topic,
        handler: () => {
          throw new TypeError('a bug');
        },
      });
      await until(() => consumption.halted !== undefined);
      expect(consumption.halted).toMatch(
        /^dead-letter-limit: 2 of the last 2 records .* at offset 2 \(handler-failed: a bug\)$/,
      );
      expect(consumption.ready).toBe(true);
      const tick = consumption.lastTickAt;
      await until(() => consumption.lastTickAt > tick);
      await until(async () => (await committedSum()) === 2);
      expect(await log.endOffsets(deadLetterTopic(topic))).toEqual([2]);
      await strict.close();
    });

    it('names its consumptions, with the partitions of each', async () => {
      await log.ensureTopics(specs(2));
      const consumption = await consume(everything);
      await until(() => consumption.ready && consumption.partitions.length === 2);
      const listed = [...log.consumptions].map(({ group: g, topic: t, partitions }) => ({
        group: g,
        topic: t,
        partitions: [...partitions].sort(),
      }));
      expect(listed).toEqual([{ group, topic, partitions: [0, 1] }]);
      await consumption.stop();
      expect([...log.consumptions]).toEqual([]);
    });

    it('dead-letters nothing when a handler gives up because it was told to stop', async () => {
      await log.append([record('k', 'a')]);
      let started = false;
      const consumption = await consume(async (batch) => {
        started = true;
        await until(() => batch.signal.aborted);
        batch.signal.throwIfAborted();
        return everything(batch);
      });
      await until(() => started);
      await consumption.stop();
      expect(await committedSum()).toBe(0);
      expect(await log.endOffsets(deadLetterTopic(topic))).toEqual([0]);
    });

    it('resumes a group where it stopped, in another process as well', async () => {
      await log.append(['a', 'b'].map((value) => record('k', value)));
      const first = await consume(everything);
      await until(async () => (await committedSum()) === 2);
      await first.stop();
      const other = await open();
      try {
        await other.append(['c', 'd'].map((value) => record('k', value)));
        const seen: string[] = [];
        const second = await other.consume({
          group,
          topic,
          handler: (batch) => {
            seen.push(...batch.records.map(text));
            return everything(batch);
          },
        });
        await until(() => seen.length >= 2);
        await second.stop();
        expect(seen).toEqual(['c', 'd']);
      } finally {
        await other.close();
      }
    });

    it('lets two groups read the same topic, each from its own position', async () => {
      await log.append(['a', 'b'].map((value) => record('k', value)));
      const seen: string[] = [];
      await consume(everything);
      await consume(
        (batch) => {
          seen.push(...batch.records.map(text));
          return Promise.resolve({ processed: 0, retryAfterMs: 60_000 });
        },
        { group: `${group}-other` },
      );
      await until(async () => (await committedSum()) === 2 && seen.length === 2);
      expect(await log.committed(`${group}-other`, topic)).toEqual([0]);
      expect(seen).toEqual(['a', 'b']);
    });

    it('answers the oldest offsets, and the first ones at or after a time', async () => {
      await log.ensureTopics(specs(2));
      const keyOf = (partition: number) =>
        Array.from({ length: 50 }, (_, i) => `k${i}`).find((key) => partitionFor(key, 2) === partition)!;
      await log.append([record(keyOf(0), 'a'), record(keyOf(0), 'b'), record(keyOf(1), 'c')]);
      // Records of one append may share a time: the next one's is later.
      await new Promise((resolve) => setTimeout(resolve, 5));
      await log.append([record(keyOf(0), 'd')]);
      const [first, , last] = (await readAll(topic, 4)).filter((r) => r.partition === 0);
      expect(await log.beginningOffsets(topic)).toEqual([0, 0]);
      expect(await log.offsetsAt(topic, 0)).toEqual([0, 0]);
      expect(await log.offsetsAt(topic, first!.timestamp)).toEqual([0, 0]);
      expect(await log.offsetsAt(topic, last!.timestamp)).toEqual([2, 1]);
      expect(await log.offsetsAt(topic, Date.now() + DAY_MS)).toEqual([3, 1]);
    });

    it('reads ranges as they were, without touching a group, and ends though records go on coming', async () => {
      await log.ensureTopics(specs(3));
      const large = randomBytes(1_500_000);
      const sent = Array.from({ length: 60 }, (_, i) => record(`key-${i}`, i === 7 ? large : `value-${i}`));
      const positions = await log.append(sent);
      const ends = await log.endOffsets(topic);
      const ranges = [
        { partition: 2, from: 1, to: ends[2]! - 1 },
        { partition: 0, from: 0, to: 1_000_000 },
        { partition: 1, from: 5, to: 5 },
      ];
      const wanted = positions
        .map(({ partition, offset }, i) => ({ partition, offset, value: Buffer.from(sent[i]!.value) }))
        .filter(({ partition, offset }) => {
          const range = ranges.find((r) => r.partition === partition)!;
          return offset >= range.from && offset < range.to;
        });
      const seen: LogRecord[] = [];
      for await (const found of log.read(topic, ranges)) {
        if (seen.length === 0) await log.append(sent);
        seen.push(found);
      }
      const ofPartition = <T extends { partition: number }>(all: readonly T[], partition: number) =>
        all.filter((r) => r.partition === partition);
      for (const partition of [0, 1, 2]) {
        const found = ofPartition(seen, partition);
        expect(found.map((r) => r.offset)).toEqual(ofPartition(wanted, partition).map((r) => r.offset));
        for (const [i, { value }] of ofPartition(wanted, partition).entries()) {
          expect(value.equals(found[i]!.value)).toBe(true);
        }
      }
      expect(await committedSum()).toBe(0);
    });

    it('reads nothing from an empty topic or past the end', async () => {
      const everywhere = [{ partition: 0, from: 0, to: 10 }];
      const read = async () => {
        const seen: LogRecord[] = [];
        for await (const found of log.read(topic, everywhere)) seen.push(found);
        return seen;
      };
      expect(await read()).toEqual([]);
      await log.append([record('k', 'a')]);
      expect(await read()).toHaveLength(1);
      for await (const found of log.read(topic, [{ partition: 0, from: 1, to: 2 }])) expect(found).toBe(null);
    });

    it('ends a read that its caller leaves or aborts', async () => {
      await log.append(Array.from({ length: 3000 }, (_, i) => record('k', `${i}`)));
      const whole = [{ partition: 0, from: 0, to: 3000 }];
      for await (const found of log.read(topic, whole)) {
        if (found.offset === 1) break;
      }
      const aborting = new AbortController();
      let seen = 0;
      const read = async () => {
        for await (const found of log.read(topic, whole, aborting.signal)) {
          seen += 1;
          if (found.offset === 1) aborting.abort();
        }
      };
      await expect(read()).rejects.toMatchObject({ name: 'AbortError' });
      expect(seen).toBe(2);
      await expect(read()).rejects.toMatchObject({ name: 'AbortError' });
      expect(seen).toBe(2);
    });

    it('starts a new group at the offsets asked for, and resumes one that has got further', async () => {
      await log.ensureTopics(specs(2));
      const keyOf = (partition: number) =>
        Array.from({ length: 50 }, (_, i) => `k${i}`).find((key) => partitionFor(key, 2) === partition)!;
      await log.append([0, 1, 2, 3].map((n) => record(keyOf(0), `a${n}`)));
      await log.append([0, 1].map((n) => record(keyOf(1), `b${n}`)));
      const seen: string[] = [];
      const handler: BatchHandler = (batch) => {
        seen.push(...batch.records.map(text));
        return everything(batch);
      };
      const first = await consume(handler, { from: [2, 2] });
      await until(() => seen.length === 2);
      await first.stop();
      await log.append([record(keyOf(0), 'a4'), record(keyOf(1), 'b2')]);
      await consume(handler, { from: [2, 2] });
      await until(() => seen.length === 4);
      expect(seen.slice(0, 2)).toEqual(['a2', 'a3']);
      expect(seen.slice(2).sort()).toEqual(['a4', 'b2']);
      expect(await log.committed(group, topic)).toEqual([5, 3]);
    });

    it('forgets a group once its members are gone', async () => {
      await log.append([record('k', 'a')]);
      const consumption = await consume(everything);
      await until(async () => (await committedSum()) === 1);
      await expect(log.deleteGroup(group)).rejects.toMatchObject({ code: 'group-in-use', transient: true });
      await consumption.stop();
      await log.deleteGroup(group);
      expect(await committedSum()).toBe(0);
      await log.deleteGroup(group);
    });

    it('deletes topics, and goes on with the others as every other process does', async () => {
      const other = await open();
      try {
        for (const one of [log, other]) {
          await one.append([record('k', 'a')]);
          await one.endOffsets(topic);
        }
        await log.deleteTopics([topic, `missing.${randomUUID()}.v1`]);
        await log.deleteTopics([topic]);
        const next = `conformance.${randomUUID()}.v1`;
        await log.ensureTopics([{ name: next, partitions: 1, retentionMs: DAY_MS }]);
        for (const one of [log, other]) {
          await one.append([{ ...record('k', 'b'), topic: next }]);
          expect((await one.endOffsets(next))[0]).toBeGreaterThan(0);
        }
        await expect(log.append([record('k', 'a')])).rejects.toMatchObject({ code: 'topic-unknown' });
        await log.ensureTopics(specs(1));
        expect(await log.endOffsets(topic)).toEqual([0]);
      } finally {
        await other.close();
      }
    });

    it('answers a ping', async () => {
      await expect(log.ping()).resolves.toBeUndefined();
    });
  });
}
