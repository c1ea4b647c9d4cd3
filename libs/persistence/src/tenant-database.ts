import { LineprintError, type RequestTenant, tenantOfRequest } from '@lineprint/platform';
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
    private readonly role: string | null,
    private readonly tenant: () => RequestTenant,
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
    return new ConfinedDatabase(this.database, this.role, () => ({ orgId, actor: null }));
  }

  /** Until the transaction ends; so a connection that a proxy lends to somebody else keeps nothing of it. */
  private confinement(): string {
    const { orgId, actor } = this.tenant();
    const settings = `SET LOCAL lineprint.org_id = ${literal(orgId)}; SET LOCAL lineprint.actor = ${literal(actor ?? '')}`;
    return this.role === null ? settings : `${settings}; SET LOCAL ROLE ${this.role}`;
  }
}

/**
 * The database for the organisation of the request that runs.
 * @param role as `secureRows` has made it; null where none can be had: statements then name their organisation themselves
 */
export function confinedDatabase(database: Database, role: string | null): TenantDatabase {
  return new ConfinedDatabase(database, role, currentTenant);
}

/** Without an organisation every table would look empty: better no answer than a wrong one. */
function currentTenant(): RequestTenant {
  const tenant = tenantOfRequest();
  if (tenant) return tenant;
  throw new LineprintError(
    'tenant-missing',
    'A statement for one organisation ran where no request has named one: use `of` there',
  );
}

function literal(text: string): string {
  return `E'${text.replace(/[\\']/g, '\\$&')}'`;
}
