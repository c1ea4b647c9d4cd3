import { LineprintError, type WeekDay, weekDays } from '@lineprint/platform';
import { createHash, randomBytes } from 'node:crypto';
import type { Database, Queryable } from './database';

/** An organisation and its settings. */
export interface Tenant {
  readonly orgId: string;
  readonly name: string;
  /** IANA name; its midnight parts the days. */
  readonly timeZone: string;
  /** Whose clock decides a commit's day. */
  readonly dayBy: 'author' | 'committer';
  /** True where raw code may be stored. */
  readonly rawCode: boolean;
}

/** A key of the line prints. */
export interface LineKey {
  readonly keyId: string;
  readonly secret: Uint8Array;
}

/**
 * Creates the organisation unless it exists; an existing one keeps its settings.
 * Throws `time-zone-unknown` for a zone that is not an IANA name.
 */
export async function ensureTenant(
  queryable: Queryable,
  tenant: {
    orgId: string;
    name: string;
    timeZone?: string | undefined;
    /** The first day of its weeks; Monday unless said otherwise. */
    weekStart?: WeekDay | undefined;
  },
): Promise<void> {
  const timeZone = tenant.timeZone ?? 'UTC';
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (cause) {
    throw new LineprintError('time-zone-unknown', `${timeZone} is no IANA time zone`, { cause });
  }
  await queryable.query(
    `INSERT INTO tenants (org_id, name, time_zone, week_start) VALUES ($1, $2, $3, $4)
     ON CONFLICT (org_id) DO NOTHING`,
    [tenant.orgId, tenant.name, timeZone, weekDays.indexOf(tenant.weekStart ?? 'monday') + 1],
  );
}

/** The organisation's settings, or null if there is none by this id. */
export async function loadTenant(queryable: Queryable, orgId: string): Promise<Tenant | null> {
  const [row] = await queryable.query<{
    org_id: string;
    name: string;
    time_zone: string;
    day_by: Tenant['dayBy'];
    raw_code: boolean;
  }>('SELECT org_id, name, time_zone, day_by, raw_code FROM tenants WHERE org_id = $1', [orgId]);
  if (row === undefined) return null;
  return {
    orgId: row.org_id,
    name: row.name,
    timeZone: row.time_zone,
    dayBy: row.day_by,
    rawCode: row.raw_code,
  };
}

/**
 * Makes whoever changes the organisation's keys, line keys or policies take turns until the transaction ends.
 * False if there is no such organisation.
 */
export async function lockTenant(tx: Queryable, orgId: string): Promise<boolean> {
  const locked = await tx.query('SELECT 1 FROM tenants WHERE org_id = $1 FOR UPDATE', [orgId]);
  return locked.length > 0;
}

const SECRET_BYTES = 32;
const MIN_SECRET_BYTES = 16;

/** Follows from the secret, so that every installation and client names the same key alike. */
function lineKeyId(secret: Uint8Array): string {
  return `lk_${createHash('sha256').update('lineprint line key').update(secret).digest('hex').slice(0, 16)}`;
}

/**
 * Answers the organisation's newest line key, and creates a random one (32 bytes) if it has none. With
 * `secret`, answers that key and adds it if it is new; the earlier ones stay valid until they are retired.
 * Throws `line-key-too-short` below 16 bytes, `tenant-unknown` if the organisation does not exist.
 */
export async function ensureLineKey(
  database: Database,
  orgId: string,
  secret?: Uint8Array,
): Promise<LineKey> {
  if (secret !== undefined && secret.length < MIN_SECRET_BYTES) {
    throw new LineprintError('line-key-too-short', `A line key has at least ${MIN_SECRET_BYTES} bytes`);
  }
  return database.transaction(async (tx) => {
    // Replicas that start at once must agree on one key.
    if (!(await lockTenant(tx, orgId))) {
      throw new LineprintError('tenant-unknown', `There is no organisation ${orgId}: create it first`);
    }
    const [newest] = await activeLineKeys(tx, orgId);
    if (secret === undefined && newest !== undefined) return newest;
    const wanted = secret ?? new Uint8Array(randomBytes(SECRET_BYTES));
    const key = { keyId: lineKeyId(wanted), secret: wanted };
    await tx.query(
      `INSERT INTO line_keys (org_id, key_id, secret) VALUES ($1, $2, $3)
       ON CONFLICT (org_id, key_id) DO UPDATE SET retired_at = NULL`,
      [orgId, key.keyId, wanted],
    );
    return key;
  });
}

/** The organisation's line keys that are not retired, newest first. */
export async function activeLineKeys(queryable: Queryable, orgId: string): Promise<LineKey[]> {
  const rows = await queryable.query<{ key_id: string; secret: Uint8Array }>(
    `SELECT key_id, secret FROM line_keys WHERE org_id = $1 AND retired_at IS NULL
     ORDER BY created_at DESC, key_id`,
    [orgId],
  );
  return rows.map((row) => ({ keyId: row.key_id, secret: row.secret }));
}

/** True if the project is the organisation's; one that nobody has named before becomes its own. */
export async function claimProject(queryable: Queryable, orgId: string, projectId: string): Promise<boolean> {
  const owner = async () => {
    const [row] = await queryable.query<{ org_id: string }>(
      'SELECT org_id FROM projects WHERE project_id = $1',
      [projectId],
    );
    return row?.org_id;
  };
  const found = await owner();
  if (found !== undefined) return found === orgId;
  await queryable.query(
    'INSERT INTO projects (project_id, org_id) VALUES ($1, $2) ON CONFLICT (project_id) DO NOTHING',
    [projectId, orgId],
  );
  return (await owner()) === orgId;
}
