import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { replayTopic } from '@lineprint/contracts';
import { deriveLineKey } from '@lineprint/fingerprint';
import {
  changeReplay,
  createPolicy,
  createReplay,
  findReplay,
  livePolicy,
  type NewReplay,
  type Replay,
  type ReplayAction,
  type ReplayProgress,
} from '@lineprint/persistence';
import { Redis } from 'ioredis';
import { delayed, type Message, randomHistory } from '../late-history';
import { distributedPipeline, embeddedPipeline, Organisation, type Pipeline } from '../pipeline';
import { LINE_KEY } from '../programs';

const countOf = (messages: readonly Message[], kind: Message['kind']) =>
  messages.filter((message) => message.kind === kind).length;

/** An organisation whose history came with snippets that were late, and its replays. */
class Replayed {
  private constructor(
    readonly pipeline: Pipeline,
    readonly at: Organisation,
    private readonly later: Message[],
    private readonly sent: Message[],
  ) {}

  /** Sends two thirds of the history. */
  static async prepare(pipeline: Pipeline): Promise<Replayed> {
    const at = await Organisation.create(pipeline, `org-${randomUUID()}`);
    const history = randomHistory(7, 100, deriveLineKey(LINE_KEY, at.keyId));
    const replayed = new Replayed(pipeline, at, delayed(history, 7, 10), []);
    await replayed.send(60);
    await replayed.settled();
    return replayed;
  }

  /** Sends so many more messages. */
  async send(count: number): Promise<void> {
    const next = this.later.splice(0, count);
    await this.at.send(next);
    this.sent.push(...next);
  }

  settled(): Promise<void> {
    return this.at.settled(countOf(this.sent, 'commit'), countOf(this.sent, 'snippet'));
  }

  /** Starts a replay under a copy of the live policy. */
  async begin(wanted: Partial<NewReplay> = {}): Promise<Replay> {
    const { database } = this.pipeline;
    const policyId = `copy-${randomUUID().slice(0, 8)}`;
    await createPolicy(database, this.at.orgId, {
      ...(await livePolicy(database, this.at.orgId))!,
      id: policyId,
    });
    return createReplay(database, { orgId: this.at.orgId, policyId, topic: 'commits', ...wanted });
  }

  async look({ id }: Replay): Promise<ReplayProgress> {
    return (await findReplay(this.pipeline.database, this.at.orgId, id))!;
  }

  async change({ id }: Replay, action: ReplayAction): Promise<void> {
    await changeReplay(this.pipeline.database, this.at.orgId, id, action);
  }

  async liftLimit({ id }: Replay): Promise<void> {
    await this.pipeline.database.query('UPDATE replays SET max_rate = NULL WHERE replay_id = $1', [id]);
  }

  async until(replay: Replay, isWanted: (now: Replay) => boolean): Promise<void> {
    for (;;) {
      const { replay: now } = await this.look(replay);
      if (isWanted(now)) return;
      if (now.error) throw new Error(`${now.error.code}: ${now.error.message}`);
      await delay(20);
    }
  }
}

const follows = ({ status }: Replay) => status === 'following';

describe.each([
  ['embedded', () => embeddedPipeline()],
  ['on Kafka, Redis and Postgres', () => distributedPipeline(`again_${randomUUID().slice(0, 8)}`)],
])('a replay from commits, %s', (where, start) => {
  let pipeline: Pipeline;
  let replayed: Replayed;
  beforeAll(async () => {
    pipeline = await start();
    replayed = await Replayed.prepare(pipeline);
  }, 180_000);
  afterAll(() => pipeline?.stop(), 60_000);

  it('leaves under a copy of the policy what live has left, byte for byte, and nothing in the log', async () => {
    const live = await replayed.at.export();
    expect(live).toContain('"evidence":"matched"');
    const replay = await replayed.begin();
    await replayed.until(replay, follows);
    expect(await replayed.at.export(replay.policyId)).toBe(live);
    const { partitions } = await replayed.look(replay);
    for (const stage of ['index', 'analyse', 'judge-own', 'judge']) {
      const own = partitions.filter((partition) => partition.stage === stage);
      expect([stage, own.length > 0]).toEqual([stage, true]);
      expect(own.every(({ nextOffset, targetOffset }) => nextOffset >= targetOffset!)).toBe(true);
    }
    const isGone = () =>
      pipeline.log.endOffsets(replayTopic(replay.id)).then(
        () => false,
        (error: { code?: string }) => error.code === 'topic-unknown',
      );
    while (!(await isGone())) await delay(50);
  }, 120_000);

  it('leaves the same when candidates are replayed under another copy', async () => {
    const live = await replayed.at.export();
    const replay = await replayed.begin({ topic: 'candidates' });
    await replayed.until(replay, follows);
    expect(await replayed.at.export(replay.policyId)).toBe(live);
  }, 120_000);

  it('goes on with what comes meanwhile and afterwards, as live does', async () => {
    const replay = await replayed.begin({ maxRate: 20 });
    await replayed.send(12);
    await replayed.settled();
    await replayed.liftLimit(replay);
    await replayed.until(replay, follows);
    await replayed.send(12);
    await replayed.settled();
    const live = await replayed.at.export();
    while ((await replayed.at.export(replay.policyId)) !== live) await delay(50);
  }, 120_000);

  it('can be paused, resumed, cancelled and resumed in any stage, and leaves the same', async () => {
    const live = await replayed.at.export();
    const replay = await replayed.begin({ maxRate: 30 });
    for (const stage of ['index', 'analyse', 'judge-own'] as const) {
      await replayed.until(replay, (now) => now.stage === stage || now.status === 'following');
      for (const action of ['pause', 'resume', 'cancel', 'resume'] as const) {
        await replayed.change(replay, action);
        await delay(300);
      }
    }
    await replayed.liftLimit(replay);
    await replayed.until(replay, follows);
    expect(await replayed.at.export(replay.policyId)).toBe(live);
  }, 120_000);

  if (where === 'embedded') return;

  it('of an old range leaves the old result where Redis has forgotten its snippets, and live goes on', async () => {
    const live = await replayed.at.export();
    const redis = new Redis(pipeline.stack!.redisUrl);
    let buckets = 0;
    // As when their time is up: all of the organisation's epochs. The index still says that it is complete.
    for (const lane of ['l', 'c', 't', 'a']) {
      const parts = await redis.keys(`lp:{${encodeURIComponent(replayed.at.orgId)}}:${lane}:*`);
      for (const part of parts) buckets += await redis.hlen(part);
      if (parts.length > 0) await redis.del(parts);
    }
    await redis.quit();
    expect(buckets).toBeGreaterThan(20);
    const replay = await replayed.begin();
    await replayed.until(replay, follows);
    expect(await replayed.at.export(replay.policyId)).toBe(live);
    await replayed.send(15);
    await replayed.settled();
    const grown = await replayed.at.export();
    expect(grown.length).toBeGreaterThan(live.length);
    while ((await replayed.at.export(replay.policyId)) !== grown) await delay(50);
  }, 120_000);

  it.each([
    ['index', 'indexer'],
    ['analyse', 'commit-analyzer'],
    ['judge-own', 'line-attributor'],
  ] as const)(
    'in stage %s survives the end of every process of %s',
    async (stage, service) => {
      const live = await replayed.at.export();
      const replay = await replayed.begin({ maxRate: 15 });
      await replayed.until(replay, (now) => now.stage === stage);
      await delay(400);
      pipeline.stack!.kill(service);
      await pipeline.stack!.restart(service);
      await replayed.liftLimit(replay);
      await replayed.until(replay, follows);
      expect(await replayed.at.export(replay.policyId)).toBe(live);
    },
    180_000,
  );
});
