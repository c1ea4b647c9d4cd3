import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DATABASE, type Database, reopenErasures } from '@lineprint/persistence';
import { type Logger, LOGGER, Polling } from '@lineprint/platform';
import { eraseNext } from '@lineprint/results';

const LOOK_MS = 1_000;
/** How often it looks for what an event has left that was in a service's hands when its person was erased. */
const LEFT_MS = 30_000;

/** Takes erased people out of all rows, and looks again and again that none comes back. */
@Injectable()
export class ErasureWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loops: readonly Polling[];

  constructor(@Inject(DATABASE) database: Database, @Inject(LOGGER) logger: Logger) {
    const onError = (error: unknown) => logger.warn({ err: error }, 'a person could not be erased yet');
    this.loops = [
      new Polling({
        idleMs: LOOK_MS,
        work: async (signal) => {
          const erased = await eraseNext(database, signal);
          if (erased) logger.info({ pseudonym: erased.pseudonym }, 'a person is erased');
          return erased !== null;
        },
        onError,
      }),
      new Polling({
        idleMs: LEFT_MS,
        work: async () => {
          await reopenErasures(database);
          return false;
        },
        onError,
      }),
    ];
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  /** While the database is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}
