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
