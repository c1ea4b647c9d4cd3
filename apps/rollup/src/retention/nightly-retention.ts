import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { TOPICS } from '@lineprint/contracts';
import { EVENT_LOG, type EventLog } from '@lineprint/event-log';
import { DATABASE, type Database, expire, inTheNight } from '@lineprint/persistence';
import { type Config, CONFIG, type Logger, LOGGER, Polling } from '@lineprint/platform';

const LOOK_MS = 60_000;

/** Deletes, once in each night (UTC), what has been kept long enough: in one process, however many there are. */
@Injectable()
export class NightlyRetention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly polling: Polling;

  constructor(
    @Inject(DATABASE) database: Database,
    @Inject(EVENT_LOG) log: EventLog,
    @Inject(CONFIG) { retention }: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.polling = new Polling({
      idleMs: LOOK_MS,
      work: async () => {
        const now = Date.now();
        const expired = await inTheNight(database, now, async () =>
          expire(database, retention, await log.beginningOffsets(TOPICS.snippets), now),
        );
        if (expired) logger.info({ expired }, 'what was kept long enough is deleted');
        return false;
      },
      onError: (error) => logger.warn({ err: error }, 'what is kept too long could not be deleted'),
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
