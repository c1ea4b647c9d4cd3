import type { Queryable, Row } from '@lineprint/persistence';
import type { TenantView } from '../tenant-view';

/** A branch whose lines are followed. */
export interface FollowedBranch extends Row {
  repository: string;
  ref: string;
  commit: string;
  at: Date;
}

/** Branches in byte order, by repository and name. */
export async function followedBranches(
  queryable: Queryable,
  { orgId }: TenantView,
  repository: string | null,
): Promise<FollowedBranch[]> {
  return queryable.query<FollowedBranch>(
    `SELECT repository, ref, sha AS commit, at FROM line_heads
      WHERE org_id = $1 AND ($2::text IS NULL OR repository = $2::text)
      ORDER BY repository COLLATE "C", ref COLLATE "C"`,
    [orgId, repository],
  );
}

const OF_BRANCH = `org_id = $1 AND policy_id = $2::text AND repository = $3 AND ref = $4
  AND ($5::text[] IS NULL OR user_id = ANY ($5::text[])) AND ($6::text[] IS NULL OR project_id = ANY ($6::text[]))`;
const branchOf = (view: TenantView, { repository, ref }: FollowedBranch) => [
  view.orgId,
  view.policyId,
  repository,
  ref,
  view.userIds,
  view.projects,
];

export interface HeadPart extends Row {
  path: string;
  ordinal: number;
}

/** Sorts before every part of a file. */
export const BEFORE_FILES: HeadPart = { path: '', ordinal: -1 };

/** The next `limit` parts of files at a branch's tip, by path and position. */
export async function exportedParts(
  queryable: Queryable,
  view: TenantView,
  branch: FollowedBranch,
  after: HeadPart,
  limit: number,
): Promise<HeadPart[]> {
  return queryable.query<HeadPart>(
    `SELECT path, ordinal, project_id, language, kind, source, model, evidence, confidence, user_id, lines
       FROM head_file_lines
      WHERE ${OF_BRANCH} AND (path COLLATE "C", ordinal) > ($7::text, $8::int)
      ORDER BY path COLLATE "C", ordinal LIMIT $9`,
    [...branchOf(view, branch), after.path, after.ordinal, limit],
  );
}

export interface LifeRow extends Row {
  origin_commit: string;
}

/** The lives of the lines that the next `limit` commits added, by commit. */
export async function exportedLives(
  queryable: Queryable,
  view: TenantView,
  branch: FollowedBranch,
  after: string,
  limit: number,
): Promise<LifeRow[]> {
  return queryable.query<LifeRow>(
    `SELECT origin_commit, project_id, language, kind, source, model, user_id, born_at, died_at, lines
       FROM life_lines
      WHERE ${OF_BRANCH} AND origin_commit IN (
              SELECT DISTINCT origin_commit FROM life_lines WHERE ${OF_BRANCH} AND origin_commit > $7
              ORDER BY 1 LIMIT $8)
      ORDER BY origin_commit, language COLLATE "C", kind, source, model COLLATE "C", born_at, died_at`,
    [...branchOf(view, branch), after, limit],
  );
}

/**
 * Whether all that has come is in the ledger: no request waits, no ref for a commit, and each branch's ledger is where
 * its ref is.
 */
export async function isLedgerKept(queryable: Queryable, { orgId }: TenantView): Promise<boolean> {
  const [state] = await queryable.query<{ kept: boolean }>(
    `SELECT NOT EXISTS (SELECT 1 FROM ledger_requests WHERE org_id = $1)
        AND NOT EXISTS (
          SELECT 1 FROM repository_refs r
            JOIN counted_repositories c ON c.org_id = r.org_id AND c.repository = r.repository AND c.decided
           WHERE r.org_id = $1 AND (r.counts OR r.ref = c.default_ref)
             AND (r.pending <> '[]' OR NOT EXISTS (
               SELECT 1 FROM line_heads h
               WHERE h.org_id = r.org_id AND h.repository = r.repository AND h.ref = r.ref AND h.sha = r.sha))) AS kept`,
    [orgId],
  );
  return state!.kept;
}
