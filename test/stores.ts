import { randomUUID } from 'node:crypto';
import { openDatabase } from '@lineprint/persistence';
import { type Config, loadConfig } from '@lineprint/platform';

/** The stores of one test: fresh, and removed by `drop`. */
export interface TestStores {
  readonly config: Config;
  drop(): Promise<void>;
}

/** @throws Error when a real server's URL is missing: a suite without its servers has failed. */
export function serverUrl(name: 'KAFKA' | 'REDIS' | 'POSTGRES'): string {
  const url = process.env[`LINEPRINT_TEST_${name}_URL`];
  if (!url) throw new Error(`LINEPRINT_TEST_${name}_URL must name a server; \`npm test\` starts one`);
  return url;
}

/** A database of its own on the test's Postgres. */
export async function freshDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const administrative = serverUrl('POSTGRES');
  const administration = await openDatabase(administrative, { maxConnections: 1 });
  await administration.script(`CREATE DATABASE ${name}`);
  const url = new URL(administrative);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      await administration.script(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await administration.close();
    },
  };
}

const quiet = { LINEPRINT_PORT: '0', LINEPRINT_LOG_LEVEL: 'silent' };

export async function embeddedStores(settings: Record<string, string> = {}): Promise<TestStores> {
  return {
    config: loadConfig({ ...quiet, LINEPRINT_DATABASE_URL: 'pglite:memory', ...settings }),
    drop: () => Promise.resolve(),
  };
}
