import type { Queryable } from '@lineprint/persistence';
import {
  commitFiles,
  commitResults,
  type CommitRow,
  type FileRow,
  type ResultRow,
} from '../commits/commits.queries';
import { groupRows } from '../group-rows';
import type { TenantView } from '../tenant-view';
import { BEFORE_DAILY, exportedCommits, exportedDaily, exportedRepositories } from './export.queries';
import {
  BEFORE_FILES,
  exportedLives,
  exportedParts,
  followedBranches,
  type FollowedBranch,
  isLedgerKept,
} from './ledger.queries';

const COMMITS_A_PAGE = 200;
const DAILY_A_PAGE = 1000;
const PARTS_A_PAGE = 1000;
const ORIGINS_A_PAGE = 200;

/**
 * Everything that the same input always gives, one JSON object a line: commits by repository and sha, then
 * daily rows, then `{"type":"end"}` with their numbers, by which a reader tells that nothing is missing. What
 * depends on when or where it ran (ids, times of processing, lateness) is left out. With `repository` there
 * are no daily rows: a day sums over repositories.
 *
 * @param withLedger what stands at the tips of branches, and the lives of lines, are there as well, before the end
 */
export async function* exportLines(
  queryable: Queryable,
  view: TenantView,
  repository: string | null,
  withLedger = false,
): AsyncGenerator<string> {
  // Before what it is asked about, so that it is not said of something newer.
  const kept = withLedger && (await isLedgerKept(queryable, view));
  let commits = 0;
  for (const name of await exportedRepositories(queryable, view, repository)) {
    let after = '';
    for (;;) {
      const page = await exportedCommits(queryable, view, name, after, COMMITS_A_PAGE);
      const last = page.at(-1);
      if (!last) break;
      yield* await commitLines(queryable, view, name, page);
      commits += page.length;
      after = last.sha;
    }
  }
  let daily = 0;
  let after = BEFORE_DAILY;
  while (repository === null) {
    const page = await exportedDaily(queryable, view, after, DAILY_A_PAGE);
    const last = page.at(-1);
    if (!last) break;
    yield* page.map((row) => line({ type: 'daily', ...row }));
    daily += page.length;
    after = last;
  }
  if (withLedger) {
    for (const branch of await followedBranches(queryable, view, repository)) {
      yield* branchLines(queryable, view, branch);
    }
  }
  yield line({ type: 'end', commits, daily, ...(withLedger ? { ledger: kept ? 'kept' : 'behind' } : {}) });
}

async function* branchLines(
  queryable: Queryable,
  view: TenantView,
  branch: FollowedBranch,
): AsyncGenerator<string> {
  const { repository, ref } = branch;
  yield line({ type: 'branch', ...branch });
  for (let after = BEFORE_FILES; ;) {
    const page = await exportedParts(queryable, view, branch, after, PARTS_A_PAGE);
    const last = page.at(-1);
    if (!last) break;
    yield* page.map((row) => line({ type: 'head', repository, ref, ...row }));
    after = last;
  }
  for (let after = ''; ;) {
    const page = await exportedLives(queryable, view, branch, after, ORIGINS_A_PAGE);
    const last = page.at(-1);
    if (!last) break;
    yield* page.map((row) => line({ type: 'life', repository, ref, ...row }));
    after = last.origin_commit;
  }
}

async function commitLines(
  queryable: Queryable,
  view: TenantView,
  repository: string,
  commits: readonly CommitRow[],
): Promise<string[]> {
  const shas = commits.map((commit) => commit.sha);
  const files = groupRows(await commitFiles(queryable, view, repository, shas), (file) => file.commit_sha);
  const results = groupRows(
    await commitResults(queryable, view, repository, shas),
    (result) => `${result.commit_sha} ${result.file_path}`,
  );
  return commits.map((commit) =>
    line({
      type: 'commit',
      ...exportedCommit(commit),
      files: (files.get(commit.sha) ?? []).map((file) =>
        exportedFile(file, results.get(`${commit.sha} ${file.file_path}`) ?? []),
      ),
    }),
  );
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
    ...(commit.counted ? {} : { provisional: true }),
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
    inherited_lines: file.inherited_lines,
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
      ...(result.copied_from === '' ? {} : { copied_from: result.copied_from }),
    })),
    // jsonb keeps an object's keys in an order of its own.
    lines: file.lines.map(({ start, count, kind, result }) => ({ start, count, kind, result })),
    inherited: file.inherited.map((range) =>
      range.how === 'copied'
        ? {
            start: range.start,
            count: range.count,
            how: range.how,
            fromCommit: range.fromCommit,
            fromLine: range.fromLine,
          }
        : {
            start: range.start,
            count: range.count,
            how: range.how,
            fromFile: range.fromFile,
            fromLine: range.fromLine,
          },
    ),
    explanations: Buffer.from(file.explanations).toString('base64'),
  };
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
