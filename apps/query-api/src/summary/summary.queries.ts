import type { Queryable, Row, SqlValue } from '@lineprint/persistence';
import { isJudged } from '../judged-commits';
import type { TenantView } from '../tenant-view';

export interface SummaryFilter {
  readonly repository: string | null;
  readonly projectId: string | null;
  /** Only commits that this policy, too, has judged: two policies are compared by the same commits. */
  readonly alsoJudgedBy?: string;
  /** Only commits that count, or only those that do not; all of them without it. */
  readonly counted?: boolean;
}

/** Parameters $1 to $5 of every statement here, and $6 where another policy must have judged a commit, too. */
function filterValues(view: TenantView, filter: SummaryFilter): SqlValue[] {
  const { repository, projectId, alsoJudgedBy } = filter;
  const shared = [view.orgId, view.userIds, repository, projectId, view.policyId];
  return alsoJudgedBy === undefined ? shared : [...shared, alsoJudgedBy];
}

/** Rows of a table that has the columns of a commit; `sha` names the column of its id. */
const matching = ({ alsoJudgedBy, counted }: SummaryFilter, sha: string) => `org_id = $1
    AND ($2::text[] IS NULL OR user_id = ANY($2::text[]))
    AND ($3::text IS NULL OR repository = $3::text)
    AND ($4::text IS NULL OR project_id = $4::text)
    ${counted === undefined ? '' : `AND ${counted ? '' : 'NOT '}c.counted`}
    ${alsoJudgedBy === undefined ? '' : `AND ${isJudged('$6::text', 'c.repository', `c.${sha}`)}`}`;

const commitsOf = (filter: SummaryFilter) => `
  SELECT COUNT(*) FILTER (WHERE cardinality(parents) < 2) AS commits,
    COUNT(*) FILTER (WHERE cardinality(parents) > 1) AS merges
  FROM commits c
  WHERE ${matching(filter, 'sha')} AND ${isJudged('$5::text', 'c.repository', 'c.sha')}`;

export interface CommitCounts extends Row {
  commits: number;
  merges: number;
}

export async function countCommits(
  queryable: Queryable,
  view: TenantView,
  filter: SummaryFilter,
): Promise<CommitCounts> {
  const [row] = await queryable.query<CommitCounts>(commitsOf(filter), filterValues(view, filter));
  return row ?? { commits: 0, merges: 0 };
}

// Each commit's files are looked up by key: PGlite, which has no statistics, would join every commit with every file.
// A copied line that counts, as its original does not, is a line of the results.
const uncountedOf = (filter: SummaryFilter) => `
  SELECT COALESCE(SUM(f.added_lines) FILTER (WHERE f.excluded IS NOT NULL), 0) AS excluded,
    COALESCE(SUM(f.blank_lines) FILTER (WHERE f.excluded IS NULL), 0) AS blank,
    COALESCE(SUM(f.inherited_lines), 0) - (
      SELECT COALESCE(SUM(total_lines), 0) FROM ai_attribution_results c
      WHERE ${matching(filter, 'commit_sha')} AND policy_id = $5::text AND copied_from <> ''
    ) AS inherited
  FROM (SELECT org_id, repository, sha FROM commits c WHERE ${matching(filter, 'sha')}) c
  CROSS JOIN LATERAL (
    SELECT added_lines, blank_lines, inherited_lines, excluded FROM commit_files
    WHERE org_id = c.org_id AND policy_id = $5::text AND repository = c.repository AND commit_sha = c.sha OFFSET 0
  ) f`;

export interface UncountedLines extends Row {
  excluded: number;
  blank: number;
  inherited: number;
}

/** Added lines that nobody's authorship is counted for. */
export async function uncountedLines(
  queryable: Queryable,
  view: TenantView,
  filter: SummaryFilter,
): Promise<UncountedLines> {
  const [row] = await queryable.query<UncountedLines>(uncountedOf(filter), filterValues(view, filter));
  return row ?? { excluded: 0, blank: 0, inherited: 0 };
}

const dimensions = {
  language: 'language',
  person: 'user_id',
  project: 'project_id',
  source: `COALESCE(match_source, 'unknown')`,
  confidence: 'confidence',
  evidence: 'evidence',
} as const;
export type Dimension = keyof typeof dimensions;

const linesBy = (filter: SummaryFilter, dimension: Dimension) => `
  SELECT ${dimensions[dimension]} COLLATE "C" AS key,
    SUM(ai_preserved_lines) AS preserved,
    SUM(ai_modified_lines) AS modified,
    SUM(human_new_lines) AS human,
    COALESCE(SUM(ai_preserved_lines + ai_modified_lines) FILTER (WHERE confidence = 'HIGH'), 0) AS high,
    SUM(suspect_lines) AS suspect
  FROM ai_attribution_results c
  WHERE ${matching(filter, 'commit_sha')} AND policy_id = $5::text
  GROUP BY 1
  ORDER BY SUM(total_lines) DESC, 1`;

export interface LinesRow extends Row {
  key: string;
  preserved: number;
  modified: number;
  human: number;
  /** AI lines with confidence HIGH. */
  high: number;
  suspect: number;
}

/** Lines of the results' rows by one of their columns, the largest group first. */
export async function groupedLines(
  queryable: Queryable,
  view: TenantView,
  filter: SummaryFilter,
  dimension: Dimension,
): Promise<LinesRow[]> {
  return queryable.query<LinesRow>(linesBy(filter, dimension), filterValues(view, filter));
}
