import type { Database } from '@lineprint/persistence';
import type { Consumer, EachBatchPayload, IHeaders, Kafka, KafkaMessage } from 'kafkajs';
import { BatchRunner, DEFAULT_MAX_BYTES, DEFAULT_MAX_RECORDS, batchLength } from './batch-runner';
import { checkOut, valueLength } from './claim-check';
import type {
  Batch,
  BatchHandler,
  ConsumeOptions,
  Consumption,
  Headers,
  LogRecord,
  OutgoingRecord,
} from './log';
import type { Report } from './report';

/** A member that is silent for so long loses its partitions; three heartbeats fit in. */
const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 3_000;
/** How often a running handler's heartbeat is due; kafkajs sends it no more often than every HEARTBEAT_MS. */
const HEARTBEAT_CHECK_MS = 1_000;
/** A partition that is resumed joins the next fetch, so this is also how late a retry may be. */
const LONGEST_FETCH_MS = 250;
const FIRST_RESTART_MS = 500;
const LONGEST_RESTART_MS = 5_000;

export interface KafkaConsumptionContext {
  readonly kafka: Kafka;
  readonly database: Database;
  readonly append: (records: readonly OutgoingRecord[]) => Promise<unknown>;
  readonly report: Report;
  readonly onStopped: () => void;
}

/**
 * One group's member on one topic. kafkajs fetches and keeps the membership; what a batch's outcome means is
 * the BatchRunner's. A consumer that crashes is replaced by a new one, for as long as it takes.
 */
export class KafkaConsumption implements Consumption {
  ready = false;
  lastTickAt = Date.now();

  private readonly runner: BatchRunner;
  private consumer: Consumer | undefined;
  private starting: Promise<void> = Promise.resolve();
  private stopping: Promise<void> | undefined;
  private restarts = 0;
  private restartTimer: NodeJS.Timeout | undefined;
  private readonly resumeTimers = new Set<NodeJS.Timeout>();
  /** Of the batch being handled. */
  private current: AbortController | undefined;

  constructor(
    private readonly options: ConsumeOptions,
    private readonly context: KafkaConsumptionContext,
  ) {
    const { group, handler } = options;
    const { database, append, report } = context;
    this.runner = new BatchRunner({ group, handler: withClaims(database, handler), append, report });
  }

  /** Joins the group; rejects when no broker answers the first time. */
  start(): Promise<void> {
    this.starting = this.join();
    return this.starting;
  }

  stop(): Promise<void> {
    this.stopping ??= this.leave();
    return this.stopping;
  }

  private async leave(): Promise<void> {
    clearTimeout(this.restartTimer);
    for (const timer of this.resumeTimers) clearTimeout(timer);
    this.current?.abort();
    // A consumer that is told to stop while it joins would go on: let it join first.
    await this.starting.catch(() => undefined);
    await this.consumer?.disconnect();
    this.ready = false;
    this.context.onStopped();
  }

  private async join(): Promise<void> {
    const { group, topic, maxBytes = DEFAULT_MAX_BYTES } = this.options;
    const consumer = this.context.kafka.consumer({
      groupId: group,
      sessionTimeout: SESSION_TIMEOUT_MS,
      heartbeatInterval: HEARTBEAT_MS,
      maxWaitTimeInMs: LONGEST_FETCH_MS,
      maxBytes,
      allowAutoTopicCreation: false,
      // kafkajs restarts after some crashes only; here every one is met by restartLater.
      retry: { restartOnFailure: () => Promise.resolve(false) },
    });
    this.consumer = consumer;
    this.lastTickAt = Date.now();
    consumer.on(consumer.events.GROUP_JOIN, () => {
      this.ready = true;
      this.restarts = 0;
    });
    consumer.on(consumer.events.REBALANCING, () => {
      this.ready = false;
    });
    consumer.on(consumer.events.FETCH_START, () => {
      this.lastTickAt = Date.now();
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => this.restartLater(payload.error));
    try {
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
    } catch (error) {
      await consumer.disconnect().catch(() => undefined);
      throw error;
    }
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => this.handle(payload),
    });
  }

  private restartLater(error: unknown): void {
    this.ready = false;
    this.lastTickAt = Date.now();
    if (this.stopping) return;
    const restartInMs = Math.min(LONGEST_RESTART_MS, FIRST_RESTART_MS * 2 ** this.restarts);
    this.restarts += 1;
    const { group, topic } = this.options;
    this.context.report('The consumer crashed and will be restarted', { group, topic, error, restartInMs });
    this.restartTimer = setTimeout(() => {
      this.starting = this.join().catch((failure: unknown) => this.restartLater(failure));
    }, restartInMs);
  }

  /**
   * Hands a fetch over in batches within the limits. An offset is committed before kafkajs may fetch past
   * it, so whatever stops this in between is read again.
   */
  private async handle(payload: EachBatchPayload): Promise<void> {
    const { topic, partition, messages } = payload.batch;
    const { maxRecords = DEFAULT_MAX_RECORDS, maxBytes = DEFAULT_MAX_BYTES, from = [] } = this.options;
    const first = from[partition] ?? 0;
    if (Number(messages[0]?.offset) < first) {
      this.consumer?.seek({ topic, partition, offset: String(first) });
      return;
    }
    let rest = messages.map((message) => toRecord(topic, partition, message));
    while (rest.length > 0 && !this.stopping && payload.isRunning() && !payload.isStale()) {
      const records = rest.slice(0, batchLength(rest.map(valueLength), maxRecords, maxBytes));
      const { processed, retryAfterMs } = await this.runWithHeartbeat(payload, { topic, partition, records });
      rest = rest.slice(processed);
      if (retryAfterMs !== undefined) {
        this.pause(payload, retryAfterMs);
        return;
      }
    }
  }

  private async runWithHeartbeat(
    payload: EachBatchPayload,
    batch: Omit<Batch, 'signal'>,
  ): Promise<{ processed: number; retryAfterMs?: number }> {
    const { topic, partition, records } = batch;
    const current = new AbortController();
    this.current = current;
    let lost: { readonly error: unknown } | undefined;
    const heartbeat = setInterval(() => {
      payload.heartbeat().catch((error: unknown) => {
        // The group rebalances or the coordinator is gone: the partition may soon be another's.
        lost ??= { error };
        current.abort();
      });
    }, HEARTBEAT_CHECK_MS);
    try {
      const progress = await this.runner.run({ ...batch, signal: current.signal });
      const last = records[progress.processed - 1];
      if (last !== undefined) {
        // Not consumer.commitOffsets: that one does nothing, silently, once the consumer is stopping.
        const offset = String(last.offset + 1);
        await payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset }] }] });
        payload.resolveOffset(String(last.offset));
      }
      // kafkajs knows from the error that it must join again.
      if (lost) throw lost.error;
      await payload.heartbeat();
      return progress;
    } finally {
      clearInterval(heartbeat);
      this.current = undefined;
      this.lastTickAt = Date.now();
    }
  }

  /** The next fetch after the pause starts at the first unresolved offset. */
  private pause(payload: EachBatchPayload, ms: number): void {
    const resume = payload.pause();
    const timer = setTimeout(() => {
      this.resumeTimers.delete(timer);
      resume();
    }, ms);
    this.resumeTimers.add(timer);
  }
}

/** A record whose payload is missing fails as if the handler had refused it, and so is dead-lettered alone. */
function withClaims(database: Database, handler: BatchHandler): BatchHandler {
  return async (batch) => {
    const records = await Promise.all(batch.records.map((record) => checkOut(database, record)));
    return handler({ ...batch, records });
  };
}

export function toRecord(topic: string, partition: number, message: KafkaMessage): LogRecord {
  return {
    topic,
    partition,
    offset: Number(message.offset),
    key: message.key?.toString('utf8') ?? '',
    value: message.value ?? new Uint8Array(0),
    headers: toHeaders(message.headers),
    timestamp: Number(message.timestamp),
  };
}

/** Header values are UTF-8 text; of a name that another producer gave several values, the last counts. */
function toHeaders(headers: IHeaders | undefined): Headers {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (last !== undefined) result[name] = last.toString('utf8');
  }
  return result;
}
