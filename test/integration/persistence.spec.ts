import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '@lineprint/persistence';
import { databaseConformance } from '../../libs/persistence/src/conformance';

function administrativeUrl(): string {
  const url = process.env['LINEPRINT_TEST_POSTGRES_URL'];
  if (!url) {
    throw new Error(
      'LINEPRINT_TEST_POSTGRES_URL must name a Postgres in which databases may be created; `npm test` starts one',
    );
  }
  return url;
}

/** A database for this file alone. */
const name = `persistence_${randomUUID().replaceAll('-', '')}`;
function url(): string {
  const own = new URL(administrativeUrl());
  own.pathname = `/${name}`;
  return own.href;
}

let administration: Database | undefined;
beforeAll(async () => {
  administration = await openDatabase(administrativeUrl(), { maxConnections: 1 });
  await administration.script(`CREATE DATABASE ${name}`);
});
afterAll(async () => {
  await administration?.script(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await administration?.close();
});

databaseConformance('postgres', () => openDatabase(url()));

describe('postgres database', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase(url(), { maxConnections: 2 });
  });
  afterAll(() => database.close());

  it('asks for another try when its connection breaks inside a transaction, and then works again', async () => {
    const broken = database.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await administration!.query('SELECT pg_terminate_backend($1)', [row!.pid]);
      await tx.query('SELECT 1');
    });
    await expect(broken).rejects.toMatchObject({ code: 'database-unavailable', transient: true });
    await expect(database.ping()).resolves.toBeUndefined();
  });

  it.each<[string, (own: URL) => void]>([
    ['a password that is not valid any more', (own) => (own.password = 'wrong')],
    ['a database that is not there', (own) => (own.pathname = '/nowhere')],
    ['a server without TLS', (own) => own.searchParams.set('sslmode', 'require')],
  ])('asks for another try with %s: no record is to blame', async (_what, change) => {
    const own = new URL(url());
    change(own);
    const shut = await openDatabase(own.href, { maxConnections: 1 });
    const unavailable = { code: 'database-unavailable', transient: true };
    await expect(shut.query('SELECT 1')).rejects.toMatchObject(unavailable);
    await expect(shut.script('SELECT 1')).rejects.toMatchObject(unavailable);
    await expect(shut.transaction((tx) => tx.query('SELECT 1'))).rejects.toMatchObject(unavailable);
    await shut.close();
  });

  it('asks for another try where it may not do something', async () => {
    const role = `reader_${randomUUID().replaceAll('-', '')}`;
    await database.script(`CREATE TABLE conformance_secret (id INT); CREATE ROLE ${role}`);
    const refused = database.transaction(async (tx) => {
      await tx.script(`SET LOCAL ROLE ${role}`);
      await tx.query('SELECT * FROM conformance_secret');
    });
    await expect(refused).rejects.toMatchObject({ code: 'database-unavailable', transient: true });
    await database.script(`DROP ROLE ${role}`);
  });

  it('survives that its idle connections break', async () => {
    await Promise.all([database.ping(), database.ping()]);
    await administration!.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND state = $2',
      [name, 'idle'],
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await database.query('SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  });

  it('tells a deadlock as a conflict to try again, and loses nothing of the other transaction', async () => {
    await database.script(`
      CREATE TABLE conformance_deadlock (id INT PRIMARY KEY, n INT);
      INSERT INTO conformance_deadlock VALUES (1, 0), (2, 0)`);
    let arrived = 0;
    let bothArrived = () => undefined as void;
    const both = new Promise<void>((resolve) => (bothArrived = resolve));
    const crosswise = (first: number, second: number) =>
      database.transaction(async (tx) => {
        await tx.query('UPDATE conformance_deadlock SET n = n + 1 WHERE id = $1', [first]);
        if (++arrived === 2) bothArrived();
        await both;
        await tx.query('UPDATE conformance_deadlock SET n = n + 1 WHERE id = $1', [second]);
      });
    const outcomes = await Promise.allSettled([crosswise(1, 2), crosswise(2, 1)]);
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(failed).toHaveLength(1);
    expect(failed[0]!.reason).toMatchObject({ code: 'database-conflict', transient: true });
    expect(await database.query('SELECT SUM(n) AS n FROM conformance_deadlock')).toEqual([{ n: 2 }]);
  });
});
