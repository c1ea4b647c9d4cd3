import { Module } from '@nestjs/common';
import { DEFAULT_POLICY } from '@lineprint/contracts';
import { LazyEventLogModule } from '@lineprint/event-log';
import {
  DATABASE,
  type Database,
  ensureFirstPolicy,
  ensureTenant,
  PersistenceModule,
} from '@lineprint/persistence';
import { loadConfig, type RunningService, startService } from '@lineprint/platform';
import { QueryApiModule, serveDashboard } from '@lineprint/query-api';

@Module({ imports: [PersistenceModule, LazyEventLogModule, QueryApiModule] })
class AppModule {}

export interface DashboardServer extends RunningService {
  readonly database: Database;
}

/** query-api with the dashboard, over a database in memory with one organisation, `acme`, and nothing of it. */
export async function startDashboard(
  settings: Readonly<Record<string, string>> = {},
): Promise<DashboardServer> {
  const config = loadConfig({
    LINEPRINT_PORT: '0',
    LINEPRINT_LOG_LEVEL: 'silent',
    LINEPRINT_DATABASE_URL: 'pglite:memory',
    ...settings,
  });
  const service = await startService({
    name: 'query-api',
    module: AppModule,
    config,
    prepare: (app) => serveDashboard(app, { issuer: config.oidc?.issuer }),
  });
  const database = service.app.get<Database>(DATABASE, { strict: false });
  await ensureTenant(database, { orgId: 'acme', name: 'Acme', timeZone: 'Europe/Berlin' });
  await ensureFirstPolicy(database, 'acme', DEFAULT_POLICY);
  return { ...service, database };
}
