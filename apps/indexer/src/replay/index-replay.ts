import { randomUUID } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { GROUPS, TOPICS } from '@lineprint/contracts';
import {
  advanceIndexing,
  DATABASE,
  type Database,
  enterStage,
  hasCaughtUp,
  holdIndexing,
  loadProgress,
  prepareReplay,
  type Replay,
  sampleReplay,
  workingReplays,
} from '@lineprint/persistence';
import { type Logger, LOGGER, Polling } from '@lineprint/platform';
import { IndexFiller } from '../snippets/index-filler';

const POLL_MS = 1_000;
/** A process that ended while it filled the index is succeeded after so long; what it filled stays. */
const HOLD_MS = 15_000;

/**
 * The first stage of a replay from commits: fills a generation of the recall index from the database, beside the one
 * that live reads, and lets it take its place. Whatever the clock or a lost server has taken from the index is there
 * again for old commits (docs/decisions/0021-commits-replay.md).
 */
@Injectable()
export class IndexReplay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly name = randomUUID();
  private readonly polling: Polling;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LOGGER) logger: Logger,
    private readonly filler: IndexFiller,
  ) {
    this.polling = new Polling({
      work: (signal) => this.fillAll(signal),
      idleMs: POLL_MS,
      onError: (error) => logger.warn({ err: error }, 'the index will be filled for a replay again'),
    });
  }

  onApplicationBootstrap(): void {
    this.polling.start();
  }

  /** While the stores are still open. */
  beforeApplicationShutdown(): Promise<void> {
    return this.polling.stop();
  }

  private async fillAll(signal: AbortSignal): Promise<boolean> {
    for (const { replay } of await workingReplays(this.database, 'index')) {
      if (await this.hold(replay)) await this.fill(replay, signal);
    }
    return false;
  }

  private hold({ id }: Replay): Promise<boolean> {
    return holdIndexing(this.database, id, this.name, HOLD_MS);
  }

  private async fill(replay: Replay, signal: AbortSignal): Promise<void> {
    const published = await loadProgress(this.database, GROUPS.indexer, TOPICS.snippets);
    const partitions = Math.max(0, ...[...published.keys()].map((partition) => partition + 1));
    const ends = Array.from({ length: partitions }, (_, partition) => published.get(partition) ?? 0);
    await prepareReplay(
      this.database,
      replay.id,
      'index',
      ends.map(() => 0),
      ends,
    );
    const isFilled = await this.filler.rebuild(async (partition, next) => {
      await advanceIndexing(this.database, replay.id, partition, next);
      await sampleReplay(this.database, replay.id);
      return !signal.aborted && (await this.hold(replay));
    });
    if (!isFilled) return;
    for (const [partition, end] of ends.entries())
      await advanceIndexing(this.database, replay.id, partition, end);
    await this.database.transaction(async (tx) => {
      if (await hasCaughtUp(tx, replay.id, 'index')) await enterStage(tx, replay.id, 'analyse');
    });
  }
}
