import { type Database, MIGRATIONS_DIRECTORY, migrate, openDatabase } from '@lineprint/persistence';
import { ConfigError } from '@lineprint/platform';
import { eventLogConformance } from './conformance';
import { DEFAULT_DELIVERY } from './delivery';
import { EmbeddedEventLog } from './embedded-event-log';
import type { BatchHandler } from './log';
import { openEventLog } from './open-event-log';

jest.setTimeout(60_000);

let database: Database;

beforeAll(async () => {
  database = await openDatabase('pglite:memory');
  await migrate(database, MIGRATIONS_DIRECTORY);
});

afterAll(async () => {
  await database.close();
});

eventLogConformance('the embedded log', (delivery) =>
  openEventLog('embedded:', { database, clientId: 'test', ...delivery }),
);

describe('the embedded log', () => {
  const everything: BatchHandler = (batch) => Promise.resolve({ processed: batch.records.length });
  const open = async (topic: string, retentionMs: number): Promise<EmbeddedEventLog> => {
    const log = new EmbeddedEventLog(database, { ...DEFAULT_DELIVERY, service: 'test' });
    await log.ensureTopics([{ name: topic, partitions: 1, retentionMs }]);
    return log;
  };
  const append = (log: EmbeddedEventLog, topic: string, values: readonly Buffer[]) =>
    log.append(values.map((value) => ({ topic, key: 'k', value, headers: {} })));

  it('keeps long values compressed and short ones plain', async () => {
    const log = await open('codec.v1', 1000);
    await append(log, 'codec.v1', [Buffer.alloc(100_000, 'abc'), Buffer.from('short')]);
    const rows = await database.query<{ length: number }>(
      `SELECT LENGTH(value) AS length FROM event_log_records WHERE topic = 'codec.v1' ORDER BY "offset"`,
    );
    expect(rows[0]!.length).toBeLessThan(2_000);
    expect(rows[1]!.length).toBe('short'.length + 1);
  });

  it('limits a batch by the bytes of the values once unpacked', async () => {
    const log = await open('unpacked.v1', 1000);
    await append(
      log,
      'unpacked.v1',
      Array.from({ length: 10 }, () => Buffer.alloc(100_000, 'abc')),
    );
    const records = await log.readBatch('unpacked.v1', 0, 0, { maxRecords: 200, maxBytes: 350_000 });
    expect(records.map((record) => record.offset)).toEqual([0, 1, 2]);
  });

  it('purges what is older than the retention, and a reader goes on behind the gap', async () => {
    const log = await open('purged.v1', 1000);
    await append(log, 'purged.v1', [Buffer.from('old'), Buffer.from('older')]);
    await log.purge(Date.now() + 500);
    expect(await log.readBatch('purged.v1', 0, 0, { maxRecords: 10, maxBytes: 1000 })).toHaveLength(2);
    await log.purge(Date.now() + 60_000);
    expect(await log.readBatch('purged.v1', 0, 0, { maxRecords: 10, maxBytes: 1000 })).toHaveLength(0);
    expect(await log.endOffsets('purged.v1')).toEqual([2]);
    expect(await log.beginningOffsets('purged.v1')).toEqual([2]);
    for await (const record of log.read('purged.v1', [{ partition: 0, from: 0, to: 2 }])) {
      expect(record).toBe(null);
    }

    const seen: number[] = [];
    await log.consume({
      group: 'purged',
      topic: 'purged.v1',
      handler: (batch) => {
        seen.push(...batch.records.map((record) => record.offset));
        return everything(batch);
      },
    });
    await append(log, 'purged.v1', [Buffer.from('new')]);
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await log.close();
    expect(seen).toEqual([2]);
  });

  it('refuses a second reader of one group', async () => {
    const log = await open('single.v1', 1000);
    const options = { group: 'single', topic: 'single.v1', handler: everything };
    const first = await log.consume(options);
    await expect(log.consume(options)).rejects.toThrow(ConfigError);
    await first.stop();
    await log.consume(options);
    await log.close();
  });

  it('numbers the records of concurrent appends without gap or double', async () => {
    const log = await open('concurrent.v1', 1000);
    const appends = Array.from({ length: 20 }, () =>
      append(log, 'concurrent.v1', [Buffer.from('a'), Buffer.from('b'), Buffer.from('c')]),
    );
    const offsets = (await Promise.all(appends)).flat().map((position) => position.offset);
    expect(offsets.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
  });

  it.each(['', 'kafka://', 'kafka://host', 'kafka://a:1,b', 'redis://h:1', 'embedded:/x', 'kafka://u:p@h:1'])(
    'is not opened by the URL “%s”',
    async (url) => {
      await expect(openEventLog(url, { database, clientId: 'test' })).rejects.toThrow(ConfigError);
    },
  );
});
