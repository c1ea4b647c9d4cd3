import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Database, openDatabase } from '@lineprint/persistence';
import { Proxy } from '../proxy';
import { RepeatedBackfill } from '../repeated-backfill';
import { type RunningStack, startStack } from '../stack';
import { serverUrl } from '../stores';

/** Longer than any client's own attempts in one call, milliseconds. */
const OUTAGE_MS = 10_000;

/**
 * A server goes away in the middle of a backfill and comes back, with its data or without. No process is
 * started again: each has to find its way by itself.
 */
describe('a server lost in the middle of a backfill', () => {
  let backfill: RepeatedBackfill;
  let stack: RunningStack;
  let database: Database;
  let redis: Redis;
  let postgresProxy: Proxy;
  let redisProxy: Proxy;

  beforeAll(async () => {
    backfill = await RepeatedBackfill.prepare();
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
    await backfill?.remove();
  }, 60_000);

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
    async (_what, lose) => {
      const { exported, before } = await backfill.send(stack, database, lose);
      expect(exported).toBe(backfill.undisturbed);
      for (const service of Object.values(stack.services)) {
        const ready = await fetch(`${service.url}/health/ready`);
        expect([service.url, ready.status, await ready.json()]).toEqual([
          service.url,
          200,
          expect.objectContaining({ status: 'ok' }),
        ]);
      }
      // Lost after the end, the run would have proved nothing.
      expect(before).toBeLessThan(backfill.commits);
    },
    150_000,
  );
});
