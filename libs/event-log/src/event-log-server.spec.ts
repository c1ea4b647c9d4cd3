import 'reflect-metadata';
import { Catch, Controller, type INestMicroservice, type RpcExceptionFilter } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { GROUPS, TOPICS, deadLetterTopic, topicSpecs } from '@lineprint/contracts';
import { type Database, MIGRATIONS_DIRECTORY, migrate, openDatabase } from '@lineprint/persistence';
import { LineprintError, StoreError } from '@lineprint/platform';
import { throwError } from 'rxjs';
import { ConsumeBatches, EventLogServer } from './event-log-server';
import type { Batch, BatchResult, EventLog } from './log';
import { openEventLog } from './open-event-log';

jest.setTimeout(60_000);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

@Controller()
class Consumers {
  readonly calls: string[][] = [];
  readonly activity: string[] = [];
  behave: (batch: Batch) => Promise<BatchResult> = (batch) =>
    Promise.resolve({ processed: batch.records.length });

  @ConsumeBatches({ topic: TOPICS.commits, group: GROUPS.commitAnalyzer, maxRecords: 2 })
  commits(batch: Batch): Promise<BatchResult> {
    this.calls.push(batch.records.map((record) => Buffer.from(record.value).toString()));
    return this.behave(batch);
  }

  @ConsumeBatches({ topic: TOPICS.activity, group: GROUPS.rollupActivity })
  sessions(batch: Batch): Promise<BatchResult> {
    this.activity.push(...batch.records.map((record) => record.key));
    return Promise.resolve({ processed: batch.records.length });
  }
}

@Controller()
class Rival {
  @ConsumeBatches({ topic: TOPICS.commits, group: GROUPS.commitAnalyzer })
  commits(batch: Batch): Promise<BatchResult> {
    return Promise.resolve({ processed: batch.records.length });
  }
}

/** An application's filter that would hide the error. */
@Catch()
class HidingFilter implements RpcExceptionFilter {
  catch() {
    return throwError(() => ({ status: 'error' }));
  }
}

describe('the transport of Nest over the event log', () => {
  let database: Database;
  let log: EventLog;
  let app: INestMicroservice;
  let server: EventLogServer;
  let consumers: Consumers;

  const append = (...values: string[]) =>
    log.append(
      values.map((value) => ({ topic: TOPICS.commits, key: 'k', value: Buffer.from(value), headers: {} })),
    );
  const committed = async () => (await log.committed(GROUPS.commitAnalyzer, TOPICS.commits))[0];

  beforeAll(async () => {
    database = await openDatabase('pglite:memory');
    await migrate(database, MIGRATIONS_DIRECTORY);
  });

  afterAll(async () => {
    await database.close();
  });

  beforeEach(async () => {
    await database.query('TRUNCATE event_log_topics, event_log_records, event_log_ends, event_log_commits');
    log = await openEventLog('embedded:', { database, clientId: 'test' });
    await log.ensureTopics(topicSpecs(1));
    server = new EventLogServer(log);
    const module = await Test.createTestingModule({ controllers: [Consumers] }).compile();
    app = module.createNestMicroservice({ strategy: server, logger: false });
    app.useGlobalFilters(new HidingFilter());
    consumers = app.get(Consumers);
  });

  afterEach(async () => {
    await app.close();
    await log.close();
  });

  it('hands each topic’s batches to its method, with the options of the decorator', async () => {
    await app.listen();
    await append('a', 'b', 'c');
    await log.append([{ topic: TOPICS.activity, key: 'session', value: Buffer.from('{}'), headers: {} }]);
    await until(async () => (await committed()) === 3 && consumers.activity.length === 1);
    expect(consumers.calls).toEqual([['a', 'b'], ['c']]);
    expect(consumers.activity).toEqual(['session']);
    expect(server.consumptions.map((consumption) => consumption.ready)).toEqual([true, true]);
  });

  it('tries again what a method throws as transient', async () => {
    consumers.behave = (batch) => {
      if (consumers.calls.length === 1) return Promise.reject(new StoreError('store-down', 'not now'));
      return Promise.resolve({ processed: batch.records.length });
    };
    await app.listen();
    await append('a');
    await until(async () => (await committed()) === 1);
    expect(consumers.calls).toEqual([['a'], ['a']]);
    expect(await log.endOffsets(deadLetterTopic(TOPICS.commits))).toEqual([0]);
  });

  it('dead-letters what a method throws for good, with the original code', async () => {
    consumers.behave = () => {
      throw new LineprintError('commit-unreadable', 'no such object');
    };
    await app.listen();
    await append('a');
    await until(async () => (await committed()) === 1);
    const rows = await database.query<{ headers: Record<string, string> }>(
      'SELECT headers FROM event_log_records WHERE topic = $1',
      [deadLetterTopic(TOPICS.commits)],
    );
    expect(rows.map((row) => row.headers)).toEqual([
      expect.objectContaining({ lp_dlq_code: 'commit-unreadable', lp_dlq_message: 'no such object' }),
    ]);
  });

  it('finishes the running batch and commits it when the application closes', async () => {
    let started = false;
    consumers.behave = async (batch) => {
      started = true;
      await until(() => batch.signal.aborted);
      return { processed: batch.records.length };
    };
    await app.listen();
    await append('a');
    await until(() => started);
    await app.close();
    expect(await committed()).toBe(1);
  });

  it('refuses two methods for one topic and group', async () => {
    const module = await Test.createTestingModule({ controllers: [Consumers, Rival] }).compile();
    const rivals = module.createNestMicroservice({ strategy: new EventLogServer(log), logger: false });
    await expect(rivals.listen()).rejects.toMatchObject({ code: 'config-invalid' });
    await rivals.close();
  });
});
