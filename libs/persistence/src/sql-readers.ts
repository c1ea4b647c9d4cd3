import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { LineprintError } from '@lineprint/platform';
import type { Database } from './database';
import { lockTenant } from './tenants';

/** What a reader of SQL may select from: docs/sql.md has their columns. */
export const READ_VIEWS = [
  'v_organisations',
  'v_policies',
  'v_people',
  'v_teams',
  'v_attribution_daily',
  'v_lines_daily',
  'v_commits',
  'v_lines',
  'v_head',
  'v_head_lines',
  'v_lives',
  'v_survival',
] as const;

/** ASCII alone needs no preparation before it is hashed (RFC 4013). */
const PASSWORD = /^[\x20-\x7e]{16,}$/;
const ROLE_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** What keeps a dashboard from holding up the services: it is no protection from somebody who means harm. */
const SETTINGS: Readonly<Record<string, string>> = {
  default_transaction_read_only: 'on',
  statement_timeout: '30s',
  // sums over every life of a line are made in memory, not in files
  work_mem: '32MB',
  idle_in_transaction_session_timeout: '60s',
  timezone: 'UTC',
};
const CONNECTIONS = 10;

export interface MadeReader {
  readonly name: string;
  /** Organisations that it sees now, in order. */
  readonly orgIds: readonly string[];
  /** One that was made here, shown once; null where it was given, or the role keeps its own. */
  readonly password: string | null;
}

/**
 * Lets a role of Postgres read an organisation by SQL: makes the role unless it is there, with rights on the views
 * alone, and names the organisation for it. Again for another organisation, or after a release with new views.
 *
 * @param password by default one is made for a new role, and one that is there keeps its own
 * @throws LineprintError `reader-needs-postgres`, `reader-name-invalid`, `reader-password-weak`, `reader-privileged` for a
 * role that Postgres lets read everything, `tenant-unknown`
 */
export async function grantReader(
  database: Database,
  name: string,
  orgId: string,
  password?: string,
): Promise<MadeReader> {
  if (database.kind !== 'postgres') {
    throw new LineprintError(
      'reader-needs-postgres',
      'Roles need a Postgres: the embedded database is open in one process only.',
    );
  }
  if (!ROLE_NAME.test(name)) {
    throw new LineprintError(
      'reader-name-invalid',
      `Not a name for a reader: ${name}. Use lower-case letters, digits and _, at most 63.`,
    );
  }
  if (password !== undefined && !PASSWORD.test(password)) {
    throw new LineprintError('reader-password-weak', 'Give a password of at least 16 characters, all ASCII.');
  }
  return database.transaction(async (tx) => {
    if (!(await lockTenant(tx, orgId))) {
      throw new LineprintError('tenant-unknown', `There is no organisation ${orgId}.`);
    }
    const [role] = await tx.query<{ privileged: boolean }>(
      `SELECT rolsuper OR pg_has_role(rolname, current_user, 'MEMBER')
         OR pg_has_role(rolname, 'pg_read_all_data', 'MEMBER') AS privileged
       FROM pg_roles WHERE rolname = $1`,
      [name],
    );
    if (role?.privileged) {
      throw new LineprintError(
        'reader-privileged',
        `The role ${name} may read everything; take one that may not.`,
      );
    }
    const made = role || password !== undefined ? null : randomBytes(24).toString('base64url');
    if (!role) {
      await tx.script(`CREATE ROLE "${name}" LOGIN CONNECTION LIMIT ${CONNECTIONS}`);
      for (const [setting, value] of Object.entries(SETTINGS)) {
        await tx.script(`ALTER ROLE "${name}" SET ${setting} = '${value}'`);
      }
    }
    const wanted = password ?? made;
    if (wanted !== null) await tx.script(`ALTER ROLE "${name}" PASSWORD '${scramVerifier(wanted)}'`);
    await tx.script(`GRANT SELECT ON ${READ_VIEWS.join(', ')} TO "${name}"`);
    await tx.query(`INSERT INTO sql_readers (role_name, org_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
      name,
      orgId,
    ]);
    return { name, orgIds: await organisationsOf(tx, name), password: made };
  });
}

/** Takes an organisation from a reader's sight. The role stays. @returns those that it still sees */
export async function revokeReader(database: Database, name: string, orgId: string): Promise<string[]> {
  return database.transaction(async (tx) => {
    await tx.query('DELETE FROM sql_readers WHERE role_name = $1 AND org_id = $2', [name, orgId]);
    return organisationsOf(tx, name);
  });
}

async function organisationsOf(tx: Pick<Database, 'query'>, name: string): Promise<string[]> {
  const rows = await tx.query<{ org_id: string }>(
    'SELECT org_id FROM sql_readers WHERE role_name = $1 ORDER BY org_id COLLATE "C"',
    [name],
  );
  return rows.map(({ org_id }) => org_id);
}

/** What Postgres keeps of a password (RFC 5803): the statement may be logged, and the password is not in it. */
function scramVerifier(password: string): string {
  const iterations = 4096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
