import { LineprintError } from '@lineprint/platform';
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Database, Queryable, Transaction } from './database';

/** The workspace's migrations; `src` and `dist` lie equally deep. */
export const MIGRATIONS_DIRECTORY = resolve(__dirname, '../../../prisma/migrations');

/** The advisory lock that `prisma migrate` takes, so that it and we exclude each other. */
const PRISMA_MIGRATE_LOCK = 72707369;

/** As `prisma migrate` creates it. */
const MIGRATIONS_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                   VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum             VARCHAR(64) NOT NULL,
    finished_at          TIMESTAMPTZ,
    migration_name       VARCHAR(255) NOT NULL,
    logs                 TEXT,
    rolled_back_at       TIMESTAMPTZ,
    started_at           TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count  INTEGER NOT NULL DEFAULT 0
  )`;

interface Migration {
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, in hex, as Prisma computes it. */
  readonly checksum: string;
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(directory, name, 'migration.sql'));
      const checksum = createHash('sha256').update(bytes).digest('hex');
      return { name, sql: bytes.toString('utf8'), checksum };
    }),
  );
}

/** True if the database has the migration already. */
async function isApplied(tx: Transaction, migration: Migration): Promise<boolean> {
  const [row] = await tx.query<{ checksum: string; finished: boolean }>(
    `SELECT checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations
     WHERE migration_name = $1 AND rolled_back_at IS NULL ORDER BY started_at DESC LIMIT 1`,
    [migration.name],
  );
  if (row === undefined) return false;
  if (!row.finished) {
    throw new LineprintError(
      'migration-unfinished',
      `Migration ${migration.name} was begun by another tool and did not finish: resolve it with \`prisma migrate resolve\``,
    );
  }
  if (row.checksum !== migration.checksum) {
    throw new LineprintError(
      'migration-changed',
      `Migration ${migration.name} was changed after it had been applied: restore its file and put the change into a new migration`,
    );
  }
  return true;
}

/**
 * Applies the migrations of a directory in order, each in a transaction of its own under one advisory lock,
 * so that several replicas may start at once and a migration that fails leaves nothing behind. Applied ones
 * are recorded as `prisma migrate` does. Throws `migration-changed`, `migration-unfinished`, or the
 * database's own error.
 */
export async function migrate(
  database: Database,
  directory: string,
): Promise<{ applied: string[]; already: string[] }> {
  const applied: string[] = [];
  const already: string[] = [];
  for (const migration of await readMigrations(directory)) {
    await database.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [PRISMA_MIGRATE_LOCK]);
      await tx.script(MIGRATIONS_TABLE);
      if (await isApplied(tx, migration)) {
        already.push(migration.name);
        return;
      }
      await tx.script(migration.sql);
      await tx.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
         VALUES ($1, $2, $3, NOW(), clock_timestamp(), 1)`,
        [randomUUID(), migration.checksum, migration.name],
      );
      applied.push(migration.name);
    });
  }
  return { applied, already };
}

/** Which migrations of a directory a database has, and what is wrong with those that it has. */
export interface MigrationState {
  readonly pending: readonly string[];
  /** Begun by another tool, and not finished. */
  readonly unfinished: readonly string[];
  /** Applied with other content than their files have. */
  readonly changed: readonly string[];
  /** Applied, but not in the directory: a newer release has been here. */
  readonly unknown: readonly string[];
}

/** Compares a database with a directory of migrations, and changes nothing. */
export async function migrationState(queryable: Queryable, directory: string): Promise<MigrationState> {
  const migrations = await readMigrations(directory);
  const [table] = await queryable.query<{ exists: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists",
  );
  const rows = table!.exists
    ? await queryable.query<{ name: string; checksum: string; finished: boolean }>(
        `SELECT DISTINCT ON (migration_name) migration_name AS name, checksum, finished_at IS NOT NULL AS finished
           FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name, started_at DESC`,
      )
    : [];
  const applied = new Map(rows.map((row) => [row.name, row]));
  const names = (wanted: (migration: Migration) => boolean) =>
    migrations.filter(wanted).map(({ name }) => name);
  return {
    pending: names(({ name }) => !applied.has(name)),
    unfinished: names(({ name }) => applied.get(name)?.finished === false),
    changed: names(({ name, checksum }) => (applied.get(name)?.checksum ?? checksum) !== checksum),
    unknown: [...applied.keys()].filter((name) => !migrations.some((known) => known.name === name)).sort(),
  };
}
