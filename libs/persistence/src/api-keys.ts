import { LineprintError } from '@lineprint/platform';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database, Queryable } from './database';

/** What a valid key allows. A personal key answers for one person only. */
export interface ApiKeyGrant {
  readonly orgId: string;
  readonly scopes: string[];
  readonly userId: string | null;
  /** The key's public part. */
  readonly keyPrefix: string;
}

/** `lp_<prefix>_<secret>_<checksum>`, all hex; the checksum finds typing errors without the database. */
const FORMAT = /^lp_([0-9a-f]{12})_([0-9a-f]{64})_([0-9a-f]{8})$/;

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function checksumOf(body: string): string {
  return sha256(body).toString('hex').slice(0, 8);
}

/** A new random key; 256 bits of it are secret. */
export function generateApiKey(): string {
  const body = `lp_${randomBytes(6).toString('hex')}_${randomBytes(32).toString('hex')}`;
  return `${body}_${checksumOf(body)}`;
}

/** The key's public part, by which it is looked up; null if the text is no key. */
function prefixOf(key: string): string | null {
  const [, prefix, , checksum] = FORMAT.exec(key) ?? [];
  if (prefix === undefined || checksum !== checksumOf(key.slice(0, key.lastIndexOf('_')))) return null;
  return prefix;
}

/** Creates a key and answers it, the only time it is seen: only its SHA-256 is stored. */
export async function createApiKey(
  queryable: Queryable,
  grant: {
    orgId: string;
    scopes: readonly string[];
    userId?: string | undefined;
    expiresAt?: Date | undefined;
  },
): Promise<{ key: string }> {
  const key = generateApiKey();
  await queryable.query(
    `INSERT INTO api_keys (prefix, org_id, hash, scopes, user_id, expires_at)
     VALUES ($1, $2, $3, $4::text[], $5, $6)`,
    [prefixOf(key), grant.orgId, sha256(key), grant.scopes, grant.userId ?? null, grant.expiresAt ?? null],
  );
  return { key };
}

/**
 * Stores a key that configuration names, and its scopes if they changed; a revoked key stays revoked.
 * Throws `api-key-malformed` for a text that is no key, `api-key-taken` if the prefix is another key's.
 */
export async function importApiKey(
  queryable: Queryable,
  orgId: string,
  key: string,
  scopes: readonly string[],
): Promise<void> {
  const prefix = prefixOf(key);
  if (prefix === null) {
    throw new LineprintError(
      'api-key-malformed',
      'The configured API key is not of the form lp_<prefix>_<secret>_<checksum>, or was cut off',
    );
  }
  const stored = await queryable.query(
    `INSERT INTO api_keys (prefix, org_id, hash, scopes) VALUES ($1, $2, $3, $4::text[])
     ON CONFLICT (prefix) DO UPDATE SET scopes = EXCLUDED.scopes
       WHERE api_keys.org_id = EXCLUDED.org_id AND api_keys.hash = EXCLUDED.hash
     RETURNING prefix`,
    [prefix, orgId, sha256(key), scopes],
  );
  if (stored.length === 0) {
    throw new LineprintError(
      'api-key-taken',
      `Another API key, or another organisation's, has the prefix ${prefix}`,
    );
  }
}

/**
 * Makes a key that allows the same as another one, which stays good for a while.
 *
 * @param prefix the other key's public part
 * @throws LineprintError `api-key-unknown` where the organisation has none that is good
 */
export async function replaceApiKey(
  database: Database,
  orgId: string,
  prefix: string,
  overlapMs: number,
): Promise<{ key: string }> {
  return database.transaction(async (tx) => {
    const [replaced] = await tx.query<{ scopes: string[]; user_id: string | null; end: Date | null }>(
      `SELECT scopes, user_id, expires_at AS end FROM api_keys
        WHERE org_id = $1 AND prefix = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > NOW())
          FOR UPDATE`,
      [orgId, prefix],
    );
    if (!replaced) throw unknownKey(prefix);
    await tx.query(
      `UPDATE api_keys SET expires_at = LEAST(expires_at, NOW() + $2::float8 * INTERVAL '1 millisecond') WHERE prefix = $1`,
      [prefix, overlapMs],
    );
    const { scopes, user_id, end } = replaced;
    return createApiKey(tx, { orgId, scopes, userId: user_id ?? undefined, expiresAt: end ?? undefined });
  });
}

/** Ends a key at once. @throws LineprintError `api-key-unknown` */
export async function revokeApiKey(queryable: Queryable, orgId: string, prefix: string): Promise<void> {
  const revoked = await queryable.query(
    `UPDATE api_keys SET revoked_at = COALESCE(revoked_at, NOW()) WHERE org_id = $1 AND prefix = $2 RETURNING 1`,
    [orgId, prefix],
  );
  if (revoked.length === 0) throw unknownKey(prefix);
}

function unknownKey(prefix: string): LineprintError {
  return new LineprintError(
    'api-key-unknown',
    `The organisation has no good API key lp_${prefix}_…: give the part between the first two underscores`,
  );
}

/** What the key allows; null if it is unknown, malformed, expired or revoked. */
export async function findApiKey(queryable: Queryable, key: string): Promise<ApiKeyGrant | null> {
  const prefix = prefixOf(key);
  if (prefix === null) return null;
  const [row] = await queryable.query<{
    org_id: string;
    hash: Uint8Array;
    scopes: string[];
    user_id: string | null;
  }>(
    `SELECT org_id, hash, scopes, user_id FROM api_keys
     WHERE prefix = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > NOW())`,
    [prefix],
  );
  const hash = sha256(key);
  if (row === undefined || row.hash.length !== hash.length || !timingSafeEqual(row.hash, hash)) return null;
  return { orgId: row.org_id, scopes: row.scopes, userId: row.user_id, keyPrefix: prefix };
}
