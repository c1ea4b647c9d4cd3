import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DATABASE, type Database } from '@lineprint/persistence';
import { HealthRegistry, type Logger, LOGGER } from '@lineprint/platform';
import { settleRefs } from '@lineprint/results';

const LOOK_MS = 1_000;
/** A look that has not ended for so long hangs. */
const STUCK_AFTER_MS = 120_000;

/**
 * Lets commits count that a ref has waited for. Who stores a commit, also for a replay, holds the locks of one policy
 * only, so it only leaves a note.
 */
@Injectable()
export class RefSettlement implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private lastLookAt = Date.now();

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
    health: HealthRegistry,
  ) {
    health.alive('ref-settlement', () => {
      if (Date.now() - this.lastLookAt > STUCK_AFTER_MS) throw new Error('refs are not settled');
    });
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  /** While the database is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.lastLookAt = Date.now();
      try {
        await settleRefs(this.database);
      } catch (error) {
        this.logger.warn({ err: error }, 'refs could not be settled');
      }
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
