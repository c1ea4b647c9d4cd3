import { policySchema, type Policy } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import type { Database, Queryable } from './database';
import { lockTenant } from './tenants';

/**
 * Stores a policy unless the organisation has it. With `active`, it becomes the active one if none is, so a
 * service may call this at every start without undoing what `activatePolicy` chose.
 * Throws `policy-changed` if the id is taken by a policy with other content: policies are immutable.
 */
export async function ensurePolicy(
  database: Database,
  orgId: string,
  policy: Policy,
  active: boolean,
): Promise<void> {
  const body = JSON.stringify(policySchema.parse(policy));
  await database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    await tx.query(
      'INSERT INTO policies (org_id, policy_id, body) VALUES ($1, $2, $3::jsonb) ON CONFLICT DO NOTHING',
      [orgId, policy.id, body],
    );
    const [stored] = await tx.query<{ same: boolean }>(
      'SELECT body = $3::jsonb AS same FROM policies WHERE org_id = $1 AND policy_id = $2',
      [orgId, policy.id, body],
    );
    if (!stored?.same) {
      throw new LineprintError(
        'policy-changed',
        `Policy ${policy.id} of ${orgId} exists with other content: give the changed policy a new id`,
      );
    }
    if (active) {
      await tx.query(
        `UPDATE policies SET active = TRUE WHERE org_id = $1 AND policy_id = $2
         AND NOT EXISTS (SELECT 1 FROM policies WHERE org_id = $1 AND active)`,
        [orgId, policy.id],
      );
    }
  });
}

/** Makes a stored policy the active one, atomically. Throws `policy-unknown`. */
export async function activatePolicy(database: Database, orgId: string, policyId: string): Promise<void> {
  await database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    await tx.query('UPDATE policies SET active = FALSE WHERE org_id = $1 AND active', [orgId]);
    const activated = await tx.query(
      'UPDATE policies SET active = TRUE WHERE org_id = $1 AND policy_id = $2 RETURNING policy_id',
      [orgId, policyId],
    );
    if (activated.length === 0) {
      throw new LineprintError('policy-unknown', `${orgId} has no policy ${policyId}`);
    }
  });
}

/** The organisation's active policy, or null. */
export async function activePolicy(queryable: Queryable, orgId: string): Promise<Policy | null> {
  const [row] = await queryable.query<{ body: unknown }>(
    'SELECT body FROM policies WHERE org_id = $1 AND active',
    [orgId],
  );
  return row === undefined ? null : policySchema.parse(row.body);
}
