import { ConfigError } from '@lineprint/platform';
import type { Database } from './database';
import { PGliteDatabase } from './pglite-database';
import { PostgresDatabase } from './postgres-database';

const DEFAULT_MAX_CONNECTIONS = 10;

/**
 * Opens the database that a URL names: `postgres://…` or `postgresql://…` (connects at the first query),
 * `pglite:<directory>` (created if need be; one process at a time), `pglite:memory`.
 * Throws a ConfigError for any other URL and for a directory that another process has open.
 */
export async function openDatabase(
  url: string,
  options: { maxConnections?: number } = {},
): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(url)) {
    return new PostgresDatabase(url, options.maxConnections ?? DEFAULT_MAX_CONNECTIONS);
  }
  if (url === 'pglite:memory') return PGliteDatabase.inMemory();
  if (url.startsWith('pglite:') && url.length > 'pglite:'.length) {
    return PGliteDatabase.onDisk(url.slice('pglite:'.length));
  }
  const scheme = url.split(':')[0];
  throw new ConfigError(
    `A database URL starts with postgres:// or pglite: (pglite:<directory>, pglite:memory), not with ${scheme}:`,
  );
}
