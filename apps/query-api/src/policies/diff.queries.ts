import type { Queryable, Row, SqlValue } from '@lineprint/persistence';
import { z } from 'zod';
import { Cursor } from '../cursor';
import type { TenantView } from '../tenant-view';
import type { Origin } from './diff.schema';

/** Two policies and which of the commits that both have judged are compared. */
export interface Comparison {
  readonly view: TenantView;
  readonly from: string;
  readonly to: string;
  readonly repository: string | null;
  readonly projectId: string | null;
}

/** Parameters $1 to $6 of both statements. */
function valuesOf({ view, from, to, repository, projectId }: Comparison): SqlValue[] {
  return [view.orgId, view.userIds, repository, projectId, from, to];
}

/** What a file's results say, apart from which snippet it was. */
const results = (alias: string) => `(
    SELECT jsonb_agg(jsonb_build_array(r.ordinal, r.confidence, r.evidence, r.match_source) ORDER BY r.ordinal)
    FROM ai_attribution_results r
    WHERE (r.org_id, r.policy_id, r.repository, r.commit_sha, r.file_path)
        = (${alias}.org_id, ${alias}.policy_id, ${alias}.repository, ${alias}.commit_sha, ${alias}.file_path)
      AND r.copied_from = '')`;

/**
 * Files of commits that count and that the two policies do not say the same of. Most are alike, and only the others' lines are looked at.
 * `OFFSET 0` keeps look-ups by key what they are: PGlite has no statistics to find that out.
 */
const DIFFERENT_FILES = `
  SELECT a.repository, a.commit_sha, a.file_path, a.lines AS from_lines, b.lines AS to_lines
  FROM commit_files a
  CROSS JOIN LATERAL (
    SELECT f.* FROM commit_files f
    WHERE f.org_id = a.org_id AND f.policy_id = $6::text AND f.repository = a.repository
      AND f.commit_sha = a.commit_sha AND f.file_path = a.file_path OFFSET 0
  ) b
  CROSS JOIN LATERAL (
    SELECT user_id, project_id FROM commits
    WHERE org_id = a.org_id AND repository = a.repository AND sha = a.commit_sha AND counted OFFSET 0
  ) c
  WHERE a.org_id = $1 AND a.policy_id = $5::text
    AND ($2::text[] IS NULL OR c.user_id = ANY($2::text[]))
    AND ($3::text IS NULL OR a.repository = $3::text)
    AND ($4::text IS NULL OR c.project_id = $4::text)
    AND (a.lines <> b.lines OR ${results('a')} IS DISTINCT FROM ${results('b')})`;

/** The lines of the files above, one row each, with what they are under a policy. */
const linesUnder = (policy: string, lines: string) => `
  SELECT d.repository, d.commit_sha, d.file_path, line, range.kind, o.confidence, o.evidence,
    o.match_source AS source
  FROM different d
  CROSS JOIN LATERAL jsonb_to_recordset(d.${lines}) AS range (start int, count int, kind text, result int)
  CROSS JOIN LATERAL (
    SELECT confidence, evidence, match_source FROM ai_attribution_results r
    WHERE r.org_id = $1 AND r.policy_id = ${policy} AND r.repository = d.repository AND r.commit_sha = d.commit_sha
      AND r.file_path = d.file_path AND r.ordinal = range.result AND r.copied_from = '' OFFSET 0
  ) o
  CROSS JOIN LATERAL generate_series(range.start, range.start + range.count - 1) AS line`;

const FLIPS = `
  WITH different AS MATERIALIZED (${DIFFERENT_FILES}),
  a AS (${linesUnder('$5::text', 'from_lines')}),
  b AS (${linesUnder('$6::text', 'to_lines')})
  SELECT a.kind, a.confidence, a.evidence, a.source, b.kind AS to_kind, b.confidence AS to_confidence,
    b.evidence AS to_evidence, b.source AS to_source, COUNT(*) AS lines
  FROM a FULL JOIN b USING (repository, commit_sha, file_path, line)
  WHERE (a.kind, a.confidence, a.evidence, a.source) IS DISTINCT FROM (b.kind, b.confidence, b.evidence, b.source)
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ORDER BY COUNT(*) DESC, 1, 2, 3, 4, 5, 6, 7, 8`;

type Counted = NonNullable<Origin>;

interface FlipRow extends Row {
  kind: Counted['kind'] | null;
  confidence: Counted['confidence'];
  evidence: Counted['evidence'];
  source: Counted['source'];
  to_kind: Counted['kind'] | null;
  to_confidence: Counted['confidence'];
  to_evidence: Counted['evidence'];
  to_source: Counted['source'];
  lines: number;
}

export interface Flip {
  readonly from: Origin;
  readonly to: Origin;
  readonly lines: number;
}

/** How many lines are something else under the other policy, by what they are under each; the most first. */
export async function countFlips(queryable: Queryable, comparison: Comparison): Promise<Flip[]> {
  const rows = await queryable.query<FlipRow>(FLIPS, valuesOf(comparison));
  return rows.map((row) => ({
    from: row.kind && {
      kind: row.kind,
      confidence: row.confidence,
      evidence: row.evidence,
      source: row.source,
    },
    to: row.to_kind && {
      kind: row.to_kind,
      confidence: row.to_confidence,
      evidence: row.to_evidence,
      source: row.to_source,
    },
    lines: row.lines,
  }));
}

/** A range of lines of one origin. */
export interface OriginRange extends Counted {
  readonly start: number;
  readonly count: number;
}

export interface DifferentFile extends Row {
  repository: string;
  sha: string;
  path: string;
  from_ranges: OriginRange[];
  to_ranges: OriginRange[];
}

const ranges = (policy: string, lines: string) => `(
    SELECT COALESCE(jsonb_agg(jsonb_build_object('start', range.start, 'count', range.count, 'kind', range.kind,
      'confidence', r.confidence, 'evidence', r.evidence, 'source', r.match_source) ORDER BY range.start), '[]')
    FROM jsonb_to_recordset(d.${lines}) AS range (start int, count int, kind text, result int)
    JOIN ai_attribution_results r ON r.org_id = $1 AND r.policy_id = ${policy} AND r.repository = d.repository
      AND r.commit_sha = d.commit_sha AND r.file_path = d.file_path AND r.ordinal = range.result
      AND r.copied_from = '')`;

// In the order of the primary key, so that a page reads no more than it needs.
const DIFFERENT_PAGE = `
  SELECT d.repository, d.commit_sha AS sha, d.file_path AS path, ${ranges('$5::text', 'from_lines')} AS from_ranges,
    ${ranges('$6::text', 'to_lines')} AS to_ranges
  FROM (
    ${DIFFERENT_FILES} AND (a.repository, a.commit_sha, a.file_path) > ($7::text, $8::text, $9::text)
    ORDER BY a.repository, a.commit_sha, a.file_path
    LIMIT $10
  ) d
  ORDER BY d.repository, d.commit_sha, d.file_path`;

export const fileCursor = new Cursor(z.tuple([z.string(), z.string(), z.string()]));
/** Sorts before every file. */
export const BEFORE_FILES: ReturnType<typeof fileCursor.decode> = ['', '', ''];

/** The next `limit` files that the two policies do not say the same of, after a place in that list. */
export async function differentFiles(
  queryable: Queryable,
  comparison: Comparison,
  after: ReturnType<typeof fileCursor.decode>,
  limit: number,
): Promise<DifferentFile[]> {
  return queryable.query<DifferentFile>(DIFFERENT_PAGE, [...valuesOf(comparison), ...after, limit]);
}
