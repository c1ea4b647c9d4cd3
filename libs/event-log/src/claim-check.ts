import { randomUUID } from 'node:crypto';
import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { type Database, getPayload, putPayload } from '@lineprint/persistence';
import { LineprintError } from '@lineprint/platform';
import type { LogRecord, OutgoingRecord } from './log';

const compress = promisify(gzip);

/** Below the 1 MiB that a broker takes by default, with room for key, headers and framing. */
export const LARGEST_VALUE = 900_000;
const CLAIM = 'lp_claim';
/** Size of the value that the claim stands for, so that batches of claims keep within their limit. */
const CLAIM_BYTES = 'lp_claim_bytes';

/**
 * Replaces values that stay over the broker's limit once compressed by a claim on the payload table, in a
 * transaction of their own before the record is sent: a record never claims what is not there. A failed
 * append leaves a payload that nobody claims; it goes with the table's retention.
 */
export async function checkIn(database: Database, record: OutgoingRecord): Promise<OutgoingRecord> {
  if (record.value.length <= LARGEST_VALUE) return record;
  if ((await compress(record.value)).length <= LARGEST_VALUE) return record;
  const id = randomUUID();
  await putPayload(database, id, record.value);
  return {
    ...record,
    value: new Uint8Array(0),
    headers: { ...record.headers, [CLAIM]: id, [CLAIM_BYTES]: String(record.value.length) },
  };
}

/** The record with the value that it claims; as it is where there is no such payload any more. */
export async function checkOutIfKept(database: Database, record: LogRecord): Promise<LogRecord> {
  const { [CLAIM]: id, [CLAIM_BYTES]: _size, ...headers } = record.headers;
  const value = id === undefined ? null : await getPayload(database, id);
  return value ? { ...record, value, headers } : record;
}

/** The record with the value that it claims. Throws a permanent `claim-missing` where there is none. */
export async function checkOut(database: Database, record: LogRecord): Promise<LogRecord> {
  const checked = await checkOutIfKept(database, record);
  const id = checked.headers[CLAIM];
  if (id === undefined) return checked;
  const message = `The payload ${id} is not in the database: it was deleted, or this is another database`;
  throw new LineprintError('claim-missing', message);
}

/** Bytes of the record's value, that of a claim included. */
export function valueLength(record: LogRecord): number {
  const claimed = Number(record.headers[CLAIM_BYTES]);
  return Number.isFinite(claimed) ? claimed : record.value.length;
}
