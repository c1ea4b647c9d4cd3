import { personId } from '@lineprint/contracts';
import type { Queryable, Row } from '@lineprint/persistence';
import type { Principal } from '@lineprint/platform';

/** What a credential may read, and under which policy: every query of this service takes one. */
export interface TenantView {
  readonly orgId: string;
  /** Set for a personal key: only this person's commits and numbers are visible. */
  readonly person: string | null;
  /** The active policy, read once a request so that an activation cannot mix two; null before the first one. */
  readonly policyId: string | null;
  /** IANA name, in which the organisation's days are counted. */
  readonly timeZone: string;
}

interface TenantRow extends Row {
  time_zone: string;
  policy_id: string | null;
}

const TENANT = `
  SELECT t.time_zone, p.policy_id
  FROM tenants t
  LEFT JOIN policies p ON p.org_id = t.org_id AND p.active
  WHERE t.org_id = $1`;

/** An organisation without a row or a policy has no results yet: its numbers are all 0. */
export async function loadTenantView(queryable: Queryable, principal: Principal): Promise<TenantView> {
  const [tenant] = await queryable.query<TenantRow>(TENANT, [principal.orgId]);
  return {
    orgId: principal.orgId,
    person: principal.userId === null ? null : personId(principal.userId),
    policyId: tenant?.policy_id ?? null,
    timeZone: tenant?.time_zone ?? 'UTC',
  };
}
