import { LineprintError, tenantOfRequest } from '@lineprint/platform';
import type { Database, Row, SqlValue, Transaction } from './database';
import { PostgresDatabase } from './postgres-database';

/**
 * The database as whoever answers a request uses it: each statement runs as a role to which Postgres shows one
 * organisation's rows (row-security.ts), whatever the statement asks for.
 */
export interface TenantDatabase extends Database {
  /** For one organisation, also where no request runs: a stream goes on after its handler has answered. */
  of(orgId: string): Database;
}

class ConfinedDatabase implements TenantDatabase {
  readonly kind: Database['kind'];

  constructor(
    private readonly database: Database,
    private readonly role: string,
    private readonly orgId: () => string,
  ) {
    this.kind = database.kind;
  }

  query<R extends Row = Row>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    const { database } = this;
    if (database instanceof PostgresDatabase) return database.queryWithin(this.confinement(), sql, params);
    return this.transaction((tx) => tx.query<R>(sql, params));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const confinement = this.confinement();
    return this.database.transaction(async (tx) => {
      await tx.script(confinement);
      return work(tx);
    });
  }

  script(sql: string): Promise<void> {
    return this.transaction((tx) => tx.script(sql));
  }

  ping(): Promise<void> {
    return this.database.ping();
  }

  close(): Promise<void> {
    return this.database.close();
  }

  of(orgId: string): Database {
    return new ConfinedDatabase(this.database, this.role, () => orgId);
  }

  /** Until the transaction ends; so a connection that a proxy lends to somebody else keeps nothing of it. */
  private confinement(): string {
    return `SET LOCAL lineprint.org_id = ${literal(this.orgId())}; SET LOCAL ROLE ${this.role}`;
  }
}

/** The database for the organisation of the request that runs. @param role as `secureRows` has made it */
export function confinedDatabase(database: Database, role: string): TenantDatabase {
  return new ConfinedDatabase(database, role, currentTenant);
}

/** The same without row-level security, where no role can be had: statements name their organisation themselves. */
export function unconfinedDatabase(database: Database): TenantDatabase {
  return {
    kind: database.kind,
    query: (sql, params) => database.query(sql, params),
    transaction: (work) => database.transaction(work),
    script: (sql) => database.script(sql),
    ping: () => database.ping(),
    close: () => database.close(),
    of: () => database,
  };
}

/** Without an organisation every table would look empty: better no answer than a wrong one. */
function currentTenant(): string {
  const orgId = tenantOfRequest();
  if (orgId !== undefined) return orgId;
  throw new LineprintError(
    'tenant-missing',
    'A statement for one organisation ran where no request has named one: use `of` there',
  );
}

function literal(text: string): string {
  return `E'${text.replace(/[\\']/g, '\\$&')}'`;
}
