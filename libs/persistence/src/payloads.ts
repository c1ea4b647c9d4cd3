import type { Queryable } from './database';

/** Keeps a value too large for the log under an id that its record carries. An id keeps its first value. */
export async function putPayload(queryable: Queryable, id: string, bytes: Uint8Array): Promise<void> {
  await queryable.query(
    'INSERT INTO large_payloads (payload_id, value) VALUES ($1, $2) ON CONFLICT (payload_id) DO NOTHING',
    [id, bytes],
  );
}

/** The value, or null if there is none by this id. */
export async function getPayload(queryable: Queryable, id: string): Promise<Uint8Array | null> {
  const [row] = await queryable.query<{ value: Uint8Array }>(
    'SELECT value FROM large_payloads WHERE payload_id = $1',
    [id],
  );
  return row?.value ?? null;
}

/** Deletes the values that were put there before a time, when nothing can claim them any more. Answers how many. */
export async function expirePayloads(queryable: Queryable, before: Date): Promise<number> {
  const rows = await queryable.query('DELETE FROM large_payloads WHERE created_at < $1 RETURNING 1', [
    before,
  ]);
  return rows.length;
}
