import { LineprintError } from '@lineprint/platform';
import type { Database, Queryable } from './database';
import { findPolicy } from './policies';
import { requireFollowing } from './replays';
import { lockTenant } from './tenants';

/** A moment at which dashboards began to read another policy. */
export interface PolicyActivation {
  readonly from: string | null;
  readonly to: string;
  readonly by: string | null;
  readonly at: Date;
}

/**
 * Makes a stored policy the active one, atomically, and writes down who did. Nothing is computed: its results are
 * there, so the way back is the same. Answers which was active before.
 *
 * @throws LineprintError `policy-unknown`; `policy-not-replayed` unless somebody judges every new commit under it: the
 * live group, or a replay that has caught up
 */
export async function activatePolicy(
  database: Database,
  orgId: string,
  policyId: string,
  activatedBy: string | null = null,
): Promise<string | null> {
  return database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    const policy = await findPolicy(tx, orgId, policyId);
    if (!policy) throw new LineprintError('policy-unknown', `${orgId} has no policy ${policyId}`);
    if (policy.active) return policyId;
    if (!policy.live) await requireFollowing(tx, orgId, policyId);
    const [before] = await tx.query<{ policy_id: string }>(
      'UPDATE policies SET active = FALSE WHERE org_id = $1 AND active RETURNING policy_id',
      [orgId],
    );
    const from = before?.policy_id ?? null;
    await tx.query('UPDATE policies SET active = TRUE WHERE org_id = $1 AND policy_id = $2', [
      orgId,
      policyId,
    ]);
    await tx.query(
      'INSERT INTO policy_activations (org_id, from_policy, to_policy, activated_by) VALUES ($1, $2, $3, $4)',
      [orgId, from, policyId, activatedBy],
    );
    return from;
  });
}

/** The newest activations, newest first. */
export async function policyActivations(
  queryable: Queryable,
  orgId: string,
  limit: number,
): Promise<PolicyActivation[]> {
  const rows = await queryable.query<{
    from_policy: string | null;
    to_policy: string;
    activated_by: string | null;
    activated_at: Date;
  }>(
    `SELECT from_policy, to_policy, activated_by, activated_at FROM policy_activations
     WHERE org_id = $1 ORDER BY id DESC LIMIT $2`,
    [orgId, limit],
  );
  return rows.map((row) => ({
    from: row.from_policy,
    to: row.to_policy,
    by: row.activated_by,
    at: row.activated_at,
  }));
}
