import { Module } from '@nestjs/common';
import { CommitAnalyzerModule } from '@lineprint/commit-analyzer';
import { EventLogModule, eventLogTransport } from '@lineprint/event-log';
import { IndexerModule } from '@lineprint/indexer';
import { IngestModule } from '@lineprint/ingest';
import { LineAttributorModule } from '@lineprint/line-attributor';
import { bootstrap, DATABASE, PersistenceModule } from '@lineprint/persistence';
import { CONFIG, runService } from '@lineprint/platform';
import { QueryApiModule, setUpOpenApi } from '@lineprint/query-api';
import { RecallModule } from '@lineprint/recall';
import { RollupModule } from '@lineprint/rollup';

/** Every service in one process: what a new user runs first, and a small team's whole deployment. */
@Module({
  imports: [
    PersistenceModule,
    EventLogModule,
    RecallModule,
    IngestModule,
    IndexerModule,
    CommitAnalyzerModule,
    LineAttributorModule,
    RollupModule,
    QueryApiModule,
  ],
})
class StandaloneModule {}

// Where the process that started it opened a channel (the demo does), it does not outlive that process.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

runService({
  name: 'standalone',
  module: StandaloneModule,
  transport: eventLogTransport,
  prepare: async (app) => {
    setUpOpenApi(app);
    const made = await bootstrap(app.get(DATABASE), app.get(CONFIG).bootstrap);
    if (made.apiKey) {
      // The one place where the key can be seen: only its hash is stored.
      process.stdout.write(
        `Administrator API key of organisation ${made.orgId} (shown once): ${made.apiKey}\n`,
      );
    }
  },
});
