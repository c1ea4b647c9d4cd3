import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { bootstrap, type Database, generateApiKey, openDatabase } from '@lineprint/persistence';
import { generateHistory } from '../history';
import { LINE_KEY, lineprintOutput, Program, StandaloneServer } from '../programs';
import { Proxy } from '../proxy';
import { type RunningStack, startStack } from '../stack';
import { serverUrl } from '../stores';

const COMMITS = 240;
/** A server goes once so many commits have their result. */
const LOSE_AFTER = 20;
/** Longer than any client's own attempts in one call, milliseconds. */
const OUTAGE_MS = 10_000;

/**
 * A server goes away in the middle of a backfill and comes back, with its data or without. No process is
 * started again: each has to find its way by itself.
 */
describe('a server lost in the middle of a backfill', () => {
  let directory: string;
  let repository: string;
  let stack: RunningStack;
  let database: Database;
  let redis: Redis;
  let undisturbed: string;
  let postgresProxy: Proxy;
  let redisProxy: Proxy;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lineprint-lost-'));
    repository = join(directory, 'history');
    await generateHistory(repository, COMMITS, 7);
    const apiKey = generateApiKey();
    const embedded = await StandaloneServer.start(directory, apiKey);
    try {
      const options = ['--url', embedded.url, '--api-key', apiKey];
      await lineprintOutput(['backfill', '--repo', repository, ...options], state('undisturbed'));
      undisturbed = await lineprintOutput(['export', '--json', ...options]);
    } finally {
      await embedded.stop();
    }
    const postgres = await Proxy.before(serverUrl('POSTGRES'));
    // A database of its own, which may be emptied.
    const own = new URL(serverUrl('REDIS'));
    own.pathname = '/8';
    const throughProxy = await Proxy.before(own.href);
    postgresProxy = postgres.proxy;
    redisProxy = throughProxy.proxy;
    redis = new Redis(own.href);
    const name = `lost_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    stack = await startStack({
      database: name,
      env: {
        LINEPRINT_ORG_ID: name,
        LINEPRINT_POSTGRES_URL: postgres.url,
        LINEPRINT_REDIS_URL: throughProxy.url,
      },
    });
    const direct = new URL(serverUrl('POSTGRES'));
    direct.pathname = `/${name}`;
    database = await openDatabase(direct.href, { maxConnections: 2 });
  }, 240_000);
  afterAll(async () => {
    await database?.close();
    await stack?.stop();
    await postgresProxy?.cut();
    await redisProxy?.cut();
    await redis?.flushdb();
    await redis?.quit();
    await rm(directory, { recursive: true, force: true });
  }, 60_000);

  function state(run: string): Record<string, string> {
    return { LINEPRINT_STATE_DIRECTORY: join(directory, run) };
  }

  async function analysed(orgId: string): Promise<number> {
    const [row] = await database.query<{ commits: number }>(
      'SELECT COUNT(*) AS commits FROM commits WHERE org_id = $1',
      [orgId],
    );
    return row!.commits;
  }

  const losses: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'Postgres, for a while',
      async () => {
        await postgresProxy.cut();
        await delay(OUTAGE_MS);
        await postgresProxy.restore();
      },
    ],
    [
      'Redis, for a while',
      async () => {
        await redisProxy.cut();
        await delay(OUTAGE_MS);
        await redisProxy.restore();
      },
    ],
    [
      'Redis, which comes back empty',
      async () => {
        await redisProxy.cut();
        await redis.flushdb();
        await redisProxy.restore();
      },
    ],
    ['all that Redis holds, its connections untouched', async () => void (await redis.flushdb())],
  ];

  it.each(losses)(
    '(%s) leaves every service ready, and the export is that of an undisturbed run',
    async (what, lose) => {
      const orgId = `lost-${randomUUID()}`;
      const { apiKey } = await bootstrap(database, { orgId, lineKey: LINE_KEY, timeZone: 'UTC' });
      const url = stack.services.ingest.url;
      const options = ['--url', url, '--query-url', stack.services['query-api'].url, '--api-key', apiKey!];
      const running = new Program('cli', ['backfill', '--repo', repository, ...options], state(orgId));
      while ((await analysed(orgId)) < LOSE_AFTER && !running.hasEnded) await delay(10);
      const before = await analysed(orgId);
      await lose();
      const { code, stderr } = await running.ended;
      expect({ what, code, said: code === 0 ? '' : stderr }).toEqual({ what, code: 0, said: '' });
      expect(await lineprintOutput(['export', '--json', ...options])).toBe(undisturbed);
      for (const service of Object.values(stack.services)) {
        const ready = await fetch(`${service.url}/health/ready`);
        expect([service.url, ready.status, await ready.json()]).toEqual([
          service.url,
          200,
          expect.objectContaining({ status: 'ok' }),
        ]);
      }
      // Lost after the end, the run would have proved nothing.
      expect(before).toBeLessThan(COMMITS);
    },
    150_000,
  );
});
