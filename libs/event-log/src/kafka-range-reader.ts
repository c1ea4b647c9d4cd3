import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, addAbortSignal } from 'node:stream';
import { StoreError } from '@lineprint/platform';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { toRecord } from './kafka-consumption';
import type { LogRecord, OffsetRange } from './log';

const LONGEST_FETCH_MS = 250;
const HEARTBEAT_CHECK_MS = 1_000;
/** How often a read that gets nothing looks whether retention has taken the rest of its ranges away. */
const BEGINNING_CHECK_MS = 1_000;
/** Records that wait for the caller; the fetch pauses while there are more. */
const BUFFERED_RECORDS = 1_000;

/** kafkajs fetches for groups only: a read has a group of its own, to be deleted when the read has ended. */
export function readerGroup(): string {
  return `lineprint.read.${randomUUID()}`;
}

export interface KafkaRangeReaderOptions {
  readonly kafka: Kafka;
  readonly group: string;
  readonly topic: string;
  /** None empty, none past the end, one a partition. */
  readonly ranges: readonly OffsetRange[];
  readonly beginningOffsets: () => Promise<number[]>;
  readonly signal?: AbortSignal | undefined;
}

/** Reads ranges of a topic without committing anything. A reader reads once. */
export class KafkaRangeReader {
  /** What is still to be read, by partition. */
  private readonly rest = new Map<number, { next: number; readonly to: number }>();
  private readonly records = new PassThrough({ objectMode: true, highWaterMark: BUFFERED_RECORDS });
  private readonly consumer: Consumer;

  constructor(private readonly options: KafkaRangeReaderOptions) {
    for (const { partition, from, to } of options.ranges) this.rest.set(partition, { next: from, to });
    this.consumer = options.kafka.consumer({
      groupId: options.group,
      maxWaitTimeInMs: LONGEST_FETCH_MS,
      allowAutoTopicCreation: false,
      retry: { restartOnFailure: () => Promise.resolve(false) },
    });
    if (options.signal) addAbortSignal(options.signal, this.records);
  }

  /** Leaves the group at the end, however the loop over it ends. */
  async *read(): AsyncGenerator<LogRecord> {
    const { topic } = this.options;
    const { events } = this.consumer;
    this.consumer.on(events.GROUP_JOIN, ({ payload }) => this.takeUp(payload.memberAssignment[topic] ?? []));
    this.consumer.on(events.END_BATCH_PROCESS, ({ payload }) => {
      // Also of batches without records, such as those of an aborted transaction.
      this.advance(payload.partition, Number(payload.lastOffset) + 1);
    });
    this.consumer.on(events.CRASH, ({ payload }) => {
      this.records.destroy(new StoreError('log-unavailable', `A read of ${topic} broke off`, payload.error));
    });
    const beginningCheck = setInterval(() => void this.skipDeleted(), BEGINNING_CHECK_MS);
    try {
      await this.consumer.connect();
      await this.consumer.subscribe({ topic, fromBeginning: true });
      await this.consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: (payload) => this.handOver(payload),
      });
      yield* this.records as AsyncIterable<LogRecord>;
    } finally {
      clearInterval(beginningCheck);
      this.records.destroy();
      await this.consumer.disconnect();
    }
  }

  /** After each join kafkajs would start at the oldest record of each partition. */
  private takeUp(partitions: readonly number[]): void {
    const { topic } = this.options;
    this.consumer.pause([{ topic, partitions: partitions.filter((partition) => !this.rest.has(partition)) }]);
    for (const [partition, { next }] of this.rest) {
      this.consumer.seek({ topic, partition, offset: String(next) });
    }
  }

  private async handOver(payload: EachBatchPayload): Promise<void> {
    const { topic, partition, messages } = payload.batch;
    const heartbeat = setInterval(() => {
      // The group is this reader's alone: what it has lost it joins again.
      payload.heartbeat().catch(() => undefined);
    }, HEARTBEAT_CHECK_MS);
    try {
      for (const message of messages) {
        const range = this.rest.get(partition);
        if (this.records.destroyed || range === undefined) return;
        const record = toRecord(topic, partition, message);
        if (record.offset >= range.next && record.offset < range.to) await this.push(record);
        this.advance(partition, record.offset + 1);
        payload.resolveOffset(message.offset);
      }
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async push(record: LogRecord): Promise<void> {
    if (this.records.write(record) || this.records.destroyed) return;
    const done = new AbortController();
    const { signal } = done;
    await Promise.race([
      once(this.records, 'drain', { signal }),
      once(this.records, 'close', { signal }),
    ]).catch(() => undefined);
    done.abort();
  }

  private advance(partition: number, next: number): void {
    const range = this.rest.get(partition);
    if (range === undefined || next <= range.next) return;
    range.next = next;
    if (next < range.to) return;
    this.rest.delete(partition);
    this.consumer.pause([{ topic: this.options.topic, partitions: [partition] }]);
    if (this.rest.size === 0) this.records.end();
  }

  private async skipDeleted(): Promise<void> {
    try {
      const offsets = await this.options.beginningOffsets();
      for (const [partition, offset] of offsets.entries()) this.advance(partition, offset);
    } catch {
      // The consumer meets the same trouble and says so.
    }
  }
}
