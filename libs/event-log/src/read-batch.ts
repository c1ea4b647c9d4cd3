import type { z } from 'zod';
import { parseJson } from './event';
import type { Batch, DeadLetter, LogRecord } from './log';

export interface ReadEvent<T> {
  readonly record: LogRecord;
  readonly event: T;
}

/**
 * Parses a batch's values. A record that does not fit the contract becomes a dead letter instead of failing
 * its neighbours: it can never succeed.
 */
export function readBatch<T>(
  batch: Batch,
  schema: z.ZodType<T>,
): { events: ReadEvent<T>[]; deadLetters: DeadLetter[] } {
  const events: ReadEvent<T>[] = [];
  const deadLetters: DeadLetter[] = [];
  for (const record of batch.records) {
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
