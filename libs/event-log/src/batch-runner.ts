import { deadLetterTopic } from '@lineprint/contracts';
import { LineprintError, isTransient } from '@lineprint/platform';
import type { Batch, BatchHandler, BatchResult, DeadLetter, LogRecord, OutgoingRecord } from './log';
import type { Report } from './report';

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
const LONGEST_MESSAGE = 1_000;

export const DEFAULT_MAX_RECORDS = 200;
export const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;

/** What the adapter is to do: commit past the first `processed` records, and pause the partition if asked to. */
export interface Progress {
  readonly processed: number;
  readonly retryAfterMs?: number;
}

export interface BatchRunnerOptions {
  readonly group: string;
  readonly handler: BatchHandler;
  /** Writes dead letters; rejects unless they are durable. */
  readonly append: (records: readonly OutgoingRecord[]) => Promise<unknown>;
  readonly report: Report;
}

/** One call of the handler: how far it came, what stopped it, and whether trying again can help. */
type Call =
  | { readonly kind: 'result'; readonly processed: number; readonly retryAfterMs?: number }
  | { readonly kind: 'retry'; readonly error: unknown }
  | { readonly kind: 'poison'; readonly error: unknown };

/**
 * Applies the port's delivery rules to one consumption, whatever client reads the records. Batches of one
 * partition must come one after another; it never throws.
 */
export class BatchRunner {
  /** Failed calls in a row, by partition, of the record that heads the batch. */
  private readonly failures = new Map<number, { readonly offset: number; readonly count: number }>();

  constructor(private readonly options: BatchRunnerOptions) {}

  async run(batch: Batch): Promise<Progress> {
    const call = await this.call(batch);
    return call.kind === 'poison' ? this.runOneByOne(batch, call.error) : this.settle(batch, 0, call);
  }

  /** Some record fails for good: those before and after it must not suffer, so each gets a call of its own. */
  private async runOneByOne(batch: Batch, error: unknown): Promise<Progress> {
    const alone = batch.records.length === 1;
    let processed = 0;
    for (const record of batch.records) {
      if (batch.signal.aborted) break;
      let call: Call = alone ? { kind: 'poison', error } : await this.call({ ...batch, records: [record] });
      if (call.kind === 'poison') {
        const attempts = this.failuresAt(batch.partition, record.offset) + (alone ? 1 : 2);
        const letter = { record, code: codeOf(call.error), message: messageOf(call.error) };
        call = await this.bury([letter], { kind: 'result', processed: 1 }, attempts);
      }
      if (call.kind !== 'result' || call.processed === 0) return this.settle(batch, processed, call);
      processed += 1;
    }
    return this.settle(batch, 0, { kind: 'result', processed });
  }

  private async call(batch: Batch): Promise<Call> {
    let result: BatchResult;
    try {
      result = await this.options.handler(batch);
    } catch (error) {
      // A handler that gives up because it was told to has not met a bad record.
      return { kind: batch.signal.aborted || isTransient(error) ? 'retry' : 'poison', error };
    }
    const count = batch.records.length;
    if (!Number.isInteger(result?.processed) || result.processed < 0 || result.processed > count) {
      const message = `A handler of ${this.options.group} must say how many of ${count} records it processed`;
      return { kind: 'retry', error: new LineprintError('result-invalid', message) };
    }
    const { processed, retryAfterMs } = result;
    const last = batch.records[processed - 1];
    // A dead letter past `processed` comes again with its record; written now it would be there twice.
    const letters = (result.deadLetters ?? []).filter(
      (letter) => last !== undefined && letter.record.offset <= last.offset,
    );
    return this.bury(letters, {
      kind: 'result',
      processed,
      ...(retryAfterMs !== undefined && processed < count ? { retryAfterMs } : {}),
    });
  }

  /** `then`, once the dead letters are durable. */
  private async bury(letters: readonly DeadLetter[], then: Call, attempts?: number): Promise<Call> {
    if (letters.length === 0) return then;
    const { group, append, report } = this.options;
    try {
      await append(
        letters.map((letter) => {
          const { partition, offset } = letter.record;
          return toDeadLetter(letter, group, attempts ?? this.failuresAt(partition, offset) + 1);
        }),
      );
    } catch (error) {
      return { kind: 'retry', error };
    }
    for (const { record, code, message } of letters) {
      const { topic, partition, offset } = record;
      report('A record was dead-lettered', { group, topic, partition, offset, code, message });
    }
    return then;
  }

  /** What the adapter does after `before` records with an effect of their own and then `call`. */
  private settle(batch: Batch, before: number, call: Call): Progress {
    const processed = before + (call.kind === 'result' ? call.processed : 0);
    const head = batch.records[processed];
    if (head === undefined) {
      this.failures.delete(batch.partition);
      return { processed };
    }
    if (call.kind === 'result') {
      if (call.retryAfterMs !== undefined) return { processed, retryAfterMs: call.retryAfterMs };
      if (processed > 0) return { processed };
    }
    const count = this.failuresAt(batch.partition, head.offset) + 1;
    this.failures.set(batch.partition, { offset: head.offset, count });
    const retryAfterMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (count - 1));
    const { topic, partition } = batch;
    this.options.report('A batch will be tried again', {
      group: this.options.group,
      topic,
      partition,
      offset: head.offset,
      retryAfterMs,
      ...(call.kind === 'result' ? {} : { error: call.error }),
    });
    return { processed, retryAfterMs };
  }

  private failuresAt(partition: number, offset: number): number {
    const failures = this.failures.get(partition);
    return failures?.offset === offset ? failures.count : 0;
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

function toDeadLetter(
  { record, code, message }: DeadLetter,
  group: string,
  attempts: number,
): OutgoingRecord {
  return {
    topic: deadLetterTopic(record.topic),
    key: record.key,
    value: record.value,
    headers: { ...record.headers, ...deadLetterHeaders(record, group, code, message, attempts) },
  };
}

function deadLetterHeaders(
  record: LogRecord,
  group: string,
  code: string,
  message: string,
  attempts: number,
): Record<string, string> {
  return {
    lp_dlq_topic: record.topic,
    lp_dlq_partition: String(record.partition),
    lp_dlq_offset: String(record.offset),
    lp_dlq_group: group,
    lp_dlq_code: code,
    lp_dlq_message: headerText(message),
    lp_dlq_attempts: String(attempts),
  };
}

/** Without control characters and lone surrogates, which a header in a JSON column cannot hold. */
function headerText(text: string): string {
  const shortened = text.slice(0, LONGEST_MESSAGE).replace(/\p{Cc}+/gu, ' ');
  return Buffer.from(shortened, 'utf8').toString('utf8');
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : 'handler-failed';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
