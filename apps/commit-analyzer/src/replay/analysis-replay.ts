import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import {
  commitEventSchema,
  replayAnalysisGroup,
  replayOwnGroup,
  replayTopic,
  retentionOf,
  TOPICS,
} from '@lineprint/contracts';
import {
  type Advance,
  type Batch,
  type BatchHandler,
  EVENT_LOG,
  type EventLog,
  readBatch,
  StageConsumer,
  StageWorker,
} from '@lineprint/event-log';
import {
  DATABASE,
  type Database,
  enterStage,
  finishedReplayTopics,
  forgetReplayTopic,
  noteReplayTopic,
  type Queryable,
  type Replay,
} from '@lineprint/persistence';
import { HealthRegistry, isTransient, type Logger, LOGGER, StoreError } from '@lineprint/platform';
import { RECALL_INDEX, type RecallIndex } from '@lineprint/recall';
import { CommitAnalysis, type ReadyCommit } from '../analysis/commit-analysis';
import { Parser } from '../analysis/parser';
import { covers, indexedOffsets } from '../causality/indexed-offsets';
import { CommitFrequency } from '../frequency/commit-frequency';
import { NEVER_STORED } from '../frequency/organisation-frequency';

/** As live: a batch is held in memory with its syntax trees. */
const MAX_RECORDS = 32;
/** A look, or a replay's consumer, that has not ended for so long hangs. */
const STUCK_AFTER_MS = 120_000;

/**
 * The second stage of a replay from commits: analyses every commit that the log keeps as it was analysed live, with
 * the counts at its own position and the snippets below its own horizon, and puts the candidates in a topic of the
 * replay's own. Live goes on meanwhile (docs/decisions/0021-commits-replay.md).
 */
@Injectable()
export class AnalysisReplay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly worker: StageWorker;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(RECALL_INDEX) private readonly index: RecallIndex,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly parser: Parser,
    health: HealthRegistry,
  ) {
    this.worker = new StageWorker({
      database,
      log,
      report: (message, { error, ...context }) => logger.warn({ ...context, err: error }, message),
      work: {
        stage: 'analyse',
        maxRecords: MAX_RECORDS,
        source: ({ id }) => ({ topic: TOPICS.commits, group: replayAnalysisGroup(id) }),
        starts: (_, beginnings) => beginnings,
        open: (replay) => this.open(replay),
        finish: (tx, { id }) => enterStage(tx, id, 'judge-own'),
        tidy: () => this.tidy(),
      },
    });
    health.alive('analysis-replays', () => {
      if (Date.now() - this.worker.lastTickAt > STUCK_AFTER_MS) throw new Error('a replay does not move');
    });
  }

  onApplicationBootstrap(): void {
    this.worker.start();
  }

  /** While the stores are still open. */
  beforeApplicationShutdown(): Promise<void> {
    return this.worker.stop();
  }

  private async open(replay: Replay): Promise<BatchHandler> {
    const topic = replayTopic(replay.id);
    const partitions = (await this.log.endOffsets(TOPICS.candidates)).length;
    await noteReplayTopic(this.database, replay.id);
    await this.log.ensureTopics([{ name: topic, partitions, retentionMs: retentionOf(TOPICS.candidates) }]);
    const analysis = new CommitAnalysis({
      database: this.database,
      index: this.index,
      parser: this.parser.pool,
      frequency: new CommitFrequency(this.database, NEVER_STORED),
      logger: this.logger,
      topic,
    });
    const consumer = new StageConsumer(this.database, replay, (own, advance) =>
      this.analyse(analysis, own, advance),
    );
    return (batch) => consumer.consume(batch);
  }

  private async analyse(analysis: CommitAnalysis, own: Batch, advance: Advance): Promise<void> {
    // What is no event is in the live group's dead letters.
    const { events, deadLetters } = readBatch(own, commitEventSchema);
    const before = await this.index.coverage();
    const commits = events.map(({ record, event }): ReadyCommit => ({
      record,
      commit: event,
      late: false,
      seen: event.snippetHorizon,
    }));
    await this.requireIndexed(commits);
    const { analysed, refused, outgoing } = await analysis.analyse(commits, before);
    // Twice if a process ends before it can say so: what is known to the policy's ledger is not judged again.
    if (outgoing.length > 0) await this.log.append(outgoing.map(({ record }) => record));
    await this.database.transaction((tx: Queryable) =>
      advance(tx, {
        judged: analysed.length,
        written: outgoing.length,
        refused: refused.length + deadLetters.length,
      }),
    );
  }

  /** Commits that live has not reached yet wait here as they wait there, though for as long as it takes. */
  private async requireIndexed(commits: readonly ReadyCommit[]): Promise<void> {
    const horizons = commits.map(({ seen }) => seen);
    const indexed = await indexedOffsets(this.database, this.log, horizons);
    if (!horizons.every((horizon) => covers(indexed, horizon))) {
      throw new StoreError('snippets-missing', 'A replay waits for snippets that are not indexed yet');
    }
  }

  /** Deletes topics that are judged, with their groups. Other processes may still be in one: then the next look does. */
  private async tidy(): Promise<void> {
    for (const id of await finishedReplayTopics(this.database)) {
      try {
        for (const group of [replayAnalysisGroup(id), replayOwnGroup(id)]) await this.log.deleteGroup(group);
      } catch (error) {
        if (isTransient(error)) continue;
        throw error;
      }
      await this.log.deleteTopics([replayTopic(id)]);
      await forgetReplayTopic(this.database, id);
    }
  }
}
