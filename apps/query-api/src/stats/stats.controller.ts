import { Controller, Get, Inject, Query } from '@nestjs/common';
import { TENANT_DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, HttpProblem, Scopes, type Principal, WithinProjects } from '@lineprint/platform';
import { CLOCK, type Clock } from '../clock';
import { DescribesAnswer } from '../openapi/describe';
import { invalidParameters, parseParameters } from '../parameters';
import { countedPeople } from '../people-filter';
import { requireOwnProject } from '../project-access';
import { loadTenantView, type TenantView } from '../tenant-view';
import { assembleStats } from './stats.answer';
import { periodOf } from './period-parameters';
import type { RollupFilter } from '../rollups/rollup-filter';
import { commitSums, daySums, filesWithAi, lineSums } from './stats.queries';
import { statsAnswer, statsParameters, type StatsAnswer, type StatsParameters } from './stats.schema';

@Controller('api/v1/stats')
export class StatsController {
  constructor(
    @Inject(TENANT_DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The seed's dashboard endpoint (its section 7.3). */
  @Get('ai-attribution')
  @Scopes('read')
  @WithinProjects('project_id')
  @DescribesAnswer('AI attribution of a person, a project or the organisation', statsAnswer, statsParameters)
  async aiAttribution(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<StatsAnswer> {
    const parameters = parseParameters(statsParameters, query);
    if (parameters.org_id !== undefined && parameters.org_id !== principal.orgId) {
      throw new HttpProblem(
        403,
        'tenant-mismatch',
        'Another organisation',
        `This key belongs to another organisation than ${parameters.org_id}. Leave org_id out or use a key of that organisation.`,
      );
    }
    const projectId = parameters.project_id ?? null;
    if (projectId !== null) await requireOwnProject(this.database, principal, projectId);

    const view = await loadTenantView(this.database, principal, parameters.policy);
    const { person, userIds } = await countedPeople(this.database, view, {
      person: personAsked(view, parameters),
      team: parameters.team,
    });
    const { repository = null, language = null, source = null, model = null } = parameters;
    const filter: RollupFilter = {
      orgId: view.orgId,
      policyId: view.policyId,
      period: periodOf(parameters, view, this.clock()),
      userIds,
      projectId,
      repository,
      language,
      source,
      model,
    };
    const buckets = { granularity: parameters.granularity, weekStart: view.weekStart };
    const days = await daySums(this.database, filter, buckets);
    const rows = {
      days,
      lines: await lineSums(this.database, filter, buckets),
      commits:
        repository === null && language === null ? days : await commitSums(this.database, filter, buckets),
      filesWithAi: await filesWithAi(this.database, filter),
    };
    const about = {
      period: filter.period,
      scope: parameters.scope,
      ...(person !== null && { user_id: person }),
      ...(projectId !== null && { project_id: projectId }),
      ...(parameters.scope === 'organization' && { org_id: view.orgId }),
    };
    return assembleStats(about, rows);
  }
}

/** The person who is asked for, if any. A personal view answers for its own person only. */
function personAsked({ person }: TenantView, { scope, user_id }: StatsParameters): string | undefined {
  if (person !== null && scope !== 'personal') {
    throw new HttpProblem(
      403,
      'person-forbidden',
      'A personal key',
      `This credential answers for ${person} only. Send scope=personal without user_id, or use a key of the organisation.`,
    );
  }
  if (scope === 'personal' && person === null && user_id === undefined) {
    throw invalidParameters([{ path: 'user_id', detail: 'send the person, this key is not a personal one' }]);
  }
  return user_id;
}
