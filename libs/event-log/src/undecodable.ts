import type { Headers, LogRecord } from './log';

/**
 * Marks a record whose bytes the adapter could not make out: it travels as a record, so that its neighbours and
 * its offset are not lost, and the runner dead-letters it unseen.
 */
const UNDECODABLE = 'lp_undecodable';

/** Headers of such a record; `reason` in words. */
export function undecodableHeaders(reason: string): Headers {
  return { [UNDECODABLE]: reason };
}

/** Why the record could not be decoded and the record without the mark; undefined for any other. */
export function undecodable(record: LogRecord): { reason: string; record: LogRecord } | undefined {
  const { [UNDECODABLE]: reason, ...headers } = record.headers;
  return reason === undefined ? undefined : { reason, record: { ...record, headers } };
}
