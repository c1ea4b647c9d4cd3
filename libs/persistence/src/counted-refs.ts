import type { Queryable, Row } from './database';
import { requestLedger } from './line-ledger';

/** A repository of an organisation. */
export interface RepositoryPlace {
  readonly orgId: string;
  readonly repository: string;
}

/** A commit that a ref has named and that is not known yet. */
export interface PendingTip {
  readonly sha: string;
  /** What it named before, as far as whoever told it knew. */
  readonly before?: string;
  /** Whether the ref names it, whatever is known of the history: the host was asked. */
  readonly moves: boolean;
}

export interface StoredRef {
  readonly ref: string;
  /** The newest commit that it has named and that is known. */
  readonly sha: string | null;
  /** What it has named since then, oldest first. */
  readonly pending: readonly PendingTip[];
  /** Beside the default branch. */
  readonly counts: boolean;
}

/** What is known of a repository's refs. */
export interface RefState {
  /** False while everything counts. */
  readonly decided: boolean;
  readonly defaultRef: string | null;
  /** The default branch to be, until the commit is known that it names. */
  readonly nextDefault: string | null;
  /**
   * The time of the newest reached commit with a parent that is not known, by the committer's clock: what is not newer
   * may be behind it, and counts. Null where every parent is known.
   */
  readonly horizon: Date | null;
  /** By name. */
  readonly refs: readonly StoredRef[];
}

/** A commit as reachability sees it. */
export interface GraphCommit extends Row {
  sha: string;
  parents: string[];
  committed_at: Date;
  /** Whether a ref that counts leads to it. */
  reached: boolean;
  counted: boolean;
}

/** A repository of which nobody has told a ref. */
export const NO_REFS: RefState = {
  decided: false,
  defaultRef: null,
  nextDefault: null,
  horizon: null,
  refs: [],
};

const OF_REPOSITORY = 'org_id = $1 AND repository = $2';

export async function loadRefState(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
): Promise<RefState> {
  const [row] = await queryable.query<{
    decided: boolean;
    default_ref: string | null;
    next_default: string | null;
    horizon: Date | null;
  }>(`SELECT decided, default_ref, next_default, horizon FROM counted_repositories WHERE ${OF_REPOSITORY}`, [
    orgId,
    repository,
  ]);
  if (!row) return NO_REFS;
  const refs = await queryable.query<Row & StoredRef>(
    `SELECT ref, sha, pending, counts FROM repository_refs WHERE ${OF_REPOSITORY} ORDER BY ref COLLATE "C"`,
    [orgId, repository],
  );
  return {
    decided: row.decided,
    defaultRef: row.default_ref,
    nextDefault: row.next_default,
    horizon: row.horizon,
    refs: refs.map(({ ref, sha, pending, counts }) => ({ ref, sha, pending, counts })),
  };
}

/**
 * Stores what is known of the refs now, in place of what was; nothing waits for a commit that is known. The ledger is
 * to follow them.
 */
export async function saveRefState(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
  { decided, defaultRef, nextDefault, horizon, refs }: RefState,
): Promise<void> {
  await tx.query(
    `INSERT INTO counted_repositories (org_id, repository, decided, default_ref, next_default, horizon)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (org_id, repository) DO UPDATE SET decided = EXCLUDED.decided, default_ref = EXCLUDED.default_ref,
       next_default = EXCLUDED.next_default, horizon = EXCLUDED.horizon, unsettled = FALSE`,
    [orgId, repository, decided, defaultRef, nextDefault, horizon],
  );
  await tx.query(`DELETE FROM repository_refs WHERE ${OF_REPOSITORY} AND ref <> ALL ($3::text[])`, [
    orgId,
    repository,
    refs.map(({ ref }) => ref),
  ]);
  await tx.query(
    `INSERT INTO repository_refs (org_id, repository, ref, sha, pending, counts)
     SELECT $1, $2, r.ref, r.sha, r.pending, r.counts
       FROM jsonb_to_recordset($3::jsonb) AS r(ref text, sha text, pending jsonb, counts boolean)
     ON CONFLICT (org_id, repository, ref) DO UPDATE SET sha = EXCLUDED.sha, pending = EXCLUDED.pending,
       counts = EXCLUDED.counts
     WHERE (repository_refs.sha, repository_refs.pending, repository_refs.counts)
       IS DISTINCT FROM (EXCLUDED.sha, EXCLUDED.pending, EXCLUDED.counts)`,
    [orgId, repository, JSON.stringify(refs)],
  );
  await requestLedger(tx, [{ orgId, repository }]);
}

/** Of the given commits, those that are known, and whether a ref that counts leads to each. */
export async function knownCommits(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
  shas: readonly string[],
): Promise<Map<string, boolean>> {
  if (shas.length === 0) return new Map();
  const rows = await queryable.query<{ sha: string; reached: boolean }>(
    `SELECT sha, reached FROM commits WHERE ${OF_REPOSITORY} AND sha = ANY ($3::text[])`,
    [orgId, repository, [...new Set(shas)]],
  );
  return new Map(rows.map(({ sha, reached }) => [sha, reached]));
}

/**
 * Walks from commits to their ancestors until it meets reached ones.
 * @returns those on the way, and those that were met; what is behind a commit that is not known is neither
 */
export async function unreachedAncestors(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
  from: readonly string[],
): Promise<{ unreached: string[]; met: Set<string> }> {
  if (from.length === 0) return { unreached: [], met: new Set() };
  const rows = await queryable.query<{ sha: string; reached: boolean }>(
    `WITH RECURSIVE walk (sha) AS (
       SELECT UNNEST($3::text[])
       UNION
       SELECT parent
         FROM walk w
        CROSS JOIN LATERAL (
          SELECT parents FROM commits WHERE ${OF_REPOSITORY} AND sha = w.sha AND NOT reached OFFSET 0
        ) c
        CROSS JOIN UNNEST(c.parents) AS parent
     )
     SELECT w.sha, c.reached
       FROM walk w
      CROSS JOIN LATERAL (SELECT reached FROM commits WHERE ${OF_REPOSITORY} AND sha = w.sha OFFSET 0) c`,
    [orgId, repository, from],
  );
  return {
    unreached: rows.flatMap(({ sha, reached }) => (reached ? [] : [sha])),
    met: new Set(rows.flatMap(({ sha, reached }) => (reached ? [sha] : []))),
  };
}

/** The time of the newest of the commits that has a parent which is not known; null where none has. */
export async function newestGap(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
  shas: readonly string[],
): Promise<Date | null> {
  const [row] = await queryable.query<{ newest: Date | null }>(
    `SELECT MAX(c.committed_at) AS newest
       FROM (SELECT child FROM commit_gaps WHERE ${OF_REPOSITORY} AND child = ANY ($3::text[]) OFFSET 0) g
      CROSS JOIN LATERAL (
        SELECT committed_at FROM commits WHERE ${OF_REPOSITORY} AND sha = g.child OFFSET 0
      ) c`,
    [orgId, repository, shas],
  );
  return row?.newest ?? null;
}

/** All known commits of a repository. */
export async function loadCommitGraph(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
): Promise<GraphCommit[]> {
  return queryable.query<GraphCommit>(
    `SELECT sha, parents, committed_at, reached, counted FROM commits WHERE ${OF_REPOSITORY}`,
    [orgId, repository],
  );
}

/** Notes which parents of commits that have just been stored are not known. */
export async function noteCommitGaps(
  tx: Queryable,
  commits: readonly (RepositoryPlace & { readonly sha: string; readonly parents: readonly string[] })[],
): Promise<void> {
  const nameOf = ({ orgId, repository }: RepositoryPlace, sha: string) =>
    JSON.stringify([orgId, repository, sha]);
  // Most parents of a history that is stored in its order: they need no look-up.
  const stored = new Set(commits.map((commit) => nameOf(commit, commit.sha)));
  const gaps = commits.flatMap((commit) =>
    commit.parents.flatMap((parent) => (stored.has(nameOf(commit, parent)) ? [] : [{ ...commit, parent }])),
  );
  if (gaps.length === 0) return;
  await tx.query(
    `INSERT INTO commit_gaps (org_id, repository, missing, child)
     SELECT n.org_id, n.repository, n.parent, n.sha
       FROM UNNEST($1::text[], $2::text[], $3::text[], $4::text[]) AS n (org_id, repository, sha, parent)
      WHERE NOT EXISTS (
        SELECT 1 FROM commits known
        WHERE known.org_id = n.org_id AND known.repository = n.repository AND known.sha = n.parent OFFSET 0
      )
     ON CONFLICT DO NOTHING`,
    [...columnsOf(gaps), gaps.map(({ parent }) => parent)],
  );
}

/** Notes that repositories are to be settled, where a ref or a commit has waited for one that has just been stored. */
export async function noteAwaitedCommits(
  tx: Queryable,
  commits: readonly (RepositoryPlace & { readonly sha: string })[],
): Promise<void> {
  if (commits.length === 0) return;
  await tx.query(
    `UPDATE counted_repositories r SET unsettled = TRUE
       FROM UNNEST($1::text[], $2::text[], $3::text[]) AS n (org_id, repository, sha)
      WHERE (r.org_id, r.repository) = (n.org_id, n.repository) AND NOT r.unsettled
        AND (EXISTS (SELECT 1 FROM repository_refs f
                     WHERE f.org_id = n.org_id AND f.repository = n.repository
                       AND f.pending @> jsonb_build_array(jsonb_build_object('sha', n.sha)))
          OR EXISTS (SELECT 1 FROM commit_gaps g
                     WHERE g.org_id = n.org_id AND g.repository = n.repository AND g.missing = n.sha))`,
    columnsOf(commits),
  );
}

const columnsOf = (commits: readonly (RepositoryPlace & { readonly sha: string })[]): string[][] => [
  commits.map(({ orgId }) => orgId),
  commits.map(({ repository }) => repository),
  commits.map(({ sha }) => sha),
];

/** Forgets gaps whose commit is known by now. @returns those commits that are parents of a reached one */
export async function takeFilledGaps(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
): Promise<string[]> {
  const rows = await tx.query<{ missing: string; reached: boolean }>(
    `DELETE FROM commit_gaps g
      USING commits child
      WHERE g.org_id = $1 AND g.repository = $2
        AND child.org_id = g.org_id AND child.repository = g.repository AND child.sha = g.child
        AND EXISTS (SELECT 1 FROM commits known
                    WHERE known.org_id = g.org_id AND known.repository = g.repository AND known.sha = g.missing
                    OFFSET 0)
     RETURNING g.missing, child.reached`,
    [orgId, repository],
  );
  return [...new Set(rows.flatMap(({ missing, reached }) => (reached ? [missing] : [])))];
}

/** Repositories in which a commit has arrived that was waited for. */
export async function unsettledRepositories(queryable: Queryable): Promise<RepositoryPlace[]> {
  const rows = await queryable.query<{ org_id: string; repository: string }>(
    'SELECT org_id, repository FROM counted_repositories WHERE unsettled ORDER BY org_id, repository',
  );
  return rows.map((row) => ({ orgId: row.org_id, repository: row.repository }));
}

/** The patterns of branches that a connected repository of the name has; none where it has none, or is not connected. */
export async function connectedPatterns(
  queryable: Queryable,
  orgId: string,
  repository: string,
): Promise<string[]> {
  const [row] = await queryable.query<{ counted_refs: string[] }>(
    `SELECT counted_refs FROM connected_repositories WHERE ${OF_REPOSITORY}`,
    [orgId, repository],
  );
  return row?.counted_refs ?? [];
}
