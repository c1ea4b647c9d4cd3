import { Controller, Get, Inject, Query } from '@nestjs/common';
import { DeadLetterQueue, OPEN_EVENT_LOG, type OpenEventLog } from '@lineprint/event-log';
import { TENANT_DATABASE, type Database } from '@lineprint/persistence';
import {
  type Config,
  CONFIG,
  CurrentPrincipal,
  HttpProblem,
  type Principal,
  Scopes,
} from '@lineprint/platform';
import { lastReconciliation } from '@lineprint/results';
import { CLOCK, type Clock } from '../clock';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { periodOf } from '../stats/period-parameters';
import { loadTenantView } from '../tenant-view';
import {
  commitQuality,
  lineQuality,
  pendingReanalyses,
  repositoryQuality,
  snippetQuality,
} from './quality.queries';
import { qualityAnswer, type QualityAnswer, qualityParameters } from './quality.schema';

/** More dead letters than this are not counted. */
const MOST_LETTERS = 200;

/** What the numbers do not know. */
@Controller('api/v1/data-quality')
export class QualityController {
  constructor(
    @Inject(TENANT_DATABASE) private readonly database: Database,
    @Inject(OPEN_EVENT_LOG) private readonly openLog: OpenEventLog,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Scopes('read')
  @DescribesAnswer('What the numbers of some days do not know', qualityAnswer, qualityParameters)
  async quality(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<QualityAnswer> {
    const parameters = parseParameters(qualityParameters, query);
    const view = await loadTenantView(this.database, principal, parameters.policy);
    if (view.person !== null) {
      throw new HttpProblem(
        403,
        'person-forbidden',
        'A personal key',
        `This credential answers for ${view.person} only. Use a key of the organisation.`,
      );
    }
    const period = periodOf(parameters, view, this.clock());
    const { accepted, never_matched } = await snippetQuality(this.database, view, period);
    const repositories = await repositoryQuality(this.database, view.orgId);
    const reconciliation = await lastReconciliation(this.database, view.orgId);
    return {
      period,
      commits: await commitQuality(this.database, view, period),
      lines: await lineQuality(this.database, view, period),
      snippets: { accepted, neverMatched: never_matched },
      reanalysis: { pending: await pendingReanalyses(this.database, view.orgId) },
      deadLetters: principal.scopes.includes('admin') ? await this.openLetters(view.orgId) : null,
      repositories: {
        total: repositories.length,
        withoutDefaultBranch: repositories
          .filter((row) => !row.has_default_branch)
          .map(({ repository }) => repository),
        gaps: repositories
          .filter(({ missing }) => missing > 0)
          .map(({ repository, missing }) => ({ repository, missing })),
      },
      reconciliation: reconciliation && {
        finishedAt: reconciliation.finishedAt!.toISOString(),
        days: reconciliation.days ?? 0,
        differences: reconciliation.differences ?? 0,
      },
    };
  }

  private async openLetters(orgId: string): Promise<{ open: number; more: boolean }> {
    const queue = new DeadLetterQueue(await this.openLog(), this.database);
    const access = { orgId, operator: orgId === this.config.bootstrap.orgId };
    const { letters, next } = await queue.list(access, { state: 'open', limit: MOST_LETTERS });
    return { open: letters.length, more: next !== null };
  }
}
