import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { replayGroup, replayOwnGroup, replayTopic, TOPICS } from '@lineprint/contracts';
import { EVENT_LOG, type EventLog, type StageWork, StageWorker } from '@lineprint/event-log';
import {
  DATABASE,
  type Database,
  endedReplayGroups,
  enterStage,
  finishReplay,
  forgetReplayGroup,
  type Replay,
} from '@lineprint/persistence';
import { HealthRegistry, isTransient, type Logger, LOGGER } from '@lineprint/platform';
import { recomputeSessionDays } from '@lineprint/results';
import { JudgeCaches } from '../attribution/judge-caches';
import { replayHandler } from './replay-consumer';

/** Larger than live's: a replay is about how many, not how soon. */
const MAX_RECORDS = 1_000;
/** A look, or a replay's consumer, that has not ended for so long hangs. */
const STUCK_AFTER_MS = 120_000;
/** The clocks of database and brokers differ; what is judged twice changes nothing. */
const CLOCKS_DIFFER_MS = 300_000;

/**
 * Works on every replay that is running or following: judges the candidates that one from commits has found itself,
 * and everyone's after that.
 */
@Injectable()
export class ReplayWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly workers: readonly StageWorker[];

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(LOGGER) logger: Logger,
    health: HealthRegistry,
    caches: JudgeCaches,
  ) {
    const shared: Pick<StageWork, 'maxRecords' | 'open'> = {
      maxRecords: MAX_RECORDS,
      open: (replay, policy) => replayHandler(database, caches, replay, policy),
    };
    const works: readonly StageWork[] = [
      {
        ...shared,
        stage: 'judge-own',
        source: ({ id }) => ({ topic: replayTopic(id), group: replayOwnGroup(id) }),
        starts: (_, beginnings) => beginnings,
        finish: (tx, { id }) => enterStage(tx, id, 'judge'),
      },
      {
        ...shared,
        stage: 'judge',
        source: ({ id }) => ({ topic: TOPICS.candidates, group: replayGroup(id) }),
        starts: (replay, beginnings) => this.starts(replay, beginnings),
        finish: async (tx, replay) => {
          await recomputeSessionDays(tx, replay.orgId, replay.policyId);
          await finishReplay(tx, replay);
        },
        tidy: () => this.tidy(),
      },
    ];
    this.workers = works.map(
      (work) =>
        new StageWorker({
          database,
          log,
          report: (message, { error, ...context }) => logger.warn({ ...context, err: error }, message),
          work,
        }),
    );
    health.alive('replays', () => {
      const lastTickAt = Math.min(...this.workers.map((worker) => worker.lastTickAt));
      if (Date.now() - lastTickAt > STUCK_AFTER_MS) throw new Error('a replay does not move');
    });
  }

  onApplicationBootstrap(): void {
    for (const worker of this.workers) worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }

  /** One that has judged candidates of its own goes on with those that were found since it was started. */
  private starts(
    { topic, createdAt }: Replay,
    beginnings: readonly number[],
  ): Promise<readonly number[]> | readonly number[] {
    if (topic === 'candidates') return beginnings;
    return this.log.offsetsAt(TOPICS.candidates, createdAt.getTime() - CLOCKS_DIFFER_MS);
  }

  /** Deletes the groups of replays that have ended. Other processes may still be in one: then the next look does. */
  private async tidy(): Promise<void> {
    for (const id of await endedReplayGroups(this.database)) {
      try {
        await this.log.deleteGroup(replayGroup(id));
      } catch (error) {
        if (isTransient(error)) continue;
        throw error;
      }
      await forgetReplayGroup(this.database, id);
    }
  }
}
