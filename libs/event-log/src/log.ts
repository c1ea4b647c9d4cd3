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
  /**
   * By partition, where a group that has committed nothing starts (default: at the oldest record). No record
   * before it is handed over; a group that has committed past it goes on there.
   */
  readonly from?: readonly number[];
}

/** Offsets `from` (inclusive) to `to` (exclusive) of a partition. */
export interface OffsetRange {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

export interface Consumption {
  readonly topic: string;
  readonly group: string;
  /** Those assigned to this member. */
  readonly partitions: readonly number[];
  /** True once partitions are assigned. */
  readonly ready: boolean;
  /** When the loop last ticked, milliseconds since 1970; liveness is its age. */
  readonly lastTickAt: number;
  /** In words, why it goes no further although all works: too many dead letters. Undefined while it does. */
  readonly halted: string | undefined;
  /** Finishes the running batch, commits it, leaves the group. A batch over the grace period is given up. */
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
  /** Those that run in this process. */
  readonly consumptions: Iterable<Consumption>;
  ensureTopics(topics: readonly TopicSpec[]): Promise<void>;
  /** Resolves with positions, in the order given, once the log has them durably. */
  append(records: readonly OutgoingRecord[]): Promise<RecordPosition[]>;
  /** Offset of the oldest record that is kept, by partition; the end where none is. */
  beginningOffsets(topic: string): Promise<number[]>;
  /** Next offset to be written, by partition. */
  endOffsets(topic: string): Promise<number[]>;
  /**
   * Offset of the first record that the log took at or after a time (milliseconds since 1970), by partition;
   * the end where there is none.
   */
  offsetsAt(topic: string, timestamp: number): Promise<number[]>;
  /** Next offset the group will read, by partition; 0 where it has committed nothing. */
  committed(group: string, topic: string): Promise<number[]>;
  consume(options: ConsumeOptions): Promise<Consumption>;
  /**
   * The records of these ranges that are still kept (at most one range a partition), in the order of offsets
   * within a partition; no group's position is touched. What is past the end when it is called is left out. A
   * record over the broker's limit whose payload is gone comes as the log has it: empty, with its claim's
   * headers. Rejects with an `AbortError` once `signal` is aborted; leaving the loop early is fine.
   */
  read(topic: string, ranges: readonly OffsetRange[], signal?: AbortSignal): AsyncIterable<LogRecord>;
  /** Deletes the topics with their records; those that do not exist count as deleted. */
  deleteTopics(topics: readonly string[]): Promise<void>;
  /**
   * Forgets a group's positions; one that does not exist counts as deleted. Rejects with a transient
   * `group-in-use` while a member is in it.
   */
  deleteGroup(group: string): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
