import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { replayGroup, TOPICS } from '@lineprint/contracts';
import { type Consumption, EVENT_LOG, type EventLog } from '@lineprint/event-log';
import {
  DATABASE,
  type Database,
  endedReplayGroups,
  failReplay,
  findPolicy,
  finishReplay,
  forgetReplayGroup,
  hasCaughtUp,
  prepareReplay,
  type Replay,
  type ReplayPartition,
  sampleReplay,
  type WorkingReplay,
  workingReplays,
} from '@lineprint/persistence';
import { HealthRegistry, isTransient, type Logger, LOGGER } from '@lineprint/platform';
import { recomputeSessionDays } from '@lineprint/results';
import { ReplayConsumer } from './replay-consumer';

const POLL_MS = 1_000;
/** Larger than live's: a replay is about how many, not how soon. */
const MAX_RECORDS = 1_000;
/** A poll, or a replay's consumer, that has not ended for so long hangs. */
const STUCK_AFTER_MS = 120_000;

/**
 * Works on every replay that is running or following. What to do is in the database, so it survives restarts, and
 * several processes share a replay's partitions as one consumer group.
 */
@Injectable()
export class ReplayWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly consumptions = new Map<string, Consumption>();
  private polledAt = Date.now();
  private polling: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(LOGGER) private readonly logger: Logger,
    health: HealthRegistry,
  ) {
    health.alive('replays', () => {
      const ticks = [...this.consumptions.values()].map(({ lastTickAt }) => lastTickAt);
      if (Date.now() - Math.min(this.polledAt, ...ticks) > STUCK_AFTER_MS) {
        throw new Error('a replay does not move');
      }
    });
  }

  onApplicationBootstrap(): void {
    this.polling = this.pollForEver();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.polling;
    await Promise.all([...this.consumptions.values()].map((consumption) => consumption.stop()));
  }

  private async pollForEver(): Promise<void> {
    try {
      await this.poll();
    } catch (error) {
      this.logger.warn({ err: error }, 'Replays will be looked at again');
    }
    this.polledAt = Date.now();
    if (this.isStopped) return;
    this.timer = setTimeout(() => (this.polling = this.pollForEver()), POLL_MS);
  }

  private async poll(): Promise<void> {
    const working = await workingReplays(this.database, 'judge');
    const ids = new Set(working.map(({ replay }) => replay.id));
    for (const [id, consumption] of this.consumptions) {
      if (ids.has(id)) continue;
      await consumption.stop();
      this.consumptions.delete(id);
    }
    for (const replay of working) await this.workOn(replay);
    for (const id of await endedReplayGroups(this.database)) await this.forgetGroup(id);
  }

  private async workOn({ replay, partitions: known }: WorkingReplay): Promise<void> {
    let partitions = known;
    const isConsumed = this.consumptions.has(replay.id);
    if (!isConsumed || partitions.some(({ targetOffset }) => targetOffset === null)) {
      const prepared = await this.prepare(replay, known);
      if (!prepared) return;
      partitions = prepared;
    }
    if (!isConsumed) await this.consume(replay, partitions);
    if (replay.status !== 'running') return;
    await sampleReplay(this.database, replay.id);
    if (partitions.every(({ nextOffset, targetOffset }) => nextOffset >= targetOffset!)) {
      await this.finish(replay);
    }
  }

  /** The partitions with their targets; nothing where records are gone that the replay has not read. */
  private async prepare(
    replay: Replay,
    known: readonly ReplayPartition[],
  ): Promise<ReplayPartition[] | undefined> {
    const beginnings = await this.log.beginningOffsets(TOPICS.candidates);
    const lost = known.find(({ partition, nextOffset }) => nextOffset < beginnings[partition]!);
    if (lost) {
      const message = `Partition ${lost.partition} begins at ${beginnings[lost.partition]} and the replay stood at ${lost.nextOffset}: the records between have expired`;
      await failReplay(this.database, replay.id, 'records-expired', message);
      return undefined;
    }
    const ends = await this.log.endOffsets(TOPICS.candidates);
    return prepareReplay(this.database, replay.id, 'judge', beginnings, ends);
  }

  private async consume(replay: Replay, partitions: readonly ReplayPartition[]): Promise<void> {
    const stored = await findPolicy(this.database, replay.orgId, replay.policyId);
    if (!stored) return;
    const consumer = new ReplayConsumer(this.database, replay, stored.policy);
    const consumption = await this.log.consume({
      group: replayGroup(replay.id),
      topic: TOPICS.candidates,
      handler: (batch) => consumer.consume(batch),
      maxRecords: MAX_RECORDS,
      from: partitions.map(({ nextOffset }) => nextOffset),
    });
    this.consumptions.set(replay.id, consumption);
  }

  private async finish(replay: Replay): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!(await hasCaughtUp(tx, replay.id, 'judge'))) return;
      await recomputeSessionDays(tx, replay.orgId, replay.policyId);
      await finishReplay(tx, replay);
    });
  }

  /** Other processes may still be in the group: then the next poll tries again. */
  private async forgetGroup(id: string): Promise<void> {
    try {
      await this.log.deleteGroup(replayGroup(id));
    } catch (error) {
      if (isTransient(error)) return;
      throw error;
    }
    await forgetReplayGroup(this.database, id);
  }
}
