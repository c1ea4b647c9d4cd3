import { authorId, type BatchAnswer, type CodeFingerprint, type CommitPush } from '@lineprint/contracts';
import { captureHunks } from '@lineprint/capture';
import type { LineKey } from '@lineprint/fingerprint';
import { LineprintError } from '@lineprint/platform';
import { gitAddedLines } from './added-lines';
import type { DeclarationPattern } from './declaration';
import { declaredHunks, withDeclaredLines } from './declared-lines';
import type { LineRecords } from './line-records';
import { readCommits } from './read-commits';
import type { CommitRef, Repository } from './repository';

/**
 * Commits sent at a time. A window's fingerprints are acknowledged before its commits are sent, so which
 * snippets precede a commit depends on the history alone, never on timing: two runs give the same answer.
 */
const WINDOW_COMMITS = 40;
const WINDOW_BYTES = 8 * 1024 * 1024;

/** Where a history goes: `LineprintClient` by HTTP, ingest itself for its mirrors. */
export interface HistorySink {
  sendFingerprints(items: readonly CodeFingerprint[]): Promise<BatchAnswer>;
  /** Takes commits in the order in which they are to be analysed. */
  sendCommits(commits: readonly CommitPush[]): Promise<BatchAnswer>;
}

export interface HistoryOptions {
  readonly repository: Repository;
  /** The name that results carry. */
  readonly name: string;
  readonly projectId?: string;
  readonly sink: HistorySink;
  readonly lineKey: LineKey;
  readonly declarations: readonly DeclarationPattern[];
  readonly branch?: string;
  /** What records beside the commits say of single lines. */
  readonly records?: Pick<LineRecords, 'of'>;
  /** What clients captured between a commit and the one before it, beside what commits declare. */
  readonly capturedBefore?: (sha: string) => readonly CodeFingerprint[];
  readonly onProgress?: (progress: HistoryProgress) => void | Promise<void>;
  readonly signal?: AbortSignal;
}

/** Every commit up to `sha` is acknowledged, refused or could not be read. */
export interface HistoryProgress {
  /** Of `refs`, from the first. */
  readonly done: number;
  /** Of those: taken by the server. */
  readonly accepted: number;
  readonly sha: string;
}

export interface HistoryReport {
  /** Commits and merges that the server took. */
  accepted: number;
  /** Commits with at most one parent that were sent. */
  commits: number;
  merges: number;
  /** Commits that git could not read. */
  skipped: { sha: string; reason: string }[];
  /** Commits that the server refused. */
  refused: { sha: string; code: string; detail: string }[];
  fingerprints: number;
  /** Commits that name an AI, for all their lines or for some. */
  declared: number;
  /** Lines that commits with at most one parent add to counted files, blank ones included. */
  addedLines: number;
  /** The same of merges: lines that none of their parents has. */
  mergeAddedLines: number;
  /** `sha path` of each file that does not count. */
  uncounted: Set<string>;
  stopped: boolean;
}

interface Window {
  commits: CommitPush[];
  fingerprints: CodeFingerprint[];
  bytes: number;
  /** Read so far, skipped ones included. */
  read: number;
  lastSha: string;
}

/** Pushes commits oldest first, those that declare an AI with the fingerprints a client would have sent. */
export async function sendHistory(
  refs: readonly CommitRef[],
  options: HistoryOptions,
): Promise<HistoryReport> {
  const report: HistoryReport = {
    accepted: 0,
    commits: 0,
    merges: 0,
    skipped: [],
    refused: [],
    fingerprints: 0,
    declared: 0,
    addedLines: 0,
    mergeAddedLines: 0,
    uncounted: new Set(),
    stopped: false,
  };
  const shas = refs.map(({ sha }) => sha);
  let done = 0;
  let window = emptyWindow();
  let sending: Promise<void> = Promise.resolve();
  // The next window is read from git while this one is on its way; windows never overtake each other.
  const flush = async () => {
    await sending;
    const full = window;
    window = emptyWindow();
    sending = send(full, options, report).then(async () => {
      done += full.read;
      await options.onProgress?.({ done, accepted: report.accepted, sha: full.lastSha });
    });
    // Handled where it is awaited; this keeps a failure in between from ending the process.
    sending.catch(() => undefined);
  };
  for await (const read of readCommits(options.repository, shas, { declarations: options.declarations })) {
    window.read++;
    if (read.kind === 'skipped') {
      report.skipped.push({ sha: read.sha, reason: read.reason });
      window.lastSha = read.sha;
    } else {
      const commit: CommitPush = {
        ...withDeclaredLines(read.commit, await options.records?.of(read.commit.sha)),
        repository: options.name,
        ...(options.projectId ? { projectId: options.projectId } : {}),
        ...(options.branch ? { branch: options.branch } : {}),
      };
      const fingerprints = [
        ...(options.capturedBefore?.(commit.sha) ?? []),
        ...declaredFingerprints(commit, options),
      ];
      window.commits.push(commit);
      window.fingerprints.push(...fingerprints);
      window.lastSha = commit.sha;
      window.bytes += commit.files.reduce((sum, file) => sum + (file.content?.length ?? 0), 0);
      count(report, commit, fingerprints.length);
    }
    if (window.read >= WINDOW_COMMITS || window.bytes >= WINDOW_BYTES) await flush();
    if (options.signal?.aborted) {
      report.stopped = true;
      break;
    }
  }
  if (window.read > 0 && !report.stopped) await flush();
  await sending;
  return report;
}

function emptyWindow(): Window {
  return { commits: [], fingerprints: [], bytes: 0, read: 0, lastSha: '' };
}

async function send(window: Window, options: HistoryOptions, report: HistoryReport): Promise<void> {
  if (window.fingerprints.length > 0) {
    const answer = await options.sink.sendFingerprints(window.fingerprints);
    const refused = answer.rejected[0];
    if (refused) {
      throw new LineprintError(
        refused.code,
        `The server refused ${answer.rejected.length} fingerprints; the first: ${refused.detail}`,
      );
    }
  }
  if (window.commits.length > 0) {
    const answer = await options.sink.sendCommits(window.commits);
    report.accepted += answer.accepted;
    for (const { index, code, detail } of answer.rejected) {
      report.refused.push({ sha: window.commits[index]!.sha, code, detail });
    }
  }
}

function count(report: HistoryReport, commit: CommitPush, fingerprints: number): void {
  let added = 0;
  for (const file of commit.files) {
    if (file.excluded || file.binary) report.uncounted.add(uncountedKey(commit.sha, file.path));
    else added += file.addedLines;
  }
  if (commit.parents.length > 1) {
    report.merges++;
    report.mergeAddedLines += added;
  } else {
    report.commits++;
    report.addedLines += added;
  }
  report.fingerprints += fingerprints;
  if (commit.declared || commit.files.some((file) => file.declaredLines)) report.declared++;
}

function uncountedKey(sha: string, path: string): string {
  return `${sha} ${path}`;
}

/** What the AI's client would have sent when it made this commit's lines. */
function declaredFingerprints(commit: CommitPush, options: HistoryOptions): CodeFingerprint[] {
  if (commit.parents.length > 1) return [];
  return commit.files.flatMap((file, index) => {
    const { content } = file;
    if (content === undefined) return [];
    return declaredHunks(file, commit.declared).flatMap(({ source, model, hunks }, author) =>
      captureHunks({
        content,
        hunks,
        path: file.path,
        source,
        sessionId: commit.sha,
        // A number of its own for each file and author; the first author's is the file's.
        toolCallIndex: index + author * commit.files.length,
        userId: authorId(commit),
        ...(options.projectId ? { projectId: options.projectId } : {}),
        repository: options.name,
        ...(model ? { model } : {}),
        timestamp: commit.committedAt,
        lineKey: options.lineKey,
        declaredBy: commit.sha,
        client: { name: 'lineprint-backfill', version: '1' },
      }),
    );
  });
}

export interface GitCheck {
  /** What the pusher read. */
  readonly addedLines: number;
  /** Git's own count of the same files. */
  readonly gitAddedLines: number;
  readonly commits: number;
  readonly equal: boolean;
}

/**
 * Compares added lines with git's own count (`--numstat`) over the counted files of commits with at most
 * one parent. Commits that could not be read are left out on both sides.
 */
export async function checkAgainstGit(
  refs: readonly CommitRef[],
  repository: Repository,
  report: HistoryReport,
): Promise<GitCheck> {
  const skipped = new Set(report.skipped.map(({ sha }) => sha));
  const shas = refs
    .filter(({ sha, parents }) => parents.length <= 1 && !skipped.has(sha))
    .map(({ sha }) => sha);
  const git = await gitAddedLines(
    repository,
    shas,
    (path, sha) => !report.uncounted.has(uncountedKey(sha, path)),
  );
  return {
    addedLines: report.addedLines,
    gitAddedLines: git.added,
    commits: git.commits,
    equal: git.added === report.addedLines,
  };
}
