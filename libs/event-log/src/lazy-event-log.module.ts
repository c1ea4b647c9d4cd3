import { Global, Injectable, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DATABASE, type Database } from '@lineprint/persistence';
import { type Config, CONFIG, type Logger, LOGGER, SERVICE_NAME } from '@lineprint/platform';
import { openConfigured } from './event-log.module';
import { OPEN_EVENT_LOG, type OpenEventLog } from './event-log.tokens';
import type { EventLog } from './log';

@Injectable()
class LazyEventLog {
  private opening: Promise<EventLog> | undefined;

  constructor(
    @Inject(SERVICE_NAME) private readonly service: string,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  open(): Promise<EventLog> {
    const { service, config, database, logger } = this;
    this.opening ??= openConfigured({ service, config, database, logger }).catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  async close(): Promise<void> {
    await (await this.opening?.catch(() => undefined))?.close();
  }
}

/**
 * For a service that needs the log for some requests only: it starts, is ready and answers the others while the
 * log is away.
 */
@Global()
@Module({
  providers: [
    LazyEventLog,
    {
      provide: OPEN_EVENT_LOG,
      inject: [LazyEventLog],
      useFactory:
        (lazy: LazyEventLog): OpenEventLog =>
        () =>
          lazy.open(),
    },
  ],
  exports: [OPEN_EVENT_LOG],
})
export class LazyEventLogModule implements OnApplicationShutdown {
  constructor(@Inject(LazyEventLog) private readonly log: LazyEventLog) {}

  onApplicationShutdown(): Promise<void> {
    return this.log.close();
  }
}
