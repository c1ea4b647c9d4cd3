import type { Queryable, Row } from '@lineprint/persistence';
import type { HeadRow } from '../ledger/ledger-filter';
import type { TenantView } from '../tenant-view';
import type { HeadDimension } from './head.schema';

/** What lines are grouped by in the database: teams are made of people. */
export type HeadKey = Exclude<HeadDimension, 'team'>;

/** Lines at the tips of some branches. */
export interface HeadFilter {
  readonly heads: readonly HeadRow[];
  /** Whose lines, as commits name them; null for everybody's. */
  readonly userIds: readonly string[] | null;
  /** Below which folder, without a slash at its end; empty for all. */
  readonly folder: string;
}

/** Parameters `$1` to `$6` of the statements that read `HEAD_LINES`. */
export function headValues({ orgId, policyId }: TenantView, { heads, userIds, folder }: HeadFilter) {
  return [
    orgId,
    policyId,
    heads.map(({ repository }) => repository),
    heads.map(({ ref }) => ref),
    userIds,
    folder === '' ? '' : `${folder}/`,
  ];
}

/** The lines `l` at the tips `h`, as a FROM clause. */
export const HEAD_LINES = `
  FROM UNNEST($3::text[], $4::text[]) AS h (repository, ref)
  JOIN head_file_lines l ON l.repository = h.repository AND l.ref = h.ref
  WHERE l.org_id = $1 AND l.policy_id = $2::text AND ($5::text[] IS NULL OR l.user_id = ANY ($5::text[]))
    AND ($6::text = '' OR starts_with(l.path, $6::text))`;

const inFolder = 'substr(l.path, length($6::text) + 1)';
const ofOrigin = (named: string) => `CASE l.kind WHEN 'H' THEN 'human' WHEN 'U' THEN NULL ELSE ${named} END`;

const keys: Readonly<Record<HeadKey, string>> = {
  repository: 'l.repository',
  // A folder's own files are under its name, those of folders below it under theirs.
  folder: `CASE WHEN strpos(${inFolder}, '/') > 0 THEN $6::text || split_part(${inFolder}, '/', 1)
    ELSE COALESCE(NULLIF(rtrim($6::text, '/'), ''), '.') END`,
  language: 'l.language',
  person: 'l.user_id',
  source: ofOrigin(`COALESCE(l.source, 'unknown')`),
  model: ofOrigin(`COALESCE(l.model, 'unknown')`),
  kind: `CASE l.kind WHEN 'P' THEN 'preserved' WHEN 'M' THEN 'modified' WHEN 'H' THEN 'human' ELSE 'unknown' END`,
};

/** What each kind of lines sums up to. */
export const KIND_SUMS = `
    COALESCE(SUM(l.lines) FILTER (WHERE l.kind = 'P'), 0) AS preserved,
    COALESCE(SUM(l.lines) FILTER (WHERE l.kind = 'M'), 0) AS modified,
    COALESCE(SUM(l.lines) FILTER (WHERE l.kind = 'H'), 0) AS human,
    COALESCE(SUM(l.lines) FILTER (WHERE l.kind = 'U'), 0) AS unknown`;

export interface KindSums extends Row {
  preserved: number;
  modified: number;
  human: number;
  unknown: number;
}

export interface HeadTotalRow extends KindSums {
  repository: string;
  ref: string;
}

/** The lines at each tip that has some. */
export async function headTotals(
  queryable: Queryable,
  view: TenantView,
  filter: HeadFilter,
): Promise<HeadTotalRow[]> {
  const sql = `SELECT l.repository, l.ref, ${KIND_SUMS} ${HEAD_LINES} GROUP BY l.repository, l.ref`;
  return queryable.query<HeadTotalRow>(sql, headValues(view, filter));
}

export interface HeadPartRow extends KindSums {
  key: string | null;
}

/** The lines at all tips in parts, the largest first. */
export async function headParts(
  queryable: Queryable,
  view: TenantView,
  filter: HeadFilter,
  by: HeadKey,
): Promise<HeadPartRow[]> {
  const sql = `
    SELECT ${keys[by]} COLLATE "C" AS key, ${KIND_SUMS} ${HEAD_LINES}
    GROUP BY 1
    ORDER BY SUM(l.lines) DESC, 1 NULLS LAST`;
  return queryable.query<HeadPartRow>(sql, headValues(view, filter));
}
