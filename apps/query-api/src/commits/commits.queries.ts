import {
  type AttributedFile,
  type Confidence,
  epochMs,
  type Evidence,
  type fileStatuses,
  type LineRange,
  type Source,
} from '@lineprint/contracts';
import type { Queryable, Row } from '@lineprint/persistence';
import { z } from 'zod';
import { isJudged } from '../judged-commits';
import { Cursor } from '../cursor';
import { groupRows } from '../group-rows';
import type { TenantView } from '../tenant-view';

export interface CommitRow extends Row {
  repository: string;
  sha: string;
  project_id: string;
  user_id: string;
  author_name: string;
  author_email: string;
  parents: string[];
  authored_at: Date;
  committed_at: Date;
  branch: string | null;
  declared_tool: string | null;
  declared_by: string | null;
  late: boolean;
  revision: number;
  counted: boolean;
}

export interface ListedCommitRow extends CommitRow {
  files: number;
  added: number;
  preserved: number;
  modified: number;
  human: number;
  inherited: number;
}

const COMMIT_COLUMNS = `c.repository, c.sha, c.project_id, c.user_id, c.author_name, c.author_email, c.parents,
    c.authored_at, c.committed_at, c.branch, c.declared_tool, c.declared_by, c.late, c.revision,
    c.counted`;

// The page is cut before its lines are summed, so that only its own commits' rows are read.
const COMMIT_PAGE = `
  SELECT c.*, f.files, f.inherited - r.copied AS inherited, r.added, r.preserved, r.modified, r.human
  FROM (
    SELECT ${COMMIT_COLUMNS}
    FROM commits c
    WHERE c.org_id = $1
      AND ${isJudged('$2::text', 'c.repository', 'c.sha')}
      AND ($3::text[] IS NULL OR c.user_id = ANY($3::text[]))
      AND ($4::text IS NULL OR c.repository = $4::text)
      AND ($9::text IS NULL OR c.project_id = $9::text)
      AND ($5::timestamptz IS NULL
        OR (c.authored_at, c.repository COLLATE "C", c.sha) < ($5::timestamptz, $6::text, $7::text))
    ORDER BY c.authored_at DESC, c.repository COLLATE "C" DESC, c.sha DESC
    LIMIT $8
  ) c
  CROSS JOIN LATERAL (
    SELECT COUNT(*) AS files, COALESCE(SUM(inherited_lines), 0) AS inherited
    FROM commit_files
    WHERE org_id = $1 AND policy_id = $2::text AND repository = c.repository AND commit_sha = c.sha
  ) f
  CROSS JOIN LATERAL (
    SELECT COALESCE(SUM(total_lines), 0) AS added,
      COALESCE(SUM(ai_preserved_lines), 0) AS preserved,
      COALESCE(SUM(ai_modified_lines), 0) AS modified,
      COALESCE(SUM(human_new_lines), 0) AS human,
      COALESCE(SUM(total_lines) FILTER (WHERE copied_from <> ''), 0) AS copied
    FROM ai_attribution_results
    WHERE org_id = $1 AND policy_id = $2::text AND repository = c.repository AND commit_sha = c.sha
  ) r
  ORDER BY c.authored_at DESC, c.repository COLLATE "C" DESC, c.sha DESC`;

export const commitCursor = new Cursor(z.tuple([epochMs, z.string(), z.string()]));

export interface CommitFilter {
  readonly repository: string | null;
  readonly projectId: string | null;
  /** Addresses of the authors; null for everybody's. */
  readonly userIds: readonly string[] | null;
}

/** One page of commits with their lines, newest first by author time. */
export async function commitPage(
  queryable: Queryable,
  view: TenantView,
  filter: CommitFilter,
  page: { after: ReturnType<typeof commitCursor.decode> | null; limit: number },
): Promise<ListedCommitRow[]> {
  const [time, repository, sha] = page.after ?? [null, null, null];
  return queryable.query<ListedCommitRow>(COMMIT_PAGE, [
    view.orgId,
    view.policyId,
    filter.userIds,
    filter.repository,
    time === null ? null : new Date(time),
    repository,
    sha,
    page.limit,
    filter.projectId,
  ]);
}

const COMMIT = `
  SELECT ${COMMIT_COLUMNS}
  FROM commits c
  WHERE c.org_id = $1 AND c.repository = $2 AND c.sha = $3 AND ($4::text[] IS NULL OR c.user_id = ANY($4::text[]))
    AND ($6::text[] IS NULL OR c.project_id = ANY($6::text[]))
    AND ${isJudged('$5::text', 'c.repository', 'c.sha')}`;

export async function findCommit(
  queryable: Queryable,
  view: TenantView,
  repository: string,
  sha: string,
): Promise<CommitRow | null> {
  const [row] = await queryable.query<CommitRow>(COMMIT, [
    view.orgId,
    repository,
    sha,
    view.userIds,
    view.policyId,
    view.projects,
  ]);
  return row ?? null;
}

export interface FileRow extends Row {
  commit_sha: string;
  file_path: string;
  old_path: string | null;
  status: (typeof fileStatuses)[number];
  language: string;
  added_lines: number;
  deleted_lines: number;
  blank_lines: number;
  inherited_lines: number;
  excluded: string | null;
  lines: LineRange[];
  inherited: AttributedFile['inherited'];
  explanations: Uint8Array;
}

// Byte order, so that the order of paths does not depend on the database's locale.
const FILE_COLUMNS = `commit_sha, file_path, old_path, status, language, added_lines, deleted_lines, blank_lines,
    inherited_lines, excluded, lines, inherited, explanations`;
const FILES = `
  SELECT ${FILE_COLUMNS}
  FROM commit_files
  WHERE org_id = $1 AND policy_id = $2::text AND repository = $3 AND commit_sha = ANY($4::text[])
  ORDER BY commit_sha COLLATE "C", file_path COLLATE "C"`;

/** The changed files of some commits of one repository, by sha and path. */
export async function commitFiles(
  queryable: Queryable,
  view: TenantView,
  repository: string,
  shas: readonly string[],
): Promise<FileRow[]> {
  return queryable.query<FileRow>(FILES, [view.orgId, view.policyId, repository, shas]);
}

export interface ResultRow extends Row {
  commit_sha: string;
  file_path: string;
  ordinal: number;
  language: string;
  matched_code_id: string | null;
  match_source: Source | null;
  model: string | null;
  evidence: Evidence;
  minhash_similarity: number | null;
  evidence_bits: number;
  confidence: Confidence;
  total_lines: number;
  ai_preserved_lines: number;
  ai_modified_lines: number;
  human_new_lines: number;
  suspect_lines: number;
  ai_ratio: number;
  day: string;
  /** '' on a commit's own rows; the ordinal is that of the commit's named here then. */
  copied_from: string;
}

// REAL becomes NUMERIC here: its text then has the same digits whatever driver reads it.
const RESULT_COLUMNS = `commit_sha, file_path, ordinal, language, matched_code_id, match_source, model, evidence,
    minhash_similarity, evidence_bits::numeric AS evidence_bits, confidence, total_lines, ai_preserved_lines,
    ai_modified_lines, human_new_lines, suspect_lines, ai_ratio, day, copied_from`;
const RESULTS = `
  SELECT ${RESULT_COLUMNS}
  FROM ai_attribution_results
  WHERE org_id = $1 AND policy_id = $2::text AND repository = $3 AND commit_sha = ANY($4::text[])
  ORDER BY commit_sha COLLATE "C", file_path COLLATE "C", copied_from COLLATE "C", ordinal`;

/** The results of some commits of one repository, by sha and path, a commit's own first, and by ordinal. */
export async function commitResults(
  queryable: Queryable,
  view: TenantView,
  repository: string,
  shas: readonly string[],
): Promise<ResultRow[]> {
  return queryable.query<ResultRow>(RESULTS, [view.orgId, view.policyId, repository, shas]);
}

/** A file that a commit changed, by its path after it. */
export interface ChangedFile {
  readonly commit: string;
  readonly path: string;
}

// Each is looked up by key: PGlite, which has no statistics, would join all with all.
const ofChangedFiles = (columns: string, table: string) => `
  SELECT f.*
  FROM UNNEST($4::text[], $5::text[]) AS asked (sha, path)
  CROSS JOIN LATERAL (
    SELECT ${columns} FROM ${table}
    WHERE org_id = $1 AND policy_id = $2::text AND repository = $3 AND commit_sha = asked.sha
      AND file_path = asked.path
    OFFSET 0
  ) f`;

/** Some files of commits of one repository, each with its results, a commit's own first, and by ordinal. */
export async function changedFiles(
  queryable: Queryable,
  view: TenantView,
  repository: string,
  asked: readonly ChangedFile[],
): Promise<{ file: FileRow; results: ResultRow[] }[]> {
  const keyOf = (row: { commit_sha: string; file_path: string }) => `${row.commit_sha}:${row.file_path}`;
  const distinct = new Map(asked.map((file) => [`${file.commit}:${file.path}`, file]));
  if (distinct.size === 0) return [];
  const values = [
    view.orgId,
    view.policyId,
    repository,
    [...distinct.values()].map(({ commit }) => commit),
    [...distinct.values()].map(({ path }) => path),
  ];
  const files = await queryable.query<FileRow>(ofChangedFiles(FILE_COLUMNS, 'commit_files'), values);
  const results = groupRows(
    await queryable.query<ResultRow>(
      `${ofChangedFiles(RESULT_COLUMNS, 'ai_attribution_results')} ORDER BY f.copied_from COLLATE "C", f.ordinal`,
      values,
    ),
    keyOf,
  );
  return files.map((file) => ({ file, results: results.get(keyOf(file)) ?? [] }));
}
