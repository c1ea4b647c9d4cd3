import type { Queryable, Row } from '@lineprint/persistence';
import { isJudged } from '../judged-commits';
import type { Period } from '../stats/period';
import type { TenantView } from '../tenant-view';

/** SQL that is true of a moment on the days in question, in the organisation's time zone (`t` is its row). */
const isOnDays = (moment: string) =>
  `(${moment} AT TIME ZONE t.time_zone)::date BETWEEN $3::date AND $4::date`;

const values = ({ orgId, policyId }: TenantView, { start, end }: Period) => [orgId, policyId, start, end];

export interface CommitQuality extends Row {
  counted: number;
  provisional: number;
  late: number;
  revised: number;
  declared: number;
}

export async function commitQuality(
  queryable: Queryable,
  view: TenantView,
  period: Period,
): Promise<CommitQuality> {
  const [row] = await queryable.query<CommitQuality>(
    `SELECT COUNT(*) FILTER (WHERE c.counted) AS counted, COUNT(*) FILTER (WHERE NOT c.counted) AS provisional,
       COUNT(*) FILTER (WHERE c.late) AS late, COUNT(*) FILTER (WHERE c.revision > 0) AS revised,
       COUNT(*) FILTER (WHERE c.declared_tool IS NOT NULL) AS declared
     FROM commits c JOIN tenants t ON t.org_id = c.org_id
     WHERE c.org_id = $1 AND ${isJudged('$2::text', 'c.repository', 'c.sha')}
       AND ${isOnDays("CASE WHEN t.day_by = 'committer' THEN c.committed_at ELSE c.authored_at END")}`,
    values(view, period),
  );
  return row!;
}

export interface LineQuality extends Row {
  total: number;
  matched: number;
  declared: number;
  estimated: number;
  suspect: number;
  provisional: number;
}

export async function lineQuality(
  queryable: Queryable,
  view: TenantView,
  period: Period,
): Promise<LineQuality> {
  const ai = (evidence: string) => `COALESCE(SUM(ai_preserved_lines + ai_modified_lines)
         FILTER (WHERE counted AND evidence = '${evidence}'), 0) AS ${evidence}`;
  const [row] = await queryable.query<LineQuality>(
    `SELECT COALESCE(SUM(total_lines) FILTER (WHERE counted), 0) AS total,
       ${ai('matched')}, ${ai('declared')}, ${ai('estimated')},
       COALESCE(SUM(suspect_lines) FILTER (WHERE counted), 0) AS suspect,
       COALESCE(SUM(total_lines) FILTER (WHERE NOT counted), 0) AS provisional
     FROM attribution_cells
     WHERE org_id = $1 AND policy_id = $2::text AND user_id = '' AND project_id = ''
       AND date BETWEEN $3::date AND $4::date`,
    values(view, period),
  );
  return row!;
}

export interface SnippetQuality extends Row {
  accepted: number;
  never_matched: number;
}

/** Snippets that were accepted on some days, and those that no result names; a commit comes after its snippets. */
export async function snippetQuality(
  queryable: Queryable,
  view: TenantView,
  period: Period,
): Promise<SnippetQuality> {
  const [row] = await queryable.query<SnippetQuality>(
    `WITH accepted AS (
       SELECT s.code_id FROM ai_code_fingerprint_ids s JOIN tenants t ON t.org_id = s.org_id
       WHERE s.org_id = $1 AND ${isOnDays('s.created_at')}
     ), matched AS (
       SELECT DISTINCT matched_code_id AS code_id FROM ai_attribution_results
       WHERE org_id = $1 AND policy_id = $2::text AND day >= $3::date - 1 AND matched_code_id IS NOT NULL
     )
     SELECT COUNT(*) AS accepted, COUNT(*) FILTER (WHERE m.code_id IS NULL) AS never_matched
     FROM accepted a LEFT JOIN matched m ON m.code_id = a.code_id`,
    values(view, period),
  );
  return row!;
}

export async function pendingReanalyses(queryable: Queryable, orgId: string): Promise<number> {
  const [row] = await queryable.query<{ pending: number }>(
    'SELECT COUNT(*) AS pending FROM reanalysis_requests WHERE org_id = $1',
    [orgId],
  );
  return row!.pending;
}

export interface RepositoryQuality extends Row {
  repository: string;
  has_default_branch: boolean;
  missing: number;
}

/** Every repository with commits, from one to the next by the index, in the order of its bytes. */
export async function repositoryQuality(queryable: Queryable, orgId: string): Promise<RepositoryQuality[]> {
  return queryable.query<RepositoryQuality>(
    `WITH RECURSIVE names (repository) AS (
       (SELECT MIN(repository) FROM commits WHERE org_id = $1)
       UNION ALL
       SELECT (SELECT MIN(c.repository) FROM commits c WHERE c.org_id = $1 AND c.repository > names.repository)
       FROM names WHERE names.repository IS NOT NULL
     )
     SELECT n.repository, COALESCE(d.default_ref IS NOT NULL, FALSE) AS has_default_branch,
       (SELECT COUNT(DISTINCT missing) FROM commit_gaps g
         WHERE g.org_id = $1 AND g.repository = n.repository) AS missing
     FROM names n
     LEFT JOIN counted_repositories d ON d.org_id = $1 AND d.repository = n.repository
     WHERE n.repository IS NOT NULL
     ORDER BY n.repository COLLATE "C"`,
    [orgId],
  );
}
