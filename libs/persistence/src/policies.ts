import { policySchema, type Policy } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import type { Database, Queryable, Row } from './database';
import { lockTenant } from './tenants';

/** A policy and who uses it. Its results are those of the consumer that judges it (docs/decisions/0018). */
export interface StoredPolicy {
  readonly policy: Policy;
  readonly description: string | null;
  readonly createdAt: Date;
  /** A person or the prefix of an organisation's key; null for what the software made at its start. */
  readonly createdBy: string | null;
  /** What dashboards read. */
  readonly active: boolean;
  /** What the line-attributor's own group judges; the others are judged by their replays. */
  readonly live: boolean;
}

interface PolicyColumns extends Row {
  body: unknown;
  description: string | null;
  created_at: Date;
  created_by: string | null;
  active: boolean;
  live: boolean;
}

const COLUMNS = 'body, description, created_at, created_by, active, live';

function storedPolicy(row: PolicyColumns): StoredPolicy {
  return {
    policy: policySchema.parse(row.body),
    description: row.description,
    createdAt: row.created_at,
    createdBy: row.created_by,
    active: row.active,
    live: row.live,
  };
}

/**
 * Stores a policy unless the organisation has it. Answers false if it had.
 * @throws LineprintError `policy-changed` if the id is taken by a policy with other content: policies are immutable;
 * `policy-dropped` if it was taken by one whose results were deleted: an id means one thing for ever
 */
export async function createPolicy(
  database: Database,
  orgId: string,
  policy: Policy,
  about: { description?: string | undefined; createdBy?: string | null } = {},
): Promise<boolean> {
  return database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    return insertPolicy(tx, orgId, policy, about);
  });
}

async function insertPolicy(
  tx: Queryable,
  orgId: string,
  policy: Policy,
  about: { description?: string | undefined; createdBy?: string | null },
): Promise<boolean> {
  const body = JSON.stringify(policySchema.parse(policy));
  const inserted = await tx.query(
    `INSERT INTO policies (org_id, policy_id, body, description, created_by) VALUES ($1, $2, $3::jsonb, $4, $5)
     ON CONFLICT DO NOTHING RETURNING 1`,
    [orgId, policy.id, body, about.description ?? null, about.createdBy ?? null],
  );
  if (inserted.length > 0) return true;
  const [stored] = await tx.query<{ same: boolean; dropped: boolean }>(
    `SELECT body = $3::jsonb AS same, dropped_at IS NOT NULL AS dropped FROM policies
     WHERE org_id = $1 AND policy_id = $2`,
    [orgId, policy.id, body],
  );
  if (!stored?.same) {
    throw new LineprintError(
      'policy-changed',
      `Policy ${policy.id} of ${orgId} exists with other content: give the changed policy a new id`,
    );
  }
  if (stored.dropped) {
    throw new LineprintError(
      'policy-dropped',
      `Policy ${policy.id} of ${orgId} has been dropped: give the policy a new id`,
    );
  }
  return false;
}

/**
 * Gives an organisation that has no policy its first one, active and live. Others keep what they have, so a service
 * may call this at every start, also after the software's own default has changed.
 */
export async function ensureFirstPolicy(database: Database, orgId: string, policy: Policy): Promise<void> {
  await database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    const [known] = await tx.query('SELECT 1 FROM policies WHERE org_id = $1 LIMIT 1', [orgId]);
    if (known) return;
    await insertPolicy(tx, orgId, policy, {});
    await tx.query('UPDATE policies SET active = TRUE, live = TRUE WHERE org_id = $1 AND policy_id = $2', [
      orgId,
      policy.id,
    ]);
  });
}

/** The organisation's policies, oldest first; dropped ones are not among them. */
export async function listPolicies(queryable: Queryable, orgId: string): Promise<StoredPolicy[]> {
  const rows = await queryable.query<PolicyColumns>(
    `SELECT ${COLUMNS} FROM policies WHERE org_id = $1 AND dropped_at IS NULL
     ORDER BY created_at, policy_id COLLATE "C"`,
    [orgId],
  );
  return rows.map(storedPolicy);
}

/** The policy by this id, or null where there is none, or it was dropped. */
export async function findPolicy(
  queryable: Queryable,
  orgId: string,
  policyId: string,
): Promise<StoredPolicy | null> {
  const [row] = await queryable.query<PolicyColumns>(
    `SELECT ${COLUMNS} FROM policies WHERE org_id = $1 AND policy_id = $2 AND dropped_at IS NULL`,
    [orgId, policyId],
  );
  return row === undefined ? null : storedPolicy(row);
}

/** The organisation's active policy, which dashboards read, or null. */
export async function activePolicy(queryable: Queryable, orgId: string): Promise<Policy | null> {
  const [row] = await queryable.query<{ body: unknown }>(
    'SELECT body FROM policies WHERE org_id = $1 AND active',
    [orgId],
  );
  return row === undefined ? null : policySchema.parse(row.body);
}

/**
 * The policy that the line-attributor's own group judges, or null: an organisation without a policy, or one that has
 * dropped its first one. Its events are then left to the replays.
 */
export async function livePolicy(queryable: Queryable, orgId: string): Promise<Policy | null> {
  const [row] = await queryable.query<{ body: unknown }>(
    'SELECT body FROM policies WHERE org_id = $1 AND live AND dropped_at IS NULL',
    [orgId],
  );
  return row === undefined ? null : policySchema.parse(row.body);
}

/** A policy of an organisation. */
export interface PolicyName {
  readonly orgId: string;
  readonly policyId: string;
}

/**
 * Of the policies given, those that were dropped, as `orgId policyId`. Until the caller's transaction ends none of the
 * others is dropped: what is written under them is there when their rows are deleted.
 */
export async function droppedPolicies(tx: Queryable, policies: readonly PolicyName[]): Promise<Set<string>> {
  const rows = await tx.query<{ org_id: string; policy_id: string; dropped: boolean }>(
    `SELECT p.org_id, p.policy_id, p.dropped_at IS NOT NULL AS dropped
     FROM policies p
     WHERE (p.org_id, p.policy_id) IN (SELECT * FROM UNNEST($1::text[], $2::text[]))
     ORDER BY p.org_id, p.policy_id
     FOR SHARE`,
    [policies.map(({ orgId }) => orgId), policies.map(({ policyId }) => policyId)],
  );
  return new Set(rows.filter(({ dropped }) => dropped).map((row) => `${row.org_id} ${row.policy_id}`));
}
