import type { Policy } from '@lineprint/contracts';
import {
  type Database,
  failReplay,
  findPolicy,
  hasCaughtUp,
  prepareReplay,
  type Queryable,
  type Replay,
  type ReplayPartition,
  type ReplayStage,
  sampleReplay,
  type WorkingReplay,
  workingReplays,
} from '@lineprint/persistence';
import type { BatchHandler, Consumption, EventLog } from '../log';
import type { Report } from '../report';

const POLL_MS = 1_000;
/** While a replay runs: somebody waits for its end. */
const RUNNING_POLL_MS = 200;

/** How one stage of replays is worked on. */
export interface StageWork {
  readonly stage: ReplayStage;
  readonly maxRecords: number;
  /** What a replay reads in this stage, and by which group. */
  source(replay: Replay): { readonly topic: string; readonly group: string };
  /**
   * Where a replay begins, by partition.
   * @param beginnings offsets of the oldest records that are kept
   */
  starts(replay: Replay, beginnings: readonly number[]): Promise<readonly number[]> | readonly number[];
  /** Called before the first batch of a replay in this process. */
  open(replay: Replay, policy: Policy): Promise<BatchHandler> | BatchHandler;
  /** What belongs to the end of the stage, in the transaction that has found every target reached. */
  finish(tx: Queryable, replay: Replay): Promise<void>;
  /** Called at each look, for what replays have left behind. */
  tidy?(): Promise<void>;
}

export interface StageWorkerOptions {
  readonly database: Database;
  readonly log: EventLog;
  readonly report: Report;
  readonly work: StageWork;
}

/**
 * Works on every replay that is in one stage. What to do is in the database, so it survives restarts, and several
 * processes share a replay's partitions as one consumer group.
 */
export class StageWorker {
  private readonly consumptions = new Map<string, Consumption>();
  private polledAt = Date.now();
  private polling: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(private readonly options: StageWorkerOptions) {}

  start(): void {
    this.polling = this.pollForEver();
  }

  /** Finishes the running batches. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.polling;
    await Promise.all([...this.consumptions.values()].map((consumption) => consumption.stop()));
  }

  /** When the one of its loops last moved that moved least recently, milliseconds since 1970. */
  get lastTickAt(): number {
    return Math.min(this.polledAt, ...[...this.consumptions.values()].map(({ lastTickAt }) => lastTickAt));
  }

  private async pollForEver(): Promise<void> {
    let pollMs = POLL_MS;
    try {
      if (await this.poll()) pollMs = RUNNING_POLL_MS;
    } catch (error) {
      this.options.report('Replays will be looked at again', { error });
    }
    this.polledAt = Date.now();
    if (this.isStopped) return;
    this.timer = setTimeout(() => (this.polling = this.pollForEver()), pollMs);
  }

  /** True while a replay has not reached its targets. */
  private async poll(): Promise<boolean> {
    const { database, work } = this.options;
    const working = await workingReplays(database, work.stage);
    const ids = new Set(working.map(({ replay }) => replay.id));
    for (const [id, consumption] of this.consumptions) {
      if (ids.has(id)) continue;
      await consumption.stop();
      this.consumptions.delete(id);
    }
    for (const replay of working) await this.workOn(replay);
    await work.tidy?.();
    return working.some(({ replay }) => replay.status === 'running');
  }

  private async workOn({ replay, partitions: known }: WorkingReplay): Promise<void> {
    let partitions = known;
    const isConsumed = this.consumptions.has(replay.id);
    const isPrepared = known.length > 0 && known.every(({ targetOffset }) => targetOffset !== null);
    if (!isConsumed || !isPrepared) {
      const prepared = await this.prepare(replay, known);
      if (!prepared) return;
      partitions = prepared;
    }
    if (!isConsumed) await this.consume(replay, partitions);
    if (replay.status !== 'running') return;
    await sampleReplay(this.options.database, replay.id);
    if (partitions.every(({ nextOffset, targetOffset }) => nextOffset >= targetOffset!)) {
      await this.finish(replay);
    }
  }

  /** The partitions with their targets; nothing where records are gone that the replay has not read. */
  private async prepare(
    replay: Replay,
    known: readonly ReplayPartition[],
  ): Promise<ReplayPartition[] | undefined> {
    const { database, log, work } = this.options;
    const { topic } = work.source(replay);
    const beginnings = await log.beginningOffsets(topic);
    const lost = known.find(({ partition, nextOffset }) => nextOffset < beginnings[partition]!);
    if (lost) {
      const message = `Partition ${lost.partition} begins at ${beginnings[lost.partition]} and the replay stood at ${lost.nextOffset}: the records between have expired`;
      await failReplay(database, replay.id, 'records-expired', message);
      return undefined;
    }
    const starts = await work.starts(replay, beginnings);
    return prepareReplay(database, replay.id, work.stage, starts, await log.endOffsets(topic));
  }

  private async consume(replay: Replay, partitions: readonly ReplayPartition[]): Promise<void> {
    const { database, log, work } = this.options;
    const stored = await findPolicy(database, replay.orgId, replay.policyId);
    if (!stored) return;
    const consumption = await log.consume({
      ...work.source(replay),
      handler: await work.open(replay, stored.policy),
      maxRecords: work.maxRecords,
      from: partitions.map(({ nextOffset }) => nextOffset),
    });
    this.consumptions.set(replay.id, consumption);
  }

  private async finish(replay: Replay): Promise<void> {
    const { database, work } = this.options;
    await database.transaction(async (tx) => {
      if (await hasCaughtUp(tx, replay.id, work.stage)) await work.finish(tx, replay);
    });
  }
}
