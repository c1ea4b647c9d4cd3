import type { Source } from '@lineprint/contracts';
import type { Queryable, Row } from '@lineprint/persistence';
import { Conditions, narrowLines, resultRows, type RollupFilter, summedRows } from '../rollups/rollup-filter';

export interface LinesOfKey extends Row {
  key: string;
  preserved: number;
  modified: number;
  human: number;
}

const LINES = `SUM(ai_preserved_lines) AS preserved, SUM(ai_modified_lines) AS modified,
    SUM(human_new_lines) AS human`;

export interface DailyOfKey extends LinesOfKey {
  commits: number;
  people: string[];
  suggestions_shown: number;
  suggestions_accepted: number;
  chat_edits: number;
  agent_tasks: number;
}

/** What the daily rows say of each project or user id. */
export async function dailyBy(
  queryable: Queryable,
  { orgId, policyId, period, userIds, projectId }: RollupFilter,
  column: 'project_id' | 'user_id',
): Promise<DailyOfKey[]> {
  return queryable.query<DailyOfKey>(
    `SELECT ${column} AS key, ${LINES}, SUM(total_commits) AS commits,
       ARRAY_AGG(DISTINCT user_id) FILTER (WHERE total_commits > 0) AS people,
       SUM(tab_suggestions_shown) AS suggestions_shown, SUM(tab_suggestions_accepted) AS suggestions_accepted,
       SUM(chat_edit_count) AS chat_edits, SUM(agent_task_count) AS agent_tasks
     FROM ai_attribution_daily
     WHERE org_id = $1 AND policy_id = $2::text AND date BETWEEN $3::date AND $4::date
       AND ($5::text[] IS NULL OR user_id = ANY ($5::text[]))
       AND ($6::text IS NULL OR project_id = $6::text)
     GROUP BY 1`,
    [orgId, policyId, period.start, period.end, userIds, projectId],
  );
}

export interface RepositoryRow extends LinesOfKey {
  default_ref: string | null;
}

/** Lines of each repository that has some. */
export async function linesByRepository(
  queryable: Queryable,
  filter: RollupFilter,
): Promise<RepositoryRow[]> {
  const { userIds, projectId, orgId, policyId, period } = filter;
  const everybody = userIds === null && projectId === null;
  const conditions = everybody ? undefined : summedRows(filter);
  const [lines, values] = conditions
    ? [
        `SELECT repository AS key, ${LINES} FROM attribution_cells
         WHERE ${conditions.sql} AND counted GROUP BY 1`,
        conditions.values,
      ]
    : [LINES_OF_ALL_REPOSITORIES, [orgId, policyId, period.start, period.end]];
  return queryable.query<RepositoryRow>(
    `SELECT r.*, c.default_ref FROM (${lines}) r
     LEFT JOIN counted_repositories c ON c.org_id = $1 AND c.repository = r.key`,
    values,
  );
}

// From one repository to the next by the index, and of each only the days that are asked for.
const LINES_OF_ALL_REPOSITORIES = `
  WITH RECURSIVE names (repository) AS (
    (SELECT MIN(repository) FROM attribution_cells
      WHERE org_id = $1 AND policy_id = $2::text AND user_id = '' AND project_id <> '')
    UNION ALL
    SELECT (SELECT MIN(c.repository) FROM attribution_cells c
             WHERE c.org_id = $1 AND c.policy_id = $2::text AND c.user_id = '' AND c.project_id <> ''
               AND c.repository > names.repository)
    FROM names WHERE names.repository IS NOT NULL
  )
  SELECT n.repository AS key, l.* FROM names n
  CROSS JOIN LATERAL (
    SELECT ${LINES} FROM attribution_cells
    WHERE org_id = $1 AND policy_id = $2::text AND user_id = '' AND project_id <> ''
      AND repository = n.repository AND date BETWEEN $3::date AND $4::date AND counted
    HAVING COUNT(*) > 0
  ) l`;

export interface ModelRow extends Row {
  model: string;
  source: Source;
  preserved: number;
  modified: number;
  high: number;
}

/** AI lines by model and source. */
export async function linesByModel(queryable: Queryable, filter: RollupFilter): Promise<ModelRow[]> {
  const conditions = summedRows(filter);
  narrowLines(conditions, filter);
  return queryable.query<ModelRow>(
    `SELECT model, source, SUM(ai_preserved_lines) AS preserved, SUM(ai_modified_lines) AS modified,
       COALESCE(SUM(ai_preserved_lines + ai_modified_lines) FILTER (WHERE confidence = 'HIGH'), 0) AS high
     FROM attribution_cells
     WHERE ${conditions.sql} AND counted AND ai_preserved_lines + ai_modified_lines > 0 AND source <> ''
     GROUP BY 1, 2
     ORDER BY SUM(2 * ai_preserved_lines + ai_modified_lines) DESC, model COLLATE "C", source COLLATE "C"`,
    conditions.values,
  );
}

/** All attributable lines that count. */
export async function allLines(queryable: Queryable, filter: RollupFilter): Promise<number> {
  const conditions = summedRows(filter);
  narrowLines(conditions, filter);
  const [row] = await queryable.query<{ lines: number }>(
    `SELECT COALESCE(SUM(total_lines), 0) AS lines FROM attribution_cells WHERE ${conditions.sql} AND counted`,
    conditions.values,
  );
  return row?.lines ?? 0;
}

export interface ExclusionRow extends Row {
  reason: string;
  files: number;
  changes: number;
  lines: number;
}

/** Files that did not count in commits that do, by why. */
export async function exclusions(queryable: Queryable, filter: RollupFilter): Promise<ExclusionRow[]> {
  const { orgId, policyId, period, userIds, projectId, repository } = filter;
  return queryable.query<ExclusionRow>(
    `SELECT f.excluded AS reason, COUNT(DISTINCT (c.repository, f.file_path)) AS files, COUNT(*) AS changes,
       SUM(f.added_lines) AS lines
     FROM (
       SELECT c.repository, c.sha FROM commits c JOIN tenants t ON t.org_id = c.org_id
       WHERE c.org_id = $1 AND c.counted
         AND (CASE WHEN t.day_by = 'committer' THEN c.committed_at ELSE c.authored_at END
               AT TIME ZONE t.time_zone)::date BETWEEN $3::date AND $4::date
         AND ($5::text[] IS NULL OR c.user_id = ANY ($5::text[]))
         AND ($6::text IS NULL OR c.project_id = $6::text)
         AND ($7::text IS NULL OR c.repository = $7::text)
     ) c
     CROSS JOIN LATERAL (
       SELECT file_path, excluded, added_lines FROM commit_files
       WHERE org_id = $1 AND policy_id = $2::text AND repository = c.repository AND commit_sha = c.sha
         AND excluded IS NOT NULL OFFSET 0
     ) f
     GROUP BY 1
     ORDER BY SUM(f.added_lines) DESC, f.excluded COLLATE "C"`,
    [orgId, policyId, period.start, period.end, userIds, projectId, repository],
  );
}

export interface TopFileRow extends LinesOfKey {
  repository: string;
  path: string;
  language: string;
  commits: number;
  people: number;
  last_day: string;
  /** What the list is sorted by; twice the weighted lines, or all lines. */
  rank: number;
}

export interface TopFilesPage {
  readonly sort: 'ai' | 'lines';
  readonly after: readonly [rank: number, repository: string, path: string] | null;
  readonly limit: number;
}

/** Files by their lines of some days, the most first. */
export async function topFiles(
  queryable: Queryable,
  filter: RollupFilter,
  { sort, after, limit }: TopFilesPage,
): Promise<TopFileRow[]> {
  const conditions: Conditions = resultRows(filter);
  const rank = sort === 'ai' ? 'SUM(2 * ai_preserved_lines + ai_modified_lines)' : 'SUM(total_lines)';
  const [bound, repository, path] = after ?? [null, null, null];
  const from = conditions.parameter(bound, 'bigint');
  const names = [conditions.parameter(repository, 'text'), conditions.parameter(path, 'text')].join(', ');
  return queryable.query<TopFileRow>(
    `SELECT repository, file_path AS path, file_path AS key, MIN(language COLLATE "C") AS language, ${LINES},
       COUNT(DISTINCT commit_sha) AS commits, COUNT(DISTINCT user_id) AS people, MAX(day)::text AS last_day,
       ${rank} AS rank
     FROM ai_attribution_results
     WHERE ${conditions.sql} AND counted
     GROUP BY repository, file_path
     HAVING SUM(total_lines) > 0 AND (${from} IS NULL OR ${rank} < ${from}
       OR (${rank} = ${from} AND (repository COLLATE "C", file_path COLLATE "C") > (${names})))
     ORDER BY ${rank} DESC, repository COLLATE "C", file_path COLLATE "C"
     LIMIT ${conditions.parameter(limit, 'int')}`,
    conditions.values,
  );
}
