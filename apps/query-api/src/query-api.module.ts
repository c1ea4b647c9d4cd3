import { Module } from '@nestjs/common';
import { CLOCK } from './clock';
import { CommitsController } from './commits/commits.controller';
import { ExportController } from './export/export.controller';
import { StatsController } from './stats/stats.controller';
import { SummaryController } from './summary/summary.controller';

/** The read side. It needs the global DATABASE and the platform's guard and problem filter around it. */
@Module({
  controllers: [StatsController, CommitsController, SummaryController, ExportController],
  providers: [{ provide: CLOCK, useValue: Date.now }],
})
export class QueryApiModule {}
