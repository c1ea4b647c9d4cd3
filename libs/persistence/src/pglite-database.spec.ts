import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseConformance } from './conformance';
import { openDatabase } from './open-database';

databaseConformance('pglite', () => openDatabase('pglite:memory'));

describe('pglite on disk', () => {
  let directory: string;
  beforeAll(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'lineprint-pglite-')), 'data');
    // Creating the directory takes seconds, opening it again a moment.
    await (await openDatabase(`pglite:${directory}`)).close();
  }, 60_000);
  afterAll(() => rm(join(directory, '..'), { recursive: true }));

  it('keeps its tables from one opening to the next', async () => {
    const first = await openDatabase(`pglite:${directory}`);
    await first.script('CREATE TABLE kept (n INT); INSERT INTO kept VALUES (7)');
    await first.close();
    await first.close();
    await expect(first.ping()).rejects.toMatchObject({ code: 'database-unavailable', transient: true });
    const second = await openDatabase(`pglite:${directory}`);
    expect(await second.query('SELECT n FROM kept')).toEqual([{ n: 7 }]);
    await second.close();
  });

  it('gathers the statistics of tables that grow', async () => {
    const database = await openDatabase(`pglite:${directory}`);
    await database.script('CREATE TABLE grown AS SELECT g AS n FROM generate_series(1, 20000) g');
    for (let i = 0; i < 1_000; i++) await database.ping();
    const [known] = await database.query(
      "SELECT reltuples::int AS rows FROM pg_class WHERE oid = 'grown'::regclass",
    );
    expect(known).toEqual({ rows: 20_000 });
    await database.close();
  });

  it('is opened once at a time in a process', async () => {
    const database = await openDatabase(`pglite:${directory}`);
    await expect(openDatabase(`pglite:${directory}/../data`)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('in use'),
    });
    await database.close();
  });

  it('is refused while another process has it, and taken over when that process is gone', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(other, 'spawn');
    await writeFile(`${directory}.lock`, String(other.pid));
    await expect(openDatabase(`pglite:${directory}`)).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining(`process ${other.pid}`),
    });
    other.kill('SIGKILL');
    await once(other, 'exit');
    const database = await openDatabase(`pglite:${directory}`);
    await database.ping();
    await database.close();
  });

  it('is taken over when a later process has the pid of the one that held it', async () => {
    // A living process that started at another time: what a killed container leaves to its successor.
    await writeFile(`${directory}.lock`, `${process.ppid} 1`);
    const database = await openDatabase(`pglite:${directory}`);
    await database.close();
  });
});

describe('a statement that is kept parsed', () => {
  it('is parsed anew once it has failed', async () => {
    const database = await openDatabase('pglite:memory');
    const select = () => database.query('SELECT * FROM later');
    await expect(select()).rejects.toMatchObject({ code: 'sql-42P01' });
    await database.script('CREATE TABLE later (n INT); INSERT INTO later VALUES (1)');
    expect(await select()).toEqual([{ n: 1 }]);
    await database.script(`ALTER TABLE later ADD COLUMN t TEXT DEFAULT 'a'`);
    await expect(select()).rejects.toMatchObject({ code: 'sql-0A000' });
    expect(await select()).toEqual([{ n: 1, t: 'a' }]);
    await database.close();
  });
});

describe('openDatabase', () => {
  it('says which URLs it takes', async () => {
    await expect(openDatabase('mysql://localhost/x')).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('postgres:// or pglite:'),
    });
  });

  it('asks for another try when nothing listens where Postgres should be', async () => {
    const database = await openDatabase('postgres://nobody@127.0.0.1:1/nothing');
    const unavailable = { code: 'database-unavailable', transient: true };
    await expect(database.ping()).rejects.toMatchObject(unavailable);
    await expect(database.transaction(async () => 1)).rejects.toMatchObject(unavailable);
    await database.close();
    await expect(database.ping()).rejects.toMatchObject(unavailable);
  });
});
