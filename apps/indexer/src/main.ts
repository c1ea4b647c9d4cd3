import { Module } from '@nestjs/common';
import { EventLogModule, eventLogTransport } from '@lineprint/event-log';
import { PersistenceModule } from '@lineprint/persistence';
import { runService } from '@lineprint/platform';
import { RecallModule } from '@lineprint/recall';
import { IndexerModule } from './indexer.module';

@Module({ imports: [PersistenceModule, EventLogModule, RecallModule, IndexerModule] })
class AppModule {}

runService({ name: 'indexer', module: AppModule, transport: eventLogTransport });
