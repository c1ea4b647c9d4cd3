import type { FileLineage, LineOrigin } from '@lineprint/attribution';
import type { Queryable, Row } from '@lineprint/persistence';
import { loadLineTree } from '@lineprint/results';
import { attributedLines } from '../commits/attributed-lines';
import { changedFiles, type FileRow } from '../commits/commits.queries';
import type { TenantView } from '../tenant-view';
import type { JudgedFile, Verdicts } from './labelled-lines';

/** Where the ledger of a repository stands. */
export interface LedgerTip extends Row {
  ref: string;
  sha: string;
  project_id: string;
  is_default: boolean;
}

const TIPS = `
  SELECT h.ref, h.sha, h.project_id, h.ref IS NOT DISTINCT FROM c.default_ref AS is_default
  FROM line_heads h
  JOIN counted_repositories c ON c.org_id = h.org_id AND c.repository = h.repository
  WHERE h.org_id = $1 AND h.repository = $2
  ORDER BY is_default DESC, h.ref COLLATE "C"`;

/** The branches of a repository whose lines are followed, the default one first. */
export async function ledgerTips(
  queryable: Queryable,
  { orgId }: TenantView,
  repository: string,
): Promise<LedgerTip[]> {
  return queryable.query<LedgerTip>(TIPS, [orgId, repository]);
}

const OWN_PROJECT = `
  SELECT EXISTS (
    SELECT 1 FROM commits WHERE org_id = $1 AND user_id = ANY ($2::text[]) AND project_id = $3
  ) AS own`;

/** Whether a person has a commit in a project. */
export async function worksOn(
  queryable: Queryable,
  orgId: string,
  people: readonly string[],
  projectId: string,
): Promise<boolean> {
  const [row] = await queryable.query<{ own: boolean }>(OWN_PROJECT, [orgId, people, projectId]);
  return row?.own === true;
}

interface RunRow extends Row {
  line_count: number;
  origin_commit: string | null;
  origin_path: string | null;
  origin_line: number | null;
}

const RUNS = `
  SELECT line_count, origin_commit, origin_path, origin_line
  FROM head_runs
  WHERE org_id = $1 AND repository = $2 AND ref = $3 AND path = $4
  ORDER BY start_line`;

/** Where the lines of a file at a branch's tip were added; empty where there is no such file. */
export async function lineageAtTip(
  queryable: Queryable,
  { orgId }: TenantView,
  repository: string,
  ref: string,
  path: string,
): Promise<FileLineage> {
  const rows = await queryable.query<RunRow>(RUNS, [orgId, repository, ref, path]);
  return rows.map(({ line_count: count, origin_commit, origin_path, origin_line }) =>
    origin_commit === null
      ? { origin: undefined, line: 0, count }
      : { origin: { commit: origin_commit, path: origin_path! }, line: origin_line!, count },
  );
}

/**
 * The same of any commit in the history of a branch that counts.
 * @returns empty where there is no such file, undefined where the commit has not been followed
 */
export async function lineageAt(
  queryable: Queryable,
  { orgId }: TenantView,
  repository: string,
  sha: string,
  path: string,
): Promise<FileLineage | undefined> {
  const tree = await loadLineTree(queryable, { orgId, repository }, sha);
  return tree && (tree.get(path) ?? []);
}

/** What the view's policy says of the files in which lines were added, and of those that they were copied from. */
export async function verdictsOn(
  queryable: Queryable,
  view: TenantView,
  repository: string,
  origins: readonly LineOrigin[],
): Promise<Verdicts> {
  const files = await judgedFiles(queryable, view, repository, origins);
  const copied = origins.flatMap(({ commit, path }) =>
    (files.get(keyOf(commit, path))?.inherited ?? []).flatMap((range) =>
      range.how === 'copied' ? [{ commit: range.fromCommit, path }] : [],
    ),
  );
  const originals = await judgedFiles(queryable, view, repository, copied);
  return (commit, path) => files.get(keyOf(commit, path)) ?? originals.get(keyOf(commit, path));
}

const keyOf = (commit: string, path: string) => `${commit}:${path}`;

async function judgedFiles(
  queryable: Queryable,
  view: TenantView,
  repository: string,
  origins: readonly LineOrigin[],
): Promise<Map<string, JudgedFile>> {
  const changed = await changedFiles(queryable, view, repository, origins);
  return new Map(
    changed.map(({ file, results }) => [
      keyOf(file.commit_sha, file.file_path),
      judgedFile(file, attributedLines(file, results)),
    ]),
  );
}

function judgedFile({ excluded, inherited }: FileRow, ranges: JudgedFile['ranges']): JudgedFile {
  return { excluded, inherited, ranges: [...ranges].sort((a, b) => a.start - b.start) };
}

export interface AuthorRow extends Row {
  sha: string;
  author_name: string;
  user_id: string;
  authored_at: Date;
}

/** Who wrote some commits, and when. */
export async function authorsOf(
  queryable: Queryable,
  { orgId }: TenantView,
  repository: string,
  shas: readonly string[],
): Promise<Map<string, AuthorRow>> {
  const rows = await queryable.query<AuthorRow>(
    `SELECT sha, author_name, user_id, authored_at FROM commits
     WHERE org_id = $1 AND repository = $2 AND sha = ANY ($3::text[])`,
    [orgId, repository, shas],
  );
  return new Map(rows.map((row) => [row.sha, row]));
}

/** Remembers that somebody was shown the text of a file. */
export async function noteCodeRead(
  queryable: Queryable,
  read: { orgId: string; readBy: string | null; repository: string; sha: string; path: string },
): Promise<void> {
  await queryable.query(
    'INSERT INTO code_reads (org_id, read_by, repository, commit_sha, path) VALUES ($1, $2, $3, $4, $5)',
    [read.orgId, read.readBy, read.repository, read.sha, read.path],
  );
}
