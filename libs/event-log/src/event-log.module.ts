import {
  Global,
  Inject,
  type INestApplicationContext,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { topicSpecs } from '@lineprint/contracts';
import { DATABASE, type Database } from '@lineprint/persistence';
import {
  type Config,
  CONFIG,
  HealthRegistry,
  type Logger,
  LOGGER,
  METRICS,
  SERVICE_NAME,
} from '@lineprint/platform';
import type { Registry } from 'prom-client';
import type { ObserveConsumption } from './consumption-observer';
import { ErasingEventLog } from './erasing-event-log';
import { EventLogServer } from './event-log-server';
import { EVENT_LOG, OPEN_EVENT_LOG, type OpenEventLog } from './event-log.tokens';
import type { EventLog } from './log';
import { LogMetrics } from './log-metrics';
import { openEventLog } from './open-event-log';
import { OutboxModule } from './outbox.module';

/** A loop that has not ticked for so long hangs: even a slow batch, or a broker that is gone, ticks sooner. */
const STUCK_AFTER_MS = 120_000;

export interface ProcessContext {
  readonly service: string;
  readonly config: Config;
  readonly database: Database;
  readonly logger: Logger;
  readonly observe?: ObserveConsumption;
}

/** Opens the configured log, its topics created; nobody who is erased passes it. */
export async function openConfigured(context: ProcessContext): Promise<EventLog> {
  const { service, config, database, logger, observe } = context;
  const log = await openEventLog(config.logUrl, {
    database,
    clientId: service,
    kafka: config.kafka,
    deadLetterLimits: config.deadLetters,
    shutdownGraceMs: config.shutdownGraceMs,
    report: (message, { error, ...details }) => logger.warn({ ...details, err: error }, message),
    ...(observe ? { observe } : {}),
  });
  await log.ensureTopics(topicSpecs(config.partitions));
  return new ErasingEventLog(log, database);
}

/** The process's event log, and the relay of the outbox. */
@Global()
@Module({
  imports: [OutboxModule],
  providers: [
    {
      provide: LogMetrics,
      inject: [METRICS],
      useFactory: (registry: Registry) => new LogMetrics(registry),
    },
    {
      provide: EVENT_LOG,
      inject: [SERVICE_NAME, CONFIG, DATABASE, LOGGER, HealthRegistry, LogMetrics],
      useFactory: async (
        service: string,
        config: Config,
        database: Database,
        logger: Logger,
        health: HealthRegistry,
        metrics: LogMetrics,
      ): Promise<EventLog> => {
        const log = await openConfigured({ service, config, database, logger, observe: metrics.observe });
        health.ready('log', () => log.ping());
        metrics.watch(log);
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
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(LogMetrics) private readonly metrics: LogMetrics,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.metrics.stop();
    await this.log.close();
  }
}

/** The transport that feeds a service's `@ConsumeBatches` methods; health watches every consumption of the log. */
export function eventLogTransport(app: INestApplicationContext): EventLogServer {
  const log = app.get<EventLog>(EVENT_LOG);
  const server = new EventLogServer(log);
  const health = app.get(HealthRegistry);
  health.ready('consumers', () => {
    if (server.consumptions.length === 0) throw new Error('no consumer has joined its group yet');
    for (const { ready, halted, group } of log.consumptions) {
      if (!ready) throw new Error(`${group} has no partitions assigned yet`);
      // Not liveness: a restart would forget the dead letters that were counted, and let as many pass again.
      if (halted) throw new Error(halted);
    }
  });
  health.alive('consumers', () => {
    for (const { lastTickAt, group, topic } of log.consumptions) {
      const silentMs = Date.now() - lastTickAt;
      if (silentMs > STUCK_AFTER_MS) {
        throw new Error(`${group} on ${topic} has not moved for ${Math.round(silentMs / 1000)} s`);
      }
    }
  });
  return server;
}
