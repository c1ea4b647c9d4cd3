import type { Queryable, Row } from '@lineprint/persistence';
import type { CommitRow } from '../commits/commits.queries';
import { isJudged } from '../judged-commits';
import type { TenantView } from '../tenant-view';

const REPOSITORIES = `
  SELECT DISTINCT repository COLLATE "C" AS repository
  FROM commits c
  WHERE org_id = $1 AND ${isJudged('$4::text', 'c.repository', 'c.sha')} AND ($2::text[] IS NULL OR user_id = ANY($2::text[])) AND ($3::text IS NULL OR repository = $3::text)
  ORDER BY 1`;

/** Repositories with commits, in byte order. */
export async function exportedRepositories(
  queryable: Queryable,
  view: TenantView,
  only: string | null,
): Promise<string[]> {
  const rows = await queryable.query<{ repository: string }>(REPOSITORIES, [
    view.orgId,
    view.userIds,
    only,
    view.policyId,
  ]);
  return rows.map((row) => row.repository);
}

// A sha is lower-case hex, which every locale sorts as bytes do: the primary key gives the order.
const COMMITS = `
  SELECT repository, sha, project_id, user_id, author_name, author_email, parents, authored_at, committed_at,
    branch, declared_tool, declared_by, late, counted
  FROM commits c
  WHERE org_id = $1 AND ($2::text[] IS NULL OR user_id = ANY($2::text[])) AND repository = $3 AND sha > $4
    AND ${isJudged('$6::text', 'c.repository', 'c.sha')}
  ORDER BY sha
  LIMIT $5`;

/** The next `limit` commits of a repository after `afterSha` ('' for the first), by sha. */
export async function exportedCommits(
  queryable: Queryable,
  view: TenantView,
  repository: string,
  afterSha: string,
  limit: number,
): Promise<CommitRow[]> {
  return queryable.query<CommitRow>(COMMITS, [
    view.orgId,
    view.userIds,
    repository,
    afterSha,
    limit,
    view.policyId,
  ]);
}

export interface DailyRow extends Row {
  date: string;
  user_id: string;
  project_id: string;
}

// A session that moved to another day may leave a row of zeros behind, depending on how its reports were
// batched. `date >=` lets the unique index find the page; the rest orders by bytes, as no index does.
const DAILY = `
  SELECT date, user_id, project_id, total_commits, total_files_changed, files_with_ai, total_lines,
    ai_preserved_lines, ai_modified_lines, human_new_lines, ai_attributed_lines, ai_ratio, tab_ai_lines,
    chat_ai_lines, agent_ai_lines, high_confidence_lines, low_confidence_lines, suspect_lines,
    declared_ai_lines, matched_ai_lines, estimated_ai_lines, tab_suggestions_shown, tab_suggestions_accepted,
    tab_accept_rate, chat_edit_count, agent_task_count
  FROM ai_attribution_daily
  WHERE org_id = $1 AND policy_id = $2::text AND ($3::text[] IS NULL OR user_id = ANY($3::text[]))
    AND (total_commits, tab_suggestions_shown, tab_suggestions_accepted, chat_edit_count, agent_task_count)
      <> (0, 0, 0, 0, 0)
    AND date >= $4::date
    AND (date, user_id COLLATE "C", project_id COLLATE "C") > ($4::date, $5::text, $6::text)
  ORDER BY date, user_id COLLATE "C", project_id COLLATE "C"
  LIMIT $7`;

/** Sorts before every daily row. */
export const BEFORE_DAILY: DailyRow = { date: '0001-01-01', user_id: '', project_id: '' };

/** The next `limit` daily rows, by day, person and project. */
export async function exportedDaily(
  queryable: Queryable,
  view: TenantView,
  after: DailyRow,
  limit: number,
): Promise<DailyRow[]> {
  return queryable.query<DailyRow>(DAILY, [
    view.orgId,
    view.policyId,
    view.userIds,
    after.date,
    after.user_id,
    after.project_id,
    limit,
  ]);
}
