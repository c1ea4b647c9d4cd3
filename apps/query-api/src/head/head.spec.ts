import { DEFAULT_POLICY } from '@lineprint/contracts';
import { createTeam, type Database, mergePeople, noteIdentities, splitPerson } from '@lineprint/persistence';
import { seedRandomLedger } from '../testing/random-ledger';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase } from '../testing/seed';
import { headAnswer, type HeadAnswer, type HeadFigures } from './head.schema';

let database: Database;
let api: RunningApi;
const head = (query: string, key?: string) => api.json<HeadAnswer>(`/api/v1/head?${query}`, key);

beforeAll(async () => {
  database = await openSeededDatabase();
  await seedRandomLedger(database, 7);
  await noteIdentities(
    database,
    ['ada', 'bob', 'eve'].map((name) => ({
      orgId: 'acme',
      userId: `${name}@acme.dev`,
      name,
      declared: false,
    })),
  );
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const DEFAULT_HEADS = [
  ['acme/docs', 'refs/heads/trunk'],
  ['acme/shop', 'refs/heads/main'],
];

/** The lines that a condition is true of, by a key; each kind summed by itself. */
async function counted(key: string, condition: string): Promise<Map<string | null, HeadFigures>> {
  const rows = await database.query<{ key: string | null; kind: 'P' | 'M' | 'H' | 'U'; lines: number }>(
    `SELECT ${key} AS key, kind, SUM(lines) AS lines FROM head_file_lines
     WHERE org_id = 'acme' AND policy_id = $1
       AND (repository, ref) IN (('acme/docs', 'refs/heads/trunk'), ('acme/shop', 'refs/heads/main'))
       AND (${condition})
     GROUP BY 1, 2`,
    [DEFAULT_POLICY.id],
  );
  const figures = new Map<string | null, HeadFigures>();
  for (const row of rows) {
    const of = (kind: string) =>
      rows.find((other) => other.key === row.key && other.kind === kind)?.lines ?? 0;
    const [preserved, modified, human, unknown] = [of('P'), of('M'), of('H'), of('U')];
    const known = preserved + modified + human;
    figures.set(row.key, {
      lines: known + unknown,
      preserved,
      modified,
      human,
      unknown,
      weighted: preserved + modified / 2,
      ratio: known === 0 ? 0 : Math.round((1000 * (preserved + modified / 2)) / known) / 1000,
    });
  }
  return figures;
}

const partsOf = ({ parts }: HeadAnswer) => new Map(parts.map(({ key, ...figures }) => [key, figures]));
const totalOf = async (condition: string) => (await counted(`'all'`, condition)).get('all');

describe('GET /api/v1/head', () => {
  it('sums the lines of default branches under the active policy, and of no other branch or policy', async () => {
    const answer = await head('');
    expect(headAnswer.parse(answer)).toEqual(answer);
    expect(answer.heads.map(({ repository, ref }) => [repository, ref])).toEqual(DEFAULT_HEADS);
    expect(answer.total).toEqual(await totalOf('TRUE'));
  });

  const named = (column: string) =>
    `CASE WHEN kind = 'H' THEN 'human' WHEN kind <> 'U' THEN COALESCE(${column}, 'unknown') END`;
  it.each([
    ['repository', '', 'repository', 'TRUE'],
    ['language', '', 'language', 'TRUE'],
    ['person', '', 'user_id', 'TRUE'],
    ['source', '', named('source'), 'TRUE'],
    ['model', '', named('model'), 'TRUE'],
    ['language', '&project_id=docs', 'language', `repository = 'acme/docs'`],
    ['source', '&person=Bob@acme.dev', named('source'), `user_id = 'bob@acme.dev'`],
    [
      'folder',
      '&repository=acme/shop',
      `COALESCE(substring(path from '^([^/]+)/'), '.')`,
      `repository = 'acme/shop'`,
    ],
    [
      'folder',
      '&repository=acme/shop&folder=./src/',
      `COALESCE(substring(path from '^(src/[^/]+)/'), 'src')`,
      `repository = 'acme/shop' AND path ~ '^src/'`,
    ],
  ])('splits them by %s%s', async (by, filter, key, condition) => {
    const answer = await head(`by=${by}${filter}`);
    expect(headAnswer.parse(answer)).toEqual(answer);
    expect(partsOf(answer)).toEqual(await counted(key, condition));
    expect(answer.total).toEqual(await totalOf(condition));
    const lines = answer.parts.map((part) => part.lines);
    expect(lines).toEqual([...lines].sort((a, b) => b - a));
  });

  it('splits them by kind', async () => {
    const { total, parts } = await head('by=kind');
    const lines = Object.fromEntries(parts.map((part) => [part.key, part.lines]));
    expect(lines).toEqual({
      preserved: total.preserved,
      modified: total.modified,
      human: total.human,
      unknown: total.unknown,
    });
  });

  it('answers for another branch that counts, and for another policy, where they are named', async () => {
    const sumOf = async (condition: string) => {
      const [row] = await database.query<{ lines: number }>(
        `SELECT SUM(lines) AS lines FROM head_file_lines WHERE org_id = 'acme' AND ${condition}`,
      );
      return row?.lines;
    };
    const next = await head('repository=acme/shop&ref=refs/heads/next');
    expect(next.heads.map(({ ref }) => ref)).toEqual(['refs/heads/next']);
    expect(next.total.lines).toBe(
      await sumOf(`ref = 'refs/heads/next' AND policy_id = '${DEFAULT_POLICY.id}'`),
    );
    expect(await api.problem('/api/v1/head?policy=strict')).toMatchObject({ code: 'policy-unknown' });
  });

  it('sums a person’s lines under all addresses, and a team’s over its people', async () => {
    await mergePeople(database, 'acme', { person: 'eve@acme.dev', into: 'ada@acme.dev' }, null);
    await createTeam(database, 'acme', { teamId: 'web', name: 'Web', members: ['eve@acme.dev'] });
    await createTeam(database, 'acme', {
      teamId: 'all',
      name: 'All',
      members: ['ada@acme.dev', 'bob@acme.dev'],
    });
    const of = `CASE user_id WHEN 'eve@acme.dev' THEN 'ada@acme.dev' ELSE user_id END`;
    expect(partsOf(await head('by=person'))).toEqual(await counted(of, 'TRUE'));
    const ofAda = `user_id IN ('ada@acme.dev', 'eve@acme.dev')`;
    const teams = await head('by=team');
    expect(partsOf(teams)).toEqual(
      new Map([
        ['all', await totalOf('user_id IS NOT NULL')],
        ['web', await totalOf(ofAda)],
      ]),
    );
    expect(teams.total).toEqual(await totalOf('TRUE'));
    for (const query of ['team=web', 'person=eve@acme.dev', 'team=all&person=ada@acme.dev']) {
      expect((await head(query)).total).toEqual(await totalOf(ofAda));
    }
    expect((await head('', 'ada')).total).toEqual(await totalOf(ofAda));
    expect(await api.problem('/api/v1/head?team=none')).toMatchObject({ status: 404, code: 'team-unknown' });
    await splitPerson(database, 'acme', 'eve@acme.dev', null);
  });

  it('shows a personal key its person’s lines only', async () => {
    const answer = await head('by=person', 'adaInCapitals');
    expect(answer.parts.map(({ key }) => key)).toEqual(['ada@acme.dev']);
    expect(answer.total).toEqual(await totalOf(`user_id = 'ada@acme.dev'`));
    expect(await api.problem('/api/v1/head?person=bob@acme.dev', 'ada')).toMatchObject({
      status: 403,
      code: 'person-forbidden',
    });
  });

  it('shows nothing of another organisation', async () => {
    const answer = await head('by=repository', 'rival');
    const [row] = await database.query<{ lines: number }>(
      `SELECT SUM(lines) AS lines FROM head_file_lines WHERE org_id = 'rival' AND policy_id = '${DEFAULT_POLICY.id}'`,
    );
    expect(answer.total.lines).toBe(row?.lines);
    expect(await api.problem('/api/v1/head?project_id=shop', 'rival')).toMatchObject({
      code: 'project-forbidden',
    });
  });

  it('has no lines where no default branch is known', async () => {
    expect(await head('repository=acme/none')).toEqual({
      heads: [],
      total: { lines: 0, preserved: 0, modified: 0, human: 0, unknown: 0, weighted: 0, ratio: 0 },
      parts: [],
    });
  });

  it.each(['by=mood', 'folder=src', 'by=folder', 'ref=refs/heads/main', 'format=xml'])(
    'refuses %s',
    async (query) => {
      expect(await api.problem(`/api/v1/head?${query}`)).toMatchObject({ code: 'parameters-invalid' });
    },
  );

  it('answers its parts as CSV, by parameter or by header', async () => {
    const { parts } = await head('by=source');
    const csv = await (await api.get('/api/v1/head?by=source&format=csv')).text();
    const [first, ...lines] = csv.trimEnd().split('\r\n');
    expect(first).toBe('key,lines,preserved,modified,human,unknown,weighted,ratio');
    expect(lines.map((line) => line.split(',').slice(0, 2))).toEqual(
      parts.map(({ key, lines: count }) => [key ?? '', String(count)]),
    );
    const asked = await api.get('/api/v1/head?by=source', 'organisation', { accept: 'text/csv' });
    expect(asked.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(await asked.text()).toBe(csv);
    expect((await api.get('/api/v1/head')).headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('answers 304 while nothing has changed', async () => {
    const path = '/api/v1/head?repository=acme/docs';
    const etag = (await api.get(path)).headers.get('etag') ?? '';
    // fetch says no-cache of its own accord where there is a condition, which asks for the whole.
    const ifChanged = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
    const again = await api.get(path, 'organisation', ifChanged);
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    await database.query(`UPDATE head_file_lines SET lines = lines + 1 WHERE repository = 'acme/docs'`);
    expect((await api.get(path, 'organisation', ifChanged)).status).toBe(200);
  });
});
