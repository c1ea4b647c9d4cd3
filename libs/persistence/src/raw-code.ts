import { keyIdSql, LineprintError, type RawCodeKeys } from '@lineprint/platform';
import type { Queryable } from './database';

/** Snippets whose code one key has encrypted. */
export interface RawCodeKeyUse {
  /** Null for code of a release that named no key. */
  readonly keyId: string | null;
  readonly snippets: number;
}

/** How many snippets have code, by the key that has encrypted it. */
export async function rawCodeKeyUses(queryable: Queryable): Promise<RawCodeKeyUse[]> {
  const rows = await queryable.query<{ key_id: string | null; snippets: number }>(
    `SELECT ${keyIdSql('raw_code_encrypted')} AS key_id, COUNT(*) AS snippets FROM ai_code_fingerprints
      WHERE raw_code_encrypted IS NOT NULL GROUP BY 1 ORDER BY 1 NULLS FIRST`,
  );
  return rows.map(({ key_id, snippets }) => ({ keyId: key_id, snippets }));
}

/** What came of encrypting anew. */
export interface RawCodeRotation {
  readonly rotated: number;
  /** Snippets whose code none of the keys reads; it stays as it is. */
  readonly unreadable: number;
}

const BATCH = 200;

/**
 * Encrypts with the current key what others have encrypted, a batch after the other, while everything runs. What ends
 * early has done what it has done; again it does the rest.
 *
 * @param onBatch told after each batch how far it is
 */
export async function rotateRawCode(
  database: Queryable,
  keys: RawCodeKeys,
  onBatch: (so: RawCodeRotation) => void,
): Promise<RawCodeRotation> {
  let [rotated, unreadable] = [0, 0];
  let last: { org_id: string; code_id: string; created_at: Date } | undefined;
  for (;;) {
    const rows: { org_id: string; code_id: string; created_at: Date; code: string }[] = await database.query(
      `SELECT org_id, code_id, created_at, raw_code_encrypted AS code FROM ai_code_fingerprints
        WHERE raw_code_encrypted IS NOT NULL AND ${keyIdSql('raw_code_encrypted')} IS DISTINCT FROM $1
          ${last ? 'AND (org_id, code_id, created_at) > ($2::text, $3::text, $4::timestamptz)' : ''}
        ORDER BY org_id, code_id, created_at LIMIT ${BATCH}`,
      [keys.ids[0]!, ...(last ? [last.org_id, last.code_id, last.created_at] : [])],
    );
    if (rows.length === 0) return { rotated, unreadable };
    const written = rows.flatMap((row) => {
      const code = decryptedOrNull(keys, row.code);
      return code === null ? [] : [{ ...row, anew: keys.encrypt(code) }];
    });
    // Only what is still the same: the code of somebody who was erased meanwhile must not come back.
    const done = await database.query(
      `UPDATE ai_code_fingerprints f SET raw_code_encrypted = n.anew
         FROM UNNEST($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[])
           AS n (org_id, code_id, created_at, code, anew)
        WHERE (f.org_id, f.code_id, f.created_at) = (n.org_id, n.code_id, n.created_at)
          AND f.raw_code_encrypted = n.code
        RETURNING 1`,
      [
        written.map(({ org_id }) => org_id),
        written.map(({ code_id }) => code_id),
        written.map(({ created_at }) => created_at),
        written.map(({ code }) => code),
        written.map(({ anew }) => anew),
      ],
    );
    rotated += done.length;
    unreadable += rows.length - written.length;
    onBatch({ rotated, unreadable });
    last = rows.at(-1)!;
  }
}

function decryptedOrNull(keys: RawCodeKeys, encrypted: string): string | null {
  try {
    return keys.decrypt(encrypted);
  } catch (error) {
    if (error instanceof LineprintError) return null;
    throw error;
  }
}
