import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { topicSpecs } from '@lineprint/contracts';
import { DATABASE, type Database } from '@lineprint/persistence';
import { type Config, CONFIG, HealthRegistry } from '@lineprint/platform';
import type { EventLog } from './log';
import { openEventLog } from './open-event-log';

/** Injection token of the process's one EventLog. */
export const EVENT_LOG = Symbol('EVENT_LOG');

/** The process's event log, its topics created. */
@Global()
@Module({
  providers: [
    {
      provide: EVENT_LOG,
      inject: [CONFIG, DATABASE, HealthRegistry],
      useFactory: async (config: Config, database: Database, health: HealthRegistry): Promise<EventLog> => {
        const log = await openEventLog(config.logUrl, { database, clientId: 'lineprint' });
        await log.ensureTopics(topicSpecs(config.partitions));
        health.ready('log', () => log.ping());
        return log;
      },
    },
  ],
  exports: [EVENT_LOG],
})
export class EventLogModule implements OnApplicationShutdown {
  constructor(@Inject(EVENT_LOG) private readonly log: EventLog) {}

  onApplicationShutdown(): Promise<void> {
    return this.log.close();
  }
}
