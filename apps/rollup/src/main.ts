import { Module } from '@nestjs/common';
import { EventLogModule, eventLogTransport } from '@lineprint/event-log';
import { PersistenceModule } from '@lineprint/persistence';
import { runService } from '@lineprint/platform';
import { RollupModule } from './rollup.module';

@Module({ imports: [PersistenceModule, EventLogModule, RollupModule] })
class AppModule {}

runService({ name: 'rollup', module: AppModule, transport: eventLogTransport });
