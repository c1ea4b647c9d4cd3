import type { RepositoryPlace } from './counted-refs';
import type { Queryable, Row } from './database';
import type { PolicyName } from './policies';

/** How far the ledger of a ref is. */
export interface LineHead {
  readonly ref: string;
  readonly projectId: string;
  readonly sha: string;
  readonly depth: number;
  readonly at: Date;
}

/** Neighbouring lines at a ref's tip that were added so, numbered from 0. */
export interface HeadRun {
  readonly path: string;
  readonly start: number;
  readonly count: number;
  /** Null where they are older than all commits that are known. */
  readonly origin: { readonly commit: string; readonly path: string; readonly line: number } | null;
}

/** Lines that one commit added, while they stand at a ref's tip. */
export interface LineLifeRow {
  readonly originCommit: string;
  readonly originPath: string;
  readonly firstLine: number;
  readonly lineCount: number;
  readonly bornDepth: number;
  readonly bornAt: Date;
  readonly diedDepth: number | null;
  readonly diedAt: Date | null;
}

/** The ledger of one ref. */
export interface LedgerPlace extends RepositoryPlace {
  readonly ref: string;
}

/** A repository of which the ledger has something to do, and the requests that say so. */
export interface LedgerRequest extends RepositoryPlace {
  readonly ids: readonly number[];
}

const OF_REPOSITORY = 'org_id = $1 AND repository = $2';
const OF_REF = `${OF_REPOSITORY} AND ref = $3`;
const placeOf = ({ orgId, repository, ref }: LedgerPlace) => [orgId, repository, ref];

/** Asks the ledger to look at repositories. */
export async function requestLedger(tx: Queryable, places: readonly RepositoryPlace[]): Promise<void> {
  if (places.length === 0) return;
  await tx.query(
    'INSERT INTO ledger_requests (org_id, repository) SELECT DISTINCT * FROM UNNEST($1::text[], $2::text[])',
    [places.map(({ orgId }) => orgId), places.map(({ repository }) => repository)],
  );
}

/** The oldest requests, by repository. */
export async function ledgerRequests(queryable: Queryable, limit: number): Promise<LedgerRequest[]> {
  const rows = await queryable.query<{ org_id: string; repository: string; ids: number[] }>(
    `SELECT org_id, repository, jsonb_agg(id) AS ids
       FROM (SELECT id, org_id, repository FROM ledger_requests ORDER BY id LIMIT $1) oldest
      GROUP BY org_id, repository ORDER BY MIN(id)`,
    [limit],
  );
  return rows.map(({ org_id, repository, ids }) => ({ orgId: org_id, repository, ids }));
}

export async function forgetLedgerRequests(queryable: Queryable, ids: readonly number[]): Promise<void> {
  await queryable.query('DELETE FROM ledger_requests WHERE id = ANY ($1::bigint[])', [ids]);
}

/**
 * Lets one process at a time work at a repository's ledger, until the transaction ends.
 * @returns false where another one does
 */
export async function lockLedger(tx: Queryable, { orgId, repository }: RepositoryPlace): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
    [`ledger/${JSON.stringify([orgId, repository])}`],
  );
  return row!.locked;
}

export async function lineHeads(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
): Promise<LineHead[]> {
  const rows = await queryable.query<{
    ref: string;
    project_id: string;
    sha: string;
    depth: number;
    at: Date;
  }>(
    `SELECT ref, project_id, sha, depth, at FROM line_heads WHERE ${OF_REPOSITORY} ORDER BY ref COLLATE "C"`,
    [orgId, repository],
  );
  return rows.map(({ ref, project_id, sha, depth, at }) => ({ ref, projectId: project_id, sha, depth, at }));
}

export async function saveLineHead(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
  { ref, projectId, sha, depth, at }: LineHead,
): Promise<void> {
  await tx.query(
    `INSERT INTO line_heads (org_id, repository, ref, project_id, sha, depth, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (org_id, repository, ref) DO UPDATE SET project_id = EXCLUDED.project_id, sha = EXCLUDED.sha,
       depth = EXCLUDED.depth, at = EXCLUDED.at`,
    [orgId, repository, ref, projectId, sha, depth, at],
  );
}

/** Tables with rows of a ref. */
const OF_A_REF = [
  'line_heads',
  'head_runs',
  'line_lives',
  'head_file_lines',
  'life_lines',
  'stale_head_files',
  'stale_lives',
];

/** Forgets the ledger of a ref. */
export async function removeLedger(tx: Queryable, place: LedgerPlace): Promise<void> {
  for (const table of OF_A_REF) await tx.query(`DELETE FROM ${table} WHERE ${OF_REF}`, placeOf(place));
}

/** Forgets all that was made of a repository's followed commits. */
export async function resetLedger(tx: Queryable, { orgId, repository }: RepositoryPlace): Promise<void> {
  for (const table of ['line_trees', ...OF_A_REF]) {
    await tx.query(`DELETE FROM ${table} WHERE ${OF_REPOSITORY}`, [orgId, repository]);
  }
}

/** Puts the runs of files in the place of those that they had. */
export async function replaceHeadRuns(
  tx: Queryable,
  place: LedgerPlace,
  paths: readonly string[],
  runs: readonly HeadRun[],
): Promise<void> {
  if (paths.length === 0) return;
  await tx.query(`DELETE FROM head_runs WHERE ${OF_REF} AND path = ANY ($4::text[])`, [
    ...placeOf(place),
    paths,
  ]);
  if (runs.length === 0) return;
  await tx.query(
    `INSERT INTO head_runs (org_id, repository, ref, path, start_line, line_count, origin_commit, origin_path, origin_line)
     SELECT $1, $2, $3, r.* FROM UNNEST($4::text[], $5::int[], $6::int[], $7::text[], $8::text[], $9::int[]) r`,
    [
      ...placeOf(place),
      runs.map(({ path }) => path),
      runs.map(({ start }) => start),
      runs.map(({ count }) => count),
      runs.map(({ origin }) => origin?.commit ?? null),
      runs.map(({ origin }) => origin?.path ?? null),
      runs.map(({ origin }) => origin?.line ?? null),
    ],
  );
}

/** The runs of files at a ref's tip, from the first line to the last. */
export async function loadHeadRuns(
  queryable: Queryable,
  place: LedgerPlace,
  paths: readonly string[],
): Promise<HeadRun[]> {
  const rows = await queryable.query<{
    path: string;
    start_line: number;
    line_count: number;
    origin_commit: string | null;
    origin_path: string | null;
    origin_line: number | null;
  }>(
    `SELECT r.* FROM UNNEST($4::text[]) AS asked (path)
      CROSS JOIN LATERAL (
        SELECT path, start_line, line_count, origin_commit, origin_path, origin_line FROM head_runs
        WHERE ${OF_REF} AND path = asked.path OFFSET 0
      ) r
      ORDER BY r.path COLLATE "C", r.start_line`,
    [...placeOf(place), paths],
  );
  return rows.map(({ path, start_line, line_count, origin_commit, origin_path, origin_line }) => ({
    path,
    start: start_line,
    count: line_count,
    origin: origin_commit === null ? null : { commit: origin_commit, path: origin_path!, line: origin_line! },
  }));
}

interface LifeColumns extends Row {
  id: number;
  origin_commit: string;
  origin_path: string;
  first_line: number;
  line_count: number;
  born_depth: number;
  born_at: Date;
  died_depth: number | null;
  died_at: Date | null;
}

const LIFE =
  'id, origin_commit, origin_path, first_line, line_count, born_depth, born_at, died_depth, died_at';

function lifeRow(row: LifeColumns): LineLifeRow & { id: number } {
  return {
    id: row.id,
    originCommit: row.origin_commit,
    originPath: row.origin_path,
    firstLine: row.first_line,
    lineCount: row.line_count,
    bornDepth: row.born_depth,
    bornAt: row.born_at,
    diedDepth: row.died_depth,
    diedAt: row.died_at,
  };
}

/** What stands of lines that commits added to files. */
export async function standingLives(
  queryable: Queryable,
  place: LedgerPlace,
  origins: readonly { readonly commit: string; readonly path: string }[],
): Promise<(LineLifeRow & { id: number })[]> {
  if (origins.length === 0) return [];
  const rows = await queryable.query<LifeColumns>(
    `SELECT l.* FROM UNNEST($4::text[], $5::text[]) AS asked (commit, path)
      CROSS JOIN LATERAL (
        SELECT ${LIFE} FROM line_lives
        WHERE ${OF_REF} AND origin_commit = asked.commit AND origin_path = asked.path AND died_depth IS NULL OFFSET 0
      ) l`,
    [...placeOf(place), origins.map(({ commit }) => commit), origins.map(({ path }) => path)],
  );
  return rows.map(lifeRow);
}

/** All lives of lines that commits added, in no order. */
export async function livesOfCommits(
  queryable: Queryable,
  place: LedgerPlace,
  shas: readonly string[],
): Promise<LineLifeRow[]> {
  const rows = await queryable.query<LifeColumns>(
    `SELECT l.* FROM UNNEST($4::text[]) AS asked (commit)
      CROSS JOIN LATERAL (
        SELECT ${LIFE} FROM line_lives WHERE ${OF_REF} AND origin_commit = asked.commit OFFSET 0
      ) l`,
    [...placeOf(place), shas],
  );
  return rows.map(lifeRow);
}

/** Deletes lives and adds others. */
export async function replaceLives(
  tx: Queryable,
  place: LedgerPlace,
  gone: readonly number[],
  lives: readonly LineLifeRow[],
): Promise<void> {
  if (gone.length > 0) await tx.query('DELETE FROM line_lives WHERE id = ANY ($1::bigint[])', [gone]);
  if (lives.length === 0) return;
  await tx.query(
    `INSERT INTO line_lives (org_id, repository, ref, origin_commit, origin_path, first_line, line_count, born_depth,
                             born_at, died_depth, died_at)
     SELECT $1, $2, $3, l.*
       FROM UNNEST($4::text[], $5::text[], $6::int[], $7::int[], $8::int[], $9::timestamptz[], $10::int[],
                   $11::timestamptz[]) l`,
    [
      ...placeOf(place),
      lives.map(({ originCommit }) => originCommit),
      lives.map(({ originPath }) => originPath),
      lives.map(({ firstLine }) => firstLine),
      lives.map(({ lineCount }) => lineCount),
      lives.map(({ bornDepth }) => bornDepth),
      lives.map(({ bornAt }) => bornAt),
      lives.map(({ diedDepth }) => diedDepth),
      lives.map(({ diedAt }) => diedAt),
    ],
  );
}

/**
 * Takes back what happened at a ref's tip above a depth: lines that came go, lines that went stand again.
 * @returns the commits that added these lines
 */
export async function undoLives(tx: Queryable, place: LedgerPlace, depth: number): Promise<string[]> {
  const gone = await tx.query<{ origin_commit: string }>(
    `DELETE FROM line_lives WHERE ${OF_REF} AND born_depth > $4 RETURNING origin_commit`,
    [...placeOf(place), depth],
  );
  const back = await tx.query<{ origin_commit: string }>(
    `UPDATE line_lives SET died_depth = NULL, died_at = NULL WHERE ${OF_REF} AND died_depth > $4
     RETURNING origin_commit`,
    [...placeOf(place), depth],
  );
  return [...new Set([...gone, ...back].map(({ origin_commit }) => origin_commit))];
}

/** Notes which files and which commits' lines are to be labelled anew. */
export async function noteStale(
  tx: Queryable,
  place: LedgerPlace,
  paths: readonly string[],
  originCommits: readonly string[],
): Promise<void> {
  await tx.query(
    'INSERT INTO stale_head_files (org_id, repository, ref, path) SELECT $1, $2, $3, UNNEST($4::text[]) ON CONFLICT DO NOTHING',
    [...placeOf(place), paths],
  );
  await tx.query(
    'INSERT INTO stale_lives (org_id, repository, ref, origin_commit) SELECT $1, $2, $3, UNNEST($4::text[]) ON CONFLICT DO NOTHING',
    [...placeOf(place), originCommits],
  );
}

/** Notes that all of a repository is to be labelled anew. */
export async function noteAllStale(tx: Queryable, { orgId, repository }: RepositoryPlace): Promise<void> {
  await tx.query(
    `INSERT INTO stale_head_files (org_id, repository, ref, path)
     SELECT DISTINCT org_id, repository, ref, path FROM head_runs WHERE ${OF_REPOSITORY} ON CONFLICT DO NOTHING`,
    [orgId, repository],
  );
  await tx.query(
    `INSERT INTO stale_lives (org_id, repository, ref, origin_commit)
     SELECT DISTINCT org_id, repository, ref, origin_commit FROM line_lives WHERE ${OF_REPOSITORY}
     ON CONFLICT DO NOTHING`,
    [orgId, repository],
  );
}

/** Notes the files at tips, and the lives, of lines that commits added. */
export async function noteStaleOrigins(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
  shas: readonly string[],
): Promise<void> {
  await tx.query(
    `INSERT INTO stale_head_files (org_id, repository, ref, path)
     SELECT DISTINCT $1, $2, r.ref, r.path FROM UNNEST($3::text[]) AS asked (sha)
      CROSS JOIN LATERAL (
        SELECT ref, path FROM head_runs WHERE ${OF_REPOSITORY} AND origin_commit = asked.sha OFFSET 0
      ) r
     ON CONFLICT DO NOTHING`,
    [orgId, repository, shas],
  );
  await tx.query(
    `INSERT INTO stale_lives (org_id, repository, ref, origin_commit)
     SELECT $1, $2, h.ref, asked.sha
       FROM UNNEST($3::text[]) AS asked (sha) CROSS JOIN (SELECT ref FROM line_heads WHERE ${OF_REPOSITORY}) h
     ON CONFLICT DO NOTHING`,
    [orgId, repository, shas],
  );
}

/** Takes some of the files that are to be labelled anew, in the order of their refs and names. */
export async function takeStaleFiles(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
  limit: number,
): Promise<{ ref: string; path: string }[]> {
  return tx.query<{ ref: string; path: string }>(
    `DELETE FROM stale_head_files WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM stale_head_files WHERE ${OF_REPOSITORY} ORDER BY ref, path LIMIT $3)) RETURNING ref, path`,
    [orgId, repository, limit],
  );
}

/** Takes some of the commits whose lines' lives are to be labelled anew. */
export async function takeStaleLives(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
  limit: number,
): Promise<{ ref: string; originCommit: string }[]> {
  return tx.query<{ ref: string; originCommit: string }>(
    `DELETE FROM stale_lives WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM stale_lives WHERE ${OF_REPOSITORY} ORDER BY ref, origin_commit LIMIT $3))
     RETURNING ref, origin_commit AS "originCommit"`,
    [orgId, repository, limit],
  );
}

/** Notes that verdicts have been written, and asks the ledger to look at them. */
export async function noteRelabels(
  tx: Queryable,
  verdicts: readonly (PolicyName & RepositoryPlace & { readonly sha: string })[],
): Promise<void> {
  if (verdicts.length === 0) return;
  await tx.query(
    `WITH noted AS (
       INSERT INTO ledger_relabels (org_id, policy_id, repository, commit_sha)
       SELECT * FROM UNNEST($1::text[], $2::text[], $3::text[], $4::text[])
       RETURNING org_id, repository
     )
     INSERT INTO ledger_requests (org_id, repository) SELECT DISTINCT org_id, repository FROM noted`,
    [
      verdicts.map(({ orgId }) => orgId),
      verdicts.map(({ policyId }) => policyId),
      verdicts.map(({ repository }) => repository),
      verdicts.map(({ sha }) => sha),
    ],
  );
}

/** Takes some of the verdicts that have been written to a repository's commits. */
export async function takeRelabels(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
  limit: number,
): Promise<{ policyId: string; sha: string }[]> {
  return tx.query<{ policyId: string; sha: string }>(
    `DELETE FROM ledger_relabels WHERE id = ANY (ARRAY(
       SELECT id FROM ledger_relabels WHERE ${OF_REPOSITORY} ORDER BY id LIMIT $3))
     RETURNING policy_id AS "policyId", commit_sha AS sha`,
    [orgId, repository, limit],
  );
}

/** The policies under which a repository's lines are labelled. */
export async function labelledPolicies(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
): Promise<string[]> {
  const rows = await queryable.query<{ policy_id: string }>(
    `SELECT policy_id FROM labelled_repositories WHERE ${OF_REPOSITORY} ORDER BY policy_id COLLATE "C"`,
    [orgId, repository],
  );
  return rows.map(({ policy_id }) => policy_id);
}

/** @returns whether one of the policies is new there */
export async function addLabelledPolicies(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
  policyIds: readonly string[],
): Promise<boolean> {
  const added = await tx.query(
    `INSERT INTO labelled_repositories (org_id, policy_id, repository)
     SELECT $1, UNNEST($3::text[]), $2 ON CONFLICT DO NOTHING RETURNING 1`,
    [orgId, repository, policyIds],
  );
  return added.length > 0;
}
