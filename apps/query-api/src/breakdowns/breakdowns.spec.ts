import type { Database } from '@lineprint/persistence';
import { seedRandomRows } from '../testing/random-rows';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase } from '../testing/seed';
import {
  exclusionListAnswer,
  modelListAnswer,
  type ModelListAnswer,
  personListAnswer,
  type PersonListAnswer,
  projectListAnswer,
  type ProjectListAnswer,
  repositoryListAnswer,
  topFilesAnswer,
} from './breakdowns.schema';

let database: Database;
let api: RunningApi;
const span = 'period=custom&start_date=2025-12-01&end_date=2026-12-31';

beforeAll(async () => {
  database = await openSeededDatabase();
  await seedRandomRows(database, 3);
  api = await runApi(database, { at: '2026-10-26T10:00:00Z' });
});
afterAll(async () => {
  await api.close();
  await database.close();
});

const lists = [
  ['projects', projectListAnswer],
  ['repositories', repositoryListAnswer],
  ['people', personListAnswer],
  ['models', modelListAnswer],
  ['exclusions', exclusionListAnswer],
  ['top-files', topFilesAnswer],
] as const;

describe('lists of whose and where lines are', () => {
  it.each(lists)(
    'answer %s in the documented shape, and as a table to who asks for one',
    async (name, schema) => {
      const answer = await api.json<Record<string, unknown>>(`/api/v1/${name}?${span}`);
      expect(schema.parse(answer)).toEqual(answer);
      const rows = Object.values(answer).find(Array.isArray) as object[];
      expect(rows.length).toBeGreaterThan(1);
      const csv = await api.get(`/api/v1/${name}?${span}&format=csv`);
      expect(csv.headers.get('content-type')).toContain('text/csv');
      const lines = (await csv.text()).trimEnd().split('\r\n');
      expect(lines).toHaveLength(rows.length + 1);
      expect(new Set(lines[0]!.split(','))).toEqual(new Set(Object.keys(rows[0]!)));
    },
  );

  it.each(lists)('answer nothing of %s where nothing happened, by default of 30 days', async (name) => {
    const answer = await api.json<Record<string, unknown>>(`/api/v1/${name}`, 'rival');
    expect(answer).toMatchObject({ period: { start: '2026-09-27', end: '2026-10-26' } });
    expect(Object.values(answer).find(Array.isArray)).toEqual([]);
  });

  it('come in pages', async () => {
    const whole = await api.json<PersonListAnswer>(`/api/v1/people?${span}`);
    const people: PersonListAnswer['people'] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: PersonListAnswer = await api.json(
        `/api/v1/people?${span}&limit=1${after && `&after=${after}`}`,
      );
      expect(page.people).toHaveLength(1);
      people.push(...page.people);
      after = page.next;
    }
    expect(people).toEqual(whole.people);
    expect(people).toHaveLength(3);
  });

  it('show a personal key its person’s lines only', async () => {
    const [ada, ...others] = (await api.json<PersonListAnswer>(`/api/v1/people?${span}`, 'ada')).people;
    expect([ada?.personId, others]).toEqual(['ada@acme.dev', []]);
    const { projects } = await api.json<ProjectListAnswer>(`/api/v1/projects?${span}`, 'ada');
    expect(projects.reduce((sum, { lines }) => sum + lines, 0)).toBe(ada?.lines);
    expect(projects.every(({ people }) => people <= 1)).toBe(true);
  });

  it('answer the models of one person’s lines, to that person too and to nobody else', async () => {
    const own = await api.json<ModelListAnswer>(`/api/v1/models?${span}`, 'ada');
    expect(own.models.length).toBeGreaterThan(0);
    const asked = `/api/v1/models?${span}&user_id=ada@acme.dev`;
    expect(await api.json(asked)).toEqual(own);
    expect(await api.json(asked, 'ada')).toEqual(own);
    expect(await api.json(`/api/v1/models?${span}`)).not.toEqual(own);
    expect(await api.problem(asked, 'eve')).toMatchObject({ status: 403, code: 'person-forbidden' });
  });

  it('answer 304 to who has the same already, and never let a cache between mix two keys', async () => {
    const first = await api.get(`/api/v1/models?${span}`);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^W\//);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(first.headers.get('vary')).toContain('Authorization');
    await first.text();
    // fetch says no-cache of its own accord where there is a condition, which asks for the whole.
    const ifChanged = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    const again = await api.get(`/api/v1/models?${span}`, 'organisation', ifChanged);
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await api.get(`/api/v1/models?${span}`, 'rival', ifChanged);
    expect(other.status).toBe(200);
    await other.text();
  });

  it('refuse a project, a team and a period that are none', async () => {
    expect(await api.problem('/api/v1/people?project_id=spy')).toMatchObject({ code: 'project-forbidden' });
    expect(await api.problem('/api/v1/models?team=none')).toMatchObject({ code: 'team-unknown' });
    expect(await api.problem('/api/v1/projects?period=custom')).toMatchObject({ code: 'parameters-invalid' });
    expect(await api.problem('/api/v1/top-files?after=x')).toMatchObject({ code: 'parameters-invalid' });
  });
});
