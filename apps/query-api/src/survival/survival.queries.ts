import type { Queryable, Row } from '@lineprint/persistence';
import { HEADS, type LedgerFilter, ledgerValues } from '../ledger/ledger-filter';
import type { TenantView } from '../tenant-view';
import type { SurvivalDimension } from './survival.schema';

/** Lines whose birth falls on these days, both included, in the organisation's time zone. */
export interface SurvivalFilter extends LedgerFilter {
  readonly bornFrom: string | null;
  readonly bornTo: string | null;
}

const ofAi = (named: string) => `CASE l.kind WHEN 'H' THEN 'human' ELSE ${named} END`;

const keys: Readonly<Record<SurvivalDimension, string>> = {
  origin: ofAi(`'ai'`),
  source: ofAi(`COALESCE(l.source, 'unknown')`),
  model: ofAi(`COALESCE(l.model, 'unknown')`),
};

const wholeDays = (from: string, to: string) =>
  `GREATEST(0, FLOOR(EXTRACT(EPOCH FROM ${to} - ${from}) / 86400))::int`;

// Each branch's rows are looked up by key: PGlite, which has no statistics, would join all with all.
const livesBy = (by: SurvivalDimension) => `
  SELECT ${keys[by]} COLLATE "C" AS key,
    date_trunc('week', l.born_at AT TIME ZONE $7::text)::date AS week,
    ${wholeDays('l.born_at', 'h.at')} AS watched_days,
    ${wholeDays('l.born_at', 'l.died_at')} AS lived_days,
    l.died_at IS NOT NULL AS has_died,
    SUM(l.lines) AS lines
  FROM (${HEADS}) h
  CROSS JOIN LATERAL (
    SELECT * FROM life_lines
    WHERE org_id = h.org_id AND policy_id = $2::text AND repository = h.repository AND ref = h.ref
      AND ($6::text[] IS NULL OR user_id = ANY ($6::text[]))
      AND ($8::date IS NULL OR (born_at AT TIME ZONE $7::text)::date >= $8::date)
      AND ($9::date IS NULL OR (born_at AT TIME ZONE $7::text)::date <= $9::date)
    OFFSET 0
  ) l
  GROUP BY 1, 2, 3, 4, 5
  ORDER BY 2, 1, 3, 4, 5`;

/** Lines with the same key that were born in one week, have been watched for as long and have lived for as long. */
export interface LivesRow extends Row {
  key: string;
  /** The week's Monday. */
  week: string;
  watched_days: number;
  /** Until they died; of no meaning for lines that have not. */
  lived_days: number;
  has_died: boolean;
  lines: number;
}

/** Lives of lines, summed by what of them is counted; by week and key. */
export async function livesOfLines(
  queryable: Queryable,
  view: TenantView,
  filter: SurvivalFilter,
  by: SurvivalDimension,
): Promise<LivesRow[]> {
  return queryable.query<LivesRow>(livesBy(by), [
    ...ledgerValues(view, filter),
    view.timeZone,
    filter.bornFrom,
    filter.bornTo,
  ]);
}
