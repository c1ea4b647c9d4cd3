import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Config, CONFIG } from '@lineprint/platform';
import { openParserPool, type ParserPool } from '@lineprint/syntax';

/** The parser processes of this service, which live commits and replays share. */
@Injectable()
export class Parser implements OnApplicationShutdown {
  readonly pool: ParserPool;

  constructor(@Inject(CONFIG) config: Config) {
    this.pool = openParserPool({ processes: config.parserProcesses });
  }

  // After the transport has drained: the running batch still parses.
  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }
}
