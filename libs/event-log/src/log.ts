import type { TopicSpec } from '@lineprint/contracts';

export type Headers = Readonly<Record<string, string>>;

export interface OutgoingRecord {
  readonly topic: string;
  /** Decides the partition (murmur2, as Kafka's default partitioner) and so the order. */
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: Headers;
}

export interface LogRecord {
  readonly topic: string;
  readonly partition: number;
  /** Position in the partition, from 0, strictly growing. Safe integers only. */
  readonly offset: number;
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: Headers;
  /** When the log took it, milliseconds since 1970. */
  readonly timestamp: number;
}

export interface RecordPosition {
  readonly partition: number;
  readonly offset: number;
}

export interface Batch {
  readonly topic: string;
  readonly partition: number;
  /** In offset order, never empty. */
  readonly records: readonly LogRecord[];
  /** Aborted when the consumer stops or loses the partition: finish or give up quickly, effects are idempotent. */
  readonly signal: AbortSignal;
}

export interface DeadLetter {
  readonly record: LogRecord;
  readonly code: string;
  readonly message: string;
}

/** What a handler did with a batch. */
export interface BatchResult {
  /** How many leading records have durable effects (dead-lettered ones included). */
  readonly processed: number;
  /** Records among them that can never succeed. */
  readonly deadLetters?: readonly DeadLetter[];
  /** With `processed` short of the batch: try the rest again after this long, the partition paused meanwhile. */
  readonly retryAfterMs?: number;
}

export type BatchHandler = (batch: Batch) => Promise<BatchResult>;

export interface ConsumeOptions {
  readonly group: string;
  readonly topic: string;
  readonly handler: BatchHandler;
  /** At most this many records a batch (default 200) … */
  readonly maxRecords?: number;
  /** … and about this many bytes (default 8 MiB). */
  readonly maxBytes?: number;
}

export interface Consumption {
  /** True once partitions are assigned. */
  readonly ready: boolean;
  /** When the loop last ticked, milliseconds since 1970; liveness is its age. */
  readonly lastTickAt: number;
  /** Finishes the running batch, commits it, leaves the group. */
  stop(): Promise<void>;
}

/**
 * The log port. Delivery is at least once and in order within a partition: the position is committed after
 * the handler's result, so handlers are idempotent. A handler that throws an error with `transient: true` is
 * called again with backoff, the partition paused; one that throws anything else gets the records one by one,
 * and the record that still fails goes to the topic's dead-letter topic with code and message.
 */
export interface EventLog {
  readonly kind: 'embedded' | 'kafka';
  ensureTopics(topics: readonly TopicSpec[]): Promise<void>;
  /** Resolves with positions, in the order given, once the log has them durably. */
  append(records: readonly OutgoingRecord[]): Promise<RecordPosition[]>;
  /** Next offset to be written, by partition. */
  endOffsets(topic: string): Promise<number[]>;
  /** Next offset the group will read, by partition; 0 where it has committed nothing. */
  committed(group: string, topic: string): Promise<number[]>;
  consume(options: ConsumeOptions): Promise<Consumption>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
