import { Gauge, type Registry } from 'prom-client';
import type { Database } from './database';
import { PostgresDatabase } from './postgres-database';

/** What Prometheus sees of a process's pool; nothing of PGlite, whose one connection needs none. */
export function exposeConnections(registry: Registry, database: Database): void {
  new Gauge({
    name: 'lineprint_database_connections',
    help: 'Connections of the pool that are busy or idle, and requests that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      if (!(database instanceof PostgresDatabase)) return;
      const { totalCount, idleCount, waitingCount } = database.pool;
      this.set({ state: 'busy' }, totalCount - idleCount);
      this.set({ state: 'idle' }, idleCount);
      this.set({ state: 'waiting' }, waitingCount);
    },
  });
}
