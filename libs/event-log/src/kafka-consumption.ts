import { setTimeout as delay } from 'node:timers/promises';
import { type Database, loadProgress, positionOf, saveProgress } from '@lineprint/persistence';
import type { Consumer, EachBatchPayload, IHeaders, Kafka, KafkaMessage } from 'kafkajs';
import {
  BatchRunner,
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_RECORDS,
  type Progress,
  batchLength,
} from './batch-runner';
import { checkOut, valueLength } from './claim-check';
import { type Delivery, doneWithin } from './delivery';
import type { Batch, ConsumeOptions, Consumption, Headers, LogRecord, OutgoingRecord } from './log';

/** A member that is silent for so long loses its partitions; three heartbeats fit in. */
const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 3_000;
/** How often a running handler's heartbeat is due; kafkajs sends it no more often than every HEARTBEAT_MS. */
const HEARTBEAT_CHECK_MS = 1_000;
/** A partition that is resumed joins the next fetch, so this is also how late a retry may be. */
const LONGEST_FETCH_MS = 250;
const FIRST_RESTART_MS = 500;
const LONGEST_RESTART_MS = 5_000;
/** How soon the database is asked again how far the group's effects reach, and what was fetched before it has answered. */
const ALIGN_AGAIN_MS = 1_000;
const ALIGNING_MS = 20;

export interface KafkaConsumptionContext {
  readonly kafka: Kafka;
  readonly database: Database;
  readonly append: (records: readonly OutgoingRecord[]) => Promise<unknown>;
  readonly delivery: Delivery;
  readonly onStopped: () => void;
}

/**
 * One group's member on one topic. kafkajs fetches and keeps the membership; what a batch's outcome means is
 * the BatchRunner's. A consumer that crashes is replaced by a new one, for as long as it takes.
 */
export class KafkaConsumption implements Consumption {
  readonly topic: string;
  readonly group: string;
  partitions: readonly number[] = [];
  ready = false;
  lastTickAt = Date.now();

  private readonly runner: BatchRunner;
  private consumer: Consumer | undefined;
  private starting: Promise<void> = Promise.resolve();
  private stopping: Promise<void> | undefined;
  private restarts = 0;
  private restartTimer: NodeJS.Timeout | undefined;
  private readonly resumeTimers = new Set<NodeJS.Timeout>();
  /**
   * Grows with each assignment, and when a batch is given up. What was begun in an older one is another member's
   * by now, so it is neither committed nor resolved: kafkajs would commit it under its new membership, and the
   * broker would take that.
   */
  private generation = 0;
  /** Of the batch being handled. */
  private current: AbortController | undefined;
  /** The generation in which partitions are read from where the database says that the group's effects end. */
  private aligned = 0;

  constructor(
    private readonly options: ConsumeOptions,
    private readonly context: KafkaConsumptionContext,
  ) {
    const { group, topic, handler } = options;
    const { database, append, delivery } = context;
    this.topic = topic;
    this.group = group;
    this.runner = new BatchRunner({
      group,
      service: delivery.service,
      handler,
      append,
      report: delivery.report,
      observer: delivery.observe(topic, group),
      deadLetterLimits: delivery.deadLetterLimits,
      open: (record) => checkOut(database, record),
      onTick: () => {
        this.lastTickAt = Date.now();
      },
    });
  }

  get halted(): string | undefined {
    return this.runner.halted;
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
    const left = this.starting.catch(() => undefined).then(() => this.consumer?.disconnect());
    if (!(await doneWithin(this.context.delivery.shutdownGraceMs, left))) {
      this.generation += 1;
      const { group, topic } = this;
      this.context.delivery.report('A batch took longer than the grace period and is given up', {
        group,
        topic,
      });
    }
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
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      this.generation += 1;
      this.current?.abort();
      this.partitions = payload.memberAssignment[topic] ?? [];
      this.runner.keepOnly(this.partitions);
      void this.align(consumer, this.generation);
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

  /**
   * Effects and how far they reach are in one database; the group's offsets are not. One that was restored, or that a
   * failover took back, has lost effects of records that the group has committed: they are read again.
   */
  private async align(consumer: Consumer, generation: number): Promise<void> {
    const { group, topic } = this;
    while (generation === this.generation && !this.stopping) {
      try {
        const progress = await loadProgress(this.context.database, positionOf(group), topic);
        if (generation !== this.generation) return;
        for (const partition of this.partitions) {
          const next = progress.get(partition);
          if (next !== undefined) consumer.seek({ topic, partition, offset: String(next) });
        }
        this.aligned = generation;
        return;
      } catch (error) {
        this.context.delivery.report('It is not known how far the effects of a group reach', {
          group,
          topic,
          error,
        });
        await delay(ALIGN_AGAIN_MS);
      }
    }
  }

  private restartLater(error: unknown): void {
    this.ready = false;
    this.lastTickAt = Date.now();
    if (this.stopping) return;
    const restartInMs = Math.min(LONGEST_RESTART_MS, FIRST_RESTART_MS * 2 ** this.restarts);
    this.restarts += 1;
    const { group, topic } = this.options;
    this.context.delivery.report('The consumer crashed and will be restarted', {
      group,
      topic,
      error,
      restartInMs,
    });
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
    const { generation } = this;
    if (this.aligned !== generation) {
      this.pause(payload, ALIGNING_MS);
      return;
    }
    let rest = messages.map((message) => toRecord(topic, partition, message));
    const isOurs = () => generation === this.generation && payload.isRunning() && !payload.isStale();
    while (rest.length > 0 && !this.stopping && isOurs()) {
      const records = rest.slice(0, batchLength(rest.map(valueLength), maxRecords, maxBytes));
      const progress = await this.runWithHeartbeat(payload, { topic, partition, records });
      if (!progress) return;
      const { processed, retryAfterMs } = progress;
      rest = rest.slice(processed);
      if (retryAfterMs !== undefined) {
        this.pause(payload, retryAfterMs);
        return;
      }
    }
  }

  /** Undefined where the batch is of an older generation by the time it is done. */
  private async runWithHeartbeat(
    payload: EachBatchPayload,
    batch: Omit<Batch, 'signal'>,
  ): Promise<Progress | undefined> {
    const { topic, partition, records } = batch;
    const { generation } = this;
    const current = new AbortController();
    this.current = current;
    let lost: { readonly error: unknown } | undefined;
    const heartbeat = setInterval(() => {
      // Without them the broker gives the partitions of a batch that was given up to another member.
      if (generation !== this.generation) return;
      payload.heartbeat().catch((error: unknown) => {
        // The group rebalances or the coordinator is gone: the partition may soon be another's.
        lost ??= { error };
        current.abort();
      });
    }, HEARTBEAT_CHECK_MS);
    try {
      const progress = await this.runner.run({ ...batch, signal: current.signal });
      if (generation !== this.generation) return undefined;
      const last = records[progress.processed - 1];
      if (last !== undefined) {
        // First, so that the database never knows less than the group has committed, unless it has lost something.
        const position = positionOf(this.group);
        await saveProgress(this.context.database, position, topic, partition, last.offset + 1);
        if (generation !== this.generation) return undefined;
        // Not consumer.commitOffsets: that one does nothing, silently, once the consumer is stopping.
        const offset = String(last.offset + 1);
        await payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset }] }] });
        if (generation === this.generation) payload.resolveOffset(String(last.offset));
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
