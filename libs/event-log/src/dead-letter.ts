import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deadLetterTopic } from '@lineprint/contracts';
import type { DeadLetter, LogRecord, OutgoingRecord } from './log';

const LONGEST_MESSAGE = 1_000;

/** Where a record failed: its bytes could not be read, its payload is gone, or the service refused it. */
export type DeliveryStep = 'decode' | 'claim' | 'process';

export interface FailedRecord extends DeadLetter {
  readonly step: DeliveryStep;
}

/** What is known of a failure beside the record itself. */
export interface FailureContext {
  readonly group: string;
  readonly service: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly firstFailedAt: number;
}

const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as {
  version: string;
};
const VERSIONS = `lineprint ${version}, node ${process.versions.node}`;

/**
 * The record for the dead-letter topic: key, value and headers as they were, so that its trace goes on, and
 * `lp_dlq_*` headers that say where it comes from and why it is there.
 */
export function toDeadLetter(failed: FailedRecord, context: FailureContext): OutgoingRecord {
  const { record, step, code, message } = failed;
  return {
    topic: deadLetterTopic(record.topic),
    key: record.key,
    value: record.value,
    headers: {
      ...record.headers,
      lp_dlq_topic: record.topic,
      lp_dlq_partition: String(record.partition),
      lp_dlq_offset: String(record.offset),
      lp_dlq_timestamp: isoTime(record),
      lp_dlq_group: context.group,
      lp_dlq_service: context.service,
      lp_dlq_step: step,
      lp_dlq_code: code,
      lp_dlq_message: headerText(message),
      lp_dlq_attempts: String(context.attempts),
      lp_dlq_first_failed_at: new Date(context.firstFailedAt).toISOString(),
      lp_dlq_versions: VERSIONS,
    },
  };
}

/** Another producer may have put any number there. */
function isoTime({ timestamp }: LogRecord): string {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? String(timestamp) : date.toISOString();
}

/** Without control characters and lone surrogates, which a header in a JSON column cannot hold. */
function headerText(text: string): string {
  const shortened = text.slice(0, LONGEST_MESSAGE).replace(/\p{Cc}+/gu, ' ');
  return Buffer.from(shortened, 'utf8').toString('utf8');
}
