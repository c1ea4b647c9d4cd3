import type { RepositoryPlace } from './counted-refs';
import type { Queryable } from './database';

/** What a commit did to lines, as the ledger keeps it. */
export interface FollowedCommitRow extends RepositoryPlace {
  readonly sha: string;
  readonly parents: readonly string[];
  /** Milliseconds since 1970. */
  readonly committedAt: number;
  readonly projectId: string;
  /** Packed by libs/attribution. */
  readonly followed: Uint8Array;
}

/** A commit behind a counted ref, and what it makes of its first parent's lines. */
export interface LineTreeRow {
  readonly sha: string;
  /** Null where it has none, or none that is known. */
  readonly firstParent: string | null;
  /** Commits before it along first parents. */
  readonly depth: number;
  /** The newest committer's clock along first parents. */
  readonly at: Date;
  /** Packed by libs/attribution. */
  readonly change: Uint8Array;
  readonly tree: Uint8Array | null;
  /** Parents that are not known. */
  readonly missing: readonly string[];
}

/** A commit's place along first parents. */
export type LineTreePlace = Pick<LineTreeRow, 'sha' | 'firstParent' | 'depth' | 'at'>;

const OF_REPOSITORY = 'org_id = $1 AND repository = $2';

/** Keeps commits and asks the ledger to follow them. One that is there stays as it is, and asks for nothing. */
export async function insertFollowedCommits(
  queryable: Queryable,
  commits: readonly FollowedCommitRow[],
): Promise<void> {
  if (commits.length === 0) return;
  await queryable.query(
    `WITH new AS (
       INSERT INTO followed_commits (org_id, repository, sha, parents, committed_at, project_id, followed)
       SELECT r.org_id, r.repository, r.sha, ARRAY(SELECT jsonb_array_elements_text(r.parents)), r.committed_at,
              r.project_id, decode(r.followed, 'base64')
         FROM jsonb_to_recordset($1::jsonb) AS r(org_id text, repository text, sha text, parents jsonb,
              committed_at timestamptz, project_id text, followed text)
       ON CONFLICT DO NOTHING
       RETURNING org_id, repository
     )
     INSERT INTO ledger_requests (org_id, repository) SELECT DISTINCT org_id, repository FROM new`,
    [
      JSON.stringify(
        commits.map((commit) => ({
          org_id: commit.orgId,
          repository: commit.repository,
          sha: commit.sha,
          parents: commit.parents,
          committed_at: new Date(commit.committedAt).toISOString(),
          project_id: commit.projectId,
          followed: base64(commit.followed),
        })),
      ),
    ],
  );
}

/** Of the commits given, those that are kept. */
export async function loadFollowedCommits(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
  shas: readonly string[],
): Promise<FollowedCommitRow[]> {
  const rows = await queryable.query<{
    sha: string;
    parents: string[];
    committed_at: Date;
    project_id: string;
    followed: Uint8Array;
  }>(
    `SELECT c.* FROM UNNEST($3::text[]) AS asked (sha)
      CROSS JOIN LATERAL (
        SELECT sha, parents, committed_at, project_id, followed FROM followed_commits
        WHERE ${OF_REPOSITORY} AND sha = asked.sha OFFSET 0
      ) c`,
    [orgId, repository, shas],
  );
  return rows.map((row) => ({
    orgId,
    repository,
    sha: row.sha,
    parents: row.parents,
    committedAt: row.committed_at.getTime(),
    projectId: row.project_id,
    followed: row.followed,
  }));
}

/** A commit and those of its ancestors that are kept and have no tree, in no order. */
export async function commitsWithoutTree(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
  sha: string,
): Promise<{ sha: string; parents: string[] }[]> {
  const unfollowed = `
    SELECT parents FROM followed_commits c
    WHERE ${OF_REPOSITORY} AND c.sha = w.sha
      AND NOT EXISTS (SELECT 1 FROM line_trees t WHERE t.org_id = $1 AND t.repository = $2 AND t.sha = w.sha OFFSET 0)
    OFFSET 0`;
  return queryable.query<{ sha: string; parents: string[] }>(
    `WITH RECURSIVE walk (sha) AS (
       SELECT $3::text
       UNION
       SELECT parent FROM walk w CROSS JOIN LATERAL (${unfollowed}) c CROSS JOIN UNNEST(c.parents) AS parent
     )
     SELECT w.sha, c.parents FROM walk w CROSS JOIN LATERAL (${unfollowed}) c`,
    [orgId, repository, sha],
  );
}

/** Where commits that have a tree stand along first parents. */
export async function lineTreePlaces(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
  shas: readonly string[],
): Promise<Map<string, LineTreePlace>> {
  if (shas.length === 0) return new Map();
  const rows = await queryable.query<PlaceColumns>(
    `SELECT t.* FROM UNNEST($3::text[]) AS asked (sha)
      CROSS JOIN LATERAL (
        SELECT sha, first_parent, depth, at FROM line_trees WHERE ${OF_REPOSITORY} AND sha = asked.sha OFFSET 0
      ) t`,
    [orgId, repository, shas],
  );
  return new Map(rows.map((row) => [row.sha, treePlace(row)]));
}

interface PlaceColumns {
  [column: string]: unknown;
  sha: string;
  first_parent: string | null;
  depth: number;
  at: Date;
}

function treePlace({ sha, first_parent, depth, at }: PlaceColumns): LineTreePlace {
  return { sha, firstParent: first_parent, depth, at };
}

export async function insertLineTrees(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
  trees: readonly LineTreeRow[],
): Promise<void> {
  if (trees.length === 0) return;
  await tx.query(
    `INSERT INTO line_trees (org_id, repository, sha, first_parent, depth, at, change, tree, missing)
     SELECT $1, $2, r.sha, r.first_parent, r.depth, r.at, decode(r.change, 'base64'), decode(r.tree, 'base64'),
            ARRAY(SELECT jsonb_array_elements_text(r.missing))
       FROM jsonb_to_recordset($3::jsonb) AS r(sha text, first_parent text, depth int, at timestamptz, change text,
            tree text, missing jsonb)
     ON CONFLICT DO NOTHING`,
    [
      orgId,
      repository,
      JSON.stringify(
        trees.map(({ sha, firstParent, depth, at, change, tree, missing }) => ({
          sha,
          first_parent: firstParent,
          depth,
          at: at.toISOString(),
          change: base64(change),
          tree: tree && base64(tree),
          missing,
        })),
      ),
    ],
  );
}

/**
 * What a commit's tree is made of: a whole one, unless the first one is a root's, and the changes since then.
 * @returns oldest first; nothing where the commit has no tree
 */
export async function lineTreeParts(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
  sha: string,
): Promise<Pick<LineTreeRow, 'change' | 'tree'>[]> {
  return queryable.query<{ change: Uint8Array; tree: Uint8Array | null }>(
    `WITH RECURSIVE line (sha, first_parent, depth, whole) AS (
       SELECT sha, first_parent, depth, tree IS NOT NULL FROM line_trees WHERE ${OF_REPOSITORY} AND sha = $3
       UNION ALL
       SELECT t.*
         FROM line l
        CROSS JOIN LATERAL (
          SELECT sha, first_parent, depth, tree IS NOT NULL FROM line_trees
          WHERE ${OF_REPOSITORY} AND sha = l.first_parent OFFSET 0
        ) t
        WHERE NOT l.whole
     )
     SELECT t.change, t.tree
       FROM line l
      CROSS JOIN LATERAL (
        SELECT CASE WHEN l.whole THEN ''::bytea ELSE change END AS change, tree FROM line_trees
        WHERE ${OF_REPOSITORY} AND sha = l.sha OFFSET 0
      ) t
      ORDER BY l.depth`,
    [orgId, repository, sha],
  );
}

/** A commit and its first parents above a depth, oldest first. */
export async function firstParents(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
  sha: string,
  above: number,
): Promise<LineTreePlace[]> {
  const rows = await queryable.query<PlaceColumns>(
    `WITH RECURSIVE line (sha, first_parent, depth, at) AS (
       SELECT sha, first_parent, depth, at FROM line_trees WHERE ${OF_REPOSITORY} AND sha = $3 AND depth > $4
       UNION ALL
       SELECT t.*
         FROM line l
        CROSS JOIN LATERAL (
          SELECT sha, first_parent, depth, at FROM line_trees
          WHERE ${OF_REPOSITORY} AND sha = l.first_parent AND depth > $4 OFFSET 0
        ) t
     )
     SELECT sha, first_parent, depth, at FROM line ORDER BY depth`,
    [orgId, repository, sha, above],
  );
  return rows.map(treePlace);
}

/** What commits make of their first parents' trees, by id. */
export async function lineTreeChanges(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
  shas: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const rows = await queryable.query<{ sha: string; change: Uint8Array }>(
    `SELECT t.* FROM UNNEST($3::text[]) AS asked (sha)
      CROSS JOIN LATERAL (
        SELECT sha, change FROM line_trees WHERE ${OF_REPOSITORY} AND sha = asked.sha OFFSET 0
      ) t`,
    [orgId, repository, shas],
  );
  return new Map(rows.map(({ sha, change }) => [sha, change]));
}

/** Whether a parent has arrived that was not known when a child's tree was made. */
export async function hasFilledTreeGap(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
): Promise<boolean> {
  const rows = await queryable.query(
    `SELECT 1 FROM line_trees t CROSS JOIN UNNEST(t.missing) AS parent
      WHERE ${OF_REPOSITORY} AND missing <> '{}'
        AND EXISTS (SELECT 1 FROM followed_commits c
                    WHERE c.org_id = $1 AND c.repository = $2 AND c.sha = parent OFFSET 0)
      LIMIT 1`,
    [orgId, repository],
  );
  return rows.length > 0;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
