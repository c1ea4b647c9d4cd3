import type { Queryable, Row, SqlValue } from '@lineprint/persistence';
import type { Granularity } from './stats.schema';
import type { Period } from './period';

/** Which rows of the results and of the daily table count. */
export interface StatsFilter {
  readonly orgId: string;
  readonly policyId: string | null;
  readonly period: Period;
  /** All addresses of the people whose rows count; null for everybody's. */
  readonly userIds: readonly string[] | null;
  readonly projectId: string | null;
}

/** Parameters $1 to $6 of every statement here. */
function filterValues(filter: StatsFilter): SqlValue[] {
  const { orgId, policyId, period, userIds, projectId } = filter;
  return [orgId, policyId, period.start, period.end, userIds, projectId];
}

const matching = (dayColumn: string) => `
  WHERE org_id = $1 AND policy_id = $2::text AND ${dayColumn} BETWEEN $3::date AND $4::date
    AND ($5::text[] IS NULL OR user_id = ANY($5::text[]))
    AND ($6::text IS NULL OR project_id = $6::text)`;

export interface BucketRow extends Row {
  date: string;
  total_commits: number;
  total_lines: number;
  ai_lines: number;
  tab_ai_lines: number;
  chat_ai_lines: number;
  agent_ai_lines: number;
  high_lines: number;
  low_lines: number;
  suspect_lines: number;
  matched_lines: number;
  declared_lines: number;
  estimated_lines: number;
  suggestions_shown: number;
  suggestions_accepted: number;
  chat_edits: number;
  agent_tasks: number;
}

// date_trunc on a DATE would go through the session's time zone; on a TIMESTAMP it does not. Weeks are ISO's.
const BUCKETS = `
  SELECT date_trunc($7, date::timestamp)::date AS date,
    SUM(total_commits) AS total_commits,
    SUM(total_lines) AS total_lines,
    SUM(ai_attributed_lines) AS ai_lines,
    SUM(tab_ai_lines) AS tab_ai_lines,
    SUM(chat_ai_lines) AS chat_ai_lines,
    SUM(agent_ai_lines) AS agent_ai_lines,
    SUM(high_confidence_lines) AS high_lines,
    SUM(low_confidence_lines) AS low_lines,
    SUM(suspect_lines) AS suspect_lines,
    SUM(matched_ai_lines) AS matched_lines,
    SUM(declared_ai_lines) AS declared_lines,
    SUM(estimated_ai_lines) AS estimated_lines,
    SUM(tab_suggestions_shown) AS suggestions_shown,
    SUM(tab_suggestions_accepted) AS suggestions_accepted,
    SUM(chat_edit_count) AS chat_edits,
    SUM(agent_task_count) AS agent_tasks
  FROM ai_attribution_daily ${matching('date')}
  GROUP BY 1
  ORDER BY 1`;

/** The daily table summed by bucket, oldest first. Buckets without a row are left out. */
export async function bucketTotals(
  queryable: Queryable,
  filter: StatsFilter,
  granularity: Granularity,
): Promise<BucketRow[]> {
  return queryable.query<BucketRow>(BUCKETS, [...filterValues(filter), granularity]);
}

// What the daily table cannot say: files are distinct over the whole period, not a sum of days.
const FILES_WITH_AI = `
  SELECT COUNT(DISTINCT (repository, file_path)) AS files
  FROM ai_attribution_results ${matching('day')} AND counted
    AND ai_preserved_lines + ai_modified_lines > 0`;

export async function filesWithAi(queryable: Queryable, filter: StatsFilter): Promise<number> {
  const [row] = await queryable.query<{ files: number }>(FILES_WITH_AI, filterValues(filter));
  return row?.files ?? 0;
}

export interface ProvisionalRow extends Row {
  total_lines: number;
  total_commits: number;
  preserved: number;
  modified: number;
}

const PROVISIONAL = `
  SELECT COALESCE(SUM(total_lines), 0) AS total_lines,
    COUNT(DISTINCT (repository, commit_sha)) AS total_commits,
    COALESCE(SUM(ai_preserved_lines), 0) AS preserved,
    COALESCE(SUM(ai_modified_lines), 0) AS modified
  FROM ai_attribution_results ${matching('day')} AND NOT counted`;

/** Lines of commits to which no ref leads that counts. */
export async function provisionalTotals(queryable: Queryable, filter: StatsFilter): Promise<ProvisionalRow> {
  const [row] = await queryable.query<ProvisionalRow>(PROVISIONAL, filterValues(filter));
  return row!;
}

export interface SimilarityRow extends Row {
  source: string;
  similarity: number;
}

const SIMILARITIES = `
  SELECT match_source AS source,
    SUM(minhash_similarity * (ai_preserved_lines + ai_modified_lines))
      / SUM(ai_preserved_lines + ai_modified_lines) AS similarity
  FROM ai_attribution_results ${matching('day')} AND counted
    AND match_source IS NOT NULL AND minhash_similarity IS NOT NULL
    AND ai_preserved_lines + ai_modified_lines > 0
  GROUP BY match_source`;

/** Mean MinHash similarity by source, weighted by AI lines; a source without any has no row. */
export async function similarities(queryable: Queryable, filter: StatsFilter): Promise<SimilarityRow[]> {
  return queryable.query<SimilarityRow>(SIMILARITIES, filterValues(filter));
}

export interface LanguageRow extends Row {
  language: string;
  total_lines: number;
  preserved: number;
  modified: number;
}

const LANGUAGES = `
  SELECT language,
    SUM(total_lines) AS total_lines,
    SUM(ai_preserved_lines) AS preserved,
    SUM(ai_modified_lines) AS modified
  FROM ai_attribution_results ${matching('day')} AND counted
  GROUP BY language
  ORDER BY SUM(total_lines) DESC, language COLLATE "C"`;

/** Lines by language, the largest first. */
export async function languages(queryable: Queryable, filter: StatsFilter): Promise<LanguageRow[]> {
  return queryable.query<LanguageRow>(LANGUAGES, filterValues(filter));
}
