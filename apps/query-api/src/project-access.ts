import type { Queryable } from '@lineprint/persistence';
import { HttpProblem, type Principal } from '@lineprint/platform';

const PROJECT_OWNER = `SELECT org_id FROM projects WHERE project_id = $1`;

/**
 * An unknown project and another organisation's get the same answer, which tells neither from the other.
 * @throws HttpProblem 403 `project-forbidden` unless the project is the principal's organisation's.
 */
export async function requireOwnProject(
  queryable: Queryable,
  principal: Principal,
  projectId: string,
): Promise<void> {
  const [project] = await queryable.query<{ org_id: string }>(PROJECT_OWNER, [projectId]);
  if (project?.org_id === principal.orgId) return;
  throw new HttpProblem(
    403,
    'project-forbidden',
    'Not your project',
    `Project ${projectId} is not one of this key's organisation. Send the id of a project that its clients or commits have named.`,
  );
}
