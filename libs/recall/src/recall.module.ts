import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { RECALL_KEY_VERSION } from '@lineprint/fingerprint';
import { type Config, CONFIG, HealthRegistry } from '@lineprint/platform';
import { openRecallIndex } from './open-recall-index';
import type { RecallIndex } from './recall-index';

/** Injection token of the process's one RecallIndex. */
export const RECALL_INDEX = Symbol('RECALL_INDEX');

@Global()
@Module({
  providers: [
    {
      provide: RECALL_INDEX,
      inject: [CONFIG, HealthRegistry],
      useFactory: async (config: Config, health: HealthRegistry): Promise<RecallIndex> => {
        // Another choice of keys is another index: the indexer fills it before anyone reads it.
        const version = `${RECALL_KEY_VERSION}${config.recallBands ? '' : '-lines'}`;
        const index = await openRecallIndex(config.recallUrl, { version });
        health.ready('recall', () => index.ping());
        return index;
      },
    },
  ],
  exports: [RECALL_INDEX],
})
export class RecallModule implements OnApplicationShutdown {
  constructor(@Inject(RECALL_INDEX) private readonly index: RecallIndex) {}

  onApplicationShutdown(): Promise<void> {
    return this.index.close();
  }
}
