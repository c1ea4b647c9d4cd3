/**
 * The read API over many results in Postgres: how long its answers take over HTTP, beside the same sums made of the
 * results themselves. docs/benchmarks.md defines the figures.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bootstrap,
  generateApiKey,
  migrate,
  MIGRATIONS_DIRECTORY,
  openDatabase,
} from '@lineprint/persistence';
import { startServers } from '../tools/servers.mjs';
import { root } from '../tools/setup.mjs';
import { startSupervised } from '../tools/supervise.mjs';
import { measureFileView } from './query/file-view.mjs';
import { measureFirstLoad } from './query/first-load.mjs';
import { round, table } from './table.mjs';
import { timed } from './timed.mjs';

const ORG = 'bench';
/** Results are of so many days up to this one. */
const DAYS = 120;
const LAST_DAY = '2026-10-31';
const RESULTS_A_COMMIT = 10;
const RESULTS_A_STATEMENT = 500_000;
/** So many of the newest commits have rows of files as well: those that lists of commits show. */
const COMMITS_WITH_FILES = 20_000;
const WARM_UP = 5;
const REQUESTS = 60;

export async function measure({ rows: wanted = '10000000' }) {
  const count = Number(wanted);
  if (!(count >= 10_000)) throw new Error(`--rows ${wanted} is no number from 10000.`);
  const started = performance.now();
  const log = (line) => console.error(`${round((performance.now() - started) / 1000, 0)} s: ${line}`);
  const servers = await startServers({ postgres: true, prefix: 'LINEPRINT_', log });
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  const administration = await openDatabase(servers.postgresUrl);
  try {
    await administration.script(`CREATE DATABASE ${name}`);
    const url = new URL(servers.postgresUrl);
    url.pathname = `/${name}`;
    const database = await openDatabase(url.href);
    try {
      await migrate(database, MIGRATIONS_DIRECTORY);
      const apiKey = generateApiKey();
      await bootstrap(database, { orgId: ORG, apiKey, timeZone: 'UTC' });
      await fill(database, count, log);
      const seconds = await measureRollups(database, log);
      const { queries, firstLoad } = await withQueryApi(url.href, async (address) => ({
        queries: await measureQueries(database, { address, apiKey, log }),
        firstLoad: await measureFirstLoad({ address, apiKey, period: { start: day(89), end: day(0) }, log }),
      }));
      return {
        rows: count,
        days: DAYS,
        queries,
        firstLoad,
        fileView: await measureFileView(administration, servers.postgresUrl, log),
        baseline: await measureBaseline(database, log),
        rollupsFilledInSeconds: seconds,
        servers: servers.kind,
      };
    } finally {
      await database.close();
    }
  } finally {
    await administration.script(`DROP DATABASE IF EXISTS ${name}`);
    await administration.close();
    await servers.stop();
  }
}

export function render({ rows, days, queries, firstLoad, fileView, baseline }) {
  return [
    `${rows} results of ${days} days`,
    table(
      ['', 'p50 ms', 'p95 ms'],
      [...queries, { name: `lines of a file, ${fileView.files} files`, ...fileView }, ...baseline].map(
        ({ name, p50Ms, p95Ms }) => [name, String(p50Ms), String(p95Ms)],
      ),
    ),
    `first load of the dashboard: ${firstLoad.kilobytes} KB, ${firstLoad.firstFiguresMs} ms to the first figures ` +
      `(${firstLoad.baselineMs} ms to an answer without scripts)`,
  ].join('\n\n');
}

/**
 * Commits of 2,000 people, some of whom write much more than others, in 60 projects of very different size; each
 * changes five files, of which a few are changed all the time.
 */
async function fill(database, count, log) {
  const commits = Math.ceil(count / RESULTS_A_COMMIT);
  const indexes = await dropIndexes(database, ['ai_attribution_results', 'commits', 'commit_files']);
  await database.script(`
    SELECT setseed(0.5);
    INSERT INTO commits (org_id, repository, sha, project_id, user_id, author_name, author_email, parents,
      authored_at, committed_at, counted)
    SELECT '${ORG}', 'group/project-' || project, lpad(to_hex(n), 40, '0'), 'project-' || project,
      'person-' || person || '@example.org', 'person', 'person', '{}', at, at, random() < 0.92
    FROM (
      SELECT n, floor(2000 * random() ^ 2)::int AS person, floor(60 * random() ^ 3)::int AS project,
        '${LAST_DAY}'::timestamptz - random() * INTERVAL '${DAYS - 1} days' + INTERVAL '12 hours' AS at
      FROM generate_series(1, ${commits}) n
    ) c;
    INSERT INTO commit_verdicts (org_id, policy_id, repository, commit_sha)
    SELECT org_id, 'default', repository, sha FROM commits;
    CREATE TEMPORARY TABLE numbered AS
    SELECT row_number() OVER (ORDER BY authored_at) AS n, c.* FROM commits c;
    CREATE INDEX ON numbered (n);`);
  for (let first = 1; first <= commits; first += RESULTS_A_STATEMENT / RESULTS_A_COMMIT) {
    const last = Math.min(commits, first + RESULTS_A_STATEMENT / RESULTS_A_COMMIT - 1);
    await database.script(resultsOfCommits(first, last));
    log(`${last * RESULTS_A_COMMIT} results`);
  }
  await database.script(`
    INSERT INTO commit_files (org_id, policy_id, repository, commit_sha, file_path, status, language, added_lines,
      deleted_lines, blank_lines, lines)
    SELECT '${ORG}', 'default', n.repository, n.sha, r.file_path, 'modified', MIN(r.language), SUM(r.total_lines), 0, 0,
      '[]'
    FROM numbered n JOIN ai_attribution_results r ON r.repository = n.repository AND r.commit_sha = n.sha
    WHERE n.n > ${commits - COMMITS_WITH_FILES}
    GROUP BY n.repository, n.sha, r.file_path;`);
  for (const index of indexes) await database.script(index);
  log('indexes made');
}

const resultsOfCommits = (first, last) => `
  INSERT INTO ai_attribution_results (commit_sha, file_path, user_id, project_id, org_id, repository, policy_id,
    ordinal, language, matched_code_id, match_source, model, evidence, minhash_similarity, confidence, total_lines,
    ai_preserved_lines, ai_modified_lines, human_new_lines, suspect_lines, ai_ratio, day, commit_timestamp, counted)
  SELECT sha, 'src/module-' || file / 40 || '/file-' || file || '.' || language, user_id, project_id, '${ORG}',
    repository, 'default', ordinal, language, CASE WHEN ai THEN 'code-' || n || '-' || slot END,
    CASE WHEN ai THEN (ARRAY['tab', 'chat', 'agent'])[1 + which % 3] END,
    CASE WHEN ai THEN 'model-' || which END,
    CASE WHEN NOT ai THEN 'none' WHEN evidence < 0.85 THEN 'matched' WHEN evidence < 0.95 THEN 'declared'
      ELSE 'estimated' END,
    CASE WHEN ai AND evidence < 0.85 THEN round(0.5 + evidence::numeric / 2, 3) END,
    CASE WHEN NOT ai THEN 'UNIQUE' WHEN evidence < 0.7 THEN 'HIGH' ELSE 'LOW' END,
    lines, CASE WHEN ai THEN lines - lines / 4 ELSE 0 END, CASE WHEN ai THEN lines / 4 ELSE 0 END,
    CASE WHEN ai THEN 0 ELSE lines END, 0, 0, authored_at::date, authored_at, counted
  FROM (
    SELECT f.*, (ARRAY['ts', 'py', 'go', 'java', 'rs', 'cs', 'rb', 'kt', 'php', 'c'])[1 + f.file % 7 * (f.file % 3) / 2]
        AS language, o.ordinal, o.ordinal = 1 AND random() < 0.6 AS ai, random() AS evidence,
      floor(6 * random() ^ 2)::int AS which, 1 + floor(25 * random() ^ 2)::int AS lines
    FROM (
      SELECT c.*, slot, slot * 800 + floor(800 * random() ^ 3)::int AS file
      FROM numbered c CROSS JOIN generate_series(0, ${RESULTS_A_COMMIT / 2 - 1}) slot
      WHERE c.n BETWEEN ${first} AND ${last}
    ) f CROSS JOIN generate_series(0, 1) o (ordinal)
  ) r`;

/** Rows come faster into tables without indexes. @returns {Promise<string[]>} what makes them again */
async function dropIndexes(database, tables) {
  const rows = await database.query(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
      WHERE indrelid::regclass::text = ANY ($1::text[]) AND NOT indisprimary`,
    [tables],
  );
  for (const { name } of rows) await database.script(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition);
}

/** Fills the tables of sums as the migration does for results that are there already. */
async function measureRollups(database, log) {
  const file = join(root, 'prisma', 'migrations', '20261130162500_rollups', 'migration.sql');
  const sql = readFileSync(file, 'utf8');
  const started = performance.now();
  await database.script(sql.slice(sql.indexOf('INSERT INTO')));
  const seconds = round((performance.now() - started) / 1000, 1);
  await database.script(`
    INSERT INTO ai_attribution_daily (org_id, policy_id, date, user_id, project_id, total_commits, total_lines,
      ai_preserved_lines, ai_modified_lines, human_new_lines)
    SELECT d.org_id, d.policy_id, d.date, d.user_id, d.project_id, d.commits, c.lines, c.preserved, c.modified, c.human
    FROM attribution_days d
    JOIN (
      SELECT org_id, policy_id, date, user_id, project_id, SUM(total_lines) AS lines,
        SUM(ai_preserved_lines) AS preserved, SUM(ai_modified_lines) AS modified, SUM(human_new_lines) AS human
      FROM attribution_cells WHERE user_id <> '' AND counted GROUP BY 1, 2, 3, 4, 5
    ) c USING (org_id, policy_id, date, user_id, project_id)`);
  await database.query('VACUUM ANALYZE');
  const sizes = await database.query(
    `SELECT relname AS name, reltuples::bigint AS rows, pg_total_relation_size(oid) / 1048576 AS mb FROM pg_class
      WHERE relname ~ '^(attribution_|ai_attribution_)' AND relkind = 'r' ORDER BY 3 DESC`,
  );
  for (const { name, rows, mb } of sizes) log(`${name}: ${rows} rows, ${mb} MB`);
  return seconds;
}

async function withQueryApi(databaseUrl, use) {
  let said = '';
  let isReady;
  const ready = new Promise((done) => (isReady = done));
  const service = await startSupervised({
    command: process.execPath,
    args: [join(root, 'apps', 'query-api', 'dist', 'main.js')],
    cwd: root,
    env: {
      PATH: process.env.PATH,
      LINEPRINT_DATABASE_URL: databaseUrl,
      LINEPRINT_LOG_URL: 'embedded:',
      LINEPRINT_HOST: '127.0.0.1',
      LINEPRINT_PORT: '0',
    },
    onOutput: (chunk) => {
      said = (said + chunk).slice(-10_000);
      const address = /"url":"(http:[^"]+)"/.exec(said)?.[1];
      if (address) isReady(address);
    },
  });
  try {
    const address = await Promise.race([ready, service.exited.then(() => undefined)]);
    if (!address) throw new Error(`query-api did not start:\n${said}`);
    return await use(address);
  } finally {
    await service.stop();
  }
}

/** The day so many before the last one of all results. */
function day(back) {
  return new Date(Date.parse(LAST_DAY) - back * 86_400_000).toISOString().slice(0, 10);
}

/** A period of so many days that ends some days before the last one, so that no two requests need be the same. */
function period(days, before) {
  return `period=custom&start_date=${day(before + days - 1)}&end_date=${day(before)}`;
}

async function measureQueries(database, { address, apiKey, log }) {
  const busiest = async (column) => {
    const [row] = await database.query(
      `SELECT ${column} AS name FROM attribution_days WHERE user_id <> '' GROUP BY 1 ORDER BY SUM(commits) DESC LIMIT 1`,
    );
    return encodeURIComponent(row.name);
  };
  const [person, project] = [await busiest('user_id'), await busiest('project_id')];
  const stats =
    (scope, days, more = '') =>
    (n) =>
      `/api/v1/stats/ai-attribution?scope=${scope}&${period(days, n % 20)}${more}`;
  const asked = {
    'organisation, 90 days': stats('organization', 90),
    'organisation, 90 days by week': stats('organization', 90, '&granularity=week'),
    'organisation, 30 days': stats('organization', 30),
    'organisation, a day': stats('organization', 1),
    'organisation, 90 days, a model': stats('organization', 90, '&model=model-0'),
    'organisation, 90 days, a language': stats('organization', 90, '&language=py'),
    'largest project, 90 days': stats('project', 90, `&project_id=${project}`),
    'busiest person, 90 days': stats('personal', 90, `&user_id=${person}`),
    'models, 90 days': (n) => `/api/v1/models?${period(90, n % 20)}`,
    'projects, 90 days': (n) => `/api/v1/projects?${period(90, n % 20)}`,
    'repositories, 90 days': (n) => `/api/v1/repositories?${period(90, n % 20)}`,
    'people, 90 days': (n) => `/api/v1/people?${period(90, n % 20)}`,
    'commits, newest 50': () => '/api/v1/commits',
    'commits of a repository, newest 50': () => '/api/v1/commits?repository=group/project-3',
  };
  const figures = [];
  for (const [name, pathOf] of Object.entries(asked)) {
    const ask = async (n) => {
      const response = await fetch(address + pathOf(n), { headers: { authorization: `Bearer ${apiKey}` } });
      const text = await response.text();
      if (!response.ok) throw new Error(`${pathOf(n)}: ${response.status} ${text}`);
    };
    const measured = await timed(ask, REQUESTS, WARM_UP);
    figures.push({ name, ...measured });
    log(`${name}: p50 ${measured.p50Ms} ms, p95 ${measured.p95Ms} ms`);
  }
  return figures;
}

/** What the sums are there for: the same figures of the organisation from the results. */
async function measureBaseline(database, log) {
  const rows = (n) => {
    const [, start, end] = /start_date=(.*)&end_date=(.*)/.exec(period(90, n % 20));
    return `ai_attribution_results WHERE org_id = '${ORG}' AND policy_id = 'default'
      AND day BETWEEN '${start}' AND '${end}'`;
  };
  const statements = {
    'lines by day, from results': (n) =>
      `SELECT day, SUM(total_lines), SUM(ai_preserved_lines), COUNT(DISTINCT (repository, commit_sha))
       FROM ${rows(n)} AND counted GROUP BY 1`,
    'languages, from results': (n) =>
      `SELECT language, SUM(total_lines), SUM(ai_preserved_lines) FROM ${rows(n)} AND counted GROUP BY 1`,
    'files with AI, from results': (n) =>
      `SELECT COUNT(DISTINCT (repository, file_path)) FROM ${rows(n)} AND counted
         AND ai_preserved_lines + ai_modified_lines > 0`,
  };
  const figures = [];
  for (const [name, statement] of Object.entries(statements)) {
    figures.push({ name, ...(await timed((n) => database.query(statement(n)), 5, 1)) });
    log(`${name}: p50 ${figures.at(-1).p50Ms} ms`);
  }
  return figures;
}
