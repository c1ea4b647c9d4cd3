import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { AuditController } from './audit/audit.controller';
import { BreakdownsController } from './breakdowns/breakdowns.controller';
import { CLOCK } from './clock';
import { CommitsController } from './commits/commits.controller';
import { DeadLettersController } from './dead-letters/dead-letters.controller';
import { ErasuresController } from './erasures/erasures.controller';
import { ExportController } from './export/export.controller';
import { FilesController } from './files/files.controller';
import { FileLinesController } from './files/lines.controller';
import { RepositoryText } from './files/repository-text';
import { HeadController } from './head/head.controller';
import { IdentitiesController } from './identities/identities.controller';
import { MeController } from './me/me.controller';
import { PolicyDiffController } from './policies/diff.controller';
import { PoliciesController } from './policies/policies.controller';
import { QualityController } from './quality/quality.controller';
import { ReconciliationsController } from './reconciliations/reconciliations.controller';
import { ReplaysController } from './replays/replays.controller';
import { SnippetsController } from './snippets/snippets.controller';
import { StatsController } from './stats/stats.controller';
import { SummaryController } from './summary/summary.controller';
import { TeamsController } from './teams/teams.controller';
import { SurvivalController } from './survival/survival.controller';

/** The read side. It needs the global DATABASE and OPEN_EVENT_LOG, and the platform's guard and problem filter around it. */
@Module({
  controllers: [
    StatsController,
    BreakdownsController,
    QualityController,
    ReconciliationsController,
    CommitsController,
    SummaryController,
    IdentitiesController,
    ErasuresController,
    TeamsController,
    MeController,
    AuditController,
    ExportController,
    DeadLettersController,
    PoliciesController,
    PolicyDiffController,
    ReplaysController,
    HeadController,
    SurvivalController,
    SnippetsController,
    FileLinesController,
    FilesController,
  ],
  providers: [RepositoryText, { provide: CLOCK, useValue: Date.now }],
})
export class QueryApiModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(keepPrivate).forRoutes('api/v1/{*path}');
  }
}

/** What one key may read, no cache between answers to another; who has an answer asks whether it is still the same. */
function keepPrivate(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('cache-control', 'private, no-cache');
  response.vary('Authorization');
  next();
}
