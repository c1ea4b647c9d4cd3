import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import {
  confinedDatabase,
  type Database,
  grantReader,
  MIGRATIONS_DIRECTORY,
  migrate,
  openDatabase,
  READ_VIEWS,
  secureRows,
} from '@lineprint/persistence';
import { freshDatabase } from '../stores';

const ROLE = 'lineprint_tenant';
/** Tables without a column of the organisation that requests may use all the same: parts of rows that have one. */
const PARTS = ['replay_partitions', 'webhook_deliveries'];
/** Tables with an organisation that no request may touch. */
const CLOSED = ['api_keys', 'sql_readers'];

let stores: Awaited<ReturnType<typeof freshDatabase>>;
let owner: Database;
let tables: string[];
const roles: string[] = [];

/** A value for a column of any table; the organisation's id where it may tell rows apart. */
function valueOf(type: string, orgId: string): string {
  if (type.endsWith('[]')) return `'{}'`;
  if (/^(text|character)/.test(type)) return `'${orgId.slice(0, 1)}'`;
  if (/^(integer|bigint|smallint|numeric|real|double)/.test(type)) return String(orgId.length);
  if (type === 'boolean') return 'FALSE';
  if (type === 'jsonb') return `'[]'`;
  if (type === 'bytea') return `'\\x00'`;
  if (type === 'uuid') return `'${randomUUID()}'`;
  return 'NOW()';
}

/** One row of an organisation in every table, whatever else must hold of such rows. */
async function fill(orgId: string): Promise<void> {
  for (const table of [...tables, ...PARTS]) {
    const columns = await owner.query<{ name: string; type: string }>(
      `SELECT quote_ident(attname) AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attnotnull
         AND (NOT atthasdef OR attname = 'org_id') AND attidentity = '' AND attgenerated = ''`,
      [table],
    );
    const values = columns.map(({ name, type }) => (name === 'org_id' ? `'${orgId}'` : valueOf(type, orgId)));
    await owner.script(
      `SET session_replication_role = replica;
       INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')}) VALUES (${values.join(', ')});
       SET session_replication_role = origin`,
    );
  }
}

const asTenant = (orgId: string) => confinedDatabase(owner, ROLE).of(orgId);
const orgsIn = async (database: Database, table: string) =>
  (await database.query<{ org_id: string }>(`SELECT org_id FROM ${table}`)).map(({ org_id }) => org_id);

beforeAll(async () => {
  stores = await freshDatabase();
  // One connection: what one statement leaves behind the next one would find.
  owner = await openDatabase(stores.url, { maxConnections: 1 });
  await migrate(owner, MIGRATIONS_DIRECTORY);
  expect(await secureRows(owner, ROLE)).toBe(true);
  tables = (
    await owner.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class c WHERE relnamespace = 'public'::regnamespace
         AND relkind IN ('r', 'p') AND NOT relispartition
         AND EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'org_id') ORDER BY 1`,
    )
  ).map(({ name }) => name);
  const checks = await owner.query<{ statement: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS statement FROM pg_constraint
     WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND conislocal AND coninhcount = 0`,
  );
  for (const { statement } of checks) await owner.script(statement);
  await owner.script(
    `CREATE TABLE ai_code_fingerprints_all PARTITION OF ai_code_fingerprints DEFAULT;
     CREATE TABLE snippet_prints_all PARTITION OF snippet_prints DEFAULT`,
  );
  await fill('acme');
  await fill('evil-corp');
  await secureRows(owner, ROLE);
}, 120_000);

afterAll(async () => {
  for (const role of roles) {
    const [known] = await owner.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
    if (known) await owner.script(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
  await owner.close();
  await stores.drop();
});

function newRole(): string {
  const name = `tenancy_${randomUUID().replaceAll('-', '')}`;
  roles.push(name);
  return name;
}

describe('a connection as the role of requests', () => {
  it('sees the rows of the organisation that is set, and of no other, in every table', async () => {
    expect(tables.length).toBeGreaterThan(50);
    for (const table of tables) {
      expect([table, (await orgsIn(owner, table)).sort()]).toEqual([table, ['acme', 'evil-corp']]);
      const seen = orgsIn(asTenant('acme'), table);
      if (CLOSED.includes(table)) await expect(seen).rejects.toThrow(/permission denied/);
      else expect([table, await seen]).toEqual([table, ['acme']]);
    }
    for (const table of PARTS) {
      const rows = await asTenant('acme').query(`SELECT 1 FROM ${table}`);
      expect([table, rows.length]).toEqual([table, 1]);
    }
  });

  it('sees nothing at all without one', async () => {
    for (const set of ['RESET lineprint.org_id', `SET LOCAL lineprint.org_id = ''`]) {
      const rows = await owner.transaction(async (tx) => {
        await tx.script(`${set}; SET LOCAL ROLE ${ROLE}`);
        const counts = [];
        for (const table of [...tables.filter((name) => !CLOSED.includes(name)), ...PARTS]) {
          counts.push(...(await tx.query(`SELECT '${table}' AS name FROM ${table}`)));
        }
        return counts;
      });
      expect(rows).toEqual([]);
    }
  });

  it('changes and deletes no row of another organisation, and can make none', async () => {
    for (const table of tables.filter((name) => !CLOSED.includes(name))) {
      const confined = asTenant('acme');
      const changed = (statement: string) =>
        confined.query(`${statement} RETURNING 1`).catch((error: Error) => error.message);
      const none = /permission denied/;
      for (const statement of [
        `UPDATE ${table} SET org_id = org_id WHERE org_id = 'evil-corp'`,
        `DELETE FROM ${table} WHERE org_id = 'evil-corp'`,
      ]) {
        const outcome = await changed(statement);
        if (typeof outcome === 'string') expect(outcome).toMatch(none);
        else expect([statement, outcome]).toEqual([statement, []]);
      }
      for (const statement of [
        `UPDATE ${table} SET org_id = 'evil-corp'`,
        `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(t, '{"org_id": "evil-corp"}')).* FROM ${table} t`,
      ]) {
        expect([statement, await changed(statement)]).toEqual([
          statement,
          expect.stringMatching(/row-level security policy|permission denied/),
        ]);
      }
      expect([table, (await orgsIn(owner, table)).sort()]).toEqual([table, ['acme', 'evil-corp']]);
    }
  });

  it('reaches nothing else: no log, no other table, no partition by itself, no view', async () => {
    const open = await owner.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
         AND (has_table_privilege($1, oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')
           OR has_any_column_privilege($1, oid, 'SELECT, INSERT, UPDATE')) ORDER BY 1`,
      [ROLE],
    );
    const allowed = [...tables.filter((name) => !CLOSED.includes(name)), ...PARTS].sort();
    expect(open.map(({ name }) => name).sort()).toEqual(allowed);
    const [role] = await owner.query(
      'SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin FROM pg_roles WHERE rolname = $1',
      [ROLE],
    );
    expect(role).toEqual({
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolcanlogin: false,
    });
  });

  it('keeps records of who did what as they are', async () => {
    for (const statement of ['UPDATE code_reads SET path = path', 'DELETE FROM code_reads']) {
      await expect(asTenant('acme').query(statement)).rejects.toThrow(/permission denied/);
    }
  });
});

describe('a connection that answered somebody', () => {
  const now = () =>
    owner.query(
      `SELECT current_user = session_user AS own, current_setting('lineprint.org_id', true) AS org_id`,
    );

  it('is as before for the next one, also after a statement that failed', async () => {
    expect(await asTenant('acme').query('SELECT current_user AS role, org_id FROM tenants')).toEqual([
      { role: ROLE, org_id: 'acme' },
    ]);
    expect(await now()).toEqual([{ own: true, org_id: '' }]);
    await expect(asTenant('acme').query('SELECT 1 / $1::int', [0])).rejects.toThrow(/division by zero/);
    await expect(asTenant('acme').query('SELECT no_such_column FROM tenants')).rejects.toThrow();
    expect(await now()).toEqual([{ own: true, org_id: '' }]);
    expect(await orgsIn(asTenant('evil-corp'), 'tenants')).toEqual(['evil-corp']);
  });

  it('runs no statement where the role is gone', async () => {
    const gone = confinedDatabase(owner, 'no_such_role').of('acme');
    await expect(gone.query('DELETE FROM teams')).rejects.toThrow(/no_such_role/);
    expect(await orgsIn(owner, 'teams')).toHaveLength(2);
  });

  it('takes an organisation’s id for a name, whatever is in it', async () => {
    for (const id of [`x'; RESET ROLE; --`, `\\'; RESET ROLE; --`, `acme' OR '1'='1`]) {
      expect(await orgsIn(asTenant(id), 'tenants')).toEqual([]);
    }
  });

  it('runs nothing where no request has named an organisation', () => {
    expect(() => confinedDatabase(owner, ROLE).query('SELECT 1')).toThrow(/no request has named one/);
  });
});

it('an error of the database holds nothing of the row that was refused', async () => {
  const refused = await owner
    .query(`INSERT INTO api_keys (prefix, org_id, hash, scopes) VALUES ($1, NULL, '\\x00', '{}')`, [
      'secret-prefix',
    ])
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'sql-23502' });
  expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain('secret-prefix');
});

it('a reader of SQL sees its organisation in the views, whatever it sets', async () => {
  const { name, password } = await grantReader(owner, newRole(), 'acme');
  const url = new URL(stores.url);
  url.username = name;
  url.password = password!;
  const reader = await openDatabase(url.href, { maxConnections: 1 });
  try {
    await reader.script(`SET lineprint.org_id = 'evil-corp'`);
    for (const view of READ_VIEWS) {
      const seen = new Set(await orgsIn(reader, view));
      seen.delete('acme');
      expect([view, [...seen]]).toEqual([view, []]);
    }
    expect(await orgsIn(reader, 'v_organisations')).toEqual(['acme']);
    await expect(reader.query('SELECT 1 FROM tenants')).rejects.toThrow(/permission denied/);
    await expect(reader.script(`SET ROLE ${ROLE}`)).rejects.toThrow(/permission denied/);
  } finally {
    await reader.close();
  }
});

describe('an owner who may not make roles', () => {
  it('secures the tables, and confines requests once an administrator has made the role', async () => {
    const [login, tenant] = [newRole(), newRole()];
    const plain = await freshDatabase();
    const url = new URL(plain.url);
    const name = url.pathname.slice(1);
    await owner.script(`CREATE ROLE ${login} LOGIN PASSWORD 'a password of the owner'`);
    await owner.script(`ALTER DATABASE ${name} OWNER TO ${login}`);
    url.username = login;
    url.password = 'a password of the owner';
    const database = await openDatabase(url.href, { maxConnections: 2 });
    try {
      await migrate(database, MIGRATIONS_DIRECTORY);
      expect(await secureRows(database, tenant)).toBe(false);
      const open = await database.query(
        `SELECT 1 FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relrowsecurity
           AND EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'org_id')`,
      );
      expect(open).toEqual([]);
      await owner.script(`CREATE ROLE ${tenant} NOLOGIN; GRANT ${tenant} TO ${login}`);
      // As several services do that start at once.
      expect(await Promise.all([secureRows(database, tenant), secureRows(database, tenant)])).toEqual([
        true,
        true,
      ]);
      await database.query(`INSERT INTO tenants (org_id, name) VALUES ('a', 'A'), ('b', 'B')`);
      expect(await orgsIn(confinedDatabase(database, tenant).of('a'), 'tenants')).toEqual(['a']);
      expect(await orgsIn(database, 'tenants')).toHaveLength(2);
    } finally {
      await database.close();
      await plain.drop();
    }
  });
});

it('the embedded database keeps organisations apart as well', async () => {
  const embedded = await openDatabase('pglite:memory');
  try {
    await migrate(embedded, MIGRATIONS_DIRECTORY);
    expect(await secureRows(embedded, ROLE)).toBe(true);
    await embedded.query(`INSERT INTO tenants (org_id, name) VALUES ('a', 'A'), ('b', 'B')`);
    const confined = confinedDatabase(embedded, ROLE).of('a');
    expect(await orgsIn(confined, 'tenants')).toEqual(['a']);
    await expect(
      confined.query(`INSERT INTO teams (org_id, team_id, name) VALUES ('b', 't', 'T')`),
    ).rejects.toThrow(/row-level security/);
    await expect(confined.query('SELECT 1 FROM api_keys')).rejects.toThrow(/permission denied/);
    expect(await orgsIn(embedded, 'tenants')).toHaveLength(2);
  } finally {
    await embedded.close();
  }
});
