import type { Queryable, Row } from '@lineprint/persistence';
import { HEADS, type HeadRow, type LedgerFilter, ledgerValues } from '../ledger/ledger-filter';
import type { TenantView } from '../tenant-view';
import type { HeadDimension } from './head.schema';

/** What lines are grouped by in the database: teams are made of people. */
export type HeadKey = Exclude<HeadDimension, 'team'>;

/** Lines at the tips, below a folder. */
export interface HeadFilter extends LedgerFilter {
  /** Without a slash at its end; empty for all. */
  readonly folder: string;
}

/** Parameters `$1` to `$7` of the statements that read `HEAD_LINES`. */
export function headValues(view: TenantView, filter: HeadFilter) {
  return [...ledgerValues(view, filter), filter.folder === '' ? '' : `${filter.folder}/`];
}

// Each branch's rows are looked up by key: PGlite, which has no statistics, would join all with all.
/** The lines `l` at the tips `h`, as a FROM clause. */
export const HEAD_LINES = `
  FROM (${HEADS}) h
  CROSS JOIN LATERAL (
    SELECT * FROM head_file_lines
    WHERE org_id = h.org_id AND policy_id = $2::text AND repository = h.repository AND ref = h.ref
      AND ($6::text[] IS NULL OR user_id = ANY ($6::text[])) AND starts_with(path, $7::text)
    OFFSET 0
  ) l`;

const inFolder = 'substr(l.path, length($7::text) + 1)';
const ofOrigin = (named: string) => `CASE l.kind WHEN 'H' THEN 'human' WHEN 'U' THEN NULL ELSE ${named} END`;

const keys: Readonly<Record<HeadKey, string>> = {
  repository: 'l.repository',
  // A folder's own files are under its name, those of folders below it under theirs.
  folder: `CASE WHEN strpos(${inFolder}, '/') > 0 THEN $7::text || split_part(${inFolder}, '/', 1)
    ELSE COALESCE(NULLIF(rtrim($7::text, '/'), ''), '.') END`,
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

/** The lines at the tips by what they are. */
export async function headTotal(
  queryable: Queryable,
  view: TenantView,
  filter: HeadFilter,
): Promise<KindSums> {
  const [row] = await queryable.query<KindSums>(
    `SELECT ${KIND_SUMS} ${HEAD_LINES}`,
    headValues(view, filter),
  );
  return row ?? { preserved: 0, modified: 0, human: 0, unknown: 0 };
}

export interface HeadPartRow extends KindSums {
  key: string | null;
}

/** The same in parts, the largest first. */
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

/** The branches; of a person those alone that have lines of the person's. */
export async function listHeads(
  queryable: Queryable,
  view: TenantView,
  filter: LedgerFilter,
): Promise<HeadRow[]> {
  const sql = `
    SELECT h.repository, h.ref, h.sha, h.at
    FROM (${HEADS}) h
    WHERE $6::text[] IS NULL OR EXISTS (
      SELECT 1 FROM head_file_lines l
      WHERE l.org_id = h.org_id AND l.policy_id = $2::text AND l.repository = h.repository AND l.ref = h.ref
        AND l.user_id = ANY ($6::text[])
      OFFSET 0)
    ORDER BY h.repository COLLATE "C", h.ref COLLATE "C"`;
  return queryable.query<HeadRow>(sql, ledgerValues(view, filter));
}
