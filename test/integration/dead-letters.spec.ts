import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { TOPICS } from '@lineprint/contracts';
import {
  type BatchHandler,
  EVENT_LOG,
  type EventLog,
  EventLogModule,
  LazyEventLogModule,
} from '@lineprint/event-log';
import {
  bootstrap,
  createApiKey,
  DATABASE,
  type Database,
  ensureTenant,
  PersistenceModule,
} from '@lineprint/persistence';
import { LineprintError, type RunningService, startService } from '@lineprint/platform';
import { QueryApiModule } from '@lineprint/query-api';
import { lineprint, lineprintOutput } from '../programs';
import { embeddedStores, freshDatabase, serverUrl } from '../stores';

jest.setTimeout(180_000);

/** A service that consumes and relays, and the query API, which opens the log when it is asked. */
@Module({ imports: [PersistenceModule, EventLogModule] })
class ConsumerApp {}
@Module({ imports: [PersistenceModule, LazyEventLogModule, QueryApiModule] })
class QueryApp {}

interface Letter {
  readonly id: string;
  readonly state: string;
  readonly eventId: string;
  readonly key: string;
  readonly code: string;
  readonly attempts: number;
}

const TOPIC = TOPICS.activity;

describe('dead letters on Kafka and Postgres', () => {
  const orgId = `org-${randomUUID()}`;
  const group = `dead-letters-${randomUUID()}`;
  let drop: () => Promise<void>;
  let consumer: RunningService;
  let query: RunningService;
  let database: Database;
  let log: EventLog;
  let apiKey: string;
  /** What is wrong; a record of a kind that is in here fails for good. */
  const broken = new Set<string>();
  const deliveries: string[] = [];

  beforeAll(async () => {
    const fresh = await freshDatabase();
    drop = fresh.drop;
    const { config } = await embeddedStores({
      LINEPRINT_DATABASE_URL: fresh.url,
      LINEPRINT_LOG_URL: serverUrl('KAFKA'),
      LINEPRINT_ORG_ID: orgId,
    });
    consumer = await startService({ name: 'consumer', module: ConsumerApp, config });
    query = await startService({ name: 'query-api', module: QueryApp, config });
    database = consumer.app.get<Database>(DATABASE);
    log = consumer.app.get<EventLog>(EVENT_LOG);
    apiKey = (await bootstrap(database, config.bootstrap)).apiKey!;
    await database.script('CREATE TABLE effects (id BIGINT GENERATED ALWAYS AS IDENTITY, event TEXT UNIQUE)');
    const handler: BatchHandler = async ({ records }) => {
      for (const { headers, value } of records) {
        if (headers['lp_tenant'] !== orgId) continue;
        const event = headers['ce_id']!;
        deliveries.push(event);
        const { kind } = JSON.parse(Buffer.from(value).toString()) as { kind: string };
        if (broken.has(kind)) throw new LineprintError('kind-unknown', `No code for ${kind} yet`);
        await database.query('INSERT INTO effects (event) VALUES ($1) ON CONFLICT DO NOTHING', [event]);
      }
      return { processed: records.length };
    };
    await log.consume({ group, topic: TOPIC, handler, from: await log.endOffsets(TOPIC) });
  });

  beforeEach(async () => {
    await database.script('TRUNCATE effects RESTART IDENTITY');
    deliveries.length = 0;
    broken.clear();
  });

  afterAll(async () => {
    await query?.close();
    await consumer?.close();
    await drop?.();
  });

  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  const send = (events: readonly (readonly [event: string, kind: string, repository?: string])[]) =>
    log.append(
      events.map(([event, kind, repository = 'shop']) => ({
        topic: TOPIC,
        key: `${orgId}/${repository}`,
        value: Buffer.from(JSON.stringify({ kind, code: 'const secret = 1;' })),
        headers: { ce_id: event, lp_tenant: orgId },
      })),
    );
  const effects = async () =>
    (await database.query<{ event: string }>('SELECT event FROM effects ORDER BY id')).map(
      ({ event }) => event,
    );
  const dlq = (...args: string[]) =>
    lineprintOutput(['dlq', ...args, '--json', '--url', query.url, '--api-key', apiKey]);
  const list = async (filter: Record<string, string> = {}): Promise<Letter[]> => {
    const response = await fetch(
      `${query.url}/api/v1/dead-letters?${new URLSearchParams({ group, ...filter })}`,
      {
        headers: { authorization: `Bearer ${apiKey}` },
      },
    );
    return ((await response.json()) as { deadLetters: Letter[] }).deadLetters;
  };

  it('lists and shows what failed, and redrives it once its cause is gone, with effects once', async () => {
    broken.add('new');
    await send([
      ['1', 'old'],
      ['2', 'new'],
      ['3', 'old', 'tools'],
    ]);
    await until(async () => (await effects()).length === 2 && (await list()).length === 1);
    const [letter] = await list();
    expect(JSON.parse(await dlq('list', '--group', group))).toEqual({ deadLetters: [letter] });
    expect(letter).toMatchObject({ eventId: '2', state: 'open', code: 'kind-unknown', key: `${orgId}/shop` });
    const shown = await dlq('show', letter!.id);
    expect(JSON.parse(shown)).toMatchObject({ ...letter, fields: ['kind', 'code'] });
    expect(shown).not.toContain('secret');

    const rehearsal = JSON.parse(await dlq('redrive', letter!.id, '--dry-run')) as { letters: Letter[] };
    expect(rehearsal.letters.map(({ id }) => id)).toEqual([letter!.id]);
    broken.clear();
    const before = (await log.endOffsets(TOPIC)).reduce((sum, end) => sum + end, 0);
    await Promise.all([dlq('redrive', letter!.id), dlq('redrive', letter!.id)]);
    await until(async () => (await effects()).length === 3);
    await dlq('redrive', letter!.id);
    await dlq('redrive', '--group', group);
    await send([['4', 'old']]);
    await until(async () => (await effects()).includes('4'));
    expect(deliveries.filter((event) => event === '4')).toHaveLength(1);
    expect((await effects()).sort()).toEqual(['1', '2', '3', '4']);
    const after = (await log.endOffsets(TOPIC)).reduce((sum, end) => sum + end, 0);
    expect(after - before).toBe(2);
    expect((await list({ state: 'redriven' })).map(({ eventId }) => eventId)).toEqual(['2']);
    expect(await list()).toEqual([]);
  });

  it('keeps the order of a key, takes earlier letters along, and counts the attempts of what fails again', async () => {
    broken.add('new');
    await send([
      ['a', 'new'],
      ['b', 'new', 'tools'],
      ['c', 'new'],
      ['d', 'new'],
    ]);
    await until(async () => (await list()).length === 4);
    const letterOf = async (event: string) => (await list()).find(({ eventId }) => eventId === event)!;
    const first = await letterOf('a');
    await dlq('redrive', first.id);
    await until(async () => (await list()).filter(({ id }) => id !== first.id).length === 4);
    expect((await letterOf('a')).attempts).toBeGreaterThan(first.attempts);
    broken.clear();
    const { letters } = JSON.parse(await dlq('redrive', (await letterOf('c')).id)) as {
      letters: { takenAlong: boolean }[];
    };
    expect(letters.map(({ takenAlong }) => takenAlong)).toEqual([true, false]);
    await until(async () => (await effects()).length === 2);
    expect(await effects()).toEqual(['a', 'c']);
    await dlq('drop', (await letterOf('b')).id);
    await dlq('redrive', '--group', group, '--code', 'kind-unknown');
    await until(async () => (await effects()).length === 3);
    expect(await effects()).toEqual(['a', 'c', 'd']);
    expect(await list()).toEqual([]);
  });

  it('shows an organisation nothing of another, and the command line says what it was refused', async () => {
    broken.add('new');
    await send([['x', 'new']]);
    await until(async () => (await list()).length === 1);
    const [letter] = await list();
    const rival = `rival-${randomUUID()}`;
    await ensureTenant(database, { orgId: rival, name: rival });
    const { key } = await createApiKey(database, { orgId: rival, scopes: ['admin'] });
    const asRival = (...args: string[]) => lineprint(['dlq', ...args, '--url', query.url, '--api-key', key]);
    expect((await asRival('list', '--group', group)).stdout).toBe('0 dead letters.\n');
    expect(await asRival('show', letter!.id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('dead-letter-unknown') as string,
    });
    expect(await asRival('redrive', letter!.id)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('no dead letter of this organisation') as string,
    });
    expect(await asRival('redrive')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('selection-missing') as string,
    });
    expect((await list()).map(({ state }) => state)).toEqual(['open']);
    broken.clear();
    await dlq('redrive', '--group', group);
    await until(async () => (await effects()).length === 1);
  });

  it('redrives what lost its large payload once the payload is back', async () => {
    const noise = Array.from({ length: 60_000 }, () => randomUUID());
    const value = Buffer.from(JSON.stringify({ kind: 'old', noise }));
    const from = await log.endOffsets(TOPIC);
    const headers = { ce_id: 'large', lp_tenant: orgId };
    await log.append([{ topic: TOPIC, key: `${orgId}/large`, value, headers }]);
    await database.script('CREATE TABLE backup AS SELECT * FROM large_payloads; DELETE FROM large_payloads');
    const another = `${group}-another`;
    let received = 0;
    await log.consume({
      group: another,
      topic: TOPIC,
      from,
      handler: ({ records }) => {
        received += records.filter((record) => value.equals(record.value)).length;
        return Promise.resolve({ processed: records.length });
      },
    });
    const lost = () => list({ group: another });
    await until(async () => (await lost()).length === 1);
    expect(await lost()).toMatchObject([{ eventId: 'large', code: 'claim-missing' }]);
    await database.script('INSERT INTO large_payloads SELECT * FROM backup');
    await dlq('redrive', '--group', another);
    await until(() => Promise.resolve(received > 0));
    expect(received).toBe(1);
  });
});
