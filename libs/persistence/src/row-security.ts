import { StoreError } from '@lineprint/platform';
import type { Database, Queryable } from './database';
import { SqlError } from './database-error';

/** By this the policies know whose rows are seen; set for a transaction by whoever answers a request. */
const SETTING = 'lineprint.org_id';
const OWN_ROWS = `org_id = current_setting('${SETTING}', true)`;

/** What answers requests may do with an organisation's rows; all, where nothing else is said. */
const PRIVILEGES: Readonly<Record<string, readonly string[]>> = {
  // Credentials are looked up before it is known whose they are, and made by the installation's operator.
  api_keys: [],
  sql_readers: [],
  // Records of who did what are only added.
  audit_entries: ['SELECT', 'INSERT'],
  code_reads: ['SELECT', 'INSERT'],
};
const ALL = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Tables without an organisation of their own: theirs is that of a row which they belong to. */
const PARTS: Readonly<Record<string, string>> = {
  replay_partitions: 'EXISTS (SELECT 1 FROM replays r WHERE r.replay_id = replay_partitions.replay_id)',
  webhook_deliveries:
    'EXISTS (SELECT 1 FROM connected_repositories c WHERE c.hook_id = webhook_deliveries.hook_id)',
};

interface TableState {
  readonly name: string;
  readonly partition: boolean;
  readonly secured: boolean;
  readonly policy: boolean;
  /** Of its numbered rows. */
  readonly sequence: string | null;
  /** Of the role. */
  readonly privileges: string[];
}

/** Serialises whoever starts at once; any number that no other lock of ours has. */
const ROW_SECURITY_LOCK = 72707371;

/** A table is waited for so long and tried again so often. */
const LOCK_TIMEOUT_MS = 2_000;
const ATTEMPTS = 15;

/**
 * Makes Postgres keep organisations apart: row-level security on every table that has rows of one, for every role but the
 * tables' owner (workers, migrations, backups), and a role to which that applies, with rights on those tables. What is so
 * already costs one query. Each table is changed by itself and waits for nobody long, so that services may run meanwhile.
 *
 * @returns false where there is no such role and this user may not make one, or not switch to it
 */
export async function secureRows(database: Database, role: string): Promise<boolean> {
  const usable = await ensureRole(database, role);
  const wanted = usable ? role : undefined;
  for (const table of await tables(database, role, null)) {
    if (changesOf(table, wanted).length > 0) await secureTable(database, table.name, role, wanted);
  }
  return usable;
}

/** Roles are the whole server's: another database's start may have been quicker. */
const MADE_MEANWHILE = ['42710', '23505'];
const INSUFFICIENT_PRIVILEGE = '42501';

/** False where this user may neither make the role nor switch to it. */
async function ensureRole(database: Database, role: string): Promise<boolean> {
  for (;;) {
    try {
      await database.transaction(async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock($1)', [ROW_SECURITY_LOCK]);
        const [known] = await tx.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
        if (!known) await tx.script(`CREATE ROLE ${role} NOLOGIN`);
        const [member] = await tx.query<{ may: boolean }>(
          `SELECT pg_has_role(current_user, $1, 'MEMBER') AS may`,
          [role],
        );
        if (!member?.may) await tx.script(`GRANT ${role} TO CURRENT_USER`);
        await tx.script(`SET LOCAL ROLE ${role}`);
      });
      return true;
    } catch (error) {
      if (isForbidden(error)) return false;
      if (!(error instanceof SqlError && MADE_MEANWHILE.includes(error.sqlState))) throw error;
    }
  }
}

/** To others a permission that is missing looks like a database that is away: an administrator can put it right. */
function isForbidden(error: unknown): boolean {
  return (
    error instanceof StoreError &&
    (error.cause as { code?: unknown } | undefined)?.code === INSUFFICIENT_PRIVILEGE
  );
}

/** @param only of this table; null for all */
async function tables(queryable: Queryable, role: string, only: string | null): Promise<TableState[]> {
  return queryable.query<TableState & Record<string, unknown>>(
    `SELECT c.relname AS name, c.relispartition AS partition, c.relrowsecurity AS secured,
       EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'tenant') AS policy,
       (SELECT s.relname FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
        WHERE d.refobjid = c.oid AND d.deptype IN ('a', 'i') LIMIT 1) AS sequence,
       ARRAY(SELECT a.privilege_type FROM aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
             WHERE r.rolname = $1)::text[] AS privileges
     FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
       AND ($3::text IS NULL OR c.relname = $3::text)
       AND (c.relname = ANY ($2::text[])
         OR EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'org_id' AND NOT a.attisdropped))
     ORDER BY c.relname`,
    [role, Object.keys(PARTS), only],
  );
}

function changesOf(
  { name, partition, secured, policy, sequence, privileges }: TableState,
  role?: string,
): string[] {
  const rows = PARTS[name] ?? OWN_ROWS;
  // A partition is reached through its table alone: by itself it shows nothing.
  const wanted = partition || role === undefined ? [] : (PRIVILEGES[name] ?? ALL);
  const missing = wanted.filter((privilege) => !privileges.includes(privilege));
  return [
    ...(secured ? [] : [`ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`]),
    ...(policy || partition ? [] : [`CREATE POLICY tenant ON ${name} USING (${rows})`]),
    ...(missing.length > 0 ? [`GRANT ${missing.join(', ')} ON ${name} TO ${role}`] : []),
    ...(missing.includes('INSERT') && sequence !== null
      ? [`GRANT USAGE ON SEQUENCE ${sequence} TO ${role}`]
      : []),
  ];
}

/** Waits for those who use the table in many short attempts: whoever comes behind would wait as well. */
async function secureTable(database: Database, name: string, role: string, wanted?: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await database.transaction(async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock($1)', [ROW_SECURITY_LOCK]);
        const [table] = await tables(tx, role, name);
        const statements = table ? changesOf(table, wanted) : [];
        await tx.script([`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`, ...statements].join('; '));
      });
      return;
    } catch (error) {
      const isBusy = error instanceof StoreError && error.code === 'database-conflict';
      if (!isBusy || attempt === ATTEMPTS) throw error;
    }
  }
}
