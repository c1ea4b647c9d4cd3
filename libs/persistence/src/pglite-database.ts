import { PGlite } from '@electric-sql/pglite';
import { existsSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { clusterTemplate } from './cluster-template';
import type { Database, Row, SqlValue, Transaction } from './database';
import { databaseError, fromDriver } from './database-error';
import { lockDirectory, type DirectoryLock } from './directory-lock';
import { PGliteStatements } from './pglite-statements';
import { refuseInsideTransaction, runWork } from './transaction';

/** Statements between two looks at which tables have grown. */
const STATISTICS_EVERY = 1_000;

/** Tables, partitions among them, that have become half as large again since their statistics were gathered. */
const GROWN = `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname = 'public'
    AND pg_relation_size(c.oid) / current_setting('block_size')::int > 1.5 * GREATEST(c.relpages, 0) + 8`;

/**
 * Postgres in this process, on a directory or in memory. It has one connection: a transaction keeps every
 * other query waiting until it ends.
 */
export class PGliteDatabase implements Database {
  readonly kind = 'pglite';
  private closing: Promise<void> | undefined;
  private readonly statements: PGliteStatements;
  private asked = 0;

  private constructor(
    /** For Prisma's adapter only. */
    readonly pglite: PGlite,
    private readonly lock: DirectoryLock | undefined,
  ) {
    this.statements = new PGliteStatements(pglite);
  }

  static async inMemory(): Promise<PGliteDatabase> {
    return new PGliteDatabase(await openCluster(undefined), undefined);
  }

  /** Throws a ConfigError while another process has the directory open. */
  static async onDisk(path: string): Promise<PGliteDatabase> {
    await mkdir(resolve(path), { recursive: true });
    const directory = await realpath(resolve(path));
    const lock = await lockDirectory(directory);
    try {
      return new PGliteDatabase(await openCluster(directory), lock);
    } catch (error) {
      await lock.release();
      throw databaseError(error);
    }
  }

  async query<R extends Row = Row>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    refuseInsideTransaction(this);
    await this.keepStatistics();
    return (await fromDriver(this.single(sql, params))) as R[];
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    refuseInsideTransaction(this);
    await this.keepStatistics();
    return fromDriver(
      this.pglite.transaction((tx) =>
        runWork(
          this,
          {
            query: (sql, params) => this.statements.run(sql, params),
            script: async (sql) => {
              await tx.exec(sql);
            },
          },
          work,
        ),
      ),
    );
  }

  /** A statement that is no part of a transaction: it waits for the one that runs. */
  private async single(sql: string, params: readonly SqlValue[]): Promise<Row[]> {
    await this.pglite._checkReady();
    return this.pglite._runExclusiveTransaction(async () => {
      const rows = await this.statements.run(sql, params);
      await this.pglite.syncToFs();
      return rows;
    });
  }

  async script(sql: string): Promise<void> {
    refuseInsideTransaction(this);
    await fromDriver(this.pglite.exec(sql));
  }

  /**
   * A server's autovacuum does this. Without statistics the planner takes every table for one of a few rows, and any of
   * its indexes for as good as another.
   */
  private async keepStatistics(): Promise<void> {
    if (++this.asked % STATISTICS_EVERY !== 0) return;
    // In one transaction: nobody drops a table between the two.
    await fromDriver(
      this.pglite.transaction(async (tx) => {
        const { rows } = await tx.query<{ name: string }>(GROWN);
        if (rows.length > 0) await tx.exec(`ANALYZE ${rows.map(({ name }) => name).join(', ')}`);
      }),
    );
  }

  async ping(): Promise<void> {
    await this.query('SELECT 1');
  }

  close(): Promise<void> {
    this.closing ??= this.pglite.close().finally(() => this.lock?.release());
    return this.closing;
  }
}

/** @param directory undefined for a cluster in memory */
async function openCluster(directory: string | undefined): Promise<PGlite> {
  const isNew = directory === undefined || !existsSync(join(directory, 'PG_VERSION'));
  const loadDataDir = isNew ? await clusterTemplate() : undefined;
  const pglite = await PGlite.create({
    ...(directory !== undefined && { dataDir: directory, relaxedDurability: true }),
    ...(loadDataDir && { loadDataDir }),
  });
  // A plan that was made while a table was small, and kept, would read the whole table once it is large.
  await pglite.exec('SET plan_cache_mode = force_custom_plan');
  return pglite;
}
