import type { Database } from '@lineprint/persistence';
import { StoreError } from '@lineprint/platform';
import type { EachBatchPayload, Kafka } from 'kafkajs';
import { DEFAULT_DELIVERY } from './delivery';
import { KafkaConsumption } from './kafka-consumption';
import type { BatchHandler } from './log';

const everything: BatchHandler = (batch) => Promise.resolve({ processed: batch.records.length });

const TOPIC = 'lineprint.commits.v1';

/** As much of kafkajs as one member needs, driven by the test: who joins when, and what is fetched. */
class FakeConsumer {
  readonly events = {
    GROUP_JOIN: 'join',
    REBALANCING: 'rebalancing',
    FETCH_START: 'fetch',
    CRASH: 'crash',
  };
  readonly commits: string[] = [];
  readonly resolved: string[] = [];
  readonly sought: string[] = [];
  private readonly listeners = new Map<string, (event: { payload: object }) => void>();
  private eachBatch: (payload: EachBatchPayload) => Promise<void> = () => Promise.resolve();
  private running: Promise<void> = Promise.resolve();
  /** What the next heartbeats meet. */
  heartbeatError: Error | undefined;

  on(name: string, listener: (event: { payload: object }) => void): void {
    this.listeners.set(name, listener);
  }
  connect = () => Promise.resolve();
  subscribe = () => Promise.resolve();
  seek = ({ partition, offset }: { partition: number; offset: string }) =>
    void this.sought.push(`${partition}:${offset}`);
  run = (options: { eachBatch: (payload: EachBatchPayload) => Promise<void> }) => {
    this.eachBatch = options.eachBatch;
    this.join([0, 1]);
    return Promise.resolve();
  };
  /** kafkajs waits for the batch that runs. */
  disconnect = () => this.running.catch(() => undefined);

  join(partitions: number[]): void {
    this.listeners.get('join')?.({ payload: { memberAssignment: { [TOPIC]: partitions } } });
  }

  fetch(partition: number, values: string[]): Promise<void> {
    const messages = values.map((value, i) => ({
      offset: String(i),
      key: Buffer.from('k'),
      value: Buffer.from(value),
      headers: {},
      timestamp: '0',
    }));
    const payload = {
      batch: { topic: TOPIC, partition, messages },
      isRunning: () => true,
      isStale: () => false,
      heartbeat: () => (this.heartbeatError ? Promise.reject(this.heartbeatError) : Promise.resolve()),
      pause: () => () => undefined,
      resolveOffset: (offset: string) => void this.resolved.push(`${partition}:${offset}`),
      commitOffsetsIfNecessary: (offsets: { topics: { partitions: { offset: string }[] }[] }) => {
        this.commits.push(`${partition}:${offsets.topics[0]!.partitions[0]!.offset}`);
        return Promise.resolve();
      },
    } as unknown as EachBatchPayload;
    this.running = this.eachBatch(payload);
    return this.running;
  }
}

/** As much of a database as keeps how far effects reach; `next` by partition is what it knows at first. */
class FakeDatabase {
  readonly saved: string[] = [];
  isDown = false;

  constructor(private readonly next: Readonly<Record<number, number>>) {}

  query(sql: string, params: readonly unknown[]): Promise<object[]> {
    if (this.isDown) return Promise.reject(new StoreError('database-unavailable', 'It is down'));
    if (sql.startsWith('SELECT')) {
      return Promise.resolve(
        Object.entries(this.next).map(([partition, next]) => ({
          partition: Number(partition),
          next_offset: next,
        })),
      );
    }
    this.saved.push(`${params[2] as number}:${params[3] as number}`);
    return Promise.resolve([]);
  }
}

/** Until what has been asked of the database is answered. */
const answered = () => new Promise((resolve) => setImmediate(resolve));

async function consume(handler: BatchHandler, shutdownGraceMs = 60_000, database = new FakeDatabase({})) {
  const consumer = new FakeConsumer();
  const reports: string[] = [];
  const consumption = new KafkaConsumption(
    { group: 'g', topic: TOPIC, handler, maxRecords: 1 },
    {
      kafka: { consumer: () => consumer } as unknown as Kafka,
      database: database as unknown as Database,
      append: () => Promise.resolve(),
      delivery: {
        ...DEFAULT_DELIVERY,
        service: 'test',
        shutdownGraceMs,
        report: (message) => void reports.push(message),
      },
      onStopped: () => undefined,
    },
  );
  await consumption.start();
  await answered();
  return { consumer, consumption, reports };
}

/** A handler that waits to be let go, and what it was given. */
function slowHandler() {
  const seen: string[] = [];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let signal: AbortSignal | undefined;
  const handler: BatchHandler = async (batch) => {
    seen.push(...batch.records.map((record) => Buffer.from(record.value).toString()));
    signal = batch.signal;
    begin();
    await released;
    return { processed: batch.records.length };
  };
  return { handler, seen, release, begun, isAborted: () => signal?.aborted };
}

describe('a member of a Kafka group', () => {
  it('commits each batch after its effect, then resolves it', async () => {
    const { consumer } = await consume((batch) => Promise.resolve({ processed: batch.records.length }));
    await consumer.fetch(0, ['a', 'b']);
    expect(consumer.commits).toEqual(['0:1', '0:2']);
    expect(consumer.resolved).toEqual(['0:0', '0:1']);
  });

  it('neither commits nor goes on with what it began before a rebalance that has passed by meanwhile', async () => {
    const { handler, seen, release, begun, isAborted } = slowHandler();
    const { consumer, consumption } = await consume(handler);
    const fetched = consumer.fetch(0, ['a', 'b']);
    await begun;
    consumer.join([1]);
    expect(isAborted()).toBe(true);
    release();
    await fetched;
    expect(seen).toEqual(['a']);
    expect(consumer.commits).toEqual([]);
    expect(consumer.resolved).toEqual([]);
    expect(consumption.partitions).toEqual([1]);
    await answered();
    await consumer.fetch(1, ['c']);
    expect(consumer.commits).toEqual(['1:1']);
  });

  it('drains when the group rebalances: tells the handler, commits what it did, then joins again', async () => {
    const { handler, release, begun, isAborted } = slowHandler();
    const { consumer } = await consume(handler);
    const fetched = consumer.fetch(0, ['a', 'b']);
    await begun;
    consumer.heartbeatError = new Error('the group is rebalancing');
    while (!isAborted()) await new Promise((resolve) => setTimeout(resolve, 10));
    release();
    // By the error kafkajs knows that it must join again.
    await expect(fetched).rejects.toThrow('rebalancing');
    expect(consumer.commits).toEqual(['0:1']);
  });

  it('waits for the running batch when it is stopped, and commits it', async () => {
    const { handler, release, begun } = slowHandler();
    const { consumer, consumption } = await consume(handler);
    void consumer.fetch(0, ['a', 'b']);
    await begun;
    const stopped = consumption.stop();
    release();
    await stopped;
    expect(consumer.commits).toEqual(['0:1']);
  });

  it('gives a batch up that is longer than the grace period, and does not commit it afterwards', async () => {
    const { handler, release, begun } = slowHandler();
    const { consumer, consumption, reports } = await consume(handler, 10);
    const fetched = consumer.fetch(0, ['a', 'b']);
    await begun;
    await consumption.stop();
    expect(reports).toEqual(['A batch took longer than the grace period and is given up']);
    release();
    await fetched;
    expect(consumer.commits).toEqual([]);
  });

  it('reads on from where the database says that the effects end, whatever the group has committed', async () => {
    const { consumer } = await consume(everything, 60_000, new FakeDatabase({ 0: 7, 5: 9 }));
    expect(consumer.sought).toEqual(['0:7']);
  });

  it('keeps in the database how far effects reach before it commits', async () => {
    const database = new FakeDatabase({});
    const { consumer } = await consume(everything, 60_000, database);
    await consumer.fetch(0, ['a']);
    expect(database.saved).toEqual(['0:1']);
    database.isDown = true;
    await expect(consumer.fetch(0, ['a'])).rejects.toMatchObject({ transient: true });
    expect(consumer.commits).toEqual(['0:1']);
  });

  it('handles nothing before the database has said where the effects end', async () => {
    const database = new FakeDatabase({ 1: 3 });
    const { consumer, reports } = await consume(everything, 60_000, database);
    database.isDown = true;
    consumer.join([0]);
    await consumer.fetch(0, ['a']);
    expect(consumer.commits).toEqual([]);
    database.isDown = false;
    await answered();
    expect(reports).toEqual(['It is not known how far the effects of a group reach']);
    consumer.join([0, 1]);
    await answered();
    await consumer.fetch(0, ['a']);
    expect(consumer.commits).toEqual(['0:1']);
  });

  it('ticks with each call of the handler, and not while one hangs', async () => {
    const { handler, release, begun } = slowHandler();
    const { consumer, consumption } = await consume(handler);
    consumption.lastTickAt = 0;
    const fetched = consumer.fetch(0, ['a']);
    await begun;
    expect(consumption.lastTickAt).toBe(0);
    release();
    await fetched;
    expect(consumption.lastTickAt).toBeGreaterThan(0);
  });
});
