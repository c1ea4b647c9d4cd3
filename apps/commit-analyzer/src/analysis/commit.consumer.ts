import { Controller, Inject, type OnApplicationShutdown } from '@nestjs/common';
import { type ChangedFile, changedLines, encodeRemovedLines, inheritedLines } from '@lineprint/attribution';
import {
  authorId,
  type CandidatesEvent,
  type CommitEvent,
  commitEventSchema,
  type CommitHeader,
  GROUPS,
  REANALYSIS_LIMITS,
  repositoryKey,
  TOPICS,
} from '@lineprint/contracts';
import {
  type Batch,
  type BatchResult,
  ConsumeBatches,
  type DeadLetter,
  EVENT_LOG,
  type EventLog,
  newEvent,
  type LogRecord,
  type ReadEvent,
  readBatch,
} from '@lineprint/event-log';
import { deriveLineKey, type LineKey } from '@lineprint/fingerprint';
import {
  activeLineKeys,
  type AnalysedCommit,
  DATABASE,
  type Database,
  deleteRequests,
  loadProgress,
  loadTenant,
  saveAnalysedCommits,
} from '@lineprint/persistence';
import { type Config, CONFIG, isTransient, LineprintError, type Logger, LOGGER } from '@lineprint/platform';
import { type Coverage, RECALL_INDEX, type RecallIndex } from '@lineprint/recall';
import { type AstFile, openParserPool, type ParserPool } from '@lineprint/syntax';
import { CausalWait } from '../causality/causal-wait';
import { CommitFrequency } from '../frequency/commit-frequency';
import { recallCommits } from '../recall/recall-commits';
import { toCandidateFile } from './candidate-file';
import { type AnalysedFile, analyseContent, analyseFile } from './file-analysis';

/** How soon a commit that waits for the indexer asks again. */
const CAUSAL_RETRY_MS = 50;

/** A commit whose snippets are indexed, or that has waited long enough for them. */
interface ReadyCommit {
  readonly record: LogRecord;
  readonly commit: CommitEvent;
  readonly late: boolean;
  /** Offsets below which its snippets are stored: its horizon, or less where it is late. */
  readonly seen: readonly number[];
}

interface ReadCommit extends ReadyCommit {
  readonly key: LineKey;
  readonly files: readonly AnalysedFile[];
  /** All lines that each of them loses and gets. */
  readonly changes: readonly ChangedFile[];
  /** By index of the file. */
  readonly asts: ReadonlyMap<number, AstFile>;
}

interface RefusedCommit extends DeadLetter {
  readonly commit: CommitEvent;
}

/** Reads each commit's added lines, recalls the snippets they may come from, and passes both on. */
@Controller()
export class CommitConsumer implements OnApplicationShutdown {
  private readonly causality: CausalWait;
  private readonly frequency: CommitFrequency;
  private readonly parser: ParserPool;
  private readonly lineKeys = new Map<string, LineKey>();

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(RECALL_INDEX) private readonly index: RecallIndex,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.causality = new CausalWait(config.causalWaitMs);
    this.frequency = new CommitFrequency(database);
    this.parser = openParserPool({ processes: config.parserProcesses });
  }

  // After the transport has drained: the running batch still parses.
  async onApplicationShutdown(): Promise<void> {
    await this.parser.close();
  }

  @ConsumeBatches({ topic: TOPICS.commits, group: GROUPS.commitAnalyzer, maxRecords: 32 })
  async consume(batch: Batch): Promise<BatchResult> {
    const { events, deadLetters } = readBatch(batch, commitEventSchema);
    // Without the index the indexer stands still: that is no lateness of a snippet.
    const before = await this.index.coverage();
    const { ready, held } = await this.heldBack(events);
    const refused: RefusedCommit[] = [];
    const analysed: ReadCommit[] = [];
    const attempts = await Promise.allSettled(ready.map((item) => this.analyse(item)));
    attempts.forEach((attempt, i) => {
      if (attempt.status === 'fulfilled') {
        analysed.push(attempt.value);
        return;
      }
      const error: unknown = attempt.reason;
      if (isTransient(error) || !(error instanceof LineprintError)) throw error;
      const { record, commit } = ready[i]!;
      refused.push({ record, commit, code: error.code, message: error.message });
    });
    const outgoing = await this.candidates(analysed, before);
    await this.remember(analysed, refused);
    if (outgoing.length > 0) await this.log.append(outgoing);
    if (!held) return { processed: batch.records.length, deadLetters: [...deadLetters, ...refused] };
    const processed = batch.records.findIndex((record) => record.offset === held.offset);
    return {
      processed,
      deadLetters: [...deadLetters.filter(({ record }) => record.offset < held.offset), ...refused],
      retryAfterMs: CAUSAL_RETRY_MS,
    };
  }

  /** The leading commits whose snippets are indexed, and the first that must wait. */
  private async heldBack(events: readonly ReadEvent<CommitEvent>[]): Promise<{
    ready: ReadyCommit[];
    held: LogRecord | undefined;
  }> {
    const progress = await this.indexed(events);
    const now = Date.now();
    const ready: ReadyCommit[] = [];
    for (const { record, event } of events) {
      const verdict = this.causality.judge(record, event.snippetHorizon, progress, now);
      if (verdict === 'wait') return { ready, held: record };
      if (verdict === 'late')
        this.logger.warn({ sha: event.sha }, 'the causal wait ran out; the result is late');
      const late = verdict === 'late';
      const seen = late ? await this.stored(event.snippetHorizon) : event.snippetHorizon;
      ready.push({ record, commit: event, late, seen });
    }
    return { ready, held: undefined };
  }

  /**
   * How far the indexer's effects reach: its published progress, or where that does not cover the batch what it
   * has committed to the log. The latter alone counts for records from before this database.
   */
  private async indexed(events: readonly ReadEvent<CommitEvent>[]): Promise<Map<number, number>> {
    const progress = await loadProgress(this.database, GROUPS.indexer, TOPICS.snippets);
    const covered = events.every(({ event }) =>
      event.snippetHorizon.every((end, partition) => (progress.get(partition) ?? 0) >= end),
    );
    if (covered) return progress;
    const committed = await this.log.committed(GROUPS.indexer, TOPICS.snippets);
    committed.forEach((next, partition) =>
      progress.set(partition, Math.max(next, progress.get(partition) ?? 0)),
    );
    return progress;
  }

  /** What of the snippets below a horizon is stored: the others would come unseen. */
  private async stored(horizon: readonly number[]): Promise<number[]> {
    const progress = await loadProgress(this.database, GROUPS.indexer, TOPICS.snippets);
    return horizon.map((end, partition) => Math.min(end, progress.get(partition) ?? 0));
  }

  private async analyse(item: ReadyCommit): Promise<ReadCommit> {
    const key = await this.lineKey(item.commit.tenant);
    const contents = item.commit.files.map((file) => analyseContent(file, key));
    const changes = item.commit.files.map((file, index) => changedLines(file, key, contents[index]));
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
    const answers = await this.parser.astChunks(parsed.map(({ request }) => request));
    const asts = new Map(parsed.map(({ index }, i) => [index, answers[i]!]));
    for (const [index, { status }] of asts) {
      if (status !== 'timeout' && status !== 'crashed') continue;
      const { sha } = item.commit;
      this.logger.warn({ sha, file: index, status }, 'a file could not be parsed; a replay may differ');
    }
    return { ...item, key, files, changes, asts };
  }

  private async candidates(analysed: readonly ReadCommit[], before: Coverage) {
    if (analysed.length === 0) return [];
    const candidates = await recallCommits(this.index, this.database, analysed, before);
    const surroundings = await this.frequency.count(analysed);
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
        files: files.map((file, index) =>
          toCandidateFile(file, around.files[index]!, isSearched.has(index), asts.get(index)),
        ),
        candidates: candidates[i]!,
      };
      return newEvent({
        topic: TOPICS.candidates,
        key: repositoryKey(commit.tenant, commit.repository),
        tenant: commit.tenant,
        source: 'commit-analyzer',
        value: event,
        traceparent: record.headers['traceparent'],
      });
    });
  }

  /** What the commits have seen, for the snippets that come after them; what is refused does not come again. */
  private async remember(analysed: readonly ReadCommit[], refused: readonly RefusedCommit[]): Promise<void> {
    const commits = analysed.filter(({ commit }) => !commit.baseline).map(analysedCommit);
    if (commits.length === 0 && refused.length === 0) return;
    await this.database.transaction(async (tx) => {
      await saveAnalysedCommits(tx, commits, REANALYSIS_LIMITS);
      await deleteRequests(
        tx,
        refused.map(({ commit }) => ({ ...commit, orgId: commit.tenant })),
      );
    });
  }

  private async lineKey(tenant: string): Promise<LineKey> {
    const known = this.lineKeys.get(tenant);
    if (known) return known;
    const stored = (await activeLineKeys(this.database, tenant))[0];
    if (!stored) {
      // An organisation may get its key any moment; one that is not there must not hold up everyone else's.
      const known = (await loadTenant(this.database, tenant)) !== null;
      throw new LineprintError(
        known ? 'line-key-missing' : 'tenant-unknown',
        known
          ? `Organisation ${tenant} has no key for line prints. Run \`lineprint admin init\`.`
          : `Organisation ${tenant} is not in this database.`,
        { transient: known },
      );
    }
    const key = deriveLineKey(stored.secret, stored.keyId);
    this.lineKeys.set(tenant, key);
    return key;
  }
}

function analysedCommit({ record, commit, late, seen }: ReadCommit): AnalysedCommit {
  const { tenant, repository, sha, projectId, committedAt, revision = 0, snippetHorizon } = commit;
  return {
    orgId: tenant,
    repository,
    sha,
    projectId,
    committedAt,
    partition: record.partition,
    offset: record.offset,
    revision,
    horizon: seen,
    needed: late ? snippetHorizon : [],
  };
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
