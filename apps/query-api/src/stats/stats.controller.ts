import { Controller, Get, Inject, Query } from '@nestjs/common';
import { DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, HttpProblem, localDay, Scopes, type Principal } from '@lineprint/platform';
import { CLOCK, type Clock } from '../clock';
import { DescribesAnswer } from '../openapi/describe';
import { invalidParameters, parseParameters } from '../parameters';
import { countedPeople } from '../people-filter';
import { requireOwnProject } from '../project-access';
import { loadTenantView, type TenantView } from '../tenant-view';
import { assembleStats } from './stats.answer';
import { dayOf, lastDays, type Period } from './period';
import {
  bucketTotals,
  filesWithAi,
  languages,
  provisionalTotals,
  similarities,
  type StatsFilter,
} from './stats.queries';
import { statsAnswer, statsParameters, type StatsAnswer, type StatsParameters } from './stats.schema';

@Controller('api/v1/stats')
export class StatsController {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The seed's dashboard endpoint (its section 7.3). */
  @Get('ai-attribution')
  @Scopes('read')
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
    const filter: StatsFilter = {
      orgId: view.orgId,
      policyId: view.policyId,
      period: this.periodOf(parameters, view),
      userIds,
      projectId,
    };
    const rows = {
      buckets: await bucketTotals(this.database, filter, parameters.granularity),
      filesWithAi: await filesWithAi(this.database, filter),
      similarities: await similarities(this.database, filter),
      languages: await languages(this.database, filter),
      provisional: await provisionalTotals(this.database, filter),
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

  private periodOf(parameters: StatsParameters, view: TenantView): Period {
    const { period, start_date, end_date } = parameters;
    if (start_date !== undefined && end_date !== undefined) {
      const chosen = { start: dayOf(start_date, view.timeZone), end: dayOf(end_date, view.timeZone) };
      if (chosen.start > chosen.end) {
        throw invalidParameters([{ path: 'end_date', detail: 'send a day that is not before start_date' }]);
      }
      return chosen;
    }
    const days = { today: 1, '7d': 7, '30d': 30, custom: 0 }[period];
    return lastDays(days, localDay(this.clock(), view.timeZone));
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
