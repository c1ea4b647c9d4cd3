import {
  Global,
  Inject,
  type INestApplicationContext,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { topicSpecs } from '@lineprint/contracts';
import { DATABASE, type Database } from '@lineprint/persistence';
import { type Config, CONFIG, HealthRegistry, type Logger, LOGGER } from '@lineprint/platform';
import { EventLogServer } from './event-log-server';
import { EVENT_LOG, OPEN_EVENT_LOG, type OpenEventLog } from './event-log.tokens';
import type { EventLog } from './log';
import { openEventLog } from './open-event-log';
import { OutboxModule } from './outbox.module';

/** A loop that has not ticked for so long hangs: even a slow batch, or a broker that is gone, ticks sooner. */
const STUCK_AFTER_MS = 120_000;

/** Opens the configured log, its topics created. */
export async function openConfigured(config: Config, database: Database, logger: Logger): Promise<EventLog> {
  const log = await openEventLog(config.logUrl, {
    database,
    clientId: 'lineprint',
    report: (message, { error, ...context }) => logger.warn({ ...context, err: error }, message),
  });
  await log.ensureTopics(topicSpecs(config.partitions));
  return log;
}

/** The process's event log, and the relay of the outbox. */
@Global()
@Module({
  imports: [OutboxModule],
  providers: [
    {
      provide: EVENT_LOG,
      inject: [CONFIG, DATABASE, HealthRegistry, LOGGER],
      useFactory: async (
        config: Config,
        database: Database,
        health: HealthRegistry,
        logger: Logger,
      ): Promise<EventLog> => {
        const log = await openConfigured(config, database, logger);
        health.ready('log', () => log.ping());
        return log;
      },
    },
    {
      provide: OPEN_EVENT_LOG,
      inject: [EVENT_LOG],
      useFactory:
        (log: EventLog): OpenEventLog =>
        () =>
          Promise.resolve(log),
    },
  ],
  exports: [EVENT_LOG, OPEN_EVENT_LOG],
})
export class EventLogModule implements OnApplicationShutdown {
  constructor(@Inject(EVENT_LOG) private readonly log: EventLog) {}

  onApplicationShutdown(): Promise<void> {
    return this.log.close();
  }
}

/** The transport that feeds a service's `@ConsumeBatches` methods, watched by its health. */
export function eventLogTransport(app: INestApplicationContext): EventLogServer {
  const server = new EventLogServer(app.get<EventLog>(EVENT_LOG));
  const health = app.get(HealthRegistry);
  health.ready('consumers', () => {
    if (server.consumptions.length === 0 || !server.consumptions.every((consumption) => consumption.ready)) {
      throw new Error('not every consumer has joined its group');
    }
  });
  health.alive('consumers', () => {
    const oldest = Math.min(...server.consumptions.map((consumption) => consumption.lastTickAt));
    if (Date.now() - oldest > STUCK_AFTER_MS) throw new Error('a consumer does not move');
  });
  return server;
}
