import type { Database } from '@lineprint/persistence';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, seedDaily, seedSession, shaOf } from '../testing/seed';
import { statsAnswer, type StatsAnswer } from './stats.schema';

const now = { at: '2026-06-16T10:00:00Z' };
let database: Database;
let api: RunningApi;

const stats = (query: string, key?: string) =>
  api.json<StatsAnswer>(`/api/v1/stats/ai-attribution?${query}`, key);
const refused = (query: string, key?: string) => api.problem(`/api/v1/stats/ai-attribution?${query}`, key);
const custom = (start: string, end: string) => `period=custom&start_date=${start}&end_date=${end}`;

beforeAll(async () => {
  database = await openSeededDatabase('America/New_York');
  await seedCommit(database, {
    sha: shaOf('a1'),
    day: '2026-06-15',
    files: [
      {
        path: 'src/cart.ts',
        results: [
          { source: 'tab', confidence: 'HIGH', similarity: 0.9, preserved: 6, modified: 2 },
          { source: 'tab', confidence: 'LOW', similarity: 0.6, preserved: 0, modified: 4 },
          { source: 'tab', confidence: 'SUSPECT', evidence: 'none', similarity: 0.4, human: 3, suspect: 3 },
          { human: 5 },
        ],
      },
      { path: 'tools/run.py', language: 'python', results: [{ source: 'chat', preserved: 10 }] },
      { path: 'package-lock.json', language: 'json', added: 900, excluded: 'lock' },
    ],
  });
  await seedCommit(database, {
    sha: shaOf('a2'),
    day: '2026-06-16',
    user: 'bob@acme.dev',
    files: [
      {
        path: 'src/cart.ts',
        results: [
          { source: 'agent', evidence: 'declared', confidence: 'HIGH', preserved: 20, modified: 1 },
          { source: 'agent', evidence: 'estimated', confidence: 'LOW', similarity: 0.7, modified: 3 },
          { human: 6 },
        ],
      },
    ],
  });
  // What must never show: an inactive policy's verdict and another organisation's lines.
  await seedCommit(database, {
    sha: shaOf('a1'),
    day: '2026-06-15',
    policy: 'strict',
    files: [{ path: 'src/cart.ts', results: [{ source: 'chat', preserved: 1000 }] }],
  });
  await seedCommit(database, {
    sha: shaOf('f1'),
    day: '2026-06-15',
    org: 'rival',
    project: 'spy',
    repository: 'rival/spy',
    files: [{ path: 'src/cart.ts', results: [{ source: 'chat', preserved: 500 }] }],
  });
  // On a branch that is not merged: beside all figures.
  await seedCommit(database, {
    sha: shaOf('a3'),
    day: '2026-06-16',
    counted: false,
    files: [
      {
        path: 'src/other.ts',
        results: [{ source: 'tab', similarity: 0.1, preserved: 3, modified: 2 }, { human: 5 }],
      },
    ],
  });
  for (const [digits, day] of [
    ['b1', '2024-12-29'],
    ['b2', '2024-12-30'],
    ['b3', '2025-01-01'],
    ['b4', '2025-01-05'],
    ['b5', '2025-01-06'],
  ] as const) {
    await seedCommit(database, {
      sha: shaOf(digits),
      day,
      files: [{ path: 'src/year.ts', results: [{ source: 'chat', preserved: 1 }, { human: 1 }] }],
    });
  }
  await seedSession(database, {
    id: 's1',
    day: '2026-06-15',
    shown: 40,
    accepted: 10,
    chatEdits: 4,
    agentTasks: 1,
  });
  await seedSession(database, { id: 's2', day: '2026-06-16', shown: 10, accepted: 8, chatEdits: 3 });
  await seedSession(database, { id: 's3', day: '2026-06-16', user: 'bob@acme.dev', agentTasks: 2 });
  const may = { shown: 4, user: 'bob@acme.dev' };
  await seedSession(database, {
    ...may,
    id: 's4',
    day: '2023-05-01',
    survival: { checks: 1, similarity: 0.5 },
  });
  await seedSession(database, {
    shown: 4,
    id: 's5',
    day: '2023-05-02',
    survival: { checks: 3, similarity: 0.9 },
  });
  await seedSession(database, { shown: 4, id: 's6', day: '2023-05-02' });
  await seedDaily(database);
  api = await runApi(database, now);
});

afterAll(async () => {
  await api.close();
  await database.close();
});

describe('GET /api/v1/stats/ai-attribution', () => {
  it('answers every field by its definition over the raw results', async () => {
    expect(await stats('scope=organization&period=7d')).toEqual({
      period: { start: '2026-06-10', end: '2026-06-16' },
      scope: 'organization',
      org_id: 'acme',
      summary: {
        total_lines: 60,
        ai_attributed_lines: 41,
        ai_ratio: 0.683,
        total_commits: 2,
        files_with_ai: 2,
      },
      provisional: { total_lines: 10, ai_attributed_lines: 4, ai_ratio: 0.4, total_commits: 1 },
      breakdown: {
        tab: {
          suggestions_shown: 50,
          suggestions_accepted: 18,
          accept_rate: 0.36,
          ai_attributed_lines: 9,
          avg_survival_similarity: 0.8,
        },
        chat: { edits: 7, ai_attributed_lines: 10, avg_similarity: 0 },
        agent: { tasks: 3, ai_attributed_lines: 22, avg_similarity: 0.7 },
      },
      confidence: { high: 0.65, low: 0.117, suspect: 0.05, unique: 0.183 },
      evidence: { matched: 19, declared: 20.5, estimated: 1.5 },
      trend: [
        {
          date: '2026-06-15',
          total_lines: 30,
          ai_attributed_lines: 19,
          ai_ratio: 0.633,
          tab_accept_rate: 0.25,
          chat_edits: 4,
        },
        {
          date: '2026-06-16',
          total_lines: 30,
          ai_attributed_lines: 22,
          ai_ratio: 0.733,
          tab_accept_rate: 0.8,
          chat_edits: 3,
        },
      ],
      language_breakdown: [
        { language: 'typescript', total_lines: 50, ai_lines: 31, ai_ratio: 0.62 },
        { language: 'python', total_lines: 10, ai_lines: 10, ai_ratio: 1 },
      ],
    });
  });

  it.each(['period=7d', custom('1999-01-01', '1999-12-31')])(
    'answers in the documented shape for %s',
    async (period) => {
      const answer = await stats(`scope=organization&${period}`);
      expect(statsAnswer.parse(answer)).toEqual(answer);
    },
  );

  it('answers zeros, never a division by zero, where nothing happened', async () => {
    const answer = await stats(`scope=organization&${custom('1999-01-01', '1999-12-31')}`);
    expect(answer.summary).toEqual({
      total_lines: 0,
      ai_attributed_lines: 0,
      ai_ratio: 0,
      total_commits: 0,
      files_with_ai: 0,
    });
    expect(answer.confidence).toEqual({ high: 0, low: 0, suspect: 0, unique: 0 });
    expect(answer.breakdown.tab.accept_rate).toBe(0);
    expect(answer.trend).toEqual([]);
    expect(answer.language_breakdown).toEqual([]);
  });

  it.each([
    'scope=organization',
    'scope=project&project_id=shop',
    'scope=personal&user_id=ada@acme.dev',
    'scope=personal&user_id=bob@acme.dev',
  ])('reconciles the parts with the whole for %s', async (scope) => {
    for (const granularity of ['day', 'week', 'month']) {
      const answer = await stats(`${scope}&${custom('2024-01-01', '2026-12-31')}&granularity=${granularity}`);
      const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
      const ai = answer.summary.ai_attributed_lines;
      const { tab, chat, agent } = answer.breakdown;
      expect(total([tab, chat, agent].map((source) => source.ai_attributed_lines))).toBe(ai);
      expect(total(Object.values(answer.evidence))).toBe(ai);
      expect(total(answer.trend.map((bucket) => bucket.ai_attributed_lines))).toBe(ai);
      expect(total(answer.language_breakdown.map((language) => language.ai_lines))).toBe(ai);
      expect(total(answer.trend.map((bucket) => bucket.total_lines))).toBe(answer.summary.total_lines);
      expect(total(answer.language_breakdown.map((row) => row.total_lines))).toBe(answer.summary.total_lines);
      expect(total(Object.values(answer.confidence))).toBeCloseTo(1, 2);
    }
  });

  it('sums up what the results hold, row by row', async () => {
    const rows = await database.query<{ total: number; preserved: number; modified: number; sha: string }>(
      `SELECT commit_sha AS sha, total_lines AS total, ai_preserved_lines AS preserved, ai_modified_lines AS modified
       FROM ai_attribution_results WHERE org_id = 'acme' AND policy_id = 'default' AND counted`,
    );
    const { summary } = await stats(`scope=organization&${custom('2024-01-01', '2026-12-31')}`);
    expect(summary.total_lines).toBe(rows.reduce((sum, row) => sum + row.total, 0));
    expect(summary.ai_attributed_lines).toBe(
      rows.reduce((sum, row) => sum + row.preserved + row.modified / 2, 0),
    );
    expect(summary.total_commits).toBe(new Set(rows.map((row) => row.sha)).size);
  });

  it('keys a week by its Monday and a month by its first day, over a change of year', async () => {
    const period = custom('2024-12-29', '2025-01-06');
    const dates = async (granularity: string) =>
      (await stats(`scope=organization&${period}&granularity=${granularity}`)).trend.map((bucket) => [
        bucket.date,
        bucket.total_lines,
      ]);
    expect(await dates('week')).toEqual([
      ['2024-12-23', 2],
      ['2024-12-30', 6],
      ['2025-01-06', 2],
    ]);
    expect(await dates('month')).toEqual([
      ['2024-12-01', 4],
      ['2025-01-01', 6],
    ]);
  });

  it('begins a week on the day that the organisation has set', async () => {
    await database.query(`UPDATE tenants SET week_start = 7 WHERE org_id = 'acme'`);
    const { trend } = await stats(
      `scope=organization&${custom('2024-12-29', '2025-01-06')}&granularity=week`,
    );
    await database.query(`UPDATE tenants SET week_start = 1 WHERE org_id = 'acme'`);
    expect(trend.map((bucket) => [bucket.date, bucket.total_lines])).toEqual([
      ['2024-12-29', 6],
      ['2025-01-05', 4],
    ]);
  });

  it('says how completions stood where clients have reported it', async () => {
    const answer = await stats(`scope=organization&${custom('2023-05-01', '2023-05-03')}`);
    // (3 × 0.9 + 1 × 0.5) / 4; of two sessions, one of which was not looked at
    expect(answer.breakdown.tab).toMatchObject({ suggestions_shown: 12, avg_survival_similarity: 0.8 });
    const other = await stats(`scope=personal&user_id=bob@acme.dev&${custom('2023-05-01', '2023-05-03')}`);
    expect(other.breakdown.tab).toMatchObject({ suggestions_shown: 4, avg_survival_similarity: 0.5 });
  });

  it('takes today from the clock on the organisation’s wall', async () => {
    now.at = '2026-06-16T03:59:00Z';
    expect((await stats('scope=organization&period=today')).period).toEqual({
      start: '2026-06-15',
      end: '2026-06-15',
    });
    now.at = '2026-12-16T04:59:00Z';
    expect((await stats('scope=organization&period=today')).period.end).toBe('2026-12-15');
    now.at = '2026-06-16T10:00:00Z';
    expect((await stats('scope=organization&period=today')).summary.total_lines).toBe(30);
  });

  it('takes dates and instants for a custom period, both ends included', async () => {
    const answer = await stats(`scope=organization&${custom('2026-06-15T02:00:00Z', '2026-06-15')}`);
    expect(answer.period).toEqual({ start: '2026-06-14', end: '2026-06-15' });
    expect(answer.summary.total_lines).toBe(30);
  });

  it('shows a personal key its own person without being told whom', async () => {
    const answer = await stats('scope=personal&period=7d', 'ada');
    expect(answer.user_id).toBe('ada@acme.dev');
    expect(answer.summary.total_lines).toBe(30);
    expect(answer).not.toHaveProperty('org_id');
  });

  it('knows a person in whatever case the address is written', async () => {
    const answer = await stats('scope=personal&period=7d', 'ada');
    for (const [query, key] of [
      ['scope=personal&period=7d', 'adaInCapitals'],
      ['scope=personal&user_id=ada@acme.dev&period=7d', 'adaInCapitals'],
      ['scope=personal&user_id=ADA@acme.dev&period=7d', 'ada'],
      ['scope=personal&user_id=ADA@acme.dev&period=7d', 'organisation'],
    ] as const) {
      expect(await stats(query, key)).toEqual(answer);
    }
    const { commits } = await api.json<{ commits: number }>('/api/v1/summary', 'adaInCapitals');
    expect(commits).toBe((await api.json<{ commits: number }>('/api/v1/summary', 'ada')).commits);
    expect(commits).toBeGreaterThan(0);
  });

  it('narrows a person to a project', async () => {
    const answer = await stats('scope=personal&user_id=bob@acme.dev&project_id=shop&period=7d');
    expect(answer).toMatchObject({
      user_id: 'bob@acme.dev',
      project_id: 'shop',
      summary: { total_lines: 30 },
    });
  });

  it.each([
    'scope=personal&user_id=bob@acme.dev&period=7d',
    'scope=project&project_id=shop&period=7d',
    'scope=organization&period=7d',
  ])('refuses a personal key anybody else’s numbers: %s', async (query) => {
    expect(await refused(query, 'ada')).toMatchObject({ status: 403, code: 'person-forbidden' });
  });

  it('refuses another organisation and its projects', async () => {
    const query = 'period=7d&scope';
    expect(await refused(`${query}=organization&org_id=rival`)).toMatchObject({
      status: 403,
      code: 'tenant-mismatch',
    });
    expect(await refused(`${query}=project&project_id=spy`)).toMatchObject({
      status: 403,
      code: 'project-forbidden',
    });
    expect(await refused(`${query}=personal&user_id=x&project_id=spy`)).toMatchObject({ status: 403 });
    expect((await stats(`${query}=organization&org_id=rival`, 'rival')).summary.total_lines).toBe(500);
  });

  it.each([
    ['period=7d', 'scope'],
    ['scope=team&period=7d', 'scope'],
    ['scope=organization', 'period'],
    ['scope=organization&period=1y', 'period'],
    ['scope=organization&period=7d&granularity=hour', 'granularity'],
    ['scope=organization&period=custom', 'start_date'],
    ['scope=organization&period=custom&start_date=2026-01-01', 'end_date'],
    [`scope=organization&${custom('2026-02-30', '2026-03-01')}`, 'start_date'],
    [`scope=organization&${custom('2026-03-02', '2026-03-01')}`, 'end_date'],
    ['scope=organization&period=7d&start_date=2026-01-01', 'start_date'],
    ['scope=organization&period=7d&project_id=shop', 'project_id'],
    ['scope=organization&period=7d&user_id=ada', 'user_id'],
    ['scope=project&period=7d', 'project_id'],
    ['scope=personal&period=7d', 'user_id'],
    ['scope=personal&scope=project&period=7d', 'scope'],
  ])('says what to send instead of %s', async (query, path) => {
    const problem = await refused(query);
    expect(problem).toMatchObject({ status: 400, code: 'parameters-invalid' });
    expect(problem.errors?.map((error) => error.path)).toContain(path);
    expect(problem.detail).toContain(`${path}: `);
  });

  it('asks for a key with the scope read', async () => {
    expect(await refused('scope=organization&period=7d', '')).toMatchObject({ status: 401 });
    expect(await refused('scope=organization&period=7d', 'ingest')).toMatchObject({ status: 403 });
  });
});
