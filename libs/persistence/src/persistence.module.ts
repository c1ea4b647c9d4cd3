import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import {
  type Config,
  CONFIG,
  ConfigError,
  CREDENTIALS,
  type Credentials,
  HealthRegistry,
  HttpProblem,
  type Logger,
  LOGGER,
  METRICS,
  TokenVerifier,
} from '@lineprint/platform';
import type { Registry } from 'prom-client';
import type { Database } from './database';
import { exposeConnections } from './connection-metrics';
import { openDatabase } from './open-database';
import { MIGRATIONS_DIRECTORY, migrate } from './migrate';
import { findApiKey } from './api-keys';
import { secureRows } from './row-security';
import { confinedDatabase, type TenantDatabase } from './tenant-database';
import { loadTenant } from './tenants';
import { DATABASE, TENANT_DATABASE } from './tokens';

/** The process's one database, migrated, and the credentials it holds. */
@Global()
@Module({
  providers: [
    {
      provide: DATABASE,
      inject: [CONFIG, HealthRegistry, METRICS],
      useFactory: async (config: Config, health: HealthRegistry, metrics: Registry): Promise<Database> => {
        const database = await openDatabase(config.databaseUrl);
        await migrate(database, MIGRATIONS_DIRECTORY);
        health.ready('database', () => database.ping());
        exposeConnections(metrics, database);
        return database;
      },
    },
    {
      provide: TENANT_DATABASE,
      inject: [DATABASE, CONFIG, LOGGER],
      useFactory: openTenantDatabase,
    },
    {
      provide: CREDENTIALS,
      inject: [DATABASE, CONFIG],
      useFactory: (database: Database, { oidc }: Config): Credentials => ({
        ...cachedCredentials(database),
        ...personCredentials(database, oidc && new TokenVerifier(oidc)),
      }),
    },
  ],
  exports: [DATABASE, TENANT_DATABASE, CREDENTIALS],
})
export class PersistenceModule implements OnApplicationShutdown {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  // The last hook of Nest's shutdown: consumers have drained by now.
  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }
}

async function openTenantDatabase(
  database: Database,
  { rowSecurity: { mode, role } }: Config,
  logger: Logger,
): Promise<TenantDatabase> {
  if (mode === 'off') return confinedDatabase(database, null);
  if (await secureRows(database, role)) return confinedDatabase(database, role);
  const reason =
    `The database's user may not make the role ${role}, with which Postgres keeps organisations apart. ` +
    `Let an administrator run: CREATE ROLE ${role} NOLOGIN; GRANT ${role} TO this user;`;
  if (mode === 'require') throw new ConfigError(reason);
  logger.warn(reason);
  return confinedDatabase(database, null);
}

/** How long a revoked key may still pass. */
const CREDENTIAL_CACHE_MS = 10_000;
const CREDENTIAL_CACHE_SIZE = 10_000;

function cachedCredentials(database: Database): Pick<Credentials, 'findApiKey'> {
  const cache = new Map<string, { at: number; principal: Awaited<ReturnType<typeof findApiKey>> }>();
  return {
    async findApiKey(key) {
      const hit = cache.get(key);
      if (hit && Date.now() - hit.at < CREDENTIAL_CACHE_MS) return hit.principal;
      const principal = await findApiKey(database, key);
      if (cache.size >= CREDENTIAL_CACHE_SIZE) cache.clear();
      // Unknown keys are not remembered: a new key works at once, and guesses cost no memory.
      if (principal) cache.set(key, { at: Date.now(), principal });
      else cache.delete(key);
      return principal;
    },
  };
}

/** People's tokens, of organisations that there are. */
function personCredentials(
  database: Database,
  verifier: TokenVerifier | undefined,
): Pick<Credentials, 'verifyToken'> {
  return {
    async verifyToken(token) {
      if (!verifier) return null;
      const principal = await verifier.verify(token);
      if (await loadTenant(database, principal.orgId)) return principal;
      throw new HttpProblem(
        403,
        'organisation-unknown',
        'Forbidden',
        `Your organisation ${principal.orgId} is not set up here. Ask whoever runs Lineprint.`,
      );
    },
  };
}
