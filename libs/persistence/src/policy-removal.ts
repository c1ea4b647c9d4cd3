import { LineprintError } from '@lineprint/platform';
import type { Database } from './database';
import { endReplays } from './replays';
import { lockTenant } from './tenants';

/** Tables with rows of a policy, the largest first. */
const TABLES = {
  results: ['ai_attribution_results'],
  files: ['commit_files'],
  ledger: ['judged_commits', 'life_lines', 'head_file_lines', 'labelled_repositories', 'ledger_relabels'],
  verdicts: ['commit_verdicts'],
  copies: ['commit_copies'],
  sums: ['attribution_file_days', 'attribution_cells', 'attribution_days', 'attribution_file_gaps'],
  days: ['ai_attribution_daily'],
} as const;

/** Rows that were deleted, by what they held. */
export type DroppedRows = Readonly<Record<keyof typeof TABLES, number>>;

/** Rows a statement: it holds locks and fills the write-ahead log for a moment only. */
const CHUNK = 5_000;

/**
 * Drops a policy: from now on nobody judges or reads it; then its rows are deleted, in many small transactions. If
 * that is interrupted, dropping it again goes on. The policy's name and body stay, so that its id never means another.
 * Dropping the live policy leaves every commit to the replays.
 *
 * @throws LineprintError `policy-unknown`, `policy-active` for the one that dashboards read
 */
export async function dropPolicy(database: Database, orgId: string, policyId: string): Promise<DroppedRows> {
  await database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    await endReplays(tx, orgId, policyId);
    const [dropped] = await tx.query<{ active: boolean }>(
      `UPDATE policies SET dropped_at = CASE WHEN active THEN NULL ELSE COALESCE(dropped_at, NOW()) END
       WHERE org_id = $1 AND policy_id = $2 RETURNING active`,
      [orgId, policyId],
    );
    if (!dropped) throw new LineprintError('policy-unknown', `${orgId} has no policy ${policyId}`);
    if (dropped.active) {
      throw new LineprintError('policy-active', `Policy ${policyId} is active: activate another one first`);
    }
  });
  const rows = Object.fromEntries(Object.keys(TABLES).map((what) => [what, 0])) as Record<
    keyof typeof TABLES,
    number
  >;
  for (const [what, tables] of Object.entries(TABLES)) {
    for (const table of tables) {
      rows[what as keyof typeof TABLES] += await deleteRows(database, table, orgId, policyId);
    }
  }
  return rows;
}

async function deleteRows(
  database: Database,
  table: string,
  orgId: string,
  policyId: string,
): Promise<number> {
  for (let rows = 0; ;) {
    const gone = await database.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${table} WHERE org_id = $1 AND policy_id = $2 LIMIT ${CHUNK})) RETURNING 1`,
      [orgId, policyId],
    );
    rows += gone.length;
    if (gone.length < CHUNK) return rows;
  }
}
