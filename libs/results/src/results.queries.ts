import {
  noteAwaitedCommits,
  noteCommitGaps,
  noteIdentities,
  type Queryable,
  type RepositoryPlace,
} from '@lineprint/persistence';
import { recomputeDaily } from './rollups.queries';

export interface CommitRow {
  readonly org_id: string;
  readonly repository: string;
  readonly sha: string;
  readonly project_id: string;
  readonly user_id: string;
  readonly author_name: string;
  readonly author_email: string;
  readonly parents: readonly string[];
  readonly authored_at: string;
  readonly committed_at: string;
  readonly branch: string | null;
  readonly declared_tool: string | null;
  readonly declared_by: string | null;
  readonly late: boolean;
  /** How often it has come again. */
  readonly revision: number;
}

/** That a policy has judged a revision of a commit. */
export interface VerdictRow {
  readonly org_id: string;
  readonly policy_id: string;
  readonly repository: string;
  readonly commit_sha: string;
  readonly revision: number;
}

export interface FileRow {
  readonly org_id: string;
  readonly policy_id: string;
  readonly repository: string;
  readonly commit_sha: string;
  readonly file_path: string;
  readonly old_path: string | null;
  readonly status: string;
  readonly language: string;
  readonly added_lines: number;
  readonly deleted_lines: number;
  readonly blank_lines: number;
  readonly inherited_lines: number;
  readonly excluded: string | null;
  readonly lines: readonly unknown[];
  readonly inherited: readonly unknown[];
  /** Base64, as the event has them. */
  readonly explanations: string;
}

export interface ResultRow {
  readonly commit_sha: string;
  readonly file_path: string;
  readonly user_id: string;
  readonly project_id: string;
  readonly org_id: string;
  readonly repository: string;
  readonly policy_id: string;
  readonly ordinal: number;
  readonly language: string;
  readonly matched_code_id: string | null;
  readonly match_source: string | null;
  readonly model: string | null;
  readonly evidence: string;
  readonly minhash_similarity: number | null;
  readonly evidence_bits: number;
  readonly confidence: string;
  readonly total_lines: number;
  readonly ai_preserved_lines: number;
  readonly ai_modified_lines: number;
  readonly human_new_lines: number;
  readonly suspect_lines: number;
  readonly ai_ratio: number;
  readonly day: string;
  readonly commit_timestamp: string;
  /** The commit that added the lines first, where they count in this one; '' on a commit's own rows. */
  readonly copied_from: string;
  /** As its commit. */
  readonly counted: boolean;
}

/** The unit of a daily row. */
export interface DailyKey {
  readonly org_id: string;
  readonly policy_id: string;
  readonly date: string;
  readonly user_id: string;
  readonly project_id: string;
}

/**
 * Writers of one organisation's daily rows under one policy take turns: each sums whole days from all results, so two
 * at once would each miss what the other has not committed. Writers of other policies, as a replay is, go on.
 */
export async function lockDaily(
  tx: Queryable,
  policies: Iterable<Pick<DailyKey, 'org_id' | 'policy_id'>>,
): Promise<void> {
  const names = [...policies].map(({ org_id, policy_id }) => `daily/${JSON.stringify([org_id, policy_id])}`);
  for (const name of [...new Set(names)].sort()) {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text AS locked', [name]);
  }
}

/**
 * Inserts commits that are not there yet; of those that are, a newer revision says whether it is late. Where refs decide
 * what counts, a new commit does not before one leads to it.
 */
export async function writeCommits(tx: Queryable, rows: readonly CommitRow[]): Promise<void> {
  const written = await tx.query<Pick<CommitRow, 'org_id' | 'repository' | 'sha' | 'parents'>>(
    `INSERT INTO commits (org_id, repository, sha, project_id, user_id, author_name, author_email, parents,
                          authored_at, committed_at, branch, declared_tool, declared_by, late, revision, counted)
     SELECT r.org_id, r.repository, r.sha, r.project_id, r.user_id, r.author_name, r.author_email,
            ARRAY(SELECT jsonb_array_elements_text(r.parents)), r.authored_at, r.committed_at, r.branch,
            r.declared_tool, r.declared_by, r.late, r.revision,
            NOT EXISTS (SELECT 1 FROM counted_repositories d
                        WHERE d.org_id = r.org_id AND d.repository = r.repository AND d.decided
                          AND (d.horizon IS NULL OR d.horizon < r.committed_at) OFFSET 0)
       FROM jsonb_to_recordset($1::jsonb) AS r(org_id text, repository text, sha text, project_id text,
            user_id text, author_name text, author_email text, parents jsonb, authored_at timestamptz,
            committed_at timestamptz, branch text, declared_tool text, declared_by text, late boolean, revision int)
     ON CONFLICT (org_id, repository, sha) DO UPDATE SET late = EXCLUDED.late, revision = EXCLUDED.revision
       WHERE commits.revision < EXCLUDED.revision
     RETURNING org_id, repository, sha, parents`,
    [JSON.stringify(rows)],
  );
  const commits = written.map(({ org_id, ...commit }) => ({ ...commit, orgId: org_id }));
  await noteIdentities(tx, rows.map(identityOf));
  await noteCommitGaps(tx, commits);
  await noteAwaitedCommits(tx, commits);
}

function identityOf({ org_id, user_id, author_name, declared_by }: CommitRow) {
  return { orgId: org_id, userId: user_id, name: author_name, declared: declared_by === 'author' };
}

/** Of the commits given, those that do not count, by `commitKey`. */
export async function uncountedCommits(
  queryable: Queryable,
  commits: readonly Pick<CommitRow, 'org_id' | 'repository' | 'sha'>[],
): Promise<Set<string>> {
  const rows = await queryable.query<{ org_id: string; repository: string; sha: string }>(
    `SELECT n.* FROM UNNEST($1::text[], $2::text[], $3::text[]) AS n (org_id, repository, sha)
      CROSS JOIN LATERAL (
        SELECT 1 FROM commits c
        WHERE c.org_id = n.org_id AND c.repository = n.repository AND c.sha = n.sha AND NOT c.counted OFFSET 0
      ) uncounted`,
    [
      commits.map(({ org_id }) => org_id),
      commits.map(({ repository }) => repository),
      commits.map(({ sha }) => sha),
    ],
  );
  return new Set(rows.map(commitKey));
}

export function commitKey({
  org_id,
  repository,
  sha,
}: Pick<CommitRow, 'org_id' | 'repository' | 'sha'>): string {
  return JSON.stringify([org_id, repository, sha]);
}

/** Commits that are marked in one statement. */
const COMMITS_A_STATEMENT = 2_000;

/** Marks whether a ref that counts leads to commits of a repository. */
export async function markReached(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
  shas: readonly string[],
  reached: boolean,
): Promise<void> {
  for (let at = 0; at < shas.length; at += COMMITS_A_STATEMENT) {
    await tx.query(
      `UPDATE commits SET reached = $4 WHERE org_id = $1 AND repository = $2 AND sha = ANY ($3::text[])`,
      [orgId, repository, shas.slice(at, at + COMMITS_A_STATEMENT), reached],
    );
  }
}

/** Lets commits of a repository count, or no longer. @returns the days of their results that change */
export async function markCounted(
  tx: Queryable,
  { orgId, repository }: RepositoryPlace,
  shas: readonly string[],
  counted: boolean,
): Promise<DailyKey[]> {
  const days: DailyKey[] = [];
  for (let at = 0; at < shas.length; at += COMMITS_A_STATEMENT) {
    const params = [orgId, repository, shas.slice(at, at + COMMITS_A_STATEMENT), counted];
    await tx.query(
      `UPDATE commits SET counted = $4
        WHERE org_id = $1 AND repository = $2 AND sha = ANY ($3::text[]) AND counted <> $4`,
      params,
    );
    const rows = await tx.query(
      `WITH marked AS (
         UPDATE ai_attribution_results SET counted = $4
          WHERE org_id = $1 AND repository = $2 AND commit_sha = ANY ($3::text[]) AND counted <> $4
         RETURNING org_id, policy_id, day, user_id, project_id
       )
       SELECT DISTINCT org_id, policy_id, day::text AS date, user_id, project_id FROM marked`,
      params,
    );
    days.push(...(rows as unknown as DailyKey[]));
  }
  return days;
}

/** The commits of a repository that do not count, though they were made not after a time. */
export async function uncountedBefore(
  queryable: Queryable,
  { orgId, repository }: RepositoryPlace,
  time: Date,
): Promise<string[]> {
  const rows = await queryable.query<{ sha: string }>(
    'SELECT sha FROM commits WHERE org_id = $1 AND repository = $2 AND NOT counted AND committed_at <= $3',
    [orgId, repository, time],
  );
  return rows.map(({ sha }) => sha);
}

/**
 * Records verdicts.
 * @param rows each commit of a policy once
 * @returns keys of those that count now: the first of a policy on a commit, or one on a higher revision
 */
export async function writeVerdictRows(tx: Queryable, rows: readonly VerdictRow[]): Promise<Set<string>> {
  const written = await tx.query(
    `INSERT INTO commit_verdicts (org_id, policy_id, repository, commit_sha, revision)
     SELECT org_id, policy_id, repository, commit_sha, revision FROM jsonb_to_recordset($1::jsonb)
         AS r(org_id text, policy_id text, repository text, commit_sha text, revision int)
     ON CONFLICT (org_id, policy_id, repository, commit_sha) DO UPDATE SET revision = EXCLUDED.revision
       WHERE commit_verdicts.revision < EXCLUDED.revision
     RETURNING org_id, policy_id, repository, commit_sha, revision`,
    [JSON.stringify(rows)],
  );
  return new Set((written as unknown as VerdictRow[]).map(verdictKey));
}

/** Takes back what was said of the commits. @returns the days that it counted for */
export async function deleteResults(tx: Queryable, verdicts: readonly VerdictRow[]): Promise<DailyKey[]> {
  const of = `USING jsonb_to_recordset($1::jsonb)
         AS v(org_id text, policy_id text, repository text, commit_sha text)
      WHERE (x.org_id, x.policy_id, x.repository, x.commit_sha)
          = (v.org_id, v.policy_id, v.repository, v.commit_sha)`;
  const params = [JSON.stringify(verdicts)];
  await tx.query(`DELETE FROM commit_files x ${of}`, params);
  await tx.query(`DELETE FROM commit_copies x ${of}`, params);
  return (await tx.query(
    `DELETE FROM ai_attribution_results x ${of}
     RETURNING x.org_id, x.policy_id, x.day AS date, x.user_id, x.project_id`,
    params,
  )) as unknown as DailyKey[];
}

/** Names a policy's verdict on a commit, of whichever revision. */
export function verdictKey({
  org_id,
  policy_id,
  repository,
  commit_sha,
}: Omit<VerdictRow, 'revision'>): string {
  return JSON.stringify([org_id, policy_id, repository, commit_sha]);
}

export async function insertFiles(tx: Queryable, rows: readonly FileRow[]): Promise<void> {
  await tx.query(
    `INSERT INTO commit_files (org_id, policy_id, repository, commit_sha, file_path, old_path, status, language,
                               added_lines, deleted_lines, blank_lines, inherited_lines, excluded, lines, inherited,
                               explanations)
     SELECT r.org_id, r.policy_id, r.repository, r.commit_sha, r.file_path, r.old_path, r.status, r.language,
            r.added_lines, r.deleted_lines, r.blank_lines, r.inherited_lines, r.excluded, r.lines, r.inherited,
            decode(r.explanations, 'base64')
       FROM jsonb_to_recordset($1::jsonb) AS r(org_id text, policy_id text, repository text,
            commit_sha text, file_path text, old_path text, status text, language text, added_lines int,
            deleted_lines int, blank_lines int, inherited_lines int, excluded text, lines jsonb, inherited jsonb,
            explanations text)
     ON CONFLICT (org_id, policy_id, repository, commit_sha, file_path) DO NOTHING`,
    [JSON.stringify(rows)],
  );
}

export async function insertResults(tx: Queryable, rows: readonly ResultRow[]): Promise<void> {
  await tx.query(
    `INSERT INTO ai_attribution_results (commit_sha, file_path, user_id, project_id, org_id, repository, policy_id,
            ordinal, language, matched_code_id, match_source, model, evidence, minhash_similarity, evidence_bits,
            confidence, total_lines, ai_preserved_lines, ai_modified_lines, human_new_lines, suspect_lines,
            ai_ratio, day, commit_timestamp, copied_from, counted)
     SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(commit_sha text, file_path text, user_id text,
            project_id text, org_id text, repository text, policy_id text, ordinal int, language text,
            matched_code_id text, match_source text, model text, evidence text, minhash_similarity numeric,
            evidence_bits real, confidence text, total_lines int, ai_preserved_lines int, ai_modified_lines int,
            human_new_lines int, suspect_lines int, ai_ratio numeric, day date, commit_timestamp timestamptz,
            copied_from text, counted boolean)
     ON CONFLICT (org_id, policy_id, repository, commit_sha, file_path, ordinal, copied_from) DO NOTHING`,
    [JSON.stringify(rows)],
  );
}

const KEYS_A_STATEMENT = 1_000;

/** Sums days anew, of any number of keys, which may be there several times. */
export async function recomputeDays(tx: Queryable, days: readonly DailyKey[]): Promise<void> {
  const keys = new Map<string, DailyKey>();
  for (const { org_id, policy_id, date, user_id, project_id } of days) {
    const key = { org_id, policy_id, date, user_id, project_id };
    keys.set(JSON.stringify(key), key);
  }
  const distinct = [...keys.values()];
  for (let at = 0; at < distinct.length; at += KEYS_A_STATEMENT) {
    await recomputeDaily(tx, distinct.slice(at, at + KEYS_A_STATEMENT));
  }
}

/** Sums every day anew that has sessions, for a policy that was not there when they were reported. */
export async function recomputeSessionDays(tx: Queryable, orgId: string, policyId: string): Promise<void> {
  await lockDaily(tx, [{ org_id: orgId, policy_id: policyId }]);
  const rows = await tx.query(
    `SELECT DISTINCT org_id, $2::text AS policy_id, day::text AS date, user_id, project_id
     FROM activity_sessions WHERE org_id = $1`,
    [orgId, policyId],
  );
  await recomputeDays(tx, rows as unknown as DailyKey[]);
}
