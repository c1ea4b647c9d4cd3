import { Module } from '@nestjs/common';
import { CommitAnalyzerModule } from '@lineprint/commit-analyzer';
import { EventLogModule } from '@lineprint/event-log';
import { IndexerModule } from '@lineprint/indexer';
import { IngestModule } from '@lineprint/ingest';
import { LineAttributorModule } from '@lineprint/line-attributor';
import { PersistenceModule } from '@lineprint/persistence';
import { QueryApiModule } from '@lineprint/query-api';
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
export class StandaloneModule {}
