import { Module } from '@nestjs/common';
import { EventLogModule, eventLogTransport } from '@lineprint/event-log';
import { PersistenceModule } from '@lineprint/persistence';
import { runService } from '@lineprint/platform';
import { RecallModule } from '@lineprint/recall';
import { CommitAnalyzerModule } from './commit-analyzer.module';

@Module({ imports: [PersistenceModule, EventLogModule, RecallModule, CommitAnalyzerModule] })
class AppModule {}

runService({ name: 'commit-analyzer', module: AppModule, transport: eventLogTransport });
