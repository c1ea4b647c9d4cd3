import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { TOPICS } from '@lineprint/contracts';
import { createApiKey, openDatabase } from '@lineprint/persistence';
import { Redis } from 'ioredis';
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { lineprint, lineprintOutput } from '../programs';
import type { ServiceName } from '../stack';
import { serverUrl } from '../stores';
import { DisturbedStack } from './disturbed-stack';
import { until } from './failpoint';
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

let chaos: DisturbedStack;

beforeAll(async () => {
  chaos = await DisturbedStack.start(COMMITS);
});

afterAll(async () => {
  await chaos?.stop();
});

interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'error' | 'skipped';
  readonly detail: string;
}

/** The doctor inside of the installation. @returns its exit code, and what it found that is not well, by name */
async function doctor(
  env: Record<string, string> = {},
  ...options: string[]
): Promise<{ code: number | null; names: string[]; wrong: Record<string, string> }> {
  const { databaseUrl, kafkaUrl, redisUrl } = chaos.stack;
  const stores = {
    LINEPRINT_DATABASE_URL: databaseUrl,
    LINEPRINT_LOG_URL: kafkaUrl,
    LINEPRINT_RECALL_URL: redisUrl,
  };
  const { code, stdout, stderr } = await lineprint(['doctor', '--json', ...options], { ...stores, ...env });
  if (!stdout) throw new Error(`The doctor said:\n${stderr}`);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return {
    code,
    names: findings.map(({ name }) => name),
    wrong: Object.fromEntries(
      findings
        .filter(({ state }) => state !== 'ok')
        .map(({ name, state, detail }) => [name, `${state}: ${detail}`]),
    ),
  };
}

/** Lends a server's port. */
async function listening<T>(server: Server, use: (port: number) => Promise<T>): Promise<T> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

async function withKafka<T>(use: (kafka: Kafka) => Promise<T>): Promise<T> {
  const [broker] = chaos.stack.kafkaUrl.replace('kafka://', '').split('/');
  return use(new Kafka({ brokers: [broker!], logLevel: logLevel.NOTHING }));
}

async function keepActivityFor(milliseconds: number): Promise<void> {
  await withKafka(async (kafka) => {
    const admin = kafka.admin();
    await admin.connect();
    const configEntries = [{ name: 'retention.ms', value: String(milliseconds) }];
    const resources = [{ type: ConfigResourceTypes.TOPIC, name: TOPICS.activity, configEntries }];
    await admin.alterConfigs({ validateOnly: false, resources });
    await admin.disconnect();
  });
}

describe('the doctor of an installation', () => {
  it('finds nothing where all is well', async () => {
    const { code, names, wrong } = await doctor();
    expect(wrong).toEqual({});
    expect(code).toBe(0);
    expect(names).toEqual([
      'node',
      'git',
      'settings',
      'database',
      'migrations',
      'clock of the database',
      'waiting work',
      'orphaned rows',
      'recall index',
      'clock of Redis',
      'coverage of the index',
      'log',
      'consumers',
      'dead letters',
      'clock of producers',
    ]);
  });

  it('finds what is wrong in each store at once, and says that it works all the same', async () => {
    const { database, stack } = chaos;
    await stack.end('indexer');
    await stack.end('rollup');
    const redis = new Redis(stack.redisUrl);
    await redis.flushall();
    await redis.quit();
    await database.script(`
      INSERT INTO commit_verdicts (org_id, policy_id, repository, commit_sha) VALUES ('o', 'p', 'r', 'gone');
      INSERT INTO outbox (topic, key, value, headers, created_at)
        VALUES ('lineprint.nowhere.v1', 'k', 'v', '{}', NOW() - INTERVAL '1 hour')`);
    // No report at all, and from a machine whose clock is wrong.
    await withKafka(async (kafka) => {
      const producer = kafka.producer();
      await producer.connect();
      const timestamp = String(Date.now() + 3_600_000);
      const messages = [1, 2].map(() => ({ key: 'k', value: 'nonsense', timestamp }));
      await producer.send({ topic: TOPICS.activity, messages });
      await producer.disconnect();
    });
    await keepActivityFor(3_600_000);

    const { code, wrong } = await doctor({ LINEPRINT_PARTITONS: '6' }, '--lag', '1');
    expect(wrong).toEqual({
      settings: expect.stringMatching(/^warning: Nothing reads LINEPRINT_PARTITONS/) as string,
      'waiting work': expect.stringMatching(/^warning: outbox 1,.* has waited 36\d\d s/) as string,
      'orphaned rows': 'warning: 1 verdicts on unknown commits',
      'coverage of the index': expect.stringMatching(/^warning: It lacks \d+ records/) as string,
      log: expect.stringMatching(/^warning: lineprint.activity.v1 has retention.ms=3600000/) as string,
      consumers: expect.stringMatching(/^warning: Behind: .*rollup.activity: 2 records/) as string,
      'clock of producers': expect.stringMatching(/^error: lineprint.activity.v1 has records/) as string,
    });
    expect(code).toBe(2);

    await keepActivityFor(30 * 86_400_000);
    await database.script("DELETE FROM outbox; DELETE FROM commit_verdicts WHERE commit_sha = 'gone'");
    await Promise.all([stack.restart('indexer'), stack.restart('rollup')]);
    await until(async () => 'dead letters' in (await doctor()).wrong);
  });

  it('finds migrations that are missing or were changed, and a log that is another one', async () => {
    const { database } = chaos;
    await database.script(`
      CREATE TABLE kept AS SELECT * FROM _prisma_migrations;
      DELETE FROM _prisma_migrations WHERE migration_name = (SELECT MAX(migration_name) FROM kept)`);
    expect((await doctor()).wrong['migrations']).toMatch(/^error: 1 are to be applied/);
    await database.script(`
      DELETE FROM _prisma_migrations;
      INSERT INTO _prisma_migrations SELECT * FROM kept;
      UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name LIKE '%_init';
      UPDATE consumer_progress SET next_offset = next_offset + 1000 WHERE consumer_group LIKE '%.ledger/position'`);
    const { code, wrong } = await doctor();
    expect(wrong['migrations']).toMatch(/^error: \d+_init was applied with other content/);
    expect(wrong['consumers']).toMatch(
      /^error: The database has effects of records that the log does not have/,
    );
    expect(code).toBe(2);
    await database.script(`
      UPDATE consumer_progress SET next_offset = next_offset - 1000 WHERE consumer_group LIKE '%.ledger/position';
      DELETE FROM _prisma_migrations;
      INSERT INTO _prisma_migrations SELECT * FROM kept;
      DROP TABLE kept`);
  });

  it('is held up neither by servers that are gone nor by one that never answers', async () => {
    const { code, wrong } = await listening(createServer(), (port) =>
      doctor(
        {
          LINEPRINT_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
          LINEPRINT_LOG_URL: `kafka://127.0.0.1:${port}`,
          LINEPRINT_RECALL_URL: 'redis://127.0.0.1:9',
        },
        '--time-limit',
        '2',
      ),
    );
    expect(Object.keys(wrong)).toEqual(['database', 'recall index', 'log']);
    expect(code).toBe(2);
  });

  it('names a setting that is wrong', async () => {
    const { code, wrong } = await doctor({ LINEPRINT_PARTITIONS: 'six' });
    expect(wrong).toEqual({ settings: expect.stringContaining('LINEPRINT_PARTITIONS') as string });
    expect(code).toBe(2);
  });

  it('finds an issuer of another name, a collector that refuses, and a certificate that ends soon', async () => {
    const files = ['key.pem', 'certificate.pem'].map((name) => join(chaos.folder, name));
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '5', '-subj', '/CN=127.0.0.1'],
      ...['-keyout', files[0]!, '-out', files[1]!],
    ]);
    const [key, cert] = files.map((name) => readFileSync(name));
    const issuer = createHttpServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ issuer: 'https://other.example', jwks_uri: 'https://other.example/keys' }),
      );
    });
    const { code, wrong } = await listening(createTlsServer({ key, cert }), (tlsPort) =>
      listening(issuer, (port) =>
        doctor({
          LINEPRINT_OIDC_ISSUER: `http://127.0.0.1:${port}`,
          LINEPRINT_OTLP_URL: `https://127.0.0.1:${tlsPort}`,
        }),
      ),
    );
    expect(wrong['identity provider']).toBe('error: It calls itself https://other.example.');
    expect(wrong['trace collector']).toMatch(/^warning: .* does not answer/);
    expect(wrong['certificates']).toMatch(/^warning: 127.0.0.1:\d+: [345] days left/);
    expect(code).toBe(2);
  });

  it('looks into a directory of the embedded mode, unless a server has it open', async () => {
    const url = `pglite:${join(chaos.folder, 'embedded')}`;
    const env = {
      LINEPRINT_DATABASE_URL: url,
      LINEPRINT_LOG_URL: 'embedded:',
      LINEPRINT_RECALL_URL: 'memory:',
    };
    const database = await openDatabase(url);
    const inUse = await doctor(env);
    await database.close();
    expect(inUse.wrong).toEqual({
      database: expect.stringMatching(/^skipped: .*in use by process/) as string,
    });
    expect(inUse.code).toBe(0);
    const fresh = await doctor(env);
    expect(fresh.wrong['migrations']).toMatch(/are to be applied/);
    await lineprintOutput(['admin', 'init', '--database', url]);
    await lineprintOutput(['admin', 'topics', '--database', url], env);
    expect((await doctor(env)).wrong).toEqual({});
  });
});

/** Postgres is the truth, and Kafka has what came after its backup. */
describe('a backup of Postgres that was made of a running system', () => {
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
    await run('pg_restore', [
      '--exit-on-error',
      '--no-owner',
      '--no-privileges',
      '--dbname',
      databaseUrl,
      backupFile(),
    ]);
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
