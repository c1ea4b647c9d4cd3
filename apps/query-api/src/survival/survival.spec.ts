import { DEFAULT_POLICY } from '@lineprint/contracts';
import type { Database } from '@lineprint/persistence';
import { LEDGER_AT, seedRandomLedger } from '../testing/random-ledger';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase } from '../testing/seed';
import { seedHead, seedLives } from '../testing/seed-ledger';
import { survivalAnswer, type SurvivalAnswer } from './survival.schema';

const TIME_ZONE = 'America/New_York';
let database: Database;
let api: RunningApi;
const survival = (query: string, key?: string) => api.json<SurvivalAnswer>(`/api/v1/survival?${query}`, key);

beforeAll(async () => {
  database = await openSeededDatabase(TIME_ZONE);
  await seedRandomLedger(database, 11);
  // A branch of few lines, whose curve can be said by heart.
  const place = { repository: 'acme/tiny', project: 'shop' };
  await seedHead(database, { ...place, at: '2026-03-31T12:00:00Z' });
  await seedLives(database, [
    { ...place, kind: 'P', source: 'agent', bornAt: '2026-03-02T04:59:00Z', lines: 6 },
    {
      ...place,
      kind: 'M',
      source: 'tab',
      bornAt: '2026-03-02T05:00:00Z',
      diedAt: '2026-03-05T05:00:00Z',
      lines: 2,
    },
    { ...place, kind: 'H', bornAt: '2026-03-30T12:00:00Z', lines: 5 },
    { ...place, kind: 'H', bornAt: '2026-03-30T13:00:00Z', diedAt: '2026-03-30T14:00:00Z', lines: 3 },
  ]);
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

/** Each life that a condition is true of: one row a line, with the days that it lived and was watched for. */
const lines = (key: string, condition: string) => `
  SELECT ${key} AS key, (born_at AT TIME ZONE '${TIME_ZONE}')::date AS born, died_at IS NOT NULL AS died,
    CASE WHEN died_at IS NOT NULL THEN EXTRACT(EPOCH FROM died_at - born_at) / 86400 END AS lived,
    EXTRACT(EPOCH FROM heads.at - born_at) / 86400 AS watched
  FROM life_lines
  JOIN (VALUES ('acme/shop', 'refs/heads/main', to_timestamp(${LEDGER_AT / 1000})),
               ('acme/docs', 'refs/heads/trunk', to_timestamp(${(LEDGER_AT - 6 * 86_400_000) / 1000})),
               ('acme/tiny', 'refs/heads/main', '2026-03-31T12:00:00Z'::timestamptz))
    AS heads (repository, ref, at) USING (repository, ref)
  CROSS JOIN generate_series(1, lines)
  WHERE org_id = 'acme' AND policy_id = '${DEFAULT_POLICY.id}' AND (${condition})`;

/** The product of the shares that did not die at each age, of the lines that were watched to its end. */
async function aliveAt(key: string, condition: string, age: number): Promise<Map<string, number | null>> {
  const rows = await database.query<{ key: string; alive: number | null }>(`
    WITH lines AS (${lines(key, condition)}),
    days AS (
      SELECT key, day, COUNT(*) FILTER (WHERE lived < day + 1)::float8 / COUNT(*) AS died
      FROM lines CROSS JOIN generate_series(0, ${age - 1}) AS day
      WHERE watched >= day + 1 AND (lived IS NULL OR lived >= day)
      GROUP BY key, day
    )
    SELECT key,
      CASE WHEN MAX(died) = 1 THEN 0 WHEN COUNT(*) = ${age} THEN EXP(SUM(LN(NULLIF(1 - died, 0)))) END AS alive
    FROM days
    GROUP BY key`);
  return new Map(rows.map((row) => [row.key, row.alive]));
}

const origin = `CASE WHEN kind = 'H' THEN 'human' ELSE 'ai' END`;
const named = (column: string) => `CASE WHEN kind = 'H' THEN 'human' ELSE COALESCE(${column}, 'unknown') END`;

describe('GET /api/v1/survival', () => {
  it('says of a few lines what can be said by heart', async () => {
    const answer = await survival('repository=acme/tiny');
    expect(survivalAnswer.parse(answer)).toEqual(answer);
    expect(answer.curves).toEqual([
      {
        key: 'ai',
        born: 8,
        points: [
          { age: 0, alive: 1 },
          { age: 4, alive: 0.75 },
        ],
        watchedDays: 29,
        at7: 0.75,
        at30: null,
        at90: null,
        halfLifeDays: null,
        churn14: { born: 8, rewritten: 2, ratio: 0.25 },
      },
      {
        // Of the lines that were watched for a whole day.
        key: 'human',
        born: 8,
        points: [{ age: 0, alive: 1 }],
        watchedDays: 1,
        at7: null,
        at30: null,
        at90: null,
        halfLifeDays: null,
        churn14: { born: 0, rewritten: 0, ratio: null },
      },
    ]);
    // The first line was born before Monday began in New York.
    expect(answer.cohorts).toEqual([
      { week: '2026-02-23', key: 'ai', born: 6, alive7: 1, alive30: null, alive90: null, now: 1 },
      { week: '2026-03-02', key: 'ai', born: 2, alive7: 0, alive30: 0, alive90: 0, now: 0 },
      { week: '2026-03-30', key: 'human', born: 8, alive7: null, alive30: null, alive90: null, now: 0.625 },
    ]);
  });

  it.each([
    ['', origin, 'TRUE'],
    ['by=source', named('source'), 'TRUE'],
    ['by=model', named('model'), 'TRUE'],
    ['by=source&repository=acme/docs', named('source'), `repository = 'acme/docs'`],
    ['project_id=shop&person=EVE@acme.dev', origin, `project_id = 'shop' AND user_id = 'eve@acme.dev'`],
    [
      'born_from=2026-03-01&born_to=2026-04-30',
      origin,
      `(born_at AT TIME ZONE '${TIME_ZONE}')::date BETWEEN '2026-03-01' AND '2026-04-30'`,
    ],
  ])('estimates for “%s” what the lives of all lines say', async (query, key, condition) => {
    const { curves } = await survival(query);
    for (const [age, field] of [
      [7, 'at7'],
      [30, 'at30'],
      [90, 'at90'],
    ] as const) {
      const expected = await aliveAt(key, condition, age);
      for (const curve of curves) {
        const alive = expected.get(curve.key) ?? null;
        expect([curve.key, age, curve[field]]).toEqual([
          curve.key,
          age,
          alive === null ? null : Math.round(alive * 1000) / 1000,
        ]);
      }
    }
    const counts = await database.query<{ key: string; born: number; old: number; rewritten: number }>(`
      SELECT key, COUNT(*) AS born, COUNT(*) FILTER (WHERE watched >= 14) AS old,
        COUNT(*) FILTER (WHERE watched >= 14 AND lived < 14) AS rewritten
      FROM (${lines(key, condition)}) l GROUP BY key`);
    expect(
      new Map(curves.map(({ key: name, born, churn14 }) => [name, [born, churn14.born, churn14.rewritten]])),
    ).toEqual(new Map(counts.map((row) => [row.key, [row.born, row.old, row.rewritten]])));
    expect(curves.length).toBe(counts.length);
  });

  it('counts each cohort’s lines in its week, and how many of them stand', async () => {
    const { cohorts } = await survival('by=source');
    const rows = await database.query<{ week: string; key: string; born: number; standing: number }>(`
      SELECT born - (EXTRACT(ISODOW FROM born)::int - 1) AS week, key COLLATE "C" AS key, COUNT(*) AS born,
        COUNT(*) FILTER (WHERE NOT died) AS standing
      FROM (${lines(named('source'), 'TRUE')}) l GROUP BY 1, 2 ORDER BY 1, 2`);
    expect(cohorts.map(({ week, key, born, now }) => [week, key, born, now])).toEqual(
      rows.map(({ week, key, born, standing }) => [
        week,
        key,
        born,
        Math.round((standing / born) * 1000) / 1000,
      ]),
    );
  });

  it('shows a personal key its person’s lines only', async () => {
    const own = await survival('', 'ada');
    const asked = await survival('person=ada@acme.dev');
    expect(own).toEqual(asked);
    expect(await api.problem('/api/v1/survival?person=bob@acme.dev', 'ada')).toMatchObject({
      code: 'person-forbidden',
    });
  });

  it('shows nothing of another organisation', async () => {
    const bornOf = ({ curves }: SurvivalAnswer) => curves.reduce((sum, { born }) => sum + born, 0);
    const [row] = await database.query<{ lines: number }>(
      `SELECT SUM(lines) AS lines FROM life_lines WHERE org_id = 'rival' AND policy_id = '${DEFAULT_POLICY.id}'`,
    );
    expect(bornOf(await survival('', 'rival'))).toBe(row?.lines);
    expect(await survival('repository=acme/docs', 'rival')).toEqual({ curves: [], cohorts: [] });
  });

  it.each(['by=mood', 'born_from=yesterday', 'born_from=2026-05-02&born_to=2026-05-01'])(
    'refuses %s',
    async (query) => {
      expect(await api.problem(`/api/v1/survival?${query}`)).toMatchObject({ code: 'parameters-invalid' });
    },
  );

  it('answers its cohorts as CSV, with an empty cell where nothing can be said yet', async () => {
    const csv = await (await api.get('/api/v1/survival?repository=acme/tiny&format=csv')).text();
    expect(csv.split('\r\n').slice(0, 3)).toEqual([
      'week,key,born,alive7,alive30,alive90,now',
      '2026-02-23,ai,6,1,,,1',
      '2026-03-02,ai,2,0,0,0,0',
    ]);
  });
});
