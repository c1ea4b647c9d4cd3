import type { Database, Queryable, Row } from '@lineprint/persistence';
import { checkTable, type Difference, monthsOf, SUMMED_TABLES } from './reconciliation.queries';

/** A proof, or its attempt, that what is summed is what results and sessions say. Nothing is ever mended by it. */
export interface Reconciliation {
  readonly id: number;
  /** The organisation's day in whose night it was due; null for one that somebody asked for. */
  readonly night: string | null;
  readonly requestedBy: string | null;
  readonly requestedAt: Date;
  /** Null while it waits or runs. */
  readonly finishedAt: Date | null;
  /** Days of a policy that were looked at. */
  readonly days: number | null;
  /** Rows that are not what they should be. */
  readonly differences: number | null;
  /** The first of them. */
  readonly details: readonly Difference[];
}

interface ReconciliationRow extends Row {
  id: number;
  org_id: string;
  night: string | null;
  requested_by: string | null;
  requested_at: Date;
  finished_at: Date | null;
  days: number | null;
  differences: number | null;
  details: Difference[];
}

const COLUMNS =
  'id, org_id, night::text AS night, requested_by, requested_at, finished_at, days, differences, details';

function reconciliationOf(row: ReconciliationRow): Reconciliation {
  return {
    id: row.id,
    night: row.night,
    requestedBy: row.requested_by,
    requestedAt: row.requested_at,
    finishedAt: row.finished_at,
    days: row.days,
    differences: row.differences,
    details: row.details,
  };
}

/** So many differences are kept of one reconciliation. */
const KEPT = 100;
/** Who takes one and says nothing of it for so long has died. */
const CLAIM = "INTERVAL '10 minutes'";

/** Asks for a reconciliation of an organisation, which rollup makes as soon as it can. */
export async function requestReconciliation(
  queryable: Queryable,
  orgId: string,
  requestedBy: string | null,
): Promise<Reconciliation> {
  const [row] = await queryable.query<ReconciliationRow>(
    `INSERT INTO reconciliations (org_id, requested_by) VALUES ($1, $2) RETURNING ${COLUMNS}`,
    [orgId, requestedBy],
  );
  return reconciliationOf(row!);
}

/** An organisation's reconciliations, the newest first. */
export async function listReconciliations(
  queryable: Queryable,
  orgId: string,
  limit: number,
): Promise<Reconciliation[]> {
  const rows = await queryable.query<ReconciliationRow>(
    `SELECT ${COLUMNS} FROM reconciliations WHERE org_id = $1 ORDER BY id DESC LIMIT $2`,
    [orgId, limit],
  );
  return rows.map(reconciliationOf);
}

export async function findReconciliation(
  queryable: Queryable,
  orgId: string,
  id: number,
): Promise<Reconciliation | null> {
  const [row] = await queryable.query<ReconciliationRow>(
    `SELECT ${COLUMNS} FROM reconciliations WHERE org_id = $1 AND id = $2`,
    [orgId, id],
  );
  return row ? reconciliationOf(row) : null;
}

/** The last that is finished. */
export async function lastReconciliation(
  queryable: Queryable,
  orgId: string,
): Promise<Reconciliation | null> {
  const [row] = await queryable.query<ReconciliationRow>(
    `SELECT ${COLUMNS} FROM reconciliations WHERE org_id = $1 AND finished_at IS NOT NULL
     ORDER BY id DESC LIMIT 1`,
    [orgId],
  );
  return row ? reconciliationOf(row) : null;
}

/** Asks for one of each organisation in whose time zone a new day has begun since the last of its nights. */
export async function requestNightly(queryable: Queryable, now: Date): Promise<void> {
  await queryable.query(
    `INSERT INTO reconciliations (org_id, night)
     SELECT org_id, ($1::timestamptz AT TIME ZONE time_zone)::date FROM tenants t
      WHERE NOT EXISTS (
        SELECT 1 FROM reconciliations r
         WHERE r.org_id = t.org_id AND r.night >= ($1::timestamptz AT TIME ZONE t.time_zone)::date
      )
         ON CONFLICT (org_id, night) DO NOTHING`,
    [now],
  );
}

/**
 * Makes the oldest reconciliation that waits. Several processes may: each takes its own.
 *
 * @param signal ends it early; it is made anew then
 * @returns what came of it, or null where none waited or it was ended
 */
export async function reconcileNext(database: Database, signal: AbortSignal): Promise<Reconciliation | null> {
  const [taken] = await database.query<ReconciliationRow>(
    `UPDATE reconciliations SET claimed_until = NOW() + ${CLAIM}
      WHERE id = (
        SELECT id FROM reconciliations
         WHERE finished_at IS NULL AND (claimed_until IS NULL OR claimed_until < NOW())
         ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
      )
      RETURNING ${COLUMNS}`,
  );
  if (!taken) return null;
  let [days, differences] = [0, 0];
  const details: Difference[] = [];
  for (const policyId of await summedPolicies(database, taken.org_id)) {
    for (const month of await monthsOf(database, taken.org_id, policyId)) {
      days += month.days;
      for (const table of SUMMED_TABLES) {
        if (signal.aborted) return abandon(database, taken.id);
        const { first, last } = month;
        const check = await checkTable(database, table, { orgId: taken.org_id, policyId, first, last });
        differences += check.differences;
        details.push(...check.told.slice(0, KEPT - details.length));
      }
      await database.query(`UPDATE reconciliations SET claimed_until = NOW() + ${CLAIM} WHERE id = $1`, [
        taken.id,
      ]);
    }
  }
  const [row] = await database.query<ReconciliationRow>(
    `UPDATE reconciliations SET finished_at = NOW(), days = $2, differences = $3, details = $4::jsonb
      WHERE id = $1 RETURNING ${COLUMNS}`,
    [taken.id, days, differences, JSON.stringify(details)],
  );
  return reconciliationOf(row!);
}

async function abandon(database: Database, id: number): Promise<null> {
  await database.query('UPDATE reconciliations SET claimed_until = NULL WHERE id = $1', [id]);
  return null;
}

/** Rows that the last finished reconciliation of each organisation found to differ. */
export async function openDifferences(queryable: Queryable): Promise<number> {
  const [row] = await queryable.query<{ differences: number }>(
    `SELECT COALESCE(SUM(differences), 0) AS differences
       FROM tenants t
      CROSS JOIN LATERAL (
        SELECT differences FROM reconciliations
         WHERE org_id = t.org_id AND finished_at IS NOT NULL ORDER BY id DESC LIMIT 1
      ) r`,
  );
  return row?.differences ?? 0;
}

/** Policies whose days are complete: of a replay that has not caught up, sessions before it are not summed yet. */
async function summedPolicies(queryable: Queryable, orgId: string): Promise<string[]> {
  const rows = await queryable.query<{ policy_id: string }>(
    `SELECT policy_id FROM policies p
      WHERE org_id = $1 AND dropped_at IS NULL AND (live OR EXISTS (
        SELECT 1 FROM replays r
         WHERE r.org_id = p.org_id AND r.policy_id = p.policy_id AND r.status IN ('following', 'complete')
      ))
      ORDER BY policy_id`,
    [orgId],
  );
  return rows.map(({ policy_id }) => policy_id);
}
