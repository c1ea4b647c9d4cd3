import { Controller, Get, Inject, Query } from '@nestjs/common';
import { personId } from '@lineprint/contracts';
import { DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, HttpProblem, localDay, Scopes, type Principal } from '@lineprint/platform';
import { CLOCK, type Clock } from '../clock';
import { DescribesAnswer } from '../openapi/describe';
import { invalidParameters, parseParameters } from '../parameters';
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
    const userId = personOf(principal, parameters);
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
    const filter: StatsFilter = {
      orgId: view.orgId,
      policyId: view.policyId,
      period: this.periodOf(parameters, view),
      userId,
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
      ...(userId !== null && { user_id: userId }),
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

/** The person whose rows count, or null for everybody's. A personal key answers for its own person only. */
function personOf(principal: Principal, parameters: StatsParameters): string | null {
  const keyOf = principal.userId === null ? null : personId(principal.userId);
  const asked = parameters.user_id === undefined ? keyOf : personId(parameters.user_id);
  if (keyOf !== null && (parameters.scope !== 'personal' || asked !== keyOf)) {
    throw new HttpProblem(
      403,
      'person-forbidden',
      'A personal key',
      `This key answers for ${principal.userId} only. Send scope=personal without user_id, or use a key of the organisation.`,
    );
  }
  if (parameters.scope !== 'personal') return null;
  if (asked === null) {
    throw invalidParameters([{ path: 'user_id', detail: 'send the person, this key is not a personal one' }]);
  }
  return asked;
}
