import type { Queryable, Row } from '@lineprint/persistence';
import {
  Conditions,
  countsAsAi,
  narrowLines,
  resultRows,
  type RollupFilter,
  summedRows,
} from '../rollups/rollup-filter';
import type { Granularity } from './stats.schema';

/** Which buckets days fall into. */
export interface Buckets {
  readonly granularity: Granularity;
  /** The first day of a week, from 1 (Monday) to 7. */
  readonly weekStart: number;
}

/** SQL of the first day of a day's bucket. Dates stay dates: no time zone of the session comes into it. */
function bucketOf(date: string, { granularity, weekStart }: Buckets): string {
  switch (granularity) {
    case 'day':
      return date;
    case 'week':
      return `${date} - (EXTRACT(ISODOW FROM ${date})::int + ${7 - weekStart}) % 7`;
    case 'month':
      return `date_trunc('month', ${date}::timestamp)::date`;
  }
}

/** Lines of one bucket, language or source; weighted where nothing else is said. */
export interface LineSums extends Row {
  bucket: string | null;
  language: string | null;
  source: string | null;
  counted: boolean;
  total_lines: number;
  ai_lines: number;
  tab_ai_lines: number;
  chat_ai_lines: number;
  agent_ai_lines: number;
  matched_lines: number;
  declared_lines: number;
  estimated_lines: number;
  /** Not weighted, as the next two. */
  high_lines: number;
  low_lines: number;
  suspect_lines: number;
  similar_lines: number;
  similarity: number;
}

// Sums of whole numbers, twice what they should be: numerics cost several times as much.
const weighted = (condition?: string) =>
  `COALESCE(SUM(doubled)${condition ? ` FILTER (WHERE ${condition})` : ''}, 0)::float8 / 2`;

/** The lines by bucket, by language, and by source, of those that count and of the others, from one look at the sums. */
export async function lineSums(
  queryable: Queryable,
  filter: RollupFilter,
  buckets: Buckets,
): Promise<LineSums[]> {
  const conditions = summedRows(filter);
  narrowLines(conditions, filter);
  const isAi = countsAsAi(conditions, filter, 'source');
  return queryable.query<LineSums>(
    `SELECT bucket, language, source, counted,
       SUM(total_lines) AS total_lines,
       ${weighted()} AS ai_lines,
       ${weighted(`source_of = 'tab'`)} AS tab_ai_lines,
       ${weighted(`source_of = 'chat'`)} AS chat_ai_lines,
       ${weighted(`source_of = 'agent'`)} AS agent_ai_lines,
       ${weighted(`evidence = 'matched'`)} AS matched_lines,
       ${weighted(`evidence = 'declared'`)} AS declared_lines,
       ${weighted(`evidence = 'estimated'`)} AS estimated_lines,
       COALESCE(SUM(ai) FILTER (WHERE confidence = 'HIGH'), 0) AS high_lines,
       COALESCE(SUM(ai) FILTER (WHERE confidence = 'LOW'), 0) AS low_lines,
       SUM(suspect) AS suspect_lines,
       SUM(similar_lines) AS similar_lines,
       SUM(similarity)::float8 AS similarity
     FROM (
       SELECT ${bucketOf('date', buckets)} AS bucket, language, source, source AS source_of, counted, evidence,
         confidence, total_lines, similar_lines, similarity,
         CASE WHEN ${isAi} THEN 2 * ai_preserved_lines + ai_modified_lines ELSE 0 END AS doubled,
         CASE WHEN ${isAi} THEN ai_preserved_lines + ai_modified_lines ELSE 0 END AS ai,
         CASE WHEN ${isAi} THEN suspect_lines ELSE 0 END AS suspect
       FROM attribution_cells
       WHERE ${conditions.sql}
     ) c
     GROUP BY GROUPING SETS ((counted, bucket), (counted, language), (counted, source))
     ORDER BY bucket, SUM(total_lines) DESC, language COLLATE "C"`,
    conditions.values,
  );
}

export interface DaySums extends Row {
  bucket: string;
  commits: number;
  provisional_commits: number;
  sessions: number;
  suggestions_shown: number;
  suggestions_accepted: number;
  chat_edits: number;
  agent_tasks: number;
  survival_checks: number;
  survival_similarity: number;
}

/** Commits and what clients reported by bucket, oldest first, whatever lines the filter leaves. */
export async function daySums(
  queryable: Queryable,
  filter: RollupFilter,
  buckets: Buckets,
): Promise<DaySums[]> {
  const conditions = summedRows({ ...filter, repository: null });
  return queryable.query<DaySums>(
    `SELECT ${bucketOf('date', buckets)} AS bucket,
       SUM(commits) AS commits,
       SUM(provisional_commits) AS provisional_commits,
       SUM(sessions) AS sessions,
       SUM(tab_suggestions_shown) AS suggestions_shown,
       SUM(tab_suggestions_accepted) AS suggestions_accepted,
       SUM(chat_edits) AS chat_edits,
       SUM(agent_tasks) AS agent_tasks,
       SUM(survival_checks) AS survival_checks,
       SUM(survival_similarity) AS survival_similarity
     FROM attribution_days
     WHERE ${conditions.sql}
     GROUP BY 1
     ORDER BY 1`,
    conditions.values,
  );
}

export interface CommitSums extends Row {
  bucket: string;
  commits: number;
  provisional_commits: number;
}

/** Commits by bucket of which the filter leaves lines, from the results. */
export async function commitSums(
  queryable: Queryable,
  filter: RollupFilter,
  buckets: Buckets,
): Promise<CommitSums[]> {
  const conditions = resultRows(filter);
  return queryable.query<CommitSums>(
    `SELECT ${bucketOf('day', buckets)} AS bucket,
       COUNT(*) FILTER (WHERE counted) AS commits,
       COUNT(*) FILTER (WHERE NOT counted) AS provisional_commits
     FROM (
       SELECT DISTINCT day, repository, commit_sha, counted FROM ai_attribution_results WHERE ${conditions.sql}
     ) c
     GROUP BY 1`,
    conditions.values,
  );
}

/** Distinct files with AI lines that count: from what is known of each day's files, or, for some lines only, the results. */
export async function filesWithAi(queryable: Queryable, filter: RollupFilter): Promise<number> {
  const { repository, language, source, model, userIds } = filter;
  const ofSomeLines = [repository, language, source, model].some((wanted) => wanted !== null);
  const [sql, values] = ofSomeLines
    ? filesOfResults(filter)
    : userIds === null
      ? filesByGaps(filter)
      : filesOfDays(filter);
  const [row] = await queryable.query<{ files: number }>(sql, values);
  return row?.files ?? 0;
}

type Statement = [string, Conditions['values']];

function filesOfResults(filter: RollupFilter): Statement {
  const conditions = resultRows(filter);
  conditions.add(countsAsAi(conditions, filter, 'match_source'));
  const sql = `
    SELECT COUNT(*) AS files FROM (
      SELECT DISTINCT repository, file_path FROM ai_attribution_results
      WHERE ${conditions.sql} AND counted AND ai_preserved_lines + ai_modified_lines > 0
    ) f`;
  return [sql, conditions.values];
}

function filesOfDays(filter: RollupFilter): Statement {
  const conditions = summedRows(filter);
  return [
    `SELECT COUNT(DISTINCT file_key) AS files FROM attribution_file_days WHERE ${conditions.sql}`,
    conditions.values,
  ];
}

// A file counts on its first day of the period: that before which the one before is not of the period.
function filesByGaps({ orgId, policyId, period, projectId }: RollupFilter): Statement {
  return [
    `SELECT COALESCE(SUM(files), 0) AS files FROM attribution_file_gaps
     WHERE org_id = $1 AND policy_id = $2::text AND project_id = $3 AND date BETWEEN $4::date AND $5::date
       AND previous < $4::date`,
    [orgId, policyId, projectId ?? '', period.start, period.end],
  ];
}
