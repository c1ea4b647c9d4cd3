import { DEFAULT_POLICY, type Problem } from '@lineprint/contracts';
import {
  activatePolicy,
  advanceReplay,
  createPolicy,
  type Database,
  finishReplay,
  findReplay,
  prepareReplay,
  sampleReplay,
} from '@lineprint/persistence';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase } from '../testing/seed';
import { type ReplayAnswer, replayAnswer, replayListAnswer } from './replays.schema';

let database: Database;
let api: RunningApi;

beforeAll(async () => {
  database = await openSeededDatabase();
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});
afterAll(async () => {
  await api.close();
  await database.close();
});

const REPLAYS = '/api/v1/replays';
let policies = 0;
async function aPolicy(): Promise<string> {
  const id = `policy-${++policies}`;
  await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id });
  return id;
}
async function answered(response: Promise<Response>, status = 200): Promise<ReplayAnswer> {
  const { status: got, ...rest } = await response.then(async (r) => ({
    status: r.status,
    body: await r.json(),
  }));
  expect({ got, ...rest }).toMatchObject({ got: status });
  return replayAnswer.parse(rest.body);
}
const started = async (body: object = {}) =>
  answered(api.post(REPLAYS, { policy: await aPolicy(), ...body }, 'administrator'), 201);
const changed = (id: string, action: string) => api.post(`${REPLAYS}/${id}/${action}`, {}, 'administrator');
async function problemOf(response: Promise<Response>): Promise<[number, string]> {
  const { status, code } = (await (await response).json()) as Problem;
  return [status, code];
}

describe('a replay', () => {
  it('is started, listed and shown with what was asked for', async () => {
    const replay = await started({
      repository: 'shop',
      from: '2026-06-01',
      to: '2026-07-01T02:00:00+02:00',
      maxRate: 50,
    });
    expect(replay).toMatchObject({
      topic: 'candidates',
      stage: 'judge',
      status: 'running',
      repository: 'shop',
      from: '2026-06-01T00:00:00.000Z',
      to: '2026-07-01T00:00:00.000Z',
      maxRate: 50,
      createdBy: 'c0ffee',
      done: 0,
      total: 0,
      rate: null,
      secondsLeft: null,
    });
    expect(await api.json(`${REPLAYS}/${replay.id}`, 'administrator')).toEqual(replay);
    const list = replayListAnswer.parse(await api.json(REPLAYS, 'administrator'));
    expect(list.replays[0]).toEqual(replay);
    expect(replayListAnswer.parse(await api.json(REPLAYS, 'rivalAdministrator')).replays).toEqual([]);
  });

  it('tells how far it is, by partition too, and when it will be done', async () => {
    const { id } = await started();
    await prepareReplay(database, id, 'judge', [5, 0], [105, 0]);
    await sampleReplay(database, id);
    await database.transaction((tx) =>
      advanceReplay(
        tx,
        { replayId: id, stage: 'judge', partition: 0 },
        { from: 5, to: 30, judged: 20, written: 15, refused: 1 },
      ),
    );
    const replay = await answered(api.get(`${REPLAYS}/${id}`, 'administrator'));
    expect(replay).toMatchObject({
      done: 25,
      total: 100,
      judged: 20,
      written: 15,
      refused: 1,
      rate: expect.any(Number) as number,
      secondsLeft: expect.any(Number) as number,
      partitions: [
        { partition: 0, start: 5, next: 30, target: 105 },
        { partition: 1, start: 0, next: 0, target: 0 },
      ],
    });
  });

  it('is paused, resumed and cancelled', async () => {
    const { id } = await started();
    for (const [action, status] of [
      ['pause', 'paused'],
      ['resume', 'running'],
      ['cancel', 'cancelled'],
    ] as const) {
      expect(await answered(changed(id, action))).toMatchObject({ id, status });
    }
    expect(await problemOf(changed(id, 'pause'))).toEqual([409, 'replay-transition']);
  });

  it('is refused for a policy that is unknown, judged live, or has one', async () => {
    const start = (body: object) => problemOf(api.post(REPLAYS, body, 'administrator'));
    const { policy } = await started();
    expect(await start({ policy: 'nobody' })).toEqual([404, 'policy-unknown']);
    expect(await start({ policy: 'default' })).toEqual([409, 'policy-live']);
    expect(await start({ policy })).toEqual([409, 'replay-exists']);
  });

  it.each([
    ['without a policy', {}],
    ['of another topic', { topic: 'snippets' }],
    ['that ends before it starts', { from: '2026-06-02', to: '2026-06-01' }],
    ['from no time', { from: 'yesterday' }],
    ['of no speed', { maxRate: 0 }],
    ['with a misspelt wish', { repo: 'shop' }],
  ])('is refused %s', async (_fault, body) => {
    const policy = 'policy' in body || Object.keys(body).length > 0 ? { policy: await aPolicy() } : {};
    expect(await problemOf(api.post(REPLAYS, { ...policy, ...body }, 'administrator'))).toEqual([
      400,
      'body-invalid',
    ]);
  });

  it('of the active policy cannot be stopped', async () => {
    const { id, policy } = await started();
    const { replay } = (await findReplay(database, 'acme', id))!;
    await database.transaction((tx) => finishReplay(tx, replay));
    await activatePolicy(database, 'acme', policy);
    for (const action of ['pause', 'cancel']) {
      expect(await problemOf(changed(id, action))).toEqual([409, 'policy-active']);
    }
    await activatePolicy(database, 'acme', 'default');
    expect(await answered(changed(id, 'cancel'))).toMatchObject({ status: 'cancelled' });
  });

  it('is for administrators of its organisation', async () => {
    const { id, policy } = await started();
    expect(await problemOf(api.get(REPLAYS))).toEqual([403, 'scope-missing']);
    expect(await problemOf(api.post(REPLAYS, { policy }))).toEqual([403, 'scope-missing']);
    expect(await problemOf(api.post(`${REPLAYS}/${id}/cancel`, {}))).toEqual([403, 'scope-missing']);
    expect(await problemOf(api.get(`${REPLAYS}/${id}`, 'rivalAdministrator'))).toEqual([
      404,
      'replay-unknown',
    ]);
    expect(await problemOf(api.post(`${REPLAYS}/${id}/pause`, {}, 'rivalAdministrator'))).toEqual([
      404,
      'replay-unknown',
    ]);
  });
});
