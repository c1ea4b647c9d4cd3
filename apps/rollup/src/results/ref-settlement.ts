import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DATABASE, type Database } from '@lineprint/persistence';
import { HealthRegistry, type Logger, LOGGER, Polling } from '@lineprint/platform';
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
  private readonly polling: Polling;
  private lastLookAt = Date.now();

  constructor(@Inject(DATABASE) database: Database, @Inject(LOGGER) logger: Logger, health: HealthRegistry) {
    this.polling = new Polling({
      idleMs: LOOK_MS,
      work: async () => {
        this.lastLookAt = Date.now();
        await settleRefs(database);
        return false;
      },
      onError: (error) => logger.warn({ err: error }, 'refs could not be settled'),
    });
    health.alive('ref-settlement', () => {
      if (Date.now() - this.lastLookAt > STUCK_AFTER_MS) throw new Error('refs are not settled');
    });
  }

  onApplicationBootstrap(): void {
    this.polling.start();
  }

  /** While the database is still open. */
  beforeApplicationShutdown(): Promise<void> {
    return this.polling.stop();
  }
}
