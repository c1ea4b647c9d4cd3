import { noteIdentities, storeMailmap, type Database } from '@lineprint/persistence';
import type { CommitListAnswer } from '../commits/commits.schema';
import { meAnswer, type AuthSettingsAnswer, type MeAnswer } from '../me/me.schema';
import type { StatsAnswer } from '../stats/stats.schema';
import type { SummaryAnswer } from '../summary/summary.schema';
import { teamListAnswer, type TeamAnswer, type TeamListAnswer } from '../teams/teams.schema';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, seedDaily, shaOf } from '../testing/seed';
import {
  identityListAnswer,
  type ConflictListAnswer,
  type IdentityAnswer,
  type IdentityListAnswer,
} from './identities.schema';

let database: Database;
let api: RunningApi;

const LAPTOP = 'ada@laptop.local';
const NOREPLY = '7+ada@users.noreply.github.com';
const BOT = '49+dependabot[bot]@users.noreply.github.com';

beforeAll(async () => {
  database = await openSeededDatabase();
  const commits = [
    { sha: 'a1', user: 'ada@acme.dev', human: 1 },
    { sha: 'a2', user: LAPTOP, human: 10 },
    { sha: 'a3', user: NOREPLY, human: 100, project: 'desk', repository: 'acme/desk' },
    { sha: 'b1', user: 'bob@acme.dev', human: 1_000 },
    { sha: 'd1', user: BOT, human: 10_000 },
  ];
  for (const { sha, user, human, ...place } of commits) {
    await seedCommit(database, {
      sha: shaOf(sha),
      day: '2026-06-10',
      user,
      authorName: user === BOT ? 'dependabot[bot]' : user,
      files: [{ path: 'a.ts', results: [{ human }] }],
      ...place,
    });
  }
  await seedDaily(database);
  await storeMailmap(database, 'acme', 'acme/shop', [
    { properName: 'Ada Byron', properEmail: 'ada@acme.dev', commitName: null, commitEmail: LAPTOP },
  ]);
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const personal = 'scope=personal&period=30d';
const totalOf = async (query: string, key?: string) =>
  (await api.json<StatsAnswer>(`/api/v1/stats/ai-attribution?${query}`, key)).summary.total_lines;

async function answered<T>(response: Promise<Response>, status = 200): Promise<T> {
  const { status: actual, ...rest } = await response.then(async (r) => ({
    status: r.status,
    body: (await r.json()) as T,
  }));
  expect({ status: actual, ...rest }).toMatchObject({ status });
  return rest.body;
}
const decide = (path: string, body: object) => api.post(`/api/v1/identities/${path}`, body, 'administrator');

describe('a person under several addresses', () => {
  it('is one in the numbers that are asked for by any of them, and called by one', async () => {
    for (const address of ['ada@acme.dev', LAPTOP, LAPTOP.toUpperCase()]) {
      const answer = await api.json<StatsAnswer>(
        `/api/v1/stats/ai-attribution?${personal}&user_id=${address}`,
      );
      expect([answer.user_id, answer.summary.total_lines]).toEqual(['ada@acme.dev', 11]);
    }
    expect(await totalOf(personal, 'ada')).toBe(11);
    const { commits } = await api.json<CommitListAnswer>('/api/v1/commits', 'ada');
    expect(commits.map(({ sha }) => sha.slice(0, 2)).sort()).toEqual(['a1', 'a2']);
  });

  it('is one in the summary, whose persons still add up to all lines', async () => {
    const { byPerson, lines } = await api.json<SummaryAnswer>('/api/v1/summary');
    expect(Object.entries(byPerson).map(([id, figures]) => [id, figures.lines])).toEqual([
      [BOT, 10_000],
      ['bob@acme.dev', 1_000],
      [NOREPLY, 100],
      ['ada@acme.dev', 11],
    ]);
    expect(lines.added).toBe(11_111);
  });

  it('is merged, split and put back by an administrator, at once and for all numbers', async () => {
    const merged = await answered<IdentityAnswer>(decide('merge', { person: NOREPLY, into: LAPTOP }));
    expect(merged).toEqual({
      personId: 'ada@acme.dev',
      name: 'Ada Byron',
      kind: 'person',
      aliases: [
        { alias: 'ada@acme.dev', by: null },
        { alias: NOREPLY, by: 'manual' },
        { alias: LAPTOP, by: 'mailmap' },
      ],
    });
    expect(await totalOf(personal, 'ada')).toBe(111);
    await answered(decide('split', { address: LAPTOP }));
    expect(await totalOf(personal, 'ada')).toBe(101);
    for (const address of [LAPTOP, NOREPLY]) {
      await answered(
        api.delete(`/api/v1/identities/decisions/${encodeURIComponent(address)}`, 'administrator'),
      );
    }
    expect(await totalOf(personal, 'ada')).toBe(11);
  });

  it('says what is wrong with a decision', async () => {
    const problem = (response: Promise<Response>, status: number) => answered<object>(response, status);
    expect(await problem(decide('merge', { person: 'x@y', into: LAPTOP }), 404)).toMatchObject({
      code: 'person-unknown',
    });
    expect(await problem(decide('merge', { person: LAPTOP, into: 'ada@acme.dev' }), 409)).toMatchObject({
      code: 'people-same',
    });
    expect(await problem(decide('split', { address: 'ada@acme.dev' }), 409)).toMatchObject({
      code: 'person-canonical',
    });
    expect(await problem(decide('split', {}), 400)).toMatchObject({ code: 'body-invalid' });
    expect(
      await problem(api.post('/api/v1/identities/merge', { person: LAPTOP, into: BOT }), 403),
    ).toMatchObject({ code: 'scope-missing' });
    expect(await problem(api.delete('/api/v1/identities/decisions/x@y', 'administrator'), 404)).toMatchObject(
      { code: 'decision-unknown' },
    );
  });

  it('shows what mailmaps disagree on, to administrators', async () => {
    const entry = { properName: null, commitName: null, commitEmail: LAPTOP };
    await storeMailmap(database, 'acme', 'acme/desk', [{ ...entry, properEmail: 'bob@acme.dev' }]);
    expect(await api.json<ConflictListAnswer>('/api/v1/identities/conflicts', 'administrator')).toEqual({
      conflicts: [
        {
          code: 'mailmaps-differ',
          alias: LAPTOP,
          people: ['ada@acme.dev', 'bob@acme.dev'],
          repositories: ['acme/desk', 'acme/shop'],
        },
      ],
    });
    await storeMailmap(database, 'acme', 'acme/desk', []);
  });
});

describe('GET /api/v1/identities', () => {
  it('lists people, bots and assistants by page, a personal key its own person, nothing of other organisations', async () => {
    await noteIdentities(database, [{ orgId: 'acme', userId: 'claude@ai', name: 'Claude', declared: true }]);
    const all = await api.json<IdentityListAnswer>('/api/v1/identities');
    expect(identityListAnswer.parse(all)).toEqual(all);
    expect(all.people.map(({ personId, kind }) => [personId, kind])).toEqual([
      [BOT, 'bot'],
      [NOREPLY, 'person'],
      ['ada@acme.dev', 'person'],
      ['bob@acme.dev', 'person'],
      ['claude@ai', 'assistant'],
    ]);
    const first = await api.json<IdentityListAnswer>('/api/v1/identities?limit=2&kind=person');
    const second = await api.json<IdentityListAnswer>(
      `/api/v1/identities?limit=2&kind=person&after=${first.next}`,
    );
    expect([...first.people, ...second.people].map(({ personId }) => personId)).toEqual([
      NOREPLY,
      'ada@acme.dev',
      'bob@acme.dev',
    ]);
    expect(second.next).toBeNull();
    const own = await api.json<IdentityListAnswer>('/api/v1/identities', 'ada');
    expect(own.people.map(({ personId }) => personId)).toEqual(['ada@acme.dev']);
    expect((await api.json<IdentityListAnswer>('/api/v1/identities', 'rival')).people).toEqual([]);
  });

  it('takes a name and a kind for what commits say, and gives them back', async () => {
    const describePerson = (body: object) =>
      api.put(`/api/v1/identities/BOB@acme.dev`, body, 'administrator');
    expect(await answered(describePerson({ name: 'Bob the Builder', kind: 'bot' }))).toMatchObject({
      name: 'Bob the Builder',
      kind: 'bot',
    });
    expect(await answered(describePerson({ name: null, kind: null }))).toMatchObject({
      name: 'bob@acme.dev',
      kind: 'person',
    });
  });
});

describe('teams', () => {
  const team = (id: string, key = 'administrator') => api.get(`/api/v1/teams/${id}`, key);

  it('are made, changed and deleted by administrators', async () => {
    const made = await answered<TeamAnswer>(
      api.post(
        '/api/v1/teams',
        { teamId: 'core', name: 'Core', members: [LAPTOP, 'ada@acme.dev'] },
        'administrator',
      ),
      201,
    );
    expect(made).toEqual({
      teamId: 'core',
      name: 'Core',
      members: [{ personId: 'ada@acme.dev', name: 'Ada Byron', kind: 'person' }],
    });
    expect(
      await answered(api.post('/api/v1/teams', { teamId: 'core', name: 'x' }, 'administrator'), 409),
    ).toMatchObject({ code: 'team-exists' });
    expect(
      await answered(api.post('/api/v1/teams', { teamId: 'a b', name: 'x' }, 'administrator'), 400),
    ).toMatchObject({ code: 'body-invalid' });
    expect(await answered(api.post('/api/v1/teams', { teamId: 'x', name: 'x' }), 403)).toMatchObject({
      code: 'scope-missing',
    });
    await answered(
      api.put('/api/v1/teams/core', { name: 'Kern', members: ['bob@acme.dev'] }, 'administrator'),
    );
    expect(await answered(team('core'))).toMatchObject({
      name: 'Kern',
      members: [{ personId: 'bob@acme.dev' }],
    });
    await answered(api.delete('/api/v1/teams/core', 'administrator'));
    expect(await answered(team('core'), 404)).toMatchObject({ code: 'team-unknown' });
    expect(await answered(api.delete('/api/v1/teams/core', 'administrator'), 404)).toMatchObject({
      code: 'team-unknown',
    });
  });

  describe('of two people', () => {
    beforeAll(async () => {
      const teams = [
        { teamId: 'core', name: 'Core', members: [LAPTOP, 'bob@acme.dev'] },
        { teamId: 'docs', name: 'Docs', members: ['bob@acme.dev'] },
      ];
      for (const body of teams) await answered(api.post('/api/v1/teams', body, 'administrator'), 201);
    });

    it('filter numbers and commits by all addresses of their people', async () => {
      expect(await totalOf('scope=organization&period=30d&team=core')).toBe(1_011);
      expect(await totalOf('scope=project&project_id=shop&period=30d&team=docs')).toBe(1_000);
      expect(await totalOf(`${personal}&user_id=ada@acme.dev&team=docs`)).toBe(0);
      const { commits } = await api.json<CommitListAnswer>('/api/v1/commits?team=core');
      expect(commits.map(({ sha }) => sha.slice(0, 2)).sort()).toEqual(['a1', 'a2', 'b1']);
      expect(await api.problem('/api/v1/commits?team=nobody')).toMatchObject({
        status: 404,
        code: 'team-unknown',
      });
    });

    it('show a personal key its own teams, and of them its own numbers', async () => {
      const { teams } = await api.json<TeamListAnswer>('/api/v1/teams', 'ada');
      expect(teamListAnswer.parse({ teams })).toEqual({ teams });
      expect(teams.map(({ teamId }) => teamId)).toEqual(['core']);
      expect(await answered(team('docs', 'ada'), 404)).toMatchObject({ code: 'team-unknown' });
      expect(await totalOf(`${personal}&team=core`, 'ada')).toBe(11);
      expect(await api.problem('/api/v1/commits?person=bob@acme.dev', 'ada')).toMatchObject({
        code: 'person-forbidden',
      });
    });
  });
});

describe('GET /api/v1/me', () => {
  it('says who a credential stands for and what it shows', async () => {
    const me = await api.json<MeAnswer>('/api/v1/me', 'adaInCapitals');
    expect(meAnswer.parse(me)).toEqual(me);
    expect(me).toEqual({
      credential: 'key',
      role: null,
      scopes: ['read'],
      sees: 'person',
      projects: null,
      readsCode: false,
      person: {
        personId: 'ada@acme.dev',
        name: 'Ada Byron',
        kind: 'person',
        aliases: ['ada@acme.dev', LAPTOP],
      },
      teams: [{ teamId: 'core', name: 'Core' }],
      organisation: { orgId: 'acme', name: 'acme', timeZone: 'UTC' },
    });
    expect(await api.json<MeAnswer>('/api/v1/me', 'organisation')).toMatchObject({
      sees: 'organisation',
      person: null,
    });
    expect(await api.json<MeAnswer>('/api/v1/me', 'ingest')).toMatchObject({
      sees: 'nothing',
      scopes: ['ingest'],
    });
    expect(await api.json<MeAnswer>('/api/v1/me', 'maintainer')).toMatchObject({
      credential: 'token',
      role: 'maintainer',
      sees: 'projects',
      projects: ['shop'],
      readsCode: true,
      person: { personId: 'ada@acme.dev' },
    });
    expect(await api.problem('/api/v1/me', '')).toMatchObject({ status: 401, code: 'credential-missing' });
  });

  it('tells anybody how people log in', async () => {
    expect(await api.json<AuthSettingsAnswer>('/api/v1/auth/settings', '')).toEqual({ oidc: null });
  });
});

describe('a maintainer', () => {
  const problem = (path: string) => api.problem(`/api/v1/${path}`, 'maintainer');

  it('sees the own projects, everybody’s lines in them', async () => {
    expect(await totalOf('scope=project&project_id=shop&period=30d', 'maintainer')).toBe(11_011);
    expect((await api.json<SummaryAnswer>('/api/v1/summary?project_id=shop', 'maintainer')).lines.added).toBe(
      11_011,
    );
    const { commits } = await api.json<CommitListAnswer>('/api/v1/commits?project_id=shop', 'maintainer');
    expect(commits.map(({ sha }) => sha.slice(0, 2)).sort()).toEqual(['a1', 'a2', 'b1', 'd1']);
    await api.json(`/api/v1/commits/${shaOf('b1')}?repository=acme/shop`, 'maintainer');
  });

  it.each(['projects', 'repositories', 'people', 'models', 'exclusions', 'top-files'])(
    'sees %s of the own projects alone',
    async (path) => {
      expect(await problem(`${path}?period=30d`)).toMatchObject({ status: 403, code: 'project-forbidden' });
      const answer = JSON.stringify(
        await api.json(`/api/v1/${path}?period=30d&project_id=shop`, 'maintainer'),
      );
      expect(answer).not.toContain('desk');
    },
  );

  it('sees nothing else', async () => {
    expect(await problem('summary')).toMatchObject({ status: 403, code: 'project-forbidden' });
    expect(await problem('summary?project_id=desk')).toMatchObject({
      status: 403,
      code: 'project-forbidden',
    });
    expect(await problem('commits?project_id=desk&project_id=shop')).toMatchObject({
      code: 'project-forbidden',
    });
    expect(await problem(`commits/${shaOf('a3')}?repository=acme/desk`)).toMatchObject({
      code: 'commit-unknown',
    });
    expect(await problem('export')).toMatchObject({ status: 403, code: 'role-insufficient' });
    expect(await problem('identities')).toMatchObject({ status: 403, code: 'role-insufficient' });
    expect(await problem('dead-letters')).toMatchObject({ status: 403, code: 'scope-missing' });
  });
});
