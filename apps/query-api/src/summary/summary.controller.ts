import { Controller, Get, Inject, Query } from '@nestjs/common';
import { DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, Scopes, type Principal } from '@lineprint/platform';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { requireOwnProject } from '../project-access';
import { loadTenantView } from '../tenant-view';
import { assembleSummary } from './summary.answer';
import {
  countCommits,
  groupedLines,
  uncountedLines,
  type Dimension,
  type SummaryFilter,
} from './summary.queries';
import {
  commitCountsAnswer,
  summaryAnswer,
  summaryParameters,
  type CommitCountsAnswer,
  type SummaryAnswer,
} from './summary.schema';

@Controller('api/v1/summary')
export class SummaryController {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
  @DescribesAnswer('All lines of the organisation, split in five ways', summaryAnswer, summaryParameters)
  async summary(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<SummaryAnswer> {
    const filter = await this.filter(principal, query);
    const view = await loadTenantView(this.database, principal);
    const lines = (dimension: Dimension) => groupedLines(this.database, view, filter, dimension);
    return assembleSummary(
      await countCommits(this.database, view, filter),
      await uncountedLines(this.database, view, filter),
      {
        language: await lines('language'),
        person: await lines('person'),
        source: await lines('source'),
        confidence: await lines('confidence'),
        evidence: await lines('evidence'),
      },
    );
  }

  @Get('commits')
  @Scopes('read')
  @DescribesAnswer('How many commits have been analysed', commitCountsAnswer, summaryParameters)
  async commits(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<CommitCountsAnswer> {
    const filter = await this.filter(principal, query);
    return countCommits(this.database, await loadTenantView(this.database, principal), filter);
  }

  private async filter(principal: Principal, query: Record<string, unknown>): Promise<SummaryFilter> {
    const parameters = parseParameters(summaryParameters, query);
    const filter = { repository: parameters.repository ?? null, projectId: parameters.project_id ?? null };
    if (filter.projectId !== null) await requireOwnProject(this.database, principal, filter.projectId);
    return filter;
  }
}
