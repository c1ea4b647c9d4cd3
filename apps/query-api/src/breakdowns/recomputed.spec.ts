import type { Database, Row } from '@lineprint/persistence';
import type { StatsAnswer } from '../stats/stats.schema';
import { runApi, type RunningApi } from '../testing/running-api';
import {
  DAYS,
  LANGUAGES,
  MODELS,
  PEOPLE,
  PROJECTS,
  REPOSITORIES,
  seedRandomRows,
} from '../testing/random-rows';
import { openSeededDatabase } from '../testing/seed';
import type {
  ExclusionListAnswer,
  ModelListAnswer,
  PersonListAnswer,
  ProjectListAnswer,
  RepositoryListAnswer,
  TopFilesAnswer,
} from './breakdowns.schema';

let database: Database;
let api: RunningApi;

beforeAll(async () => {
  database = await openSeededDatabase('Europe/Berlin');
  await seedRandomRows(database, 7);
  await database.query(
    `INSERT INTO projects (project_id, org_id) VALUES ('tools', 'acme') ON CONFLICT DO NOTHING`,
  );
  api = await runApi(database, { at: '2026-10-26T10:00:00Z' });
});
afterAll(async () => {
  await api.close();
  await database.close();
});

interface Asked {
  readonly start: string;
  readonly end: string;
  readonly person?: string;
  readonly project?: string;
  readonly repository?: string;
  readonly language?: string;
  readonly source?: string;
  readonly model?: string;
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
/** Raw rows that are asked for: of results, or of sessions, which know neither repository nor language. */
const rowsOf = (table: 'ai_attribution_results' | 'activity_sessions', asked: Asked) =>
  [
    `SELECT * FROM ${table} WHERE org_id = 'acme' AND day >= ${quoted(asked.start)} AND day <= ${quoted(asked.end)}`,
    ...(table === 'ai_attribution_results' ? [`policy_id = 'default'`] : []),
    ...(asked.person ? [`user_id = ${quoted(asked.person)}`] : []),
    ...(asked.project ? [`project_id = ${quoted(asked.project)}`] : []),
    ...(asked.repository && table === 'ai_attribution_results'
      ? [`repository = ${quoted(asked.repository)}`]
      : []),
    ...(asked.language && table === 'ai_attribution_results' ? [`language = ${quoted(asked.language)}`] : []),
  ].join(' AND ');

async function one(sql: string): Promise<Row> {
  return (await database.query(sql))[0]!;
}

const rounded = (part: unknown, whole: unknown) =>
  Number(whole) === 0 ? 0 : Math.round((Number(part) / Number(whole)) * 1000) / 1000;

/** The whole answer from raw rows, each number by a text of its own. */
async function recomputed(
  asked: Asked,
  granularity: 'day' | 'week' | 'month',
): Promise<Partial<StatsAnswer>> {
  const ai = [
    ...(asked.source ? [`match_source = ${quoted(asked.source)}`] : []),
    ...(asked.model ? [`model = ${quoted(asked.model)}`] : []),
  ];
  const isAi = ai.length === 0 ? 'TRUE' : `(${ai.join(' AND ')})`;
  const results = `(
    SELECT r.*, CASE WHEN ${isAi} THEN ai_preserved_lines + ai_modified_lines ELSE 0 END AS ai,
      CASE WHEN ${isAi} THEN ai_preserved_lines + ai_modified_lines / 2.0 ELSE 0 END AS w,
      CASE WHEN ${isAi} THEN suspect_lines ELSE 0 END AS sus
    FROM (${rowsOf('ai_attribution_results', asked)}) r)`;
  const sessions = `(${rowsOf('activity_sessions', asked)})`;
  const sumOf = async (what: string, where: string, counted = true) =>
    Number(
      (
        await one(`SELECT COALESCE(SUM(${what}), 0) AS sum FROM ${results} q
                  WHERE ${counted ? '' : 'NOT '}counted AND ${where}`)
      )['sum'],
    );
  const ofSessions = async (what: string) =>
    Number((await one(`SELECT COALESCE(SUM(${what}), 0) AS sum FROM ${sessions} q`))['sum']);
  const commits = async (counted: boolean) =>
    Number(
      (
        await one(`SELECT COUNT(*) AS n FROM (SELECT DISTINCT repository, commit_sha FROM ${results} q
                  WHERE counted = ${counted}) d`)
      )['n'],
    );
  const similarity = async (source: string) => {
    const of = `match_source = ${quoted(source)} AND minhash_similarity IS NOT NULL`;
    return rounded(
      await sumOf('minhash_similarity * (ai_preserved_lines + ai_modified_lines)', of),
      await sumOf('ai_preserved_lines + ai_modified_lines', of),
    );
  };
  const survived = await one(`SELECT SUM(checks) AS checks, SUM(checks * word_similarity) AS sum
    FROM session_survival WHERE org_id = 'acme' AND session_id IN (SELECT session_id FROM ${sessions} q)`);
  const lines = await sumOf('total_lines', 'TRUE');
  const [high, low, suspect] = [
    await sumOf('ai', `confidence = 'HIGH'`),
    await sumOf('ai', `confidence = 'LOW'`),
    await sumOf('sus', 'TRUE'),
  ];
  const bucket = {
    day: 'day',
    // By subtraction, day by day: the Monday that is not after it.
    week: `(SELECT MAX(d)::date FROM generate_series(day - 6, day, INTERVAL '1 day') d WHERE EXTRACT(DOW FROM d) = 1)`,
    month: `make_date(EXTRACT(YEAR FROM day)::int, EXTRACT(MONTH FROM day)::int, 1)`,
  }[granularity];
  const trend = await database.query(`
    SELECT b::text AS date, SUM(lines) AS lines, SUM(w) AS w, SUM(shown) AS shown, SUM(accepted) AS accepted,
      SUM(edits) AS edits
    FROM (
      SELECT ${bucket} AS b, total_lines AS lines, w, 0 AS shown, 0 AS accepted, 0 AS edits
      FROM ${results} q WHERE counted
      UNION ALL
      SELECT ${bucket}, 0, 0, tab_suggestions_shown, tab_suggestions_accepted, chat_edits FROM ${sessions} q
    ) u GROUP BY 1 ORDER BY 1`);
  const languages = await database.query(`
    SELECT language, SUM(total_lines) AS lines, SUM(w) AS w FROM ${results} q WHERE counted
    GROUP BY 1 HAVING SUM(total_lines) > 0 ORDER BY 2 DESC, 1`);
  const provisional = [await sumOf('total_lines', 'TRUE', false), await sumOf('w', 'TRUE', false)] as const;
  const ratioOfSessions = Math.min(
    1,
    rounded(await ofSessions('tab_suggestions_accepted'), await ofSessions('tab_suggestions_shown')),
  );
  return {
    period: { start: asked.start, end: asked.end },
    summary: {
      total_lines: lines,
      ai_attributed_lines: await sumOf('w', 'TRUE'),
      ai_ratio: rounded(await sumOf('w', 'TRUE'), lines),
      total_commits: await commits(true),
      files_with_ai: Number(
        (
          await one(`SELECT COUNT(*) AS n FROM (SELECT DISTINCT repository, file_path FROM ${results} q
                    WHERE counted AND ai > 0) d`)
        )['n'],
      ),
    },
    provisional: {
      total_lines: provisional[0],
      ai_attributed_lines: provisional[1],
      ai_ratio: rounded(provisional[1], provisional[0]),
      total_commits: await commits(false),
    },
    breakdown: {
      tab: {
        suggestions_shown: await ofSessions('tab_suggestions_shown'),
        suggestions_accepted: await ofSessions('tab_suggestions_accepted'),
        accept_rate: ratioOfSessions,
        ai_attributed_lines: await sumOf('w', `match_source = 'tab'`),
        avg_survival_similarity:
          Number(survived['checks']) > 0
            ? rounded(survived['sum'], survived['checks'])
            : await similarity('tab'),
      },
      chat: {
        edits: await ofSessions('chat_edits'),
        ai_attributed_lines: await sumOf('w', `match_source = 'chat'`),
        avg_similarity: await similarity('chat'),
      },
      agent: {
        tasks: await ofSessions('agent_tasks'),
        ai_attributed_lines: await sumOf('w', `match_source = 'agent'`),
        avg_similarity: await similarity('agent'),
      },
    },
    confidence: {
      high: rounded(high, lines),
      low: rounded(low, lines),
      suspect: rounded(suspect, lines),
      unique: rounded(lines - high - low - suspect, lines),
    },
    evidence: {
      matched: await sumOf('w', `evidence = 'matched'`),
      declared: await sumOf('w', `evidence = 'declared'`),
      estimated: await sumOf('w', `evidence = 'estimated'`),
    },
    trend: trend.map((row) => ({
      date: row['date'] as string,
      total_lines: Number(row['lines']),
      ai_attributed_lines: Number(row['w']),
      ai_ratio: rounded(row['w'], row['lines']),
      tab_accept_rate: Math.min(1, rounded(row['accepted'], row['shown'])),
      chat_edits: Number(row['edits']),
    })),
    language_breakdown: languages.map((row) => ({
      language: row['language'] as string,
      total_lines: Number(row['lines']),
      ai_lines: Number(row['w']),
      ai_ratio: rounded(row['w'], row['lines']),
    })),
  };
}

const [whole, turnOfYear] = [
  { start: '2025-12-01', end: '2026-12-31' },
  { start: '2025-12-29', end: '2026-01-04' },
];
const cases: [Asked, 'day' | 'week' | 'month'][] = [
  [whole, 'day'],
  [whole, 'week'],
  [whole, 'month'],
  [turnOfYear, 'week'],
  ...DAYS.map((day): [Asked, 'day'] => [{ start: day, end: day }, 'day']),
  ...PROJECTS.flatMap((project): [Asked, 'week'][] => [
    [{ ...whole, project }, 'week'],
    [{ ...turnOfYear, project }, 'week'],
  ]),
  ...PEOPLE.flatMap((person): [Asked, 'week'][] => [
    [{ ...whole, person }, 'week'],
    [{ ...turnOfYear, person, project: 'shop' }, 'week'],
  ]),
  ...REPOSITORIES.map((repository): [Asked, 'month'] => [{ ...whole, repository }, 'month']),
  ...LANGUAGES.map((language): [Asked, 'day'] => [{ ...whole, language }, 'day']),
  ...MODELS.map((model): [Asked, 'day'] => [{ ...whole, model }, 'day']),
  [{ ...whole, source: 'agent' }, 'day'],
  [{ ...whole, source: 'tab', model: 'm-1', language: 'go' }, 'month'],
  [{ ...whole, person: 'ada@acme.dev', repository: 'acme/tools', source: 'chat' }, 'month'],
  [{ ...whole, project: 'tools', repository: 'acme/shop', language: 'python' }, 'day'],
];

const queryOf = ({ start, end, person, project, ...lines }: Asked) =>
  new URLSearchParams({
    ...{ period: 'custom', start_date: start, end_date: end },
    scope: person ? 'personal' : project ? 'project' : 'organization',
    ...(person && { user_id: person }),
    ...(project && { project_id: project }),
    ...lines,
  }).toString();

describe('every number, recomputed from raw rows by a text of its own,', () => {
  it.each(cases)('is that of the statistics for %j by %s', async (asked, granularity) => {
    const answer = await api.json<StatsAnswer>(
      `/api/v1/stats/ai-attribution?${queryOf(asked)}&granularity=${granularity}`,
    );
    const { scope: _scope, user_id: _user, project_id: _project, org_id: _org, ...numbers } = answer;
    expect(numbers).toEqual(await recomputed(asked, granularity));
  });

  const spans = [whole, turnOfYear];
  const periodOf = ({ start, end }: Asked) => `period=custom&start_date=${start}&end_date=${end}`;
  const figures = `SUM(total_lines) AS lines, SUM(ai_preserved_lines) AS preserved, SUM(ai_modified_lines) AS modified,
    SUM(human_new_lines) AS human, SUM(ai_preserved_lines + ai_modified_lines / 2.0) AS weighted`;
  const figuresOf = (row: Row) => ({
    lines: Number(row['lines']),
    preserved: Number(row['preserved']),
    modified: Number(row['modified']),
    human: Number(row['human']),
    weighted: Number(row['weighted']),
    ratio: rounded(row['weighted'], row['lines']),
  });
  const grouped = (key: string, asked: Asked, more = '') =>
    database.query(`SELECT ${key}, ${figures}${more} FROM (${rowsOf('ai_attribution_results', asked)}) r
      WHERE counted GROUP BY ${key} ORDER BY lines DESC, 1`);

  it.each(spans)('is that of the projects of %j', async (asked) => {
    const { projects } = await api.json<ProjectListAnswer>(`/api/v1/projects?${periodOf(asked)}`);
    const rows = await grouped(
      'project_id',
      asked,
      `, COUNT(DISTINCT (repository, commit_sha)) AS commits,
      COUNT(DISTINCT user_id) AS people`,
    );
    expect(projects.filter(({ commits }) => commits > 0)).toEqual(
      rows.map((row) => ({
        ...{ projectId: row['project_id'], ...figuresOf(row) },
        ...{ commits: Number(row['commits']), people: Number(row['people']) },
      })),
    );
  });

  it.each([...spans, { ...whole, project: 'shop' }])('is that of the repositories of %j', async (asked) => {
    const ofProject = 'project' in asked ? `&project_id=${asked.project}` : '';
    const answer = await api.json<RepositoryListAnswer>(
      `/api/v1/repositories?${periodOf(asked)}${ofProject}`,
    );
    expect(answer.repositories).toEqual(
      (await grouped('repository', asked)).map((row) => ({
        ...{ repository: row['repository'], ...figuresOf(row), defaultBranch: null },
      })),
    );
  });

  it.each(spans)('is that of the people of %j', async (asked) => {
    const { people } = await api.json<PersonListAnswer>(`/api/v1/people?${periodOf(asked)}`);
    const rows = await grouped('user_id', asked, ', COUNT(DISTINCT (repository, commit_sha)) AS commits');
    const shown = await database.query(`SELECT user_id, SUM(tab_suggestions_shown) AS shown,
      SUM(tab_suggestions_accepted) AS accepted, SUM(chat_edits) AS edits, SUM(agent_tasks) AS tasks
      FROM (${rowsOf('activity_sessions', asked)}) s GROUP BY 1`);
    expect(people.filter(({ commits }) => commits > 0)).toEqual(
      rows.map((row) => {
        const session = shown.find(({ user_id }) => user_id === row['user_id']);
        return {
          ...{ personId: row['user_id'], name: expect.any(String) as string, kind: 'person' },
          ...{ ...figuresOf(row), commits: Number(row['commits']) },
          suggestionsShown: Number(session?.['shown'] ?? 0),
          suggestionsAccepted: Number(session?.['accepted'] ?? 0),
          chatEdits: Number(session?.['edits'] ?? 0),
          agentTasks: Number(session?.['tasks'] ?? 0),
        };
      }),
    );
  });

  it.each([...spans, { ...whole, language: 'go' }, { ...whole, repository: 'acme/shop' }])(
    'is that of the models of %j',
    async (asked: Asked) => {
      const { repository, language } = asked;
      const lines = new URLSearchParams({ ...(repository && { repository }), ...(language && { language }) });
      const answer = await api.json<ModelListAnswer>(`/api/v1/models?${periodOf(asked)}&${lines.toString()}`);
      const raw = `(${rowsOf('ai_attribution_results', asked)})`;
      const { total } = await one(`SELECT SUM(total_lines) AS total FROM ${raw} r WHERE counted`);
      const rows = await database.query(`SELECT model, match_source AS source, ${figures},
          SUM(CASE confidence WHEN 'HIGH' THEN ai_preserved_lines + ai_modified_lines ELSE 0 END) AS high
        FROM ${raw} r WHERE counted AND ai_preserved_lines + ai_modified_lines > 0
        GROUP BY 1, 2 ORDER BY weighted DESC, COALESCE(model, ''), 2`);
      expect(answer.totalLines).toBe(Number(total));
      expect(answer.models).toEqual(
        rows.map((row) => {
          const lines = Number(row['preserved']) + Number(row['modified']);
          return {
            ...{ model: row['model'], source: row['source'], lines, high: Number(row['high']) },
            ...{ preserved: Number(row['preserved']), modified: Number(row['modified']) },
            weighted: Number(row['weighted']),
            kept: rounded(row['weighted'], lines),
            share: rounded(row['weighted'], total),
          };
        }),
      );
    },
  );

  it.each(spans)('is that of the exclusions of %j', async ({ start, end }) => {
    const answer = await api.json<ExclusionListAnswer>(`/api/v1/exclusions?${periodOf({ start, end })}`);
    const rows = await database.query(`
      SELECT excluded AS reason, COUNT(DISTINCT repository || ' ' || file_path) AS files, COUNT(*) AS changes,
        SUM(added_lines) AS lines
      FROM commit_files f WHERE excluded IS NOT NULL AND org_id = 'acme' AND policy_id = 'default' AND EXISTS (
        SELECT FROM commits c WHERE c.repository = f.repository AND c.sha = f.commit_sha AND c.counted
          AND (c.authored_at AT TIME ZONE 'Europe/Berlin')::date BETWEEN ${quoted(start)} AND ${quoted(end)})
      GROUP BY 1 ORDER BY 4 DESC, 1`);
    expect(rows.length).toBeGreaterThan(0);
    expect(answer.exclusions).toEqual(rows);
  });

  it.each(['ai', 'lines'])('is that of the top files by %s, page by page', async (sort) => {
    const files: TopFilesAnswer['files'] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: TopFilesAnswer = await api.json(
        `/api/v1/top-files?${periodOf(whole)}&sort=${sort}&limit=3${after && `&after=${after}`}`,
      );
      files.push(...page.files);
      after = page.next;
    }
    const rows = await database.query(`
      SELECT repository, file_path AS path, MIN(language) AS language, ${figures},
        COUNT(DISTINCT commit_sha) AS commits, COUNT(DISTINCT user_id) AS people, MAX(day)::text AS "lastDay"
      FROM (${rowsOf('ai_attribution_results', whole)}) r WHERE counted GROUP BY 1, 2
      ORDER BY ${sort === 'ai' ? 'weighted' : 'lines'} DESC, 1, 2`);
    expect(rows.length).toBeGreaterThan(6);
    expect(files).toEqual(rows.map((row) => ({ ...row, ...figuresOf(row) })));
  });
});
