import type { Queryable } from '@lineprint/persistence';
import type { Headers, OutgoingRecord } from './log';

/** Keeps those who enqueue in turns until their commit; any number that no other lock of ours has. */
const OUTBOX_LOCK = 72707373;

/** A record that waits, under an id that is higher than those of all that were enqueued before it. */
export interface WaitingRecord {
  readonly id: number;
  readonly record: OutgoingRecord;
}

/**
 * Puts records into the outbox, in the order given: they reach the log exactly if the transaction commits, at
 * least once, and after what was enqueued before. Call it last in the transaction, since others who enqueue wait
 * from here to the commit.
 */
export async function enqueue(tx: Queryable, records: readonly OutgoingRecord[]): Promise<void> {
  if (records.length === 0) return;
  // Without it, ids would follow the order of the statements, not that of the commits.
  await tx.query('SELECT pg_advisory_xact_lock($1)', [OUTBOX_LOCK]);
  await tx.query(
    `INSERT INTO outbox (topic, key, value, headers)
     SELECT r.topic, r.key, r.value, r.headers::json
     FROM UNNEST($1::text[], $2::bytea[], $3::bytea[], $4::text[]) WITH ORDINALITY
       AS r (topic, key, value, headers, position)
     ORDER BY r.position`,
    [
      records.map(({ topic }) => topic),
      records.map(({ key }) => Buffer.from(key, 'utf8')),
      records.map(({ value }) => value),
      records.map(({ headers }) => JSON.stringify(headers)),
    ],
  );
}

/** The oldest records that wait, at most `maxRecords` and about `maxBytes` of values, at least one if there is one. */
export async function waitingRecords(
  queryable: Queryable,
  { maxRecords, maxBytes }: { readonly maxRecords: number; readonly maxBytes: number },
): Promise<WaitingRecord[]> {
  const rows = await queryable.query<{
    id: number;
    topic: string;
    key: Uint8Array;
    value: Uint8Array;
    headers: Headers;
  }>(
    `SELECT id, topic, key, value, headers
     FROM (SELECT w.*, SUM(LENGTH(w.value)) OVER (ORDER BY w.id) - LENGTH(w.value) AS bytes_before
           FROM (SELECT id, topic, key, value, headers FROM outbox ORDER BY id LIMIT $1) w) r
     WHERE bytes_before < $2 ORDER BY id`,
    [maxRecords, maxBytes],
  );
  return rows.map(({ id, topic, key, value, headers }) => ({
    id,
    record: { topic, key: Buffer.from(key).toString('utf8'), value, headers },
  }));
}

/** When the oldest record that waits was enqueued, milliseconds since 1970; undefined where none waits. */
export async function oldestWaiting(queryable: Queryable): Promise<number | undefined> {
  const [row] = await queryable.query<{ created_at: Date }>(
    'SELECT created_at FROM outbox ORDER BY id LIMIT 1',
  );
  return row?.created_at.getTime();
}

/** Forgets records that the log has. */
export async function removeRelayed(queryable: Queryable, ids: readonly number[]): Promise<void> {
  await queryable.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [ids]);
}

/** Takes or keeps the lease by the database's clock; false while another holder has it. */
export async function holdLease(queryable: Queryable, holder: string, leaseMs: number): Promise<boolean> {
  const rows = await queryable.query(
    `INSERT INTO outbox_lease AS l (name, holder, expires_at)
     VALUES ('relay', $1, NOW() + $2::int * INTERVAL '1 millisecond')
     ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at
       WHERE l.holder = EXCLUDED.holder OR l.expires_at <= NOW()
     RETURNING 1`,
    [holder, leaseMs],
  );
  return rows.length > 0;
}

/** Lets another process take over at once. */
export async function releaseLease(queryable: Queryable, holder: string): Promise<void> {
  await queryable.query(`DELETE FROM outbox_lease WHERE name = 'relay' AND holder = $1`, [holder]);
}
