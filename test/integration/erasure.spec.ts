import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { topicSpecs } from '@lineprint/contracts';
import { deriveLineKey } from '@lineprint/fingerprint';
import { createPolicy, createReplay, findReplay, livePolicy } from '@lineprint/persistence';
import { findReconciliation, requestReconciliation } from '@lineprint/results';
import { Redis } from 'ioredis';
import type { ErasureAnswer } from '../../apps/query-api/src/erasures/erasures.schema';
import { type Message, randomHistory } from '../late-history';
import { distributedPipeline, embeddedPipeline, Organisation, type Pipeline } from '../pipeline';
import { LINE_KEY } from '../programs';

const NAME = 'Evelyn Quist';
const ADDRESS = 'evelyn.quist@corp.example';
const TRACE = /evelyn|quist/i;

/** The history as two people's: every second message is hers. */
function ofTwoPeople(messages: readonly Message[]): Message[] {
  return messages.map((message, i) => {
    if (i % 2 === 0) return message;
    if (message.kind === 'snippet') {
      return { ...message, fingerprint: { ...message.fingerprint, userId: 'Evelyn.Quist@corp.example' } };
    }
    const author = { authorName: NAME, authorEmail: ADDRESS, committerName: NAME, committerEmail: ADDRESS };
    return { ...message, commit: { ...message.commit, ...author } };
  });
}

const countOf = (messages: readonly Message[], kind: Message['kind']) =>
  messages.filter((message) => message.kind === kind).length;
const inOrder = (text: string) => text.split('\n').sort();

describe.each([
  ['embedded', () => embeddedPipeline()],
  ['on Kafka, Redis and Postgres', () => distributedPipeline(`erase_${randomUUID().slice(0, 8)}`)],
])('erasing a person, %s', (_where, start) => {
  let pipeline: Pipeline;
  let at: Organisation;
  let history: Message[];
  let pseudonym: string;
  const sent: Message[] = [];
  beforeAll(async () => {
    pipeline = await start();
    at = await Organisation.create(pipeline, `org-${randomUUID()}`);
    history = ofTwoPeople(randomHistory(11, 60, deriveLineKey(LINE_KEY, at.keyId)));
    await send(30);
    await settled();
  }, 180_000);
  afterAll(() => pipeline?.stop(), 60_000);

  async function send(count: number): Promise<void> {
    const next = history.splice(0, count);
    sent.push(...next);
    await at.send(next);
  }
  const settled = () => at.settled(countOf(sent, 'commit'), countOf(sent, 'snippet'));

  async function erase(): Promise<ErasureAnswer> {
    const headers = { authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ address: ADDRESS });
    const answer = await fetch(`${pipeline.queryUrl}/api/v1/erasures`, { method: 'POST', headers, body });
    expect(answer.status).toBe(201);
    return (await answer.json()) as ErasureAnswer;
  }

  async function finished(): Promise<void> {
    for (;;) {
      const { status } = JSON.parse(await at.get(`/api/v1/erasures/${pseudonym}`)) as ErasureAnswer;
      if (status === 'finished') return;
      await delay(50);
    }
  }

  /** Tables, and keys of Redis, that have a trace of her, in whatever organisation. */
  async function traces(): Promise<string[]> {
    const found: string[] = [];
    const tables = await pipeline.database.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables) {
      const rows = await pipeline.database.query(
        `SELECT 1 FROM "${name}" t WHERE to_jsonb(t)::text ~* 'evelyn|quist' LIMIT 1`,
      );
      if (rows.length > 0) found.push(name);
    }
    if (!pipeline.stack) return found;
    const redis = new Redis(pipeline.stack.redisUrl);
    for (const key of await redis.keys('*')) {
      if (TRACE.test(key) || TRACE.test((await redis.dumpBuffer(key)).toString('latin1'))) found.push(key);
    }
    await redis.quit();
    return found;
  }

  const ends = async () =>
    new Map(
      await Promise.all(
        topicSpecs(1).map(async ({ name }) => [name, await pipeline.log.endOffsets(name)] as const),
      ),
    );

  /** Topics that have got a record with a trace of her since then. */
  async function tracesInLog(since: ReadonlyMap<string, readonly number[]>): Promise<string[]> {
    const found = new Set<string>();
    for (const [topic, to] of await ends()) {
      const ranges = to.map((end, partition) => ({
        partition,
        from: since.get(topic)![partition]!,
        to: end,
      }));
      for await (const { value, key, headers } of pipeline.log.read(topic, ranges)) {
        const text = [Buffer.from(value).toString('utf8'), key, JSON.stringify(headers)].join(' ');
        if (TRACE.test(text)) found.add(topic);
      }
    }
    return [...found];
  }

  async function replayed(topic: 'commits' | 'candidates'): Promise<string> {
    const { database } = pipeline;
    const policyId = `copy-${randomUUID().slice(0, 8)}`;
    await createPolicy(database, at.orgId, { ...(await livePolicy(database, at.orgId))!, id: policyId });
    const { id } = await createReplay(database, { orgId: at.orgId, policyId, topic });
    for (;;) {
      const { replay } = (await findReplay(database, at.orgId, id))!;
      if (replay.error) throw new Error(`${replay.error.code}: ${replay.error.message}`);
      if (replay.status === 'following') return at.export(policyId);
      await delay(50);
    }
  }

  it('changes nothing of anybody’s numbers but her name', async () => {
    const before = await at.export();
    expect(before).toMatch(TRACE);
    ({ pseudonym } = await erase());
    await finished();
    const renamed = before.replaceAll(NAME, pseudonym).replaceAll(ADDRESS, pseudonym);
    expect(inOrder(await at.export())).toEqual(inOrder(renamed));
    expect(await traces()).toEqual([]);
  }, 60_000);

  it('lasts through replays of all events, which leave what live has, byte for byte', async () => {
    const since = await ends();
    const live = await at.export();
    expect(await replayed('commits')).toBe(live);
    expect(await replayed('candidates')).toBe(live);
    expect(await traces()).toEqual([]);
    expect(await tracesInLog(since)).toEqual([]);
  }, 120_000);

  it('lasts while she goes on, also where she is erased again in the midst of it', async () => {
    const since = await ends();
    await Promise.all([send(30), erase()]);
    await settled();
    await finished();
    expect(await traces()).toEqual([]);
    expect(await tracesInLog(since)).toEqual([]);
    const live = await at.export();
    expect(live).toContain(pseudonym);
    expect(await replayed('candidates')).toBe(live);
  }, 120_000);

  it('leaves sums that reconcile', async () => {
    const { id } = await requestReconciliation(pipeline.database, at.orgId, null);
    for (;;) {
      const made = await findReconciliation(pipeline.database, at.orgId, id);
      if (made?.finishedAt) return expect(made).toMatchObject({ differences: 0 });
      await delay(50);
    }
  }, 60_000);

  it('is lifted for what comes afterwards alone', async () => {
    const answer = await fetch(`${pipeline.queryUrl}/api/v1/erasures/${pseudonym}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${at.apiKey}` },
    });
    expect(await answer.json()).toMatchObject({ status: 'lifted' });
    const live = await at.export();
    expect(await replayed('candidates')).toBe(live);
    expect(live).not.toMatch(TRACE);
  }, 60_000);
});
