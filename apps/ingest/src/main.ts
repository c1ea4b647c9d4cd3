import { Module } from '@nestjs/common';
import { EventLogModule } from '@lineprint/event-log';
import { PersistenceModule } from '@lineprint/persistence';
import { runService } from '@lineprint/platform';
import { IngestModule } from './ingest.module';

@Module({ imports: [PersistenceModule, EventLogModule, IngestModule] })
class AppModule {}

runService({ name: 'ingest', module: AppModule });
