import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import {
  DATABASE,
  type Database,
  forgetLedgerRequests,
  ledgerBacklog,
  ledgerRequests,
} from '@lineprint/persistence';
import { HealthRegistry, type Logger, LOGGER, METRICS, Polling } from '@lineprint/platform';
import { Gauge, type Registry } from 'prom-client';
import { followRepository } from './follow-repository';
import { labelLines } from './label-worker';

const LOOK_MS = 1_000;
/** Requests that are looked at together. */
const REQUESTS = 1_000;
/** A look that has not come to another repository for so long hangs. */
const STUCK_AFTER_MS = 600_000;

/** Keeps the ledger of lines: where commits have arrived, refs have moved, or verdicts have been written. */
@Injectable()
export class LedgerWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly polling: Polling;
  private lastLookAt = Date.now();

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) registry: Registry,
    health: HealthRegistry,
  ) {
    new Gauge({
      name: 'lineprint_ledger_repositories_waiting',
      help: 'Repositories of which the ledger of lines has something to do',
      registers: [registry],
      async collect() {
        // A database that is gone says nothing, and the other metrics are still to be seen.
        this.set(await ledgerBacklog(database).catch(() => NaN));
      },
    });
    this.polling = new Polling({
      idleMs: LOOK_MS,
      work: (signal) => this.work(signal),
      onError: (error) => logger.warn({ err: error }, 'the ledger could not be kept'),
    });
    health.alive('ledger', () => {
      if (Date.now() - this.lastLookAt > STUCK_AFTER_MS) throw new Error('the ledger does not move');
    });
  }

  onApplicationBootstrap(): void {
    this.polling.start();
  }

  /** While the database is still open. */
  beforeApplicationShutdown(): Promise<void> {
    return this.polling.stop();
  }

  /** One repository that fails does not hold up the others. */
  private async work(signal: AbortSignal): Promise<boolean> {
    let isDone = false;
    for (const { ids, ...place } of await ledgerRequests(this.database, REQUESTS)) {
      this.lastLookAt = Date.now();
      try {
        // What another process has in hand is asked for until that has done it.
        if (!(await followRepository(this.database, place, signal))) continue;
        if (!(await labelLines(this.database, place, signal))) continue;
        await forgetLedgerRequests(this.database, ids);
        isDone = true;
      } catch (err) {
        if (signal.aborted) throw err;
        this.logger.warn(
          { err, repository: place.repository },
          'the ledger of a repository could not be kept',
        );
      }
    }
    this.lastLookAt = Date.now();
    return isDone;
  }
}
