import {
  type BeforeApplicationShutdown,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DATABASE, type Database } from '@lineprint/persistence';
import { type Logger, LOGGER, METRICS } from '@lineprint/platform';
import { Gauge, type Registry } from 'prom-client';
import { EVENT_LOG } from './event-log.tokens';
import type { EventLog } from './log';
import { OutboxRelay } from './outbox-relay';

/** The process's one relay of the outbox; whoever enqueues wakes it after the commit. */
@Global()
@Module({
  providers: [
    {
      provide: OutboxRelay,
      inject: [DATABASE, EVENT_LOG, LOGGER],
      useFactory: (database: Database, log: EventLog, logger: Logger) =>
        new OutboxRelay({
          database,
          log,
          report: (message, { error, ...context }) => logger.warn({ ...context, err: error }, message),
        }),
    },
  ],
  exports: [OutboxRelay],
})
export class OutboxModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    @Inject(OutboxRelay) private readonly relay: OutboxRelay,
    @Inject(METRICS) metrics: Registry,
  ) {
    new Gauge({
      name: 'lineprint_outbox_age_seconds',
      help: 'How long the oldest record of the outbox has waited for the log.',
      registers: [metrics],
      collect() {
        this.set(relay.age(Date.now()) / 1_000);
      },
    });
  }

  onApplicationBootstrap(): void {
    this.relay.start();
  }

  /** Before the log and the database close, which happens in the last hook. */
  beforeApplicationShutdown(): Promise<void> {
    return this.relay.stop();
  }
}
