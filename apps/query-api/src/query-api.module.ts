import { Module } from '@nestjs/common';
import { CLOCK } from './clock';
import { CommitsController } from './commits/commits.controller';
import { DeadLettersController } from './dead-letters/dead-letters.controller';
import { ExportController } from './export/export.controller';
import { FilesController } from './files/files.controller';
import { FileLinesController } from './files/lines.controller';
import { RepositoryText } from './files/repository-text';
import { HeadController } from './head/head.controller';
import { IdentitiesController } from './identities/identities.controller';
import { MeController } from './me/me.controller';
import { PolicyDiffController } from './policies/diff.controller';
import { PoliciesController } from './policies/policies.controller';
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
    CommitsController,
    SummaryController,
    IdentitiesController,
    TeamsController,
    MeController,
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
export class QueryApiModule {}
