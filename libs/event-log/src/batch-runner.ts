import { LineprintError, isTransient } from '@lineprint/platform';
import type { ConsumptionObserver } from './consumption-observer';
import { type DeliveryStep, type FailedRecord, toDeadLetter } from './dead-letter';
import { DeadLetterLimit, type DeadLetterLimits } from './dead-letter-limit';
import type { Batch, BatchHandler, BatchResult, LogRecord, OutgoingRecord } from './log';
import { ProcessingSpans } from './record-spans';
import type { Report } from './report';
import { undecodable } from './undecodable';

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
/** How long a partition stands that has too many dead letters, until its next record is tried once more. */
const HELD_MS = 30_000;

export const DEFAULT_MAX_RECORDS = 200;
export const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

/** What the adapter is to do: commit past the first `processed` records, and pause the partition if asked to. */
export interface Progress {
  readonly processed: number;
  readonly retryAfterMs?: number;
}

export interface BatchRunnerOptions {
  readonly group: string;
  /** Whose consumption it is, for dead letters, e.g. `rollup`. */
  readonly service: string;
  readonly handler: BatchHandler;
  /** Writes dead letters; rejects unless they are durable. */
  readonly append: (records: readonly OutgoingRecord[]) => Promise<unknown>;
  readonly report: Report;
  readonly observer: ConsumptionObserver;
  readonly deadLetterLimits: DeadLetterLimits;
  /** A record as the handler gets it, its claim checked out; a permanent rejection dead-letters it. */
  readonly open?: (record: LogRecord) => Promise<LogRecord>;
  /** Called after each call of the handler: the loop moves, however long the batch takes. */
  readonly onTick?: () => void;
}

/** A record that the handler gets, or that failed before it could. */
type Opened = { readonly record: LogRecord } | { readonly failed: FailedRecord };

/** What came of some records: how far the effects reach, and what stopped them. */
type Step =
  | { readonly kind: 'done'; readonly processed: number; readonly retryAfterMs?: number }
  /** Trying again can help. */
  | { readonly kind: 'retry'; readonly error: unknown }
  /** Some record fails for good. */
  | { readonly kind: 'poison'; readonly error: unknown }
  /** Too many dead letters: the partition waits at the one that would be too many. */
  | { readonly kind: 'held'; readonly processed: number; readonly by: FailedRecord };

interface Failure {
  readonly offset: number;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/**
 * Applies the port's delivery rules to one consumption, whatever client reads the records. Batches of one
 * partition must come one after another; it never throws.
 */
export class BatchRunner {
  /** Failed calls in a row, by partition, of the record that heads the batch. */
  private readonly failures = new Map<number, Failure>();
  private readonly limit: DeadLetterLimit;
  /** Why partitions stand still, in words. */
  private readonly held = new Map<number, string>();

  constructor(private readonly options: BatchRunnerOptions) {
    this.limit = new DeadLetterLimit(options.deadLetterLimits);
  }

  /** Why this consumption goes no further, in words; undefined while it does. */
  get halted(): string | undefined {
    return [...this.held.values()][0];
  }

  async run(batch: Batch): Promise<Progress> {
    const startedAt = performance.now();
    const progress = await this.attempt(batch);
    this.options.observer.handled(performance.now() - startedAt);
    return progress;
  }

  /** Forgets what it knows of partitions that are another member's now. */
  keepOnly(partitions: readonly number[]): void {
    for (const state of [this.failures, this.held]) {
      for (const partition of state.keys()) if (!partitions.includes(partition)) state.delete(partition);
    }
  }

  private async attempt(batch: Batch): Promise<Progress> {
    let opened: Opened[];
    try {
      opened = await Promise.all(batch.records.map((record) => this.open(record)));
    } catch (error) {
      return this.settle(batch, 0, { kind: 'retry', error });
    }
    const step = await this.call(batch, opened);
    return step.kind === 'poison' ? this.oneByOne(batch, opened, step.error) : this.settle(batch, 0, step);
  }

  private async open(record: LogRecord): Promise<Opened> {
    const unread = undecodable(record);
    if (unread) {
      const message = `The record cannot be read: ${unread.reason}`;
      return { failed: { record: unread.record, step: 'decode', code: 'record-undecodable', message } };
    }
    try {
      return { record: this.options.open ? await this.options.open(record) : record };
    } catch (error) {
      if (isTransient(error)) throw error;
      return { failed: failedRecord(record, 'claim', error) };
    }
  }

  /** Some record fails for good: those before and after it must not suffer, so each gets a call of its own. */
  private async oneByOne(batch: Batch, opened: readonly Opened[], error: unknown): Promise<Progress> {
    const alone = opened.length === 1;
    let processed = 0;
    for (const one of opened) {
      if (batch.signal.aborted) break;
      let step: Step = alone ? { kind: 'poison', error } : await this.call(batch, [one]);
      if (step.kind === 'poison' && 'record' in one) {
        const failed = failedRecord(one.record, 'process', step.error);
        step = await this.complete(batch, [one], { kind: 'done', processed: 1 }, [failed], alone ? 1 : 2);
      }
      if (step.kind !== 'done' || step.processed === 0) return this.settle(batch, processed, step);
      processed += 1;
    }
    return this.settle(batch, 0, { kind: 'done', processed });
  }

  /** One call of the handler, for the records that could be opened; the others fail without it. */
  private async call(batch: Batch, opened: readonly Opened[]): Promise<Step> {
    const spans = new ProcessingSpans(
      opened.flatMap((one) => ('record' in one ? [one.record] : [])),
      this.options.group,
    );
    const count = spans.records.length;
    let result: BatchResult = { processed: 0 };
    try {
      if (count > 0) result = await this.options.handler({ ...batch, records: spans.records });
    } catch (error) {
      spans.end(() => messageOf(error));
      // A handler that gives up because it was told to has not met a bad record.
      return { kind: batch.signal.aborted || isTransient(error) ? 'retry' : 'poison', error };
    } finally {
      this.options.onTick?.();
    }
    if (!Number.isInteger(result?.processed) || result.processed < 0 || result.processed > count) {
      const message = `A handler of ${this.options.group} must say how many of ${count} records it processed`;
      spans.end(() => message);
      return { kind: 'retry', error: new LineprintError('result-invalid', message) };
    }
    const letters = result.deadLetters ?? [];
    const messages = new Map(letters.map(({ record, message }) => [record.offset, message]));
    spans.end(
      (record, i) => messages.get(record.offset) ?? (i < result.processed ? undefined : 'not processed yet'),
    );
    const next = spans.records[result.processed];
    const processed = next ? opened.findIndex((one) => offsetOf(one) === next.offset) : opened.length;
    const { retryAfterMs } = result;
    return this.complete(
      batch,
      opened,
      { kind: 'done', processed, ...(retryAfterMs !== undefined && next ? { retryAfterMs } : {}) },
      letters.map((letter) => ({ ...letter, step: 'process' })),
    );
  }

  /** `then`, once the dead letters among the records that it passes are durable, or that it is one too many. */
  private async complete(
    batch: Batch,
    opened: readonly Opened[],
    then: Step & { readonly kind: 'done' },
    letters: readonly FailedRecord[],
    attempts?: number,
  ): Promise<Step> {
    const { group, service, append, report, observer } = this.options;
    const failed = new Map(letters.map((letter) => [letter.record.offset, letter]));
    for (const one of opened) if ('failed' in one) failed.set(offsetOf(one), one.failed);
    // A dead letter past `processed` comes again with its record; written now it would be there twice.
    const outcomes = opened.slice(0, then.processed).map((one) => failed.get(offsetOf(one)));
    const admitted = this.limit.admitted(outcomes.map(Boolean));
    const passing = outcomes.slice(0, admitted).flatMap((letter) => letter ?? []);
    if (passing.length > 0) {
      try {
        await append(
          passing.map((letter) => {
            const { count, since } = this.failureAt(batch.partition, letter.record.offset);
            return toDeadLetter(letter, {
              group,
              service,
              attempts: count + (attempts ?? 1),
              firstFailedAt: since,
            });
          }),
        );
      } catch (error) {
        return { kind: 'retry', error };
      }
    }
    for (const { record, step, code, message } of passing) {
      const { topic, partition, offset } = record;
      report('A record was dead-lettered', { group, topic, partition, offset, step, code, message });
      observer.deadLettered(code);
    }
    this.limit.passed(outcomes.slice(0, admitted).map(Boolean));
    observer.processed(
      opened
        .slice(0, admitted)
        .flatMap((one) => ('record' in one && !failed.has(one.record.offset) ? [one.record] : [])),
    );
    const tooMany = outcomes[admitted];
    return tooMany ? { kind: 'held', processed: admitted, by: tooMany } : then;
  }

  /** What the adapter does after `before` records with an effect of their own and then `step`. */
  private settle(batch: Batch, before: number, step: Step): Progress {
    const processed = before + ('processed' in step ? step.processed : 0);
    const head = batch.records[processed];
    this.held.delete(batch.partition);
    if (head === undefined) {
      this.failures.delete(batch.partition);
      return { processed };
    }
    if (step.kind === 'held') return { processed, retryAfterMs: this.hold(batch, head, step.by) };
    if (step.kind === 'done') {
      if (step.retryAfterMs !== undefined) return { processed, retryAfterMs: step.retryAfterMs };
      if (processed > 0) return { processed };
    }
    return {
      processed,
      retryAfterMs: this.backOff(batch, processed, step.kind === 'done' ? {} : { error: step.error }),
    };
  }

  /** Milliseconds until a batch is tried again that failed at the record at `index`. */
  private backOff(batch: Batch, index: number, context: Readonly<Record<string, unknown>>): number {
    const { topic, partition } = batch;
    const { offset } = batch.records[index]!;
    const before = this.failureAt(partition, offset);
    const count = before.count + 1;
    this.failures.set(partition, { ...before, count });
    const retryAfterMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (count - 1));
    const { group, report, observer } = this.options;
    observer.retried(batch.records.length - index);
    report('A batch will be tried again', { group, topic, partition, offset, retryAfterMs, ...context });
    return retryAfterMs;
  }

  /** Milliseconds until the record is tried again that would be one dead letter too many. */
  private hold(batch: Batch, head: LogRecord, by: FailedRecord): number {
    const { group, report } = this.options;
    const { topic, partition } = batch;
    const { letters, records } = this.limit.state;
    const reason =
      `dead-letter-limit: ${letters} of the last ${records} records of ${topic} went to its dead-letter topic; ` +
      `${group} holds partition ${partition} at offset ${head.offset} (${by.code}: ${by.message})`;
    this.held.set(partition, reason);
    report('Too many dead letters: a partition waits', {
      group,
      topic,
      partition,
      offset: head.offset,
      retryAfterMs: HELD_MS,
      reason,
    });
    return HELD_MS;
  }

  /** How often the record has failed before, and since when. */
  private failureAt(partition: number, offset: number): Failure {
    const failure = this.failures.get(partition);
    return failure?.offset === offset ? failure : { offset, count: 0, since: Date.now() };
  }
}

/** How many of the leading sizes make one batch: at most `maxRecords`, about `maxBytes`, at least one. */
export function batchLength(sizes: readonly number[], maxRecords: number, maxBytes: number): number {
  let bytes = sizes[0] ?? 0;
  let length = Math.min(1, sizes.length);
  while (length < sizes.length && length < maxRecords) {
    bytes += sizes[length]!;
    if (bytes > maxBytes) break;
    length += 1;
  }
  return length;
}

function offsetOf(one: Opened): number {
  return 'record' in one ? one.record.offset : one.failed.record.offset;
}

function failedRecord(record: LogRecord, step: DeliveryStep, error: unknown): FailedRecord {
  return { record, step, code: codeOf(error), message: messageOf(error) };
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : 'handler-failed';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
