import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LineprintError } from '@lineprint/platform';
import { lockDirectory } from './directory-lock';

const isCluster = (directory: string) => existsSync(join(directory, 'PG_VERSION'));

/**
 * Copies the directory of an embedded database, the log in it included, to a new place.
 *
 * @param url `pglite:DIRECTORY`, which no process may have open
 * @throws LineprintError `backup-elsewhere` for a database that is none of a directory, `backup-exists`, `database-missing`;
 *   ConfigError while a process has it open
 */
export async function backUpDirectory(url: string, to: string): Promise<void> {
  const directory = directoryOf(url);
  if (!isCluster(directory)) throw missing(directory);
  if (existsSync(to)) throw new LineprintError('backup-exists', `${to} is there already: give a new place`);
  const lock = await lockDirectory(directory);
  try {
    await copyWhole(directory, resolve(to));
  } finally {
    await lock.release();
  }
}

/**
 * Puts a copy of an embedded database in its place. What is there is put aside, not deleted.
 *
 * @returns where what was there is now, or null where nothing was
 * @throws LineprintError `backup-elsewhere`, `database-missing` where the copy is none; ConfigError while a process has the
 *   directory open
 */
export async function restoreDirectory(from: string, url: string, now: Date): Promise<string | null> {
  const directory = directoryOf(url);
  if (!isCluster(from)) throw missing(from);
  await mkdir(dirname(directory), { recursive: true });
  const lock = await lockDirectory(directory);
  try {
    const aside = existsSync(directory)
      ? `${directory}.before-${now.toISOString().replace(/[^\d]/g, '').slice(0, 14)}`
      : null;
    const copy = `${directory}.restored`;
    await rm(copy, { recursive: true, force: true });
    await copyWhole(resolve(from), copy);
    if (aside !== null) await rename(directory, aside);
    await rename(copy, directory);
    return aside;
  } finally {
    await lock.release();
  }
}

function directoryOf(url: string): string {
  const directory = /^pglite:(?!memory$)(.+)/.exec(url)?.[1];
  if (directory !== undefined) return resolve(directory);
  throw new LineprintError(
    'backup-elsewhere',
    'Only the embedded database is copied like this: use pg_dump and pg_restore for Postgres (docs/backup.md)',
  );
}

function missing(directory: string): LineprintError {
  return new LineprintError('database-missing', `There is no database in ${directory}`);
}

/** What is at the place is all of it, or nothing. */
async function copyWhole(from: string, to: string): Promise<void> {
  const unfinished = `${to}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(dirname(to), { recursive: true });
  await cp(from, unfinished, { recursive: true, preserveTimestamps: true });
  await rename(unfinished, to);
}
