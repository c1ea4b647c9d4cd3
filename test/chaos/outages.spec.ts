import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Proxy } from '../proxy';
import type { SentHistory } from '../repeated-backfill';
import { serverUrl } from '../stores';
import { DisturbedStack } from './disturbed-stack';
import { armFailpoint, until } from './failpoint';
import { storedTables } from './stored-state';

const COMMITS = 120;

/** Longer than any client's own attempts in one call, milliseconds. */
const SHORT_OUTAGE_MS = 10_000;
/** Longer than every timeout of sessions and pools. */
const LONG_OUTAGE_MS = 60_000;
/** Of the two long outages each is alone for so long. */
const ALONE_MS = 10_000;

/**
 * A server goes away in the middle of a backfill and comes back, with its data or without, or a consumer comes and
 * goes. No process is started again: each has to find its way by itself.
 */
describe('in the middle of a backfill', () => {
  let chaos: DisturbedStack;
  let redis: Redis;
  let postgresProxy: Proxy;
  let redisProxy: Proxy;

  beforeAll(async () => {
    const postgres = await Proxy.before(serverUrl('POSTGRES'));
    // A database of its own, which may be emptied.
    const own = new URL(serverUrl('REDIS'));
    own.pathname = '/8';
    const throughProxy = await Proxy.before(own.href);
    postgresProxy = postgres.proxy;
    redisProxy = throughProxy.proxy;
    redis = new Redis(own.href);
    chaos = await DisturbedStack.start(COMMITS, {
      LINEPRINT_POSTGRES_URL: postgres.url,
      LINEPRINT_REDIS_URL: throughProxy.url,
    });
  }, 240_000);
  afterAll(async () => {
    await chaos?.stop();
    await postgresProxy?.cut();
    await redisProxy?.cut();
    await redis?.flushdb();
    await redis?.quit();
  }, 60_000);

  const disturbances: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'Postgres and the broker, away for a minute each and together for most of it,',
      async () => {
        await postgresProxy.cut();
        await delay(ALONE_MS);
        await chaos.stack.pauseKafka();
        await delay(LONG_OUTAGE_MS - ALONE_MS);
        await postgresProxy.restore();
        await delay(ALONE_MS);
        await chaos.stack.resumeKafka();
      },
    ],
    [
      'a broker that is started again and a Redis that is away for a while and comes back empty',
      async () => {
        await redisProxy.cut();
        const outage = delay(SHORT_OUTAGE_MS);
        await chaos.stack.pauseKafka();
        await chaos.stack.resumeKafka();
        await outage;
        await redis.flushdb();
        await redisProxy.restore();
      },
    ],
    ['a Redis that is emptied, its connections untouched,', async () => void (await redis.flushdb())],
  ];

  it.each(disturbances)(
    '%s leaves every service ready, and all is as if nothing had happened',
    async (_what, disturb) => {
      const sent = await chaos.backfill.send(disturb);
      await expectNothingHappened(sent);
      for (const service of Object.values(chaos.stack.services)) {
        const ready = await fetch(`${service.url}/health/ready`);
        expect([service.url, ready.status, await ready.json()]).toEqual([
          service.url,
          200,
          expect.objectContaining({ status: 'ok' }),
        ]);
      }
      // Lost after the end, the run would have proved nothing.
      expect(sent.before).toBeLessThan(COMMITS);
    },
    180_000,
  );

  it('consumers that join and leave within a batch change nothing', async () => {
    const services = ['commit-analyzer', 'line-attributor'] as const;
    const pairs = await Promise.all(
      services.map(async (service) => {
        const members = [
          { name: service, pid: chaos.stack.services[service].pid },
          await chaos.stack.add(service),
        ];
        return {
          service,
          members: members.map(({ name, pid }) => ({ name, ...holdAt('batch, before', pid) })),
        };
      }),
    );
    const sending = chaos.backfill.send(() => Promise.resolve());
    const joined = await Promise.all(
      pairs.map(async ({ service, members }) => {
        await until(() => members.some(({ hasStruck }) => hasStruck()));
        const leaving = members.find(({ hasStruck }) => hasStruck())!;
        const joining = chaos.stack.add(service);
        const left = chaos.stack.end(leaving.name);
        for (const { disarm, goOn } of members) {
          disarm();
          goOn();
        }
        await left;
        return joining;
      }),
    );
    await expectNothingHappened(await sending);
    // Only the first of each is to stay.
    for (const { service, members } of pairs) {
      await chaos.stack.restart(service);
      await chaos.stack.end(members[1]!.name);
    }
    for (const { name } of joined) await chaos.stack.end(name);
  }, 120_000);

  it('consumers that are slower than their session commit nothing, and what they do late changes nothing', async () => {
    const analyzer = holdAt('append, before', chaos.stack.services['commit-analyzer'].pid);
    const attributor = holdAt('batch, after', chaos.stack.services['line-attributor'].pid);
    const sending = chaos.backfill.send(() => Promise.resolve());
    await until(analyzer.hasStruck);
    const others = [await chaos.stack.add('commit-analyzer')];
    await until(attributor.hasStruck);
    others.push(await chaos.stack.add('line-attributor'));
    const sent = await sending;
    // Their partitions are others' now, who have read them to the end: a commit would set them back.
    analyzer.goOn();
    attributor.goOn();
    for (const { name } of others) await chaos.stack.end(name);
    await expectNothingHappened(sent);
    await expectNothingHappened(await chaos.backfill.send(() => Promise.resolve()));
  }, 120_000);

  /** Stops a process at a point, until it is told to go on. */
  function holdAt(point: string, pid: number) {
    const armed = armFailpoint(chaos.folder, pid, { point, passage: 1, signal: 'SIGSTOP' });
    return { ...armed, goOn: () => void process.kill(pid, 'SIGCONT') };
  }

  async function expectNothingHappened({ orgId, exported }: SentHistory): Promise<void> {
    expect(exported).toBe(chaos.backfill.undisturbed.exported);
    await chaos.read();
    expect(await storedTables(chaos.database, orgId)).toEqual(chaos.undisturbed);
  }
});
