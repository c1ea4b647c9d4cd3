import { Controller, Inject } from '@nestjs/common';
import { type CommitEvent, commitEventSchema, GROUPS, REANALYSIS_LIMITS, TOPICS } from '@lineprint/contracts';
import {
  type Batch,
  type BatchResult,
  ConsumeBatches,
  EVENT_LOG,
  type EventLog,
  type LogRecord,
  newRefsEvent,
  type ReadEvent,
  readBatch,
  readRefs,
} from '@lineprint/event-log';
import {
  type AnalysedCommit,
  DATABASE,
  type Database,
  deleteRequests,
  loadProgress,
  saveAnalysedCommits,
} from '@lineprint/persistence';
import { type Config, CONFIG, type Logger, LOGGER } from '@lineprint/platform';
import { RECALL_INDEX, type RecallIndex } from '@lineprint/recall';
import { CausalWait } from '../causality/causal-wait';
import { indexedOffsets } from '../causality/indexed-offsets';
import { CommitFrequency } from '../frequency/commit-frequency';
import { CommitAnalysis, type ReadCommit, type ReadyCommit, type RefusedCommit } from './commit-analysis';
import { Parser } from './parser';

/** How soon a commit that waits for the indexer asks again. */
const CAUSAL_RETRY_MS = 50;

/** Reads each commit's added lines, recalls the snippets they may come from, and passes both on. */
@Controller()
export class CommitConsumer {
  private readonly causality: CausalWait;
  private readonly analysis: CommitAnalysis;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(RECALL_INDEX) private readonly index: RecallIndex,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    parser: Parser,
  ) {
    this.causality = new CausalWait(config.causalWaitMs);
    this.analysis = new CommitAnalysis({
      database,
      index,
      parser: parser.pool,
      frequency: new CommitFrequency(database),
      logger,
      topic: TOPICS.candidates,
    });
  }

  @ConsumeBatches({ topic: TOPICS.commits, group: GROUPS.commitAnalyzer, maxRecords: 128 })
  async consume(batch: Batch): Promise<BatchResult> {
    const { events, deadLetters } = readBatch(batch, commitEventSchema);
    // Without the index the indexer stands still: that is no lateness of a snippet.
    const before = await this.index.coverage();
    const { ready, held } = await this.heldBack(events);
    const { analysed, refused, outgoing } = await this.analysis.analyse(ready, before);
    await this.remember(analysed, refused);
    const taken = held
      ? batch.records.findIndex(({ offset }) => offset === held.offset)
      : batch.records.length;
    const refs = readRefs({ records: batch.records.slice(0, taken) });
    const passedOn = refs.events.map(({ record, event }) => ({
      cause: record,
      record: newRefsEvent({
        topic: TOPICS.candidates,
        source: 'commit-analyzer',
        value: event,
        cause: record,
      }),
    }));
    // What refs name stays between the commits before and after it.
    const records = [...outgoing, ...passedOn].sort((a, b) => a.cause.offset - b.cause.offset);
    if (records.length > 0) await this.log.append(records.map(({ record }) => record));
    const unreadable = held ? deadLetters.filter(({ record }) => record.offset < held.offset) : deadLetters;
    return {
      processed: taken,
      deadLetters: [...unreadable, ...refs.deadLetters, ...refused],
      ...(held ? { retryAfterMs: CAUSAL_RETRY_MS } : {}),
    };
  }

  /** The leading commits whose snippets are indexed, and the first that must wait. */
  private async heldBack(events: readonly ReadEvent<CommitEvent>[]): Promise<{
    ready: ReadyCommit[];
    held: LogRecord | undefined;
  }> {
    const progress = await indexedOffsets(
      this.database,
      this.log,
      events.map(({ event }) => event.snippetHorizon),
    );
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

  /** What of the snippets below a horizon is stored: the others would come unseen. */
  private async stored(horizon: readonly number[]): Promise<number[]> {
    const progress = await loadProgress(this.database, GROUPS.indexer, TOPICS.snippets);
    return horizon.map((end, partition) => Math.min(end, progress.get(partition) ?? 0));
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
