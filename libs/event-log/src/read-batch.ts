import { type RefsEvent, refsEventSchema } from '@lineprint/contracts';
import type { z } from 'zod';
import { isRefsEvent, parseJson } from './event';
import type { Batch, DeadLetter, LogRecord } from './log';

export interface ReadEvent<T> {
  readonly record: LogRecord;
  readonly event: T;
}

export interface ReadEvents<T> {
  readonly events: ReadEvent<T>[];
  readonly deadLetters: DeadLetter[];
}

/**
 * Parses the values of a batch's own events; what refs name, where the topic carries it, is passed over. A record that
 * does not fit the contract becomes a dead letter instead of failing its neighbours: it can never succeed.
 */
export function readBatch<T>({ records }: Pick<Batch, 'records'>, schema: z.ZodType<T>): ReadEvents<T> {
  return readRecords(
    records.filter((record) => !isRefsEvent(record)),
    schema,
  );
}

/** The same of what refs name. */
export function readRefs({ records }: Pick<Batch, 'records'>): ReadEvents<RefsEvent> {
  return readRecords(records.filter(isRefsEvent), refsEventSchema);
}

function readRecords<T>(records: readonly LogRecord[], schema: z.ZodType<T>): ReadEvents<T> {
  const events: ReadEvent<T>[] = [];
  const deadLetters: DeadLetter[] = [];
  for (const record of records) {
    try {
      events.push({ record, event: parseJson(record, schema) });
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      deadLetters.push({
        record,
        code: typeof code === 'string' ? code : 'event-invalid',
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }
  return { events, deadLetters };
}
