import { Pool, type PoolClient } from 'pg';
import type { Database, Row, SqlValue, Transaction } from './database';
import { databaseError, fromDriver } from './database-error';
import { encodeParameter, parserOf } from './sql-values';
import { refuseInsideTransaction, runWork } from './transaction';

const CONNECT_TIMEOUT_MS = 5_000;

const types = { getTypeParser: parserOf } as { getTypeParser: typeof import('pg').types.getTypeParser };

function statement(sql: string, params: readonly SqlValue[]) {
  return { text: sql, values: params.map(encodeParameter), types };
}

/**
 * No statement here runs long enough to be worth compiling, but the planner thinks so of one that looks into many
 * partitions: the compilation took 95 of 100 ms of a look-up of snippets.
 */
const SESSION = "SET TIME ZONE 'UTC'; SET jit = off";

/** Postgres 15 or later through a pool of connections, each with its session in UTC. */
export class PostgresDatabase implements Database {
  readonly kind = 'postgres';
  /** For Prisma's adapter and what is measured only. */
  readonly pool: Pool;
  private closing: Promise<void> | undefined;

  constructor(url: string, maxConnections: number) {
    this.pool = new Pool({
      connectionString: url,
      max: maxConnections,
      application_name: 'lineprint',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      // `queryWithin` sends its three statements at once
      pipeline: true,
      onConnect: (client) => client.query(SESSION),
    });
    // A connection that breaks tells whoever uses it next; without listeners it would end the process.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async query<R extends Row = Row>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    refuseInsideTransaction(this);
    const result = await fromDriver(this.pool.query<R>(statement(sql, params)));
    return result.rows;
  }

  /**
   * Runs one statement in a transaction of its own behind a script without parameters, in one round trip. Where the
   * script fails, the statement does not run: the transaction that it begins with refuses it.
   */
  async queryWithin<R extends Row>(script: string, sql: string, params: readonly SqlValue[]): Promise<R[]> {
    refuseInsideTransaction(this);
    const client = await fromDriver(this.pool.connect());
    const sent = await Promise.allSettled([
      client.query(`BEGIN; ${script}`),
      client.query<R>(statement(sql, params)),
      client.query('COMMIT'),
    ]);
    const failed = sent.find((part) => part.status === 'rejected');
    // Whoever comes next must find no transaction: one that could not be ended is dropped with its connection.
    client.release(sent[2].status === 'rejected');
    if (failed) throw databaseError(failed.reason);
    return sent[1].status === 'fulfilled' ? sent[1].value.rows : [];
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    refuseInsideTransaction(this);
    const client = await fromDriver(this.pool.connect());
    let broken = false;
    try {
      await client.query('BEGIN');
      const result = await runWork(this, session(client), work);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      broken = !(await rolledBack(client));
      throw databaseError(error);
    } finally {
      client.release(broken);
    }
  }

  async script(sql: string): Promise<void> {
    refuseInsideTransaction(this);
    await fromDriver(this.pool.query(sql));
  }

  async ping(): Promise<void> {
    await this.query('SELECT 1');
  }

  close(): Promise<void> {
    this.closing ??= this.pool.end();
    return this.closing;
  }
}

function session(client: PoolClient) {
  return {
    query: async (sql: string, params: readonly SqlValue[]) =>
      (await client.query<Row>(statement(sql, params))).rows,
    script: async (sql: string) => {
      await client.query(sql);
    },
  };
}

async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
