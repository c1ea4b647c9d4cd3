import { Module } from '@nestjs/common';
import { EventLogModule, eventLogTransport } from '@lineprint/event-log';
import { PersistenceModule } from '@lineprint/persistence';
import { runService } from '@lineprint/platform';
import { LineAttributorModule } from './line-attributor.module';

@Module({ imports: [PersistenceModule, EventLogModule, LineAttributorModule] })
class AppModule {}

runService({ name: 'line-attributor', module: AppModule, transport: eventLogTransport });
