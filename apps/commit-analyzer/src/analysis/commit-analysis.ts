import { setImmediate } from 'node:timers/promises';
import { type ChangedFile, changedLines, encodeRemovedLines, inheritedLines } from '@lineprint/attribution';
import {
  authorId,
  type CandidatesEvent,
  type CommitEvent,
  type CommitHeader,
  repositoryKey,
} from '@lineprint/contracts';
import { type DeadLetter, type LogRecord, newEvent, type OutgoingRecord } from '@lineprint/event-log';
import { deriveLineKey, type LineKey } from '@lineprint/fingerprint';
import { activeLineKeys, type Database, loadTenant } from '@lineprint/persistence';
import { isTransient, LineprintError, type Logger } from '@lineprint/platform';
import type { Coverage, RecallIndex } from '@lineprint/recall';
import type { AstFile, ParserPool } from '@lineprint/syntax';
import type { CommitFrequency } from '../frequency/commit-frequency';
import { recallCommits } from '../recall/recall-commits';
import { type Analyse, AnalysedTexts } from './analysed-texts';
import { followedLines, toCandidateFile } from './candidate-file';
import { type AnalysedFile, analyseContent, analyseFile } from './file-analysis';

/** A commit whose snippets are indexed, or that has waited long enough for them. */
export interface ReadyCommit {
  readonly record: LogRecord;
  readonly commit: CommitEvent;
  readonly late: boolean;
  /** Offsets below which its snippets are stored: its horizon, or less where it is late. */
  readonly seen: readonly number[];
}

/** The same with what was read of its files. */
export interface ReadCommit extends ReadyCommit {
  readonly key: LineKey;
  readonly files: readonly AnalysedFile[];
  /** All lines that each of them loses and gets. */
  readonly changes: readonly ChangedFile[];
  /** By index of the file. */
  readonly asts: ReadonlyMap<number, AstFile>;
}

/** A commit that cannot be analysed. */
export interface RefusedCommit extends DeadLetter {
  readonly commit: CommitEvent;
}

export interface CommitAnalysisOptions {
  readonly database: Database;
  readonly index: RecallIndex;
  readonly parser: ParserPool;
  readonly frequency: CommitFrequency;
  readonly logger: Logger;
  /** Where the candidates go. */
  readonly topic: string;
}

/** What became of the commits of a batch. */
export interface AnalysedBatch {
  readonly analysed: readonly ReadCommit[];
  readonly refused: readonly RefusedCommit[];
  /** The candidates of those analysed, in their order; baselines have none. */
  readonly outgoing: readonly OutgoingCandidates[];
}

export interface OutgoingCandidates {
  /** The commit's. */
  readonly cause: LogRecord;
  readonly record: OutgoingRecord;
}

/** From commits to their candidates: the same for live ones and for a replay. */
export class CommitAnalysis {
  private readonly texts = new AnalysedTexts();
  private readonly tenants = new Map<string, { key: LineKey; analyse: Analyse }>();

  constructor(private readonly options: CommitAnalysisOptions) {}

  /**
   * Analyses commits, and counts their lines. Throws what is transient, and `recall-incomplete` as `recallCommits`.
   *
   * @param commits in the order of the log
   * @param before the index's coverage before they were found ready
   */
  async analyse(commits: readonly ReadyCommit[], before: Coverage): Promise<AnalysedBatch> {
    const refused: RefusedCommit[] = [];
    const analysed: ReadCommit[] = [];
    const reading: Promise<ReadCommit>[] = [];
    for (const commit of commits) {
      const read = this.read(commit);
      // It is looked at below; until then a failure is no unhandled one.
      read.catch(() => undefined);
      reading.push(read);
      // Reading takes milliseconds: whoever asks this process for something meanwhile waits for one commit, not for all.
      await setImmediate();
    }
    const attempts = await Promise.allSettled(reading);
    attempts.forEach((attempt, i) => {
      if (attempt.status === 'fulfilled') {
        analysed.push(attempt.value);
        return;
      }
      const error: unknown = attempt.reason;
      if (isTransient(error) || !(error instanceof LineprintError)) throw error;
      const { record, commit } = commits[i]!;
      refused.push({ record, commit, code: error.code, message: error.message });
    });
    return { analysed, refused, outgoing: await this.candidates(analysed, before) };
  }

  private async read(item: ReadyCommit): Promise<ReadCommit> {
    const { key, analyse } = await this.tenant(item.commit.tenant);
    const contents = item.commit.files.map((file) => analyseContent(file, analyse));
    const changes = item.commit.files.map((file, index) => changedLines(file, key, contents[index], analyse));
    // Nobody's work: there is nothing to look for.
    if (item.commit.baseline) return { ...item, key, files: [], changes, asts: new Map() };
    const inherited = inheritedLines(changes);
    const files = item.commit.files.map((file, index) =>
      analyseFile(file, key, inherited[index], contents[index]),
    );
    const parsed = item.commit.files.flatMap((file, index) => {
      const analysed = files[index]!;
      if (file.content === undefined || analysed.spans.length === 0) return [];
      return [
        {
          index,
          request: {
            language: analysed.candidateFile.language,
            content: file.content,
            ranges: [...analysed.spans],
          },
        },
      ];
    });
    const answers = await this.options.parser.astChunks(parsed.map(({ request }) => request));
    const asts = new Map(parsed.map(({ index }, i) => [index, answers[i]!]));
    for (const [index, { status }] of asts) {
      if (status !== 'timeout' && status !== 'crashed') continue;
      const { sha } = item.commit;
      this.options.logger.warn(
        { sha, file: index, status },
        'a file could not be parsed; a replay may differ',
      );
    }
    return { ...item, key, files, changes, asts };
  }

  private async candidates(analysed: readonly ReadCommit[], before: Coverage): Promise<OutgoingCandidates[]> {
    if (analysed.length === 0) return [];
    const candidates = await recallCommits(this.options.index, this.options.database, analysed, before);
    const surroundings = await this.options.frequency.count(analysed);
    return analysed.flatMap((item, i) => {
      const around = surroundings.get(item);
      if (!around) return [];
      const { record, commit, late, files, changes, asts } = item;
      const isSearched = new Set(candidates[i]!.map(({ file }) => file));
      const removedLines = encodeRemovedLines(changes);
      const event: CandidatesEvent = {
        commit: header(commit, late),
        repositoryLines: around.repositoryLines,
        ...(removedLines === '' ? {} : { removedLines }),
        files: files.map((file, index) => ({
          ...toCandidateFile(file, around.files[index]!, isSearched.has(index), asts.get(index)),
          ...followedLines(commit, commit.files[index]!, file.candidateFile),
        })),
        candidates: candidates[i]!,
        ...(commit.merged ? { merged: commit.merged } : {}),
      };
      return {
        cause: record,
        record: newEvent({
          topic: this.options.topic,
          key: repositoryKey(commit.tenant, commit.repository),
          tenant: commit.tenant,
          source: 'commit-analyzer',
          value: event,
          cause: record,
        }),
      };
    });
  }

  /** The line key of an organisation, and how its texts are read. */
  private async tenant(tenant: string): Promise<{ key: LineKey; analyse: Analyse }> {
    const loaded = this.tenants.get(tenant);
    if (loaded) return loaded;
    const stored = (await activeLineKeys(this.options.database, tenant))[0];
    if (!stored) {
      // An organisation may get its key any moment; one that is not there must not hold up everyone else's.
      const known = (await loadTenant(this.options.database, tenant)) !== null;
      throw new LineprintError(
        known ? 'line-key-missing' : 'tenant-unknown',
        known
          ? `Organisation ${tenant} has no key for line prints. Run \`lineprint admin init\`.`
          : `Organisation ${tenant} is not in this database.`,
        { transient: known },
      );
    }
    const key = deriveLineKey(stored.secret, stored.keyId);
    const entry = { key, analyse: this.texts.reader(tenant, key) };
    this.tenants.set(tenant, entry);
    return entry;
  }
}

function header(commit: CommitEvent, late: boolean): CommitHeader {
  return {
    tenant: commit.tenant,
    projectId: commit.projectId,
    repository: commit.repository,
    sha: commit.sha,
    parents: commit.parents,
    authorName: commit.authorName,
    authorEmail: commit.authorEmail,
    userId: authorId(commit),
    authoredAt: commit.authoredAt,
    committedAt: commit.committedAt,
    ...(commit.branch ? { branch: commit.branch } : {}),
    ...(commit.declared ? { declared: commit.declared } : {}),
    late,
    ...(commit.revision === undefined ? {} : { revision: commit.revision }),
  };
}
