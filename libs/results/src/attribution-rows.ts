import { AttributionError, decodeExplanations } from '@lineprint/attribution';
import type { AttributedFile, AttributionEvent, AttributionResult } from '@lineprint/contracts';
import { LineprintError, localDay } from '@lineprint/platform';
import type { CopyRow } from './copied-results';
import type { CommitRow, FileRow, ResultRow, VerdictRow } from './results.queries';

export interface TenantClock {
  readonly timeZone: string;
  readonly dayBy: 'author' | 'committer';
}

export interface CommitRows {
  readonly commit: CommitRow;
  readonly verdict: VerdictRow;
  readonly files: readonly FileRow[];
  readonly results: readonly ResultRow[];
  readonly copies: readonly CopyRow[];
}

/**
 * The rows of one verdict.
 * @throws LineprintError `lines-do-not-reconcile` when a file's results do not add up to its added lines, or its
 * explanations to its matched lines, `path-repeated` when two files have one path
 */
export function attributionRows(event: AttributionEvent, clock: TenantClock): CommitRows {
  const { commit, policy } = event;
  const { revision = 0 } = commit;
  if (new Set(event.files.map(({ path }) => storable(path))).size < event.files.length) {
    throw new LineprintError('path-repeated', `${commit.sha} names a file twice; only one could be stored.`);
  }
  const time = clock.dayBy === 'committer' ? commit.committedAt : commit.authoredAt;
  const timestamp = new Date(time).toISOString();
  const day = localDay(time, clock.timeZone);
  const shared = {
    org_id: commit.tenant,
    policy_id: policy,
    repository: commit.repository,
    commit_sha: commit.sha,
  };
  return {
    commit: {
      org_id: commit.tenant,
      repository: commit.repository,
      sha: commit.sha,
      project_id: commit.projectId,
      user_id: storable(commit.userId),
      author_name: storable(commit.authorName),
      author_email: storable(commit.authorEmail),
      parents: commit.parents,
      authored_at: new Date(commit.authoredAt).toISOString(),
      committed_at: new Date(commit.committedAt).toISOString(),
      branch: commit.branch ?? null,
      declared_tool: commit.declared?.tool ?? null,
      declared_by: commit.declared?.by ?? null,
      late: commit.late,
      revision,
    },
    verdict: { ...shared, revision },
    files: event.files.map((file) => ({
      ...shared,
      file_path: storable(file.path),
      old_path: file.oldPath === undefined ? null : storable(file.oldPath),
      status: file.status,
      language: file.language,
      added_lines: file.addedLines,
      deleted_lines: file.deletedLines,
      blank_lines: file.blankLines,
      inherited_lines: file.inheritedLines,
      excluded: file.excluded ?? null,
      lines: file.lines,
      inherited: file.inherited.map((range) =>
        range.how === 'copied' || range.fromFile === undefined
          ? range
          : { ...range, fromFile: storable(range.fromFile) },
      ),
      explanations: file.explanations,
    })),
    results: event.files.flatMap((file) => {
      reconcile(commit.sha, file);
      return file.results.map((result, ordinal) => ({
        ...shared,
        file_path: storable(file.path),
        user_id: storable(commit.userId),
        project_id: commit.projectId,
        ordinal,
        language: file.language,
        matched_code_id: result.codeId,
        match_source: result.source,
        model: result.model ?? null,
        evidence: result.evidence,
        minhash_similarity: result.similarity === null ? null : round3(result.similarity),
        evidence_bits: Math.round(result.bits * 100) / 100,
        confidence: result.confidence,
        total_lines: linesOf(result),
        ai_preserved_lines: result.preserved,
        ai_modified_lines: result.modified,
        human_new_lines: result.human,
        suspect_lines: result.suspect,
        ai_ratio: ratioOf(result),
        day,
        commit_timestamp: timestamp,
        copied_from: '',
        counted: true,
      }));
    }),
    copies: [...originalsOf(event)].map((fromCommit) => ({
      ...shared,
      from_commit: fromCommit,
      day,
      commit_timestamp: timestamp,
    })),
  };
}

/** The commits that lines of this one are copies from. */
function originalsOf({ files }: AttributionEvent): Set<string> {
  const ranges = files.flatMap(({ inherited }) => inherited);
  return new Set(ranges.flatMap((range) => (range.how === 'copied' ? [range.fromCommit] : [])));
}

type LineCounts = Pick<AttributionResult, 'preserved' | 'modified' | 'human'>;

function linesOf(result: LineCounts): number {
  return result.preserved + result.modified + result.human;
}

/** The seed's formula: kept lines count whole, changed ones half. */
export function ratioOf(result: LineCounts): number {
  const lines = linesOf(result);
  return lines === 0 ? 0 : round3((result.preserved + 0.5 * result.modified) / lines);
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Postgres stores neither U+0000 nor half of a surrogate pair, which a hostile name may hold. */
function storable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

function reconcile(sha: string, file: AttributedFile): void {
  const byResult = file.results.reduce((sum, result) => sum + linesOf(result), 0);
  const byRange = file.lines.reduce((sum, range) => sum + range.count, 0);
  const inherited = file.inherited.reduce((sum, range) => sum + range.count, 0);
  const isCounted = file.excluded === undefined && file.status !== 'deleted';
  const counted = isCounted ? file.addedLines - file.blankLines - file.inheritedLines : 0;
  if (byResult !== counted || byRange !== counted || inherited !== file.inheritedLines) {
    throw new LineprintError(
      'lines-do-not-reconcile',
      `${sha} ${file.path}: ${counted} lines count, results hold ${byResult}, line ranges ${byRange}; ` +
        `${file.inheritedLines} are inherited, their ranges hold ${inherited}.`,
    );
  }
  const matched = file.lines.reduce(
    (sum, range) => sum + (file.results[range.result]?.evidence === 'matched' ? range.count : 0),
    0,
  );
  const explained = explanationCount(file.explanations);
  if (explained !== matched) {
    throw new LineprintError(
      'lines-do-not-reconcile',
      `${sha} ${file.path}: ${matched} lines are matched, ${explained ?? 'no'} explanations can be read.`,
    );
  }
}

/** Undefined where they are malformed. */
function explanationCount(explanations: string): number | undefined {
  try {
    return decodeExplanations(explanations).length;
  } catch (error) {
    if (error instanceof AttributionError) return undefined;
    throw error;
  }
}
