import type { Queryable } from '@lineprint/persistence';
import {
  commitFiles,
  commitResults,
  type CommitRow,
  type FileRow,
  type ResultRow,
} from '../commits/commits.queries';
import type { TenantView } from '../tenant-view';
import { exportedCommits, exportedDays, exportedRepositories } from './export.queries';

const COMMITS_A_PAGE = 200;
const DAYS_A_PAGE = 100;
const BEFORE_EVERY_DAY = '0001-01-01';

/**
 * Everything that the same input always gives, one JSON object a line: commits by repository and sha, then
 * daily rows, then `{"type":"end"}` with their numbers, by which a reader tells that nothing is missing. What
 * depends on when or where it ran (ids, times of processing, lateness) is left out. With `repository` there
 * are no daily rows: a day sums over repositories.
 */
export async function* exportLines(
  queryable: Queryable,
  view: TenantView,
  repository: string | null,
): AsyncGenerator<string> {
  let commits = 0;
  let days = 0;
  for (const name of await exportedRepositories(queryable, view, repository)) {
    let after = '';
    for (;;) {
      const page = await exportedCommits(queryable, view, name, after, COMMITS_A_PAGE);
      const last = page.at(-1);
      if (!last) break;
      for (const line of await commitLines(queryable, view, name, page)) yield line;
      commits += page.length;
      after = last.sha;
    }
  }
  let after = BEFORE_EVERY_DAY;
  while (repository === null) {
    const page = await exportedDays(queryable, view, after, DAYS_A_PAGE);
    const last = page.at(-1);
    if (!last) break;
    for (const row of page) yield line({ type: 'daily', ...row });
    days += page.length;
    after = last.date;
  }
  yield line({ type: 'end', commits, daily: days });
}

async function commitLines(
  queryable: Queryable,
  view: TenantView,
  repository: string,
  commits: readonly CommitRow[],
): Promise<string[]> {
  const shas = commits.map((commit) => commit.sha);
  const files = groupBySha(await commitFiles(queryable, view, repository, shas));
  const results = groupBySha(await commitResults(queryable, view, repository, shas));
  return commits.map((commit) => {
    const commitResultRows = results.get(commit.sha) ?? [];
    return line({
      type: 'commit',
      ...exportedCommit(commit),
      files: (files.get(commit.sha) ?? []).map((file) =>
        exportedFile(
          file,
          commitResultRows.filter((result) => result.file_path === file.file_path),
        ),
      ),
    });
  });
}

function groupBySha<R extends { commit_sha: string }>(rows: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const group = groups.get(row.commit_sha);
    if (group) group.push(row);
    else groups.set(row.commit_sha, [row]);
  }
  return groups;
}

function exportedCommit(commit: CommitRow) {
  return {
    repository: commit.repository,
    sha: commit.sha,
    project_id: commit.project_id,
    user_id: commit.user_id,
    author_name: commit.author_name,
    author_email: commit.author_email,
    parents: commit.parents,
    authored_at: commit.authored_at.toISOString(),
    committed_at: commit.committed_at.toISOString(),
    branch: commit.branch,
    declared_tool: commit.declared_tool,
    declared_by: commit.declared_by,
  };
}

function exportedFile(file: FileRow, results: readonly ResultRow[]) {
  return {
    path: file.file_path,
    old_path: file.old_path,
    status: file.status,
    language: file.language,
    added_lines: file.added_lines,
    deleted_lines: file.deleted_lines,
    blank_lines: file.blank_lines,
    excluded: file.excluded,
    results: results.map((result) => ({
      ordinal: result.ordinal,
      day: result.day,
      language: result.language,
      matched_code_id: result.matched_code_id,
      match_source: result.match_source,
      model: result.model,
      evidence: result.evidence,
      minhash_similarity: result.minhash_similarity,
      evidence_bits: result.evidence_bits,
      confidence: result.confidence,
      total_lines: result.total_lines,
      ai_preserved_lines: result.ai_preserved_lines,
      ai_modified_lines: result.ai_modified_lines,
      human_new_lines: result.human_new_lines,
      suspect_lines: result.suspect_lines,
      ai_ratio: result.ai_ratio,
    })),
    // jsonb keeps an object's keys in an order of its own.
    lines: file.lines.map(({ start, count, kind, result }) => ({ start, count, kind, result })),
  };
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
