import { Controller, Get, Inject, Query } from '@nestjs/common';
import { TENANT_DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, Scopes, type Principal, WithinProjects } from '@lineprint/platform';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { requireOwnProject } from '../project-access';
import { loadTenantView, type TenantView } from '../tenant-view';
import { loadSummary } from './summary.answer';
import { countCommits, type SummaryFilter } from './summary.queries';
import {
  commitCountsAnswer,
  summaryAnswer,
  summaryParameters,
  type CommitCountsAnswer,
  type SummaryAnswer,
} from './summary.schema';

@Controller('api/v1/summary')
export class SummaryController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
  @WithinProjects('project_id')
  @DescribesAnswer('All lines of the organisation, split in six ways', summaryAnswer, summaryParameters)
  async summary(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<SummaryAnswer> {
    const { view, filter } = await this.asked(principal, query);
    return loadSummary(this.database, view, filter);
  }

  @Get('commits')
  @Scopes('read')
  @WithinProjects('project_id')
  @DescribesAnswer('How many commits have been analysed', commitCountsAnswer, summaryParameters)
  async commits(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<CommitCountsAnswer> {
    const { view, filter } = await this.asked(principal, query);
    return countCommits(this.database, view, filter);
  }

  private async asked(
    principal: Principal,
    query: Record<string, unknown>,
  ): Promise<{ view: TenantView; filter: SummaryFilter }> {
    const { repository, project_id, policy } = parseParameters(summaryParameters, query);
    if (project_id !== undefined) await requireOwnProject(this.database, principal, project_id);
    return {
      view: await loadTenantView(this.database, principal, policy),
      filter: { repository: repository ?? null, projectId: project_id ?? null },
    };
  }
}
