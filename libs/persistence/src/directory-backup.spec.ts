import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backUpDirectory, restoreDirectory } from './directory-backup';
import { openDatabase } from './open-database';

// A database takes seconds to start on a busy machine.
jest.setTimeout(120_000);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lineprint-backup-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('a copy of an embedded database gives what was there when it was made, and puts what came later aside', async () => {
  const url = `pglite:${join(folder, 'database')}`;
  const copy = join(folder, 'copies', 'monday');
  const database = await openDatabase(url);
  await database.script("CREATE TABLE kept (word TEXT); INSERT INTO kept VALUES ('before')");
  await expect(backUpDirectory(url, copy)).rejects.toThrow(/in use by process/);
  await database.close();
  await backUpDirectory(url, copy);
  await expect(backUpDirectory(url, copy)).rejects.toMatchObject({ code: 'backup-exists' });

  const later = await openDatabase(url);
  await later.script("INSERT INTO kept VALUES ('after')");
  await expect(restoreDirectory(copy, url, new Date(0))).rejects.toThrow(/in use by process/);
  await later.close();
  const aside = join(folder, 'database.before-19700101000000');
  expect(await restoreDirectory(copy, url, new Date(0))).toBe(aside);
  const restored = await openDatabase(url);
  expect(await restored.query('SELECT word FROM kept')).toEqual([{ word: 'before' }]);
  await restored.close();
  expect((await readdir(folder)).sort()).toEqual(['copies', 'database', 'database.before-19700101000000']);
  const elsewhere = `pglite:${join(folder, 'new', 'database')}`;
  expect(await restoreDirectory(aside, elsewhere, new Date(0))).toBeNull();
});

it('neither copies what is no database nor a server’s', async () => {
  await expect(backUpDirectory('pglite:/nowhere', join(folder, 'x'))).rejects.toMatchObject({
    code: 'database-missing',
  });
  await expect(backUpDirectory('postgres://db/lineprint', 'x')).rejects.toMatchObject({
    code: 'backup-elsewhere',
  });
});
