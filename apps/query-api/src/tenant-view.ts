import { type Queryable, resolvePeople, type Row } from '@lineprint/persistence';
import { HttpProblem, type Principal } from '@lineprint/platform';
import { z } from 'zod';

/** What a credential may read, and under which policy: every query of this service takes one. */
export interface TenantView {
  readonly orgId: string;
  /** Set for a personal key: only this person's commits and numbers are visible. */
  readonly person: string | null;
  /** The user ids of that person's rows, under all of the person's addresses. */
  readonly userIds: readonly string[] | null;
  /** The projects of a maintainer, who sees no others; null for everybody else. */
  readonly projects: readonly string[] | null;
  /** Whose results are read; found once a request, so that an activation cannot mix two. Null before the first. */
  readonly policyId: string | null;
  /** IANA name, in which the organisation's days are counted. */
  readonly timeZone: string;
  /** The first day of the organisation's weeks, from 1 (Monday) to 7. */
  readonly weekStart: number;
}

/** The query parameter `policy` of every endpoint that reads results. */
export const policyParameter = z
  .string()
  .min(1, 'must not be empty')
  .max(64, 'has at most 64 characters')
  .optional()
  .meta({ description: 'The results of this policy. By default those of the active one.' });

interface TenantRow extends Row {
  time_zone: string;
  week_start: number;
  policy_id: string | null;
}

const TENANT = `
  SELECT t.time_zone, t.week_start, p.policy_id
  FROM tenants t
  LEFT JOIN policies p ON p.org_id = t.org_id AND p.dropped_at IS NULL
    AND CASE WHEN $2::text IS NULL THEN p.active ELSE p.policy_id = $2::text END
  WHERE t.org_id = $1`;

/**
 * An organisation without a row or a policy has no results yet: its numbers are all 0.
 * @throws HttpProblem 404 `policy-unknown` when a policy is asked for that the organisation does not have
 */
export async function loadTenantView(
  queryable: Queryable,
  principal: Principal,
  policy?: string,
): Promise<TenantView> {
  const [tenant] = await queryable.query<TenantRow>(TENANT, [principal.orgId, policy ?? null]);
  const policyId = tenant?.policy_id ?? null;
  if (policy !== undefined && policyId === null) throw unknownPolicy(policy);
  const { orgId, userId } = principal;
  const person = userId === null ? null : (await resolvePeople(queryable, orgId)).personOf(userId);
  return {
    orgId,
    person: person?.personId ?? null,
    userIds: person?.aliases.map(({ alias }) => alias) ?? null,
    projects: principal.projects ?? null,
    policyId,
    timeZone: tenant?.time_zone ?? 'UTC',
    weekStart: tenant?.week_start ?? 1,
  };
}

/** The answer for a policy that the organisation does not have, or has dropped. */
export function unknownPolicy(policy: string): HttpProblem {
  return new HttpProblem(
    404,
    'policy-unknown',
    'No such policy',
    `This organisation has no policy ${policy}. GET /api/v1/policies lists those it has.`,
  );
}
