import { deadLetterTopic, TOPICS, topicSpecs } from '@lineprint/contracts';
import { type Database, MIGRATIONS_DIRECTORY, migrate, openDatabase } from '@lineprint/persistence';
import { LineprintError } from '@lineprint/platform';
import { DeadLetterQueue, type DeadLetterFilter } from './dead-letter-queue';
import type { Consumption, EventLog, Headers, LogRecord } from './log';
import { openEventLog } from './open-event-log';
import { OutboxRelay } from './outbox-relay';
import { NO_REPORT } from './report';

jest.setTimeout(60_000);

const COMMITS = TOPICS.commits;
const GROUP = 'lineprint.commit-analyzer';
const OPERATOR = { orgId: 'acme', operator: true };
const ACME = { orgId: 'acme', operator: false };
const RIVAL = { orgId: 'rival', operator: false };
const NOW = { by: 'mara', dryRun: false };

let database: Database;
let log: EventLog;
let queue: DeadLetterQueue;
let relay: OutboxRelay;
let consumption: Consumption | undefined;

beforeAll(async () => {
  database = await openDatabase('pglite:memory');
  await migrate(database, MIGRATIONS_DIRECTORY);
});

afterAll(async () => {
  await database.close();
});

beforeEach(async () => {
  log = await openEventLog('embedded:', { database, clientId: 'test' });
  await log.deleteTopics(topicSpecs(1).map(({ name }) => name));
  await database.query('DELETE FROM dead_letters');
  await database.query('DELETE FROM outbox');
  await log.ensureTopics(topicSpecs(2));
  queue = new DeadLetterQueue(log, database);
  relay = new OutboxRelay({ database, log, report: NO_REPORT });
  relay.start();
});

afterEach(async () => {
  await consumption?.stop();
  consumption = undefined;
  await relay.stop();
  await log.close();
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A dead letter as the runner writes one, of the n-th record of a partition. */
function letter(
  event: string,
  options: {
    n: number;
    key?: string;
    tenant?: string | null;
    headers?: Headers;
    topic?: string;
    value?: string;
  },
) {
  const { n, key = 'acme/shop', tenant = 'acme', topic = COMMITS, headers = {} } = options;
  return {
    topic: deadLetterTopic(topic),
    key,
    value: Buffer.from(options.value ?? JSON.stringify({ event, 'const secret = 1;': true })),
    headers: {
      ce_id: event,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      ...(tenant === null ? {} : { lp_tenant: tenant }),
      lp_dlq_topic: topic,
      lp_dlq_partition: '0',
      lp_dlq_offset: String(n),
      lp_dlq_group: GROUP,
      lp_dlq_code: 'event-invalid',
      lp_dlq_message: 'no such shape',
      lp_dlq_attempts: '2',
      ...headers,
    },
  };
}

async function everythingIn(topic: string): Promise<LogRecord[]> {
  const ends = await log.endOffsets(topic);
  const records: LogRecord[] = [];
  for await (const record of log.read(
    topic,
    ends.map((to, partition) => ({ partition, from: 0, to })),
  )) {
    records.push(record);
  }
  return records;
}

async function redriven(count: number): Promise<(string | undefined)[]> {
  relay.wake();
  await until(async () => (await everythingIn(COMMITS)).length >= count);
  return (await everythingIn(COMMITS)).map(({ headers }) => headers['ce_id']);
}

const listOf = async (access = ACME, filter: DeadLetterFilter = {}) =>
  (await queue.list(access, { ...filter, limit: 100 })).letters;

describe('the dead-letter queue', () => {
  it('lists the letters of an organisation by topic and position, in pages', async () => {
    await log.append([
      letter('c1', { n: 4 }),
      letter('c2', { n: 9, key: 'acme/tools' }),
      letter('c3', { n: 5 }),
      letter('s1', { n: 1, topic: TOPICS.snippets }),
      letter('a1', { n: 1, topic: TOPICS.attributions, headers: { lp_dlq_code: 'other' } }),
      letter('r1', { n: 6, tenant: 'rival', key: 'rival/site' }),
    ]);
    const all = await listOf();
    expect(all.map(({ eventId }) => eventId).sort()).toEqual(['a1', 'c1', 'c2', 'c3', 's1']);
    expect([...all].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(all);
    expect(all.find(({ eventId }) => eventId === 'c1')).toMatchObject({
      state: 'open',
      decidedAt: null,
      topic: COMMITS,
      partition: 0,
      offset: 4,
      key: 'acme/shop',
      group: GROUP,
      code: 'event-invalid',
      message: 'no such shape',
      attempts: 2,
    });
    const pages: string[] = [];
    let after: Awaited<ReturnType<DeadLetterQueue['list']>>['next'] = null;
    do {
      const page = await queue.list(ACME, { limit: 2, ...(after && { after }) });
      expect(page.letters.length).toBeLessThanOrEqual(2);
      pages.push(...page.letters.map(({ id }) => id));
      after = page.next;
    } while (after);
    expect(pages).toEqual(all.map(({ id }) => id));
    expect((await listOf(ACME, { topic: COMMITS })).map(({ eventId }) => eventId)).toHaveLength(3);
    expect((await listOf(ACME, { code: 'other' })).map(({ eventId }) => eventId)).toEqual(['a1']);
    expect(await listOf(ACME, { group: 'none' })).toEqual([]);
    expect((await listOf(RIVAL)).map(({ eventId }) => eventId)).toEqual(['r1']);
  });

  it('shows what a letter is made of, and of its value only size, digest and the names of its fields', async () => {
    await log.append([letter('c1', { n: 4 })]);
    const [listed] = await listOf();
    const [topic, partition, offset] = listed!.id.split('/');
    const position = { topic: topic!, partition: Number(partition), offset: Number(offset) };
    const detail = await queue.find(ACME, position);
    expect(detail).toMatchObject({ ...listed, fields: ['event'], headers: { ce_id: 'c1' } });
    expect(detail!.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(detail)).not.toContain('secret');
    expect(await queue.find(RIVAL, position)).toBeUndefined();
    expect(await queue.find(ACME, { ...position, offset: 99 })).toBeUndefined();
    expect(await queue.find(ACME, { ...position, topic: COMMITS })).toBeUndefined();
  });

  it('leaves records that name no organisation to the operator', async () => {
    await log.append([letter('foreign', { n: 1, tenant: null, key: '', value: '\u0000\u0001' })]);
    expect(await listOf(ACME)).toEqual([]);
    const [listed] = await listOf(OPERATOR);
    expect(listed).toMatchObject({ eventId: 'foreign', bytes: 2 });
    expect((await queue.redrive(ACME, { ids: [listed!.id] }, NOW)).unknown).toEqual([listed!.id]);
    expect((await queue.redrive(OPERATOR, { ids: [listed!.id] }, NOW)).letters).toHaveLength(1);
    expect(await redriven(1)).toEqual(['foreign']);
  });

  it('redrives a letter as its record was, once however often it is asked to, also at once', async () => {
    await log.append([letter('c1', { n: 4 }), letter('c2', { n: 5 })]);
    const [first, second] = await listOf();
    const rehearsal = await queue.redrive(ACME, { filter: {} }, { by: null, dryRun: true });
    expect(rehearsal.letters.map(({ id }) => id)).toEqual([first!.id, second!.id]);
    const once = { ids: [first!.id, 'lineprint.commits.v1.dlq/0/99', 'nonsense'] };
    const answers = await Promise.all([queue.redrive(ACME, once, NOW), queue.redrive(ACME, once, NOW)]);
    for (const { unknown } of answers) expect(unknown).toEqual(once.ids.slice(1));
    expect(await queue.redrive(ACME, once, NOW)).toMatchObject({ letters: [], unchanged: [first!.id] });
    await queue.redrive(ACME, { filter: {} }, NOW);
    expect(await redriven(2)).toEqual(['c1', 'c2']);
    const [record] = await everythingIn(COMMITS);
    expect(record!.key).toBe('acme/shop');
    expect(JSON.parse(Buffer.from(record!.value).toString())).toMatchObject({ event: 'c1' });
    expect(record!.headers).toEqual({
      ce_id: 'c1',
      lp_tenant: 'acme',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      lp_redriven_from: first!.id,
      lp_redriven_first_position: '0/4',
      lp_redriven_attempts: '2',
    });
    expect((await listOf()).map(({ state, decidedBy }) => [state, decidedBy])).toEqual([
      ['redriven', 'mara'],
      ['redriven', 'mara'],
    ]);
    expect(await queue.redrive(ACME, { filter: {} }, NOW)).toMatchObject({ letters: [], remaining: 0 });
  });

  it('keeps the order of a key: earlier open letters of it are taken along, in their order', async () => {
    await log.append([
      letter('1', { n: 1 }),
      letter('other', { n: 2, key: 'acme/tools' }),
      letter('2', { n: 3 }),
      letter('elsewhere', { n: 3, headers: { lp_dlq_group: 'another' } }),
      letter('3', { n: 4 }),
      letter('4', { n: 5 }),
    ]);
    const letters = await listOf();
    const idOf = (event: string) => letters.find(({ eventId }) => eventId === event)!.id;
    await queue.drop(ACME, { ids: [idOf('1')] }, NOW);
    const answer = await queue.redrive(ACME, { ids: [idOf('3')] }, NOW);
    expect(answer.letters.map(({ id, takenAlong }) => [id, takenAlong])).toEqual([
      [idOf('2'), true],
      [idOf('3'), false],
    ]);
    expect(await redriven(2)).toEqual(['2', '3']);
    const states = (await listOf()).map(({ eventId, state }) => [eventId, state]);
    expect(Object.fromEntries(states)).toEqual({
      1: 'dropped',
      2: 'redriven',
      3: 'redriven',
      4: 'open',
      other: 'open',
      elsewhere: 'open',
    });
  });

  it('counts on what fails again, and still sorts it before what came after it', async () => {
    await log.append(
      ['A', 'B'].map((event) => ({
        ...letter(event, { n: 0 }),
        topic: COMMITS,
        headers: { ce_id: event, lp_tenant: 'acme' },
      })),
    );
    const cause = { gone: false };
    const effects: string[] = [];
    consumption = await log.consume({
      group: GROUP,
      topic: COMMITS,
      handler: (batch) => {
        if (!cause.gone) throw new LineprintError('event-invalid', 'not yet');
        effects.push(...batch.records.map(({ headers }) => headers['ce_id']!));
        return Promise.resolve({ processed: batch.records.length });
      },
    });
    await until(async () => (await listOf()).length === 2);
    const [a] = await listOf();
    expect(a!.attempts).toBeGreaterThan(0);
    await queue.redrive(ACME, { ids: [a!.id] }, NOW);
    relay.wake();
    await until(async () => (await listOf()).length === 3);
    const again = (await listOf()).at(-1)!;
    expect(again).toMatchObject({ eventId: 'A', state: 'open' });
    expect(again.attempts).toBeGreaterThan(a!.attempts);
    cause.gone = true;
    const open = (await listOf()).filter(({ state }) => state === 'open');
    expect(open.map(({ eventId }) => eventId)).toEqual(['B', 'A']);
    await queue.redrive(ACME, { ids: [open[0]!.id] }, NOW);
    relay.wake();
    await until(() => effects.length === 2);
    expect(effects).toEqual(['A', 'B']);
  });

  it('drops, but does not redrive, what could not be decoded', async () => {
    const headers = { lp_dlq_step: 'decode', lp_dlq_code: 'record-undecodable' };
    await log.append([letter('bytes', { n: 1, headers }), letter('whole', { n: 2 })]);
    const [undecodable, whole] = await listOf();
    expect(await queue.redrive(ACME, { ids: [undecodable!.id, whole!.id] }, NOW)).toMatchObject({
      letters: [{ id: whole!.id }],
      unchanged: [undecodable!.id],
    });
    expect((await queue.redrive(ACME, { filter: {} }, NOW)).letters).toEqual([]);
    expect((await queue.drop(ACME, { filter: {} }, NOW)).letters).toMatchObject([{ id: undecodable!.id }]);
    expect(await redriven(1)).toEqual(['whole']);
  });

  it('redrives more than one transaction holds, and says what it leaves for the next call', async () => {
    await log.append(Array.from({ length: 1_250 }, (_, n) => letter(String(n), { n })));
    const first = await queue.redrive(ACME, { filter: { topic: COMMITS } }, NOW);
    expect([first.letters.length, first.remaining]).toEqual([1_000, 250]);
    const second = await queue.redrive(ACME, { filter: { topic: COMMITS } }, NOW);
    expect([second.letters.length, second.remaining]).toEqual([250, 0]);
    expect(await redriven(1_250)).toEqual(Array.from({ length: 1_250 }, (_, n) => String(n)));
  });
});
