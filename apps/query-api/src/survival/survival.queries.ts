import { CHURN_DAYS } from '@lineprint/attribution';
import type { Queryable, Row } from '@lineprint/persistence';
import type { HeadRow } from '../ledger/ledger-filter';
import type { TenantView } from '../tenant-view';
import type { SurvivalDimension } from './survival.schema';

/** Lines of some branches. Birthdays are in the organisation's time zone, the first and the last one included. */
export interface SurvivalFilter {
  readonly heads: readonly HeadRow[];
  /** Whose lines, as commits name them; null for everybody's. */
  readonly userIds: readonly string[] | null;
  readonly bornFrom: string | null;
  readonly bornTo: string | null;
}

const ofAi = (named: string) => `CASE l.kind WHEN 'H' THEN 'human' ELSE ${named} END`;

const keys: Readonly<Record<SurvivalDimension, string>> = {
  origin: ofAi(`'ai'`),
  source: ofAi(`COALESCE(l.source, 'unknown')`),
  model: ofAi(`COALESCE(l.model, 'unknown')`),
};

const wholeDays = (from: string, to: string) => `GREATEST(0, date_part('day', ${to} - ${from}))::int`;

// A line that was seen to die says no more when its branch has been watched for longer, but for whether it was born long
// enough ago to be churn: so a million lives are some ten thousand rows.
const livesBy = (by: SurvivalDimension) => `
  SELECT key, week::date AS week, lived_days,
    CASE WHEN lived_days < watched_days THEN GREATEST(lived_days + 1, LEAST(watched_days, ${CHURN_DAYS}))
      ELSE watched_days END AS watched_days,
    SUM(lines) AS lines
  FROM (
    SELECT ${keys[by]} COLLATE "C" AS key,
      date_trunc('week', l.born_at AT TIME ZONE $6::text) AS week,
      ${wholeDays('l.born_at', 'h.at')} AS watched_days,
      CASE WHEN l.died_at IS NOT NULL THEN ${wholeDays('l.born_at', 'l.died_at')} END AS lived_days,
      l.lines
    FROM UNNEST($3::text[], $4::text[], $9::timestamptz[]) AS h (repository, ref, at)
    JOIN life_lines l ON l.repository = h.repository AND l.ref = h.ref
    WHERE l.org_id = $1 AND l.policy_id = $2::text
      AND ($5::text[] IS NULL OR l.user_id = ANY ($5::text[]))
      AND ($7::date IS NULL OR (l.born_at AT TIME ZONE $6::text)::date >= $7::date)
      AND ($8::date IS NULL OR (l.born_at AT TIME ZONE $6::text)::date <= $8::date)
  ) l
  GROUP BY 1, 2, 3, 4`;

/** Lines with the same key that were born in one week and whose lives say the same. */
export interface LivesRow extends Row {
  key: string;
  /** The week's Monday. */
  week: string;
  /** Null for lines that still stand. */
  lived_days: number | null;
  /** For how long they are known to have been watched; more says nothing of them. */
  watched_days: number;
  lines: number;
}

/** Lives of lines, summed by what of them is counted; in no order. */
export async function livesOfLines(
  queryable: Queryable,
  { orgId, policyId, timeZone }: TenantView,
  { heads, userIds, bornFrom, bornTo }: SurvivalFilter,
  by: SurvivalDimension,
): Promise<LivesRow[]> {
  return queryable.query<LivesRow>(livesBy(by), [
    orgId,
    policyId,
    heads.map(({ repository }) => repository),
    heads.map(({ ref }) => ref),
    userIds,
    timeZone,
    bornFrom,
    bornTo,
    heads.map(({ at }) => at),
  ]);
}
