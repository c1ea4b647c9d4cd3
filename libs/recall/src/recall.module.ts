import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type Config, CONFIG, HealthRegistry, METRICS } from '@lineprint/platform';
import { Gauge, type Registry } from 'prom-client';
import { openRecallIndex, recallVersion } from './open-recall-index';
import type { RecallIndex } from './recall-index';

function exposeSize(registry: Registry, index: RecallIndex): void {
  new Gauge({
    name: 'lineprint_recall_index_bytes',
    help: 'Memory of the recall index: its own in process, else all that Redis uses',
    registers: [registry],
    async collect() {
      // A server that is gone has no size, and the other metrics are still to be seen.
      this.set(await index.size().catch(() => NaN));
    },
  });
}

/** Injection token of the process's one RecallIndex. */
export const RECALL_INDEX = Symbol('RECALL_INDEX');

@Global()
@Module({
  providers: [
    {
      provide: RECALL_INDEX,
      inject: [CONFIG, HealthRegistry, METRICS],
      useFactory: async (config: Config, health: HealthRegistry, metrics: Registry): Promise<RecallIndex> => {
        // Another one's is another index: the indexer fills it before anyone reads it.
        const version = recallVersion(config.recallBands);
        const index = await openRecallIndex(config.recallUrl, { version, ca: config.recallCa });
        health.ready('recall', () => index.ping());
        exposeSize(metrics, index);
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
