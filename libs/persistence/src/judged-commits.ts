import { StoreError } from '@lineprint/platform';
import type { Queryable, Row } from './database';

/** Commits of one repository, as one policy judges them. */
export interface JudgedRepository {
  readonly orgId: string;
  readonly policyId: string;
  readonly repository: string;
}

/** What a commit used of snippets and took out of its repository; the packed columns are the caller's format. */
export interface StoredJudgedCommit {
  /** From 1, without gaps, in the order of the repository's log. */
  readonly position: number;
  readonly sha: string;
  /** How often the commit has come again; a higher one replaces what a lower one used. */
  readonly revision: number;
  readonly parents: readonly string[];
  /** Milliseconds since 1970. */
  readonly committedAt: number;
  readonly removedLines: Uint8Array;
  /** Lines that it adds first, and lines that it has from another line of history. The same in every revision. */
  readonly addedLines: Uint8Array;
  /** The numbers of `addedLines` in their files. */
  readonly addedNumbers: Uint8Array;
  readonly copiedLines: Uint8Array;
  readonly codeIds: readonly string[];
  readonly uses: Uint8Array;
}

export interface JudgedCommits {
  /** Position of the newest one; 0 where there is none. */
  readonly last: number;
  /** Sum of the revisions of all of them: another one whenever one has been replaced. */
  readonly revisions: number;
  /** By position. */
  readonly commits: readonly StoredJudgedCommit[];
}

interface JudgedColumns extends Row {
  position: number;
  commit_sha: string;
  revision: number;
  parents: string[];
  committed_at: Date;
  removed_lines: Uint8Array;
  added_lines: Uint8Array;
  added_numbers: Uint8Array;
  copied_lines: Uint8Array;
  code_ids: string[];
  uses: Uint8Array;
}

const OF_REPOSITORY = 'org_id = $1 AND policy_id = $2 AND repository = $3';
const COLUMNS =
  'position, commit_sha, revision, parents, committed_at, removed_lines, added_lines, added_numbers, copied_lines, code_ids, uses';

/**
 * The judged commits above a position that were made since a time, and those with the given ids wherever they are.
 *
 * @param since milliseconds since 1970, by the committer's clock
 */
export async function loadJudgedCommits(
  queryable: Queryable,
  { orgId, policyId, repository }: JudgedRepository,
  after: number,
  since: number,
  shas: readonly string[],
): Promise<JudgedCommits> {
  const place = [orgId, policyId, repository];
  const rows = await queryable.query<JudgedColumns>(
    `(SELECT ${COLUMNS} FROM judged_commits WHERE ${OF_REPOSITORY} AND position > $4 AND committed_at >= $5)
     UNION ALL
     SELECT found.* FROM UNNEST($6::text[]) AS asked (sha)
       CROSS JOIN LATERAL (
         SELECT ${COLUMNS} FROM judged_commits WHERE ${OF_REPOSITORY} AND commit_sha = asked.sha OFFSET 0
       ) found`,
    [...place, after, new Date(since), [...new Set(shas)]],
  );
  const [state] = await queryable.query<{ last: number | null; revisions: number | null }>(
    `SELECT (SELECT position FROM judged_commits WHERE ${OF_REPOSITORY} ORDER BY position DESC LIMIT 1) AS last,
            (SELECT SUM(revision) FROM judged_commits WHERE ${OF_REPOSITORY} AND revision > 0) AS revisions`,
    place,
  );
  const commits = new Map(rows.map((row) => [row.position, judgedCommit(row)]));
  return {
    last: state?.last ?? 0,
    revisions: state?.revisions ?? 0,
    commits: [...commits.values()].sort((a, b) => a.position - b.position),
  };
}

function judgedCommit(row: JudgedColumns): StoredJudgedCommit {
  return {
    position: row.position,
    sha: row.commit_sha,
    revision: row.revision,
    parents: row.parents,
    committedAt: row.committed_at.getTime(),
    removedLines: row.removed_lines,
    addedLines: row.added_lines,
    addedNumbers: row.added_numbers,
    copiedLines: row.copied_lines,
    codeIds: row.code_ids,
    uses: row.uses,
  };
}

/**
 * Stores judged commits. What is there already stays as it is, unless its revision is lower.
 * @param tx the caller's transaction, which ends with the error
 * @throws StoreError `judged-commits-conflict` (transient) when another process has meanwhile put another commit at
 * one of the positions: the caller's history is not that of the database
 */
export async function saveJudgedCommits(
  tx: Queryable,
  commits: readonly (JudgedRepository & StoredJudgedCommit)[],
): Promise<void> {
  if (commits.length === 0) return;
  const rows = JSON.stringify(
    commits.map((commit) => ({
      org_id: commit.orgId,
      policy_id: commit.policyId,
      repository: commit.repository,
      position: commit.position,
      commit_sha: commit.sha,
      revision: commit.revision,
      parents: commit.parents,
      committed_at: new Date(commit.committedAt).toISOString(),
      removed_lines: base64(commit.removedLines),
      added_lines: base64(commit.addedLines),
      added_numbers: base64(commit.addedNumbers),
      copied_lines: base64(commit.copiedLines),
      code_ids: commit.codeIds,
      uses: base64(commit.uses),
    })),
  );
  await tx.query(
    `INSERT INTO judged_commits (org_id, policy_id, repository, position, commit_sha, revision, parents,
              committed_at, removed_lines, added_lines, added_numbers, copied_lines, code_ids, uses)
       SELECT r.org_id, r.policy_id, r.repository, r.position, r.commit_sha, r.revision,
              ARRAY(SELECT jsonb_array_elements_text(r.parents)), r.committed_at, decode(r.removed_lines, 'base64'),
              decode(r.added_lines, 'base64'), decode(r.added_numbers, 'base64'), decode(r.copied_lines, 'base64'),
              ARRAY(SELECT jsonb_array_elements_text(r.code_ids)), decode(r.uses, 'base64')
         FROM jsonb_to_recordset($1::jsonb) AS r(org_id text, policy_id text, repository text, position int,
              commit_sha text, revision int, parents jsonb, committed_at timestamptz, removed_lines text,
              added_lines text, added_numbers text, copied_lines text, code_ids jsonb, uses text)
       ON CONFLICT DO NOTHING`,
    [rows],
  );
  if (commits.some(({ revision }) => revision > 0)) {
    await tx.query(
      `UPDATE judged_commits c
       SET revision = r.revision, removed_lines = decode(r.removed_lines, 'base64'), judged_at = NOW(),
           code_ids = ARRAY(SELECT jsonb_array_elements_text(r.code_ids)), uses = decode(r.uses, 'base64')
       FROM jsonb_to_recordset($1::jsonb) AS r(org_id text, policy_id text, repository text, position int,
            commit_sha text, revision int, removed_lines text, code_ids jsonb, uses text)
       WHERE (c.org_id, c.policy_id, c.repository) = (r.org_id, r.policy_id, r.repository)
         AND (c.position, c.commit_sha) = (r.position, r.commit_sha) AND c.revision < r.revision`,
      [rows],
    );
  }
  const [stored] = await tx.query<{ count: number }>(
    `SELECT COUNT(*) AS count
       FROM jsonb_to_recordset($1::jsonb) AS g (org_id text, policy_id text, repository text, position int,
            commit_sha text)
       CROSS JOIN LATERAL (
         SELECT 1 FROM judged_commits c
         WHERE (c.org_id, c.policy_id, c.repository) = (g.org_id, g.policy_id, g.repository)
           AND (c.position, c.commit_sha) = (g.position, g.commit_sha) OFFSET 0
       ) there`,
    [rows],
  );
  if (stored!.count !== commits.length) {
    throw new StoreError(
      'judged-commits-conflict',
      'Another process has judged other commits of these repositories meanwhile',
    );
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Forgets commits that were judged before a time. Answers how many. */
export async function expireJudgedCommits(queryable: Queryable, before: Date): Promise<number> {
  const rows = await queryable.query('DELETE FROM judged_commits WHERE judged_at < $1 RETURNING 1', [before]);
  return rows.length;
}
