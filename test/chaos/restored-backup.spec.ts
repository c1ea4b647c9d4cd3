import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createApiKey, openDatabase } from '@lineprint/persistence';
import { Redis } from 'ioredis';
import { lineprintOutput } from '../programs';
import type { ServiceName } from '../stack';
import { serverUrl } from '../stores';
import { DisturbedStack } from './disturbed-stack';
import { storedTables } from './stored-state';

const run = promisify(execFile);
const COMMITS = 60;
const SERVICES: readonly ServiceName[] = [
  'ingest',
  'indexer',
  'commit-analyzer',
  'line-attributor',
  'rollup',
  'query-api',
];

// Every process starts twice.
jest.setTimeout(300_000);

/** Postgres is the truth, and Kafka has what came after its backup. */
describe('a backup of Postgres that was made of a running system', () => {
  let chaos: DisturbedStack;

  beforeAll(async () => {
    chaos = await DisturbedStack.start(COMMITS);
  });

  afterAll(async () => {
    await chaos?.stop();
  });

  const backupFile = () => join(chaos.folder, 'backup.dump');

  /** All six processes die, the database is destroyed, the backup put in its place, the processes start again. */
  async function restore(meanwhile: () => Promise<void>): Promise<void> {
    for (const service of SERVICES) chaos.stack.kill(service);
    const { databaseUrl } = chaos.stack;
    const name = new URL(databaseUrl).pathname.slice(1);
    const administration = await openDatabase(serverUrl('POSTGRES'), { maxConnections: 1 });
    try {
      await administration.script(`DROP DATABASE ${name} WITH (FORCE)`);
      await administration.script(`CREATE DATABASE ${name}`);
    } finally {
      await administration.close();
    }
    await run('pg_restore', ['--exit-on-error', '--dbname', databaseUrl, backupFile()]);
    await meanwhile();
    await Promise.all(SERVICES.map((service) => chaos.stack.restart(service)));
    await chaos.read();
  }

  async function exported(orgId: string): Promise<string> {
    const { key } = await createApiKey(chaos.database, { orgId, scopes: ['admin'] });
    const { ingest, 'query-api': queryApi } = chaos.stack.services;
    const connection = ['--url', ingest.url, '--query-url', queryApi.url, '--api-key', key];
    return lineprintOutput(['export', '--json', ...connection]);
  }

  it.each([
    ['and Redis was destroyed as well', true],
    ['though Redis knows what the restored one does not', false],
  ])('gives every number that there was before, %s', async (_, isRedisLost) => {
    const sent = await chaos.backfill.send(async () => {
      await run('pg_dump', ['--format=custom', '--file', backupFile(), chaos.stack.databaseUrl]);
    });
    await chaos.read();
    await restore(async () => {
      if (!isRedisLost) return;
      const redis = new Redis(chaos.stack.redisUrl);
      await redis.flushall();
      await redis.quit();
    });
    expect(await exported(sent.orgId)).toBe(chaos.backfill.undisturbed.exported);
    expect(await storedTables(chaos.database, sent.orgId)).toEqual(chaos.undisturbed);
  });
});
