import { randomBytes, randomUUID } from 'node:crypto';
import * as zlib from 'node:zlib';
import { deadLetterTopic } from '@lineprint/contracts';
import { type BatchHandler, type EventLog, openEventLog, type EventLogOptions } from '@lineprint/event-log';
import { type Database, MIGRATIONS_DIRECTORY, migrate, openDatabase } from '@lineprint/persistence';
import { StoreError } from '@lineprint/platform';
import { Kafka, logLevel } from 'kafkajs';
import { eventLogConformance } from '../../libs/event-log/src/conformance';
import { KafkaRangeReader } from '../../libs/event-log/src/kafka-range-reader';
import { outboxConformance } from '../../libs/event-log/src/outbox-conformance';

jest.setTimeout(60_000);

const DAY_MS = 86_400_000;
/** Where this Node has it. */
const { zstdDecompress } = zlib as { zstdDecompress?: unknown };
let database: Database;

function serverUrl(variable: string): string {
  const url = process.env[variable];
  if (!url) throw new Error(`Set ${variable}, or run \`npm test\`, which starts the servers`);
  return url;
}

function open(options: Partial<EventLogOptions> = {}): Promise<EventLog> {
  const url = serverUrl('LINEPRINT_TEST_KAFKA_URL');
  return openEventLog(url, { database, clientId: 'lineprint-test', ...options });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

beforeAll(async () => {
  const server = new URL(serverUrl('LINEPRINT_TEST_POSTGRES_URL'));
  const name = `event_log_${randomUUID().replaceAll('-', '')}`;
  const administration = await openDatabase(server.href, { maxConnections: 1 });
  await administration.query(`CREATE DATABASE ${name}`);
  await administration.close();
  server.pathname = name;
  database = await openDatabase(server.href);
  await migrate(database, MIGRATIONS_DIRECTORY);
});

afterAll(async () => {
  await database?.close();
});

eventLogConformance('Kafka', open);
eventLogConformance('the embedded log on Postgres', (delivery) =>
  openEventLog('embedded:', { database, clientId: 'lineprint-test', ...delivery }),
);

outboxConformance('Postgres', () => database);

describe('the embedded log on Postgres', () => {
  it('takes appends to many partitions at once without deadlock, gap or double', async () => {
    const log = await openEventLog('embedded:', { database, clientId: 'lineprint-test' });
    const topic = `concurrent.${randomUUID()}.v1`;
    await log.ensureTopics([{ name: topic, partitions: 4, retentionMs: DAY_MS }]);
    const appends = Array.from({ length: 40 }, (_, n) => {
      const keys = Array.from({ length: 20 }, (_key, i) => `k${(i * (n + 1)) % 23}`);
      return log.append(keys.map((key) => ({ topic, key, value: Buffer.from('v'), headers: {} })));
    });
    const positions = (await Promise.all(appends)).flat();
    const ends = await log.endOffsets(topic);
    for (const [partition, end] of ends.entries()) {
      const offsets = positions.filter((p) => p.partition === partition).map((p) => p.offset);
      expect(offsets.sort((a, b) => a - b)).toEqual(Array.from({ length: end }, (_, i) => i));
    }
    expect(ends.reduce((sum, end) => sum + end, 0)).toBe(800);
    await log.close();
  });
});

describe('Kafka', () => {
  const everything: BatchHandler = (batch) => Promise.resolve({ processed: batch.records.length });
  let log: EventLog;
  let topic: string;
  let group: string;

  beforeEach(async () => {
    log = await open();
    topic = `kafka.${randomUUID()}.v1`;
    group = `group-${randomUUID()}`;
    await log.ensureTopics(
      [topic, deadLetterTopic(topic)].map((name) => ({ name, partitions: 4, retentionMs: DAY_MS })),
    );
  });

  afterEach(async () => {
    await log.close();
  });

  it('ends a read though retention and aborted transactions have taken records of its ranges', async () => {
    const [host] = serverUrl('LINEPRINT_TEST_KAFKA_URL').replace('kafka://', '').split('/');
    const client = new Kafka({ brokers: [host!], logLevel: logLevel.NOTHING });
    const [admin, producer] = [
      client.admin(),
      client.producer({ transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 }),
    ];
    await Promise.all([admin.connect(), producer.connect()]);
    try {
      for (let partition = 0; partition < 3; partition++) {
        const messages = Array.from({ length: 10 }, (_, i) => ({ key: 'k', value: `${i}`, partition }));
        const kept = await producer.transaction();
        await kept.send({ topic, messages });
        await kept.commit();
        const aborted = await producer.transaction();
        await aborted.send({ topic, messages });
        await aborted.abort();
      }
      const ends = await log.endOffsets(topic);
      // kafkajs deletes records only of topics that it knows already.
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 1, offset: '6' }] });
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 2, offset: String(ends[2]!) }] });
      expect(await log.beginningOffsets(topic)).toEqual([0, 6, ends[2], 0]);
      const seen: string[] = [];
      for await (const { partition, offset } of log.read(
        topic,
        ends.map((to, partition) => ({ partition, from: 0, to })),
      )) {
        seen.push(`${partition}/${offset}`);
      }
      const wanted = Array.from({ length: 10 }, (_, i) => `0/${i}`);
      expect(seen.sort()).toEqual([...wanted, ...[6, 7, 8, 9].map((i) => `1/${i}`)]);
      // As if retention had come between the look at the beginnings and the fetch.
      const late = new KafkaRangeReader({
        kafka: client,
        group: `late-${group}`,
        topic,
        ranges: [1, 2].map((partition) => ({ partition, from: 0, to: ends[partition]! })),
        beginningOffsets: () => log.beginningOffsets(topic),
      });
      const found: number[] = [];
      for await (const { offset } of late.read()) found.push(offset);
      expect(found).toEqual([6, 7, 8, 9]);
    } finally {
      await Promise.all([admin.disconnect(), producer.disconnect()]);
    }
  });

  it('leaves no group behind after a read, and gives its records to nobody else’s', async () => {
    await log.append([{ topic, key: 'k', value: Buffer.from('a'), headers: {} }]);
    const ends = await log.endOffsets(topic);
    const whole = ends.map((to, partition) => ({ partition, from: 0, to }));
    const readers = await Promise.all(
      [1, 2, 3].map(async () => {
        let count = 0;
        for await (const _ of log.read(topic, whole)) count += 1;
        return count;
      }),
    );
    expect(readers).toEqual([1, 1, 1]);
    const [host] = serverUrl('LINEPRINT_TEST_KAFKA_URL').replace('kafka://', '').split('/');
    const admin = new Kafka({ brokers: [host!], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const readerGroups = async () =>
      (await admin.listGroups()).groups
        .map(({ groupId }) => groupId)
        .filter((id) => id.startsWith('lineprint.read.'));
    // Tests beside this one may be reading, and will have ended.
    const seen = await readerGroups();
    await until(async () => {
      const left = new Set(await readerGroups());
      return !seen.some((id) => left.has(id));
    });
    await admin.disconnect();
  });

  it('dead-letters a record whose payload is gone, and hands over its neighbours', async () => {
    const values = [Buffer.from('a'), randomBytes(1_500_000), Buffer.from('b')];
    await log.append(values.map((value) => ({ topic, key: 'k', value, headers: {} })));
    await database.query('DELETE FROM large_payloads');
    const seen: string[] = [];
    await log.consume({
      group,
      topic,
      handler: (batch) => {
        seen.push(...batch.records.map((record) => Buffer.from(record.value).toString()));
        return everything(batch);
      },
    });
    const total = async (name: string) => (await log.endOffsets(name)).reduce((sum, end) => sum + end, 0);
    await until(async () => (await total(deadLetterTopic(topic))) === 1 && seen.length === 2);
    expect(seen).toEqual(['a', 'b']);
  });

  it('shares the partitions between two members, and loses and reorders nothing when one leaves', async () => {
    const processed = new Map<string, number[]>();
    const handler: BatchHandler = async (batch) => {
      for (const record of batch.records) {
        const offsets = processed.get(`${record.partition}`) ?? [];
        // A record may come twice after a rebalance, its successors follow it then.
        processed.set(`${record.partition}`, [
          ...offsets.filter((offset) => offset < record.offset),
          record.offset,
        ]);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
      return everything(batch);
    };
    const other = await open();
    const members = [
      await log.consume({ group, topic, handler, maxRecords: 10 }),
      await other.consume({ group, topic, handler, maxRecords: 10 }),
    ];
    const send = async (count: number) => {
      for (let i = 0; i < count; i++) {
        await log.append(
          Array.from({ length: 20 }, (_, k) => ({
            topic,
            key: `k${k}`,
            value: Buffer.from('v'),
            headers: {},
          })),
        );
      }
    };
    await send(20);
    await members[1]!.stop();
    await send(20);
    await until(async () => {
      const [ends, committed] = [await log.endOffsets(topic), await log.committed(group, topic)];
      return ends.every((end, partition) => committed[partition] === end);
    });
    await members[0]!.stop();
    await other.close();
    for (const [partition, end] of (await log.endOffsets(topic)).entries()) {
      expect(processed.get(`${partition}`) ?? []).toEqual(Array.from({ length: end }, (_, i) => i));
    }
  });

  it.each(['none', 'gzip', 'snappy', 'lz4', ...(zstdDecompress ? (['zstd'] as const) : [])] as const)(
    'takes what it writes with compression %s, and gives it back',
    async (compression) => {
      const writer = await open({ kafka: { tls: false, compression } });
      const values = [Buffer.from('{}'), Buffer.alloc(200_000, 'lineprint '), randomBytes(100_000)];
      await writer.append(values.map((value) => ({ topic, key: 'k', value, headers: { ce_id: '1' } })));
      const seen: Buffer[] = [];
      await log.consume({
        group,
        topic,
        handler: (batch) => {
          seen.push(...batch.records.map((record) => Buffer.from(record.value)));
          return everything(batch);
        },
      });
      await until(() => seen.length === values.length);
      expect(seen.map((value, i) => value.equals(values[i]!))).toEqual([true, true, true]);
      await writer.close();
    },
  );

  it('is not dead after its consumer has crashed: it says so, joins again and goes on', async () => {
    const reports: string[] = [];
    let crash = true;
    const fragile = await open({
      report: (message) => {
        reports.push(message);
        // Called between the handler and the commit: what is thrown here reaches kafkajs as a bug would.
        if (message.includes('tried again') && crash) {
          crash = false;
          throw new TypeError('a bug');
        }
      },
    });
    let calls = 0;
    const consumption = await fragile.consume({
      group,
      topic,
      handler: (batch) => {
        calls += 1;
        if (calls === 1) throw new StoreError('down', 'down');
        return everything(batch);
      },
    });
    await fragile.append([{ topic, key: 'k', value: Buffer.from('v'), headers: {} }]);
    await until(() => reports.some((message) => message.includes('crashed')));
    expect(consumption.ready).toBe(false);
    await until(async () => (await log.committed(group, topic)).some((offset) => offset === 1));
    expect(consumption.ready).toBe(true);
    await fragile.close();
  });

  it('stops while its consumer waits to be restarted', async () => {
    const fragile = await open({
      report: (message) => {
        if (message.includes('tried again')) throw new TypeError('a bug');
      },
    });
    const consumption = await fragile.consume({
      group,
      topic,
      handler: () => {
        throw new StoreError('down', 'down');
      },
    });
    await fragile.append([{ topic, key: 'k', value: Buffer.from('v'), headers: {} }]);
    await until(() => !consumption.ready);
    await fragile.close();
    expect(await log.committed(group, topic)).toEqual([0, 0, 0, 0]);
  });
});
