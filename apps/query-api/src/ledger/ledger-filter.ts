import type { Queryable, Row } from '@lineprint/persistence';
import type { Principal } from '@lineprint/platform';
import { z } from 'zod';
import { invalidParameters } from '../parameters';
import { countedPeople, teamParameter } from '../people-filter';
import { requireOwnProject } from '../project-access';
import { loadTenantView, policyParameter, type TenantView } from '../tenant-view';

const identifier = z.string().min(1, 'must not be empty').optional();

/** The query parameters that choose lines of the ledger. */
export const ledgerParameters = {
  repository: identifier.meta({ description: 'Only this repository.' }),
  project_id: identifier.meta({ description: 'Only repositories of this project.' }),
  ref: identifier.meta({
    description: 'Another branch that counts, such as refs/heads/release; by default the default branch.',
  }),
  person: identifier.meta({ description: 'Only lines of this person’s commits, by any of the addresses.' }),
  team: teamParameter,
  policy: policyParameter,
};
type LedgerParameters = z.output<z.ZodObject<typeof ledgerParameters>>;

/** Which lines of the ledger are asked for. */
export interface LedgerFilter {
  readonly repository: string | null;
  readonly ref: string | null;
  readonly projectId: string | null;
  /** Whose lines, as commits name them. Null for everybody's, and those of unknown origin. */
  readonly userIds: readonly string[] | null;
}

/**
 * What is asked for, as far as the key may see it: a personal one sees its person's lines only.
 * @throws HttpProblem 400 where `ref` stands alone, 403 `person-forbidden`, `project-forbidden`, 404 `policy-unknown`,
 * `team-unknown`
 */
export async function askedLedger(
  queryable: Queryable,
  principal: Principal,
  { repository, project_id, ref, person, team, policy }: LedgerParameters,
): Promise<{ view: TenantView; filter: LedgerFilter }> {
  if (ref !== undefined && repository === undefined) {
    throw invalidParameters([{ path: 'repository', detail: 'send the repository of the ref' }]);
  }
  if (project_id !== undefined) await requireOwnProject(queryable, principal, project_id);
  const view = await loadTenantView(queryable, principal, policy);
  const { userIds } = await countedPeople(queryable, view, { person, team });
  return {
    view,
    filter: {
      repository: repository ?? null,
      ref: ref ?? null,
      projectId: project_id ?? null,
      userIds,
    },
  };
}

/** A branch whose lines are followed. */
export interface HeadRow extends Row {
  repository: string;
  ref: string;
  /** The commit that the ledger stands at. */
  sha: string;
  /** The newest committer's clock on the way to it. */
  at: Date;
}

const HEADS = `
  SELECT h.repository, h.ref, h.sha, h.at
  FROM line_heads h
  JOIN counted_repositories c ON c.org_id = h.org_id AND c.repository = h.repository
  WHERE h.org_id = $1 AND h.ref = COALESCE($3::text, c.default_ref)
    AND ($2::text IS NULL OR h.repository = $2::text)
    AND ($4::text IS NULL OR h.project_id = $4::text)
  ORDER BY h.repository COLLATE "C", h.ref COLLATE "C"`;

/** The branches that are asked for: of each repository the default one, or the ref that is named. */
export async function listHeads(
  queryable: Queryable,
  { orgId }: TenantView,
  { repository, ref, projectId }: LedgerFilter,
): Promise<HeadRow[]> {
  return queryable.query<HeadRow>(HEADS, [orgId, repository, ref, projectId]);
}
