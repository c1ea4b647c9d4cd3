import type { Queryable } from '@lineprint/persistence';
import { HttpProblem, type Principal } from '@lineprint/platform';

/** A project is an organisation's when it claimed the id, or when commits or sessions of its count for it. */
const OWN_PROJECT = `
  SELECT EXISTS (SELECT 1 FROM projects WHERE project_id = $2::text AND org_id = $1)
      OR EXISTS (SELECT 1 FROM commits WHERE project_id = $2::text AND org_id = $1)
      OR EXISTS (SELECT 1 FROM activity_sessions WHERE project_id = $2::text AND org_id = $1) AS own`;

/**
 * An unknown project and another organisation's get the same answer, which tells neither from the other.
 * @throws HttpProblem 403 `project-forbidden` unless the project is the principal's organisation's.
 */
export async function requireOwnProject(
  queryable: Queryable,
  principal: Principal,
  projectId: string,
): Promise<void> {
  const [project] = await queryable.query<{ own: boolean }>(OWN_PROJECT, [principal.orgId, projectId]);
  if (project?.own) return;
  throw new HttpProblem(
    403,
    'project-forbidden',
    'Not your project',
    `Project ${projectId} is not one of this key's organisation. Send the id of a project that its clients or commits have named.`,
  );
}
