import { DEFAULT_POLICY, type Problem } from '@lineprint/contracts';
import {
  createReplay,
  type Database,
  ensureFirstPolicy,
  finishReplay,
  prepareReplay,
} from '@lineprint/persistence';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, seedDaily, shaOf } from '../testing/seed';
import {
  type ActivationAnswer,
  type DroppedAnswer,
  type PolicyAnswer,
  policyAnswer,
  type PolicyListAnswer,
  policyListAnswer,
} from './policies.schema';

let database: Database;
let api: RunningApi;

beforeAll(async () => {
  database = await openSeededDatabase();
  for (const [policy, human] of [
    ['default', 1],
    ['strict', 4],
  ] as const) {
    await seedCommit(database, {
      sha: shaOf('a1'),
      day: '2026-06-15',
      policy,
      files: [{ path: 'a.ts', results: [{ source: 'tab', preserved: 5 - human }, { human }] }],
    });
  }
  await seedCommit(database, { sha: shaOf('a2'), day: '2026-06-16', files: [] });
  await seedDaily(database);
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const POLICIES = '/api/v1/policies';
async function created(body: object, key = 'administrator'): Promise<PolicyAnswer> {
  const response = await api.post(POLICIES, body, key);
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return policyAnswer.parse(await response.json());
}
async function problemOf(response: Promise<Response>): Promise<Problem> {
  const answered = await response;
  expect(answered.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  return (await answered.json()) as Problem;
}
const refused = (body: object, key = 'administrator') => problemOf(api.post(POLICIES, body, key));
/** As if a worker had caught up. */
async function follow(policyId: string): Promise<void> {
  const replay = await createReplay(database, { orgId: 'acme', policyId, topic: 'candidates' });
  await prepareReplay(database, replay.id, 'judge', [0], [0]);
  await database.transaction((tx) => finishReplay(tx, replay));
}
const ratio = async (query: string) =>
  (await api.json<{ aiRatio: number }>(`/api/v1/summary${query}`)).aiRatio;

describe('POST /api/v1/policies', () => {
  it('makes a policy of the changes to another one, which nobody judges yet', async () => {
    const derived = { id: 'strict', like: 'default', changes: { thresholds: { minBits: 30 } } };
    const policy = await created({ ...derived, description: 'fewer short matches' });
    expect(policy).toEqual({
      ...DEFAULT_POLICY,
      id: 'strict',
      thresholds: { ...DEFAULT_POLICY.thresholds, minBits: 30 },
      description: 'fewer short matches',
      createdAt: expect.any(String) as string,
      createdBy: 'c0ffee',
      active: false,
      live: false,
      replay: null,
      judged: 1,
    });
    expect(await created(derived)).toEqual(policy);
  });

  it('takes a whole policy, too', async () => {
    const exclusions = [{ glob: 'gen/**', reason: 'made by a machine' }];
    expect(await created({ ...DEFAULT_POLICY, id: 'without-gen', exclusions })).toMatchObject({
      id: 'without-gen',
      exclusions,
    });
    const derived = await created({ id: 'with-gen', like: 'without-gen', changes: { exclusions: [] } });
    expect(derived.exclusions).toEqual([]);
  });

  it('names the threshold that is wrong', async () => {
    const changes = { thresholds: { minBits: 20, highbits: 1 } };
    expect(await refused({ id: 'odd', like: 'default', changes })).toMatchObject({
      status: 400,
      code: 'body-invalid',
      errors: [{ path: 'thresholds.highbits', detail: 'is not known here' }],
    });
    const { minBitsElsewhere, highBits } = DEFAULT_POLICY.thresholds;
    const above = { thresholds: { minBits: 99 } };
    expect(await refused({ id: 'odd', like: 'default', changes: above })).toMatchObject({
      errors: [
        { path: 'thresholds.minBitsElsewhere', detail: `is ${minBitsElsewhere}, below minBits, which is 99` },
        { path: 'thresholds.highBits', detail: `is ${highBits}, below minBits, which is 99` },
      ],
    });
    expect(await refused({ ...DEFAULT_POLICY, id: 'a/b' })).toMatchObject({ errors: [{ path: 'id' }] });
    expect(await refused([])).toMatchObject({ status: 400, code: 'body-invalid' });
  });

  it('does not change a policy that is there', async () => {
    const changes = { thresholds: { minBits: 31 } };
    expect(await refused({ id: 'strict', like: 'default', changes })).toMatchObject({
      status: 409,
      code: 'policy-changed',
    });
  });

  it('takes nothing but a known policy to start from', async () => {
    expect(await refused({ id: 'new', like: 'missing' })).toMatchObject({
      status: 404,
      code: 'policy-unknown',
    });
  });

  it('is for administrators', async () => {
    expect(await refused({ id: 'new', like: 'default' }, 'organisation')).toMatchObject({
      status: 403,
      code: 'scope-missing',
    });
  });
});

describe('GET /api/v1/policies', () => {
  it('lists the organisation’s policies with who judges and reads them', async () => {
    const answer = await api.json<PolicyListAnswer>(POLICIES);
    expect(policyListAnswer.parse(answer)).toEqual(answer);
    expect(answer.policies.map(({ id, active, live, judged }) => ({ id, active, live, judged }))).toEqual([
      { id: 'default', active: true, live: true, judged: 2 },
      { id: 'strict', active: false, live: false, judged: 1 },
      { id: 'without-gen', active: false, live: false, judged: 0 },
      { id: 'with-gen', active: false, live: false, judged: 0 },
    ]);
  });

  it('shows one, and none of another organisation', async () => {
    expect(await api.json(`${POLICIES}/strict`)).toMatchObject({ id: 'strict', judged: 1 });
    expect(await api.problem(`${POLICIES}/strict`, 'rival')).toMatchObject({
      status: 404,
      code: 'policy-unknown',
    });
  });
});

describe('the parameter policy', () => {
  it('reads the results of another policy than the active one', async () => {
    expect([await ratio(''), await ratio('?policy=default'), await ratio('?policy=strict')]).toEqual([
      0.8, 0.8, 0.2,
    ]);
    const stats = await api.json<{ summary: object }>(
      '/api/v1/stats/ai-attribution?scope=organization&period=7d&policy=strict',
    );
    expect(stats.summary).toMatchObject({ total_lines: 5, ai_attributed_lines: 1 });
    const exported = await (await api.get('/api/v1/export?policy=strict')).text();
    expect(exported.trimEnd().split('\n').at(-1)).toBe('{"type":"end","commits":1,"daily":1}');
  });

  it('hides commits that the policy has not judged', async () => {
    const shas = async (policy: string) =>
      (await api.json<{ commits: { sha: string }[] }>(`/api/v1/commits?policy=${policy}`)).commits.map(
        ({ sha }) => sha,
      );
    expect(await shas('default')).toEqual([shaOf('a2'), shaOf('a1')]);
    expect(await shas('strict')).toEqual([shaOf('a1')]);
    const one = `/api/v1/commits/${shaOf('a2')}?repository=acme/shop`;
    expect(await api.json(one)).toMatchObject({ sha: shaOf('a2') });
    expect(await api.problem(`${one}&policy=strict`)).toMatchObject({ status: 404, code: 'commit-unknown' });
    expect(await api.json('/api/v1/summary/commits?policy=strict')).toEqual({ commits: 1, merges: 0 });
  });

  it.each([
    '/api/v1/stats/ai-attribution?scope=organization&period=7d&',
    '/api/v1/summary?',
    '/api/v1/summary/commits?',
    '/api/v1/commits?',
    `/api/v1/commits/${shaOf('a1')}?repository=acme/shop&`,
    `/api/v1/commits/${shaOf('a1')}/lines?repository=acme/shop&path=a.ts&`,
    '/api/v1/export?',
  ])('is refused by %s when there is no such policy', async (path) => {
    expect(await api.problem(`${path}policy=missing`)).toMatchObject({ status: 404, code: 'policy-unknown' });
  });
});

describe('POST /api/v1/policies/{id}/activate', () => {
  const activate = (id: string, key = 'administrator') => api.post(`${POLICIES}/${id}/activate`, {}, key);

  it('is refused until somebody judges every new commit under the policy', async () => {
    expect(await problemOf(activate('strict'))).toMatchObject({ status: 409, code: 'policy-not-replayed' });
    expect(await problemOf(activate('missing'))).toMatchObject({ status: 404, code: 'policy-unknown' });
    expect(await problemOf(activate('strict', 'organisation'))).toMatchObject({ status: 403 });
    expect(await ratio('')).toBe(0.8);
  });

  it('flips what everything reads by default, and back, and says so', async () => {
    await follow('strict');
    expect(await api.json(`${POLICIES}/strict`)).toMatchObject({ replay: { status: 'following' } });
    const flip = async (id: string) => (await (await activate(id)).json()) as ActivationAnswer;
    expect(await flip('strict')).toEqual({ active: 'strict', before: 'default' });
    expect([await ratio(''), await ratio('?policy=default')]).toEqual([0.2, 0.8]);
    expect(await flip('default')).toEqual({ active: 'default', before: 'strict' });
    expect(await ratio('')).toBe(0.8);
    const { activations } = await api.json<PolicyListAnswer>(POLICIES);
    expect(activations.map(({ from, to, by }) => `${from} ${to} ${by}`)).toEqual([
      'strict default c0ffee',
      'default strict c0ffee',
    ]);
  });
});

describe('DELETE /api/v1/policies/{id}', () => {
  const drop = (id: string, key = 'administrator') => api.delete(`${POLICIES}/${id}`, key);

  it('is refused for the active policy, an unknown one, and without the scope', async () => {
    expect(await problemOf(drop('default'))).toMatchObject({ status: 409, code: 'policy-active' });
    expect(await problemOf(drop('missing'))).toMatchObject({ status: 404, code: 'policy-unknown' });
    expect(await problemOf(drop('strict', 'organisation'))).toMatchObject({ status: 403 });
  });

  it('takes the results away and keeps the id', async () => {
    const answer = (await (await drop('strict')).json()) as DroppedAnswer;
    expect(answer).toEqual({
      dropped: 'strict',
      rows: { results: 2, files: 1, ledger: 0, verdicts: 1, copies: 0, sums: 12, days: 1 },
    });
    expect(await api.problem('/api/v1/summary?policy=strict')).toMatchObject({ code: 'policy-unknown' });
    expect(await ratio('')).toBe(0.8);
    const again = { id: 'strict', like: 'default', changes: { thresholds: { minBits: 30 } } };
    expect(await refused(again)).toMatchObject({ status: 409, code: 'policy-dropped' });
  });
});

it('an organisation’s policies are nobody else’s', async () => {
  await ensureFirstPolicy(database, 'rival', DEFAULT_POLICY);
  const { policies } = await api.json<PolicyListAnswer>(POLICIES, 'rival');
  expect(policies.map(({ id, judged }) => ({ id, judged }))).toEqual([{ id: 'default', judged: 0 }]);
});
