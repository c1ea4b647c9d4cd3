import { randomUUID } from 'node:crypto';
import type { ZodType } from 'zod';
import { check, REFS_EVENT, type RefsEvent, repositoryKey } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import type { Headers, LogRecord, OutgoingRecord } from './log';

const ACCEPTED_AT = 'lp_accepted_at';

export interface EventContext {
  readonly id: string;
  readonly type: string;
  /** URI reference of the service that says so, e.g. `/lineprint/ingest`. */
  readonly source: string;
  /** When it happened, milliseconds since 1970. */
  readonly time: number;
  readonly tenant: string;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** When the door took what this event follows from, as a date-time; absent for what the door sends itself. */
  readonly acceptedAt?: string;
}

/** Headers of a JSON event: CloudEvents 1.0 in Kafka's binary mode, and the tenant. */
export function eventHeaders(event: EventContext): Headers {
  return {
    ce_specversion: '1.0',
    ce_id: event.id,
    ce_type: event.type,
    ce_source: event.source,
    ce_time: new Date(event.time).toISOString(),
    lp_tenant: event.tenant,
    'content-type': 'application/json',
    ...(event.acceptedAt === undefined ? {} : { [ACCEPTED_AT]: event.acceptedAt }),
    ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
  };
}

/** A record whose value is `value` in JSON. */
export function jsonRecord(topic: string, key: string, value: unknown, headers: Headers): OutgoingRecord {
  return { topic, key, value: Buffer.from(JSON.stringify(value), 'utf8'), headers };
}

export interface NewEvent {
  readonly topic: string;
  /** `ce_type`, where it is not the topic. */
  readonly type?: string;
  readonly key: string;
  readonly tenant: string;
  /** The service that says so, e.g. `ingest`. */
  readonly source: string;
  readonly value: unknown;
  /** W3C trace context of what caused it. */
  readonly traceparent?: string | undefined;
  /** The record that this event follows from: gives trace context, and the time that its age counts from. */
  readonly cause?: Pick<LogRecord, 'headers'>;
}

/** The record of something that has just happened, under an id of its own. */
export function newEvent(event: NewEvent): OutgoingRecord {
  const { topic, type = topic, key, tenant, source, value, cause } = event;
  const traceparent = event.traceparent ?? cause?.headers['traceparent'];
  const acceptedAt = cause?.headers[ACCEPTED_AT] ?? cause?.headers['ce_time'];
  const headers = eventHeaders({
    id: randomUUID(),
    type,
    source,
    time: Date.now(),
    tenant,
    ...(traceparent ? { traceparent } : {}),
    ...(acceptedAt ? { acceptedAt } : {}),
  });
  return jsonRecord(topic, key, value, headers);
}

/** The record of what refs name, in one of the topics that carry it. */
export function newRefsEvent(
  event: Pick<NewEvent, 'topic' | 'source' | 'traceparent' | 'cause'> & { readonly value: RefsEvent },
): OutgoingRecord {
  const { tenant, repository } = event.value;
  return newEvent({ ...event, type: REFS_EVENT, key: repositoryKey(tenant, repository), tenant });
}

/** Tells what refs name from the topic's own events. */
export function isRefsEvent({ headers }: Pick<LogRecord, 'headers'>): boolean {
  return headers['ce_type'] === REFS_EVENT;
}

/**
 * The record's value, checked. Throws a permanent LineprintError `event-invalid` that names the first path at
 * fault, never its value.
 */
export function parseJson<T>(record: Pick<LogRecord, 'value'>, schema: ZodType<T>): T {
  let value: unknown;
  try {
    const { buffer, byteOffset, byteLength } = record.value;
    value = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
  } catch {
    // The parser's message quotes the text, which may be somebody's code.
    throw new LineprintError('event-invalid', 'The value is not JSON');
  }
  const { data, fault } = check(schema, value);
  if (fault === undefined) return data;
  const { path, code } = fault;
  throw new LineprintError(
    'event-invalid',
    `The value does not have the topic's shape: ${path.join('.') || '(value)'}: ${code}`,
  );
}

/**
 * Since when an event is under way, milliseconds since 1970: what it follows from was taken at the door then; else its
 * own time, else when the log took it.
 */
export function acceptedAt({ headers, timestamp }: Pick<LogRecord, 'headers' | 'timestamp'>): number {
  const time = Date.parse(headers[ACCEPTED_AT] ?? headers['ce_time'] ?? '');
  return Number.isNaN(time) ? timestamp : time;
}
