import { randomUUID } from 'node:crypto';
import {
  type Database,
  ensureTenant,
  grantReader,
  type MadeReader,
  MIGRATIONS_DIRECTORY,
  migrate,
  openDatabase,
  READ_VIEWS,
  revokeReader,
} from '@lineprint/persistence';
import { freshDatabase } from '../stores';

let stores: Awaited<ReturnType<typeof freshDatabase>>;
let owner: Database;
/** Roles are of the whole server. */
const roles: string[] = [];
beforeAll(async () => {
  stores = await freshDatabase();
  owner = await openDatabase(stores.url, { maxConnections: 2 });
  await migrate(owner, MIGRATIONS_DIRECTORY);
  for (const orgId of ['acme', 'other']) {
    await ensureTenant(owner, { orgId, name: `${orgId} Inc.` });
    await owner.query(
      `INSERT INTO policies (org_id, policy_id, body, active) VALUES ($1, 'p1', '{}', TRUE)`,
      [orgId],
    );
    await owner.query(
      `INSERT INTO ai_attribution_daily (org_id, policy_id, date, user_id, project_id, total_lines)
       VALUES ($1, 'p1', '2026-03-02', $2, 'web', 10)`,
      [orgId, `ada@${orgId}.example`],
    );
  }
});
afterAll(async () => {
  for (const role of roles) {
    await owner.script(`DROP OWNED BY ${role}`);
    await owner.script(`DROP ROLE ${role}`);
  }
  await owner.close();
  await stores.drop();
});

function newName(): string {
  const name = `reader_${randomUUID().replaceAll('-', '')}`;
  roles.push(name);
  return name;
}

/** What somebody gets with a reader's name and password. */
async function asReader<T>(
  { name, password }: MadeReader,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const url = new URL(stores.url);
  url.username = name;
  url.password = password!;
  const database = await openDatabase(url.href, { maxConnections: 1 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const people = (database: Database) => database.query('SELECT user_id FROM v_attribution_daily ORDER BY 1');

describe('a reader of SQL', () => {
  it('logs in with the password that is shown once, and sees its organisation and no other', async () => {
    const reader = await grantReader(owner, newName(), 'acme');
    expect(reader.orgIds).toEqual(['acme']);
    await asReader(reader, async (database) => {
      expect(await people(database)).toEqual([{ user_id: 'ada@acme.example' }]);
      expect(await database.query('SELECT org_id, name FROM v_organisations')).toEqual([
        { org_id: 'acme', name: 'acme Inc.' },
      ]);
    });
  });

  it('may select from every view, from no table, and change nothing', async () => {
    const reader = await grantReader(owner, newName(), 'acme');
    await asReader(reader, async (database) => {
      for (const view of READ_VIEWS) {
        await expect(database.query(`SELECT * FROM ${view} LIMIT 1`)).resolves.toBeInstanceOf(Array);
      }
      const tables = await database.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S')
           AND has_any_column_privilege(oid, 'SELECT, INSERT, UPDATE') ORDER BY 1`,
      );
      expect(tables.map(({ name }) => name)).toEqual([...READ_VIEWS].sort());
      for (const statement of [
        'SELECT * FROM api_keys',
        `INSERT INTO sql_readers (role_name, org_id) VALUES (current_user, 'other')`,
        'DELETE FROM policies',
        'CREATE TABLE mine (a int)',
      ]) {
        const written = database.transaction(async (tx) => {
          // That it is read-only by default is a lock which it can open.
          await tx.query('SET TRANSACTION READ WRITE');
          await tx.query(statement);
        });
        await expect(written).rejects.toThrow(/permission denied/);
      }
    });
  });

  it('sees nothing without an organisation, and none any more once it is taken away', async () => {
    const reader = await grantReader(owner, newName(), 'acme');
    expect(await revokeReader(owner, reader.name, 'acme')).toEqual([]);
    await asReader(reader, async (database) => {
      for (const view of READ_VIEWS) expect(await database.query(`SELECT * FROM ${view}`)).toEqual([]);
    });
    // As nobody has named one for the owner.
    expect(await people(owner)).toEqual([]);
  });

  it('cannot look at rows of others through a function that the planner would run first', async () => {
    const reader = await grantReader(owner, newName(), 'acme');
    await asReader(reader, async (database) => {
      await database.query('SET default_transaction_read_only = off');
      await database.script(`CREATE FUNCTION pg_temp.leak(text) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS
        $$ BEGIN IF $1 LIKE '%other%' THEN RAISE EXCEPTION 'seen: %', $1; END IF; RETURN TRUE; END $$`);
      const rows = await database.query(
        'SELECT user_id FROM v_attribution_daily WHERE pg_temp.leak(user_id)',
      );
      expect(rows).toEqual([{ user_id: 'ada@acme.example' }]);
    });
  });

  it('may see several organisations, and keeps its password', async () => {
    const name = newName();
    const first = await grantReader(owner, name, 'acme');
    const second = await grantReader(owner, name, 'other');
    expect(second).toEqual({ name, orgIds: ['acme', 'other'], password: null });
    expect(await asReader(first, people)).toHaveLength(2);
  });

  it('has the password that it is given, also a role that is there', async () => {
    const name = newName();
    const given = 'correct horse battery staple';
    for (const password of ['another one that is long', given]) {
      expect(await grantReader(owner, name, 'acme', password)).toMatchObject({ password: null });
    }
    expect(await asReader({ name, orgIds: [], password: given }, people)).toHaveLength(1);
    await expect(grantReader(owner, name, 'acme', 'short')).rejects.toMatchObject({
      code: 'reader-password-weak',
    });
  });

  it('has a password that no log of statements holds', async () => {
    const reader = await grantReader(owner, newName(), 'acme');
    const [row] = await owner.query<{ rolpassword: string }>(
      'SELECT rolpassword FROM pg_authid WHERE rolname = $1',
      [reader.name],
    );
    expect(row!.rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/);
  });

  it('is no role that reads everything anyway, has a plain name and an organisation that is there', async () => {
    const privileged = newName();
    await owner.script(`CREATE ROLE ${privileged}; GRANT pg_read_all_data TO ${privileged}`);
    await expect(grantReader(owner, privileged, 'acme')).rejects.toMatchObject({ code: 'reader-privileged' });
    await expect(grantReader(owner, 'postgres', 'acme')).rejects.toMatchObject({ code: 'reader-privileged' });
    await expect(grantReader(owner, 'x"; DROP ROLE y', 'acme')).rejects.toMatchObject({
      code: 'reader-name-invalid',
    });
    await expect(grantReader(owner, 'nobody', 'nowhere')).rejects.toMatchObject({ code: 'tenant-unknown' });
    expect(await owner.query(`SELECT 1 FROM pg_roles WHERE rolname = 'nobody'`)).toEqual([]);
  });
});

describe('on the embedded database', () => {
  it('the views are there, and no reader can be made', async () => {
    const embedded = await openDatabase('pglite:memory');
    try {
      await migrate(embedded, MIGRATIONS_DIRECTORY);
      await ensureTenant(embedded, { orgId: 'acme', name: 'Acme' });
      await embedded.query('INSERT INTO sql_readers (role_name, org_id) VALUES (current_user, $1)', ['acme']);
      for (const view of READ_VIEWS) await embedded.query(`SELECT * FROM ${view}`);
      expect(await embedded.query('SELECT name FROM v_organisations')).toEqual([{ name: 'Acme' }]);
      await expect(grantReader(embedded, 'grafana', 'acme')).rejects.toMatchObject({
        code: 'reader-needs-postgres',
      });
    } finally {
      await embedded.close();
    }
  });
});
