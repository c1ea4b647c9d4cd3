import { deadLetterTopic, TOPICS, topicSpecs } from '@lineprint/contracts';
import { type EventLog, openEventLog } from '@lineprint/event-log';
import type { Database } from '@lineprint/persistence';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase } from '../testing/seed';
import {
  deadLetterAnswer,
  type DeadLetterAnswer,
  deadLetterListAnswer,
  type DeadLetterListAnswer,
  decidedLettersAnswer,
} from './dead-letters.schema';

const PATH = '/api/v1/dead-letters';
let database: Database;
let log: EventLog;
let api: RunningApi;

function letter(event: string, tenant: string | null) {
  return {
    topic: deadLetterTopic(TOPICS.commits),
    key: `${tenant}/shop`,
    value: Buffer.from(`{"repository":"shop","code":"const secret = ${event}"}`),
    headers: {
      ce_id: event,
      ...(tenant === null ? {} : { lp_tenant: tenant }),
      lp_dlq_topic: TOPICS.commits,
      lp_dlq_partition: '0',
      lp_dlq_offset: '7',
      lp_dlq_group: 'lineprint.commit-analyzer',
      lp_dlq_code: 'event-invalid',
      lp_dlq_message: 'no such shape',
      lp_dlq_attempts: '1',
    },
  };
}

beforeAll(async () => {
  database = await openSeededDatabase();
  log = await openEventLog('embedded:', { database, clientId: 'test' });
  await log.ensureTopics(topicSpecs(1));
  await log.append([
    letter('a1', 'acme'),
    letter('r1', 'rival'),
    letter('a2', 'acme'),
    letter('foreign', null),
  ]);
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await log.close();
  await database.close();
});

const list = (query = '', key = 'administrator') => api.json<DeadLetterListAnswer>(`${PATH}?${query}`, key);
const eventsOf = ({ deadLetters }: DeadLetterListAnswer) => deadLetters.map(({ eventId }) => eventId);

describe('/api/v1/dead-letters', () => {
  it('needs an administrator’s key', async () => {
    expect(await api.problem(PATH, 'organisation')).toMatchObject({ status: 403, code: 'scope-missing' });
    const refused = await api.post(`${PATH}/redrive`, { filter: {} }, 'organisation');
    expect(refused.status).toBe(403);
  });

  it('lists an organisation’s own letters in pages', async () => {
    const answer = await list();
    expect(deadLetterListAnswer.parse(answer)).toEqual(answer);
    expect(eventsOf(answer)).toEqual(['a1', 'a2']);
    const first = await list('limit=1');
    expect(eventsOf(first)).toEqual(['a1']);
    expect(eventsOf(await list(`limit=1&after=${first.next}`))).toEqual(['a2']);
    expect(eventsOf(await list('code=other'))).toEqual([]);
    expect(eventsOf(await list('state=all', 'rivalAdministrator'))).toEqual(['r1']);
  });

  it('shows those that name no organisation to that of the installation’s first start alone', async () => {
    expect(eventsOf(await list('', 'operator'))).toEqual(['foreign']);
  });

  it('shows a letter without its value', async () => {
    const [listed] = (await list()).deadLetters;
    const text = await (await api.get(`${PATH}/${listed!.id}`, 'administrator')).text();
    const shown = JSON.parse(text) as DeadLetterAnswer;
    expect(deadLetterAnswer.parse(shown)).toEqual(shown);
    expect(shown).toMatchObject({ ...listed, fields: ['repository', 'code'] });
    expect(text).not.toContain('secret');
    expect(await api.problem(`${PATH}/${listed!.id}`, 'rivalAdministrator')).toMatchObject({
      status: 404,
      code: 'dead-letter-unknown',
    });
  });

  it.each([
    ['?topic=commits', 'topic'],
    ['?limit=0', 'limit'],
    ['?state=gone', 'state'],
    ['?after=nonsense', 'after'],
    [`/${deadLetterTopic(TOPICS.commits)}/0/-1`, 'offset'],
  ])('refuses %s', async (query, parameter) => {
    expect(await api.problem(PATH + query, 'administrator')).toMatchObject({
      status: 400,
      code: 'parameters-invalid',
      errors: [{ path: parameter }],
    });
  });

  it.each([{}, { ids: [] }, { ids: ['x'], filter: {} }, { filter: { key: 'x' } }])(
    'refuses to redrive %j',
    async (body) => {
      const refused = await api.post(`${PATH}/redrive`, body, 'administrator');
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ code: 'body-invalid' });
    },
  );

  it('redrives and drops an organisation’s own letters, once, and rehearses it first', async () => {
    const [first, second] = (await list()).deadLetters;
    const post = async (action: string, body: object) => {
      const response = await api.post(`${PATH}/${action}`, body, 'administrator');
      expect(response.status).toBe(200);
      const answer: unknown = await response.json();
      return decidedLettersAnswer.parse(answer);
    };
    const both = [first!, second!].map(({ id, key, code }) => ({ id, key, code, takenAlong: false }));
    expect((await post('redrive', { filter: {}, dryRun: true })).letters).toEqual(both);
    expect(eventsOf(await list())).toHaveLength(2);
    expect((await post('redrive', { ids: [first!.id] })).letters).toEqual([both[0]]);
    expect((await post('drop', { filter: { code: 'event-invalid' } })).letters).toEqual([both[1]]);
    expect(await post('redrive', { ids: [first!.id, second!.id, 'other'] })).toMatchObject({
      letters: [],
      unchanged: [first!.id, second!.id],
      unknown: ['other'],
    });
    expect(eventsOf(await list())).toEqual([]);
    const states = (await list('state=all')).deadLetters.map(({ state }) => state);
    expect(states).toEqual(['redriven', 'dropped']);
    const outbox = await database.query<{ headers: Record<string, string> }>('SELECT headers FROM outbox');
    expect(outbox.map(({ headers }) => headers['ce_id'])).toEqual(['a1']);
    expect(eventsOf(await list('', 'rivalAdministrator'))).toEqual(['r1']);
  });
});
