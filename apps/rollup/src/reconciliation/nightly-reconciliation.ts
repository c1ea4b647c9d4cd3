import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DATABASE, type Database } from '@lineprint/persistence';
import { type Logger, LOGGER, METRICS, Polling } from '@lineprint/platform';
import { openDifferences, reconcileNext, requestNightly } from '@lineprint/results';
import { Gauge, type Registry } from 'prom-client';

const LOOK_MS = 5_000;

/**
 * Proves after each midnight of an organisation, and when somebody asks, that what is summed is what results and
 * sessions say. It tells where not, and mends nothing: a difference is a fault that somebody has to see.
 */
@Injectable()
export class NightlyReconciliation implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly polling: Polling;

  constructor(
    @Inject(DATABASE) database: Database,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) registry: Registry,
  ) {
    const differing = new Gauge({
      name: 'lineprint_reconciliation_differences',
      help: 'Rows of daily sums that the last reconciliation of each organisation found to differ from results.',
      registers: [registry],
    });
    this.polling = new Polling({
      idleMs: LOOK_MS,
      work: async (signal) => {
        await requestNightly(database, new Date());
        const made = await reconcileNext(database, signal);
        if (made?.differences) {
          logger.error({ reconciliation: made.id, differences: made.differences }, 'daily sums differ');
        }
        // Also of those that another process made.
        differing.set(await openDifferences(database));
        return made !== null;
      },
      onError: (error) => logger.warn({ err: error }, 'a reconciliation could not be made'),
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
