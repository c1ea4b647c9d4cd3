import { Controller, Get, Inject, Query } from '@nestjs/common';
import { TENANT_DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, Scopes, type Principal, WithinProjects } from '@lineprint/platform';
import { AnswersCsv, type Table } from '../csv';
import { askedLedger, listHeads } from '../ledger/ledger-filter';
import { DescribesAnswer } from '../openapi/describe';
import { invalidParameters, parseParameters } from '../parameters';
import { assembleSurvival } from './survival.answer';
import { livesOfLines } from './survival.queries';
import { survivalAnswer, type SurvivalAnswer, survivalParameters } from './survival.schema';

@Controller('api/v1/survival')
export class SurvivalController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
  @WithinProjects('project_id')
  @AnswersCsv(tableOfCohorts)
  @DescribesAnswer('How long lines stand in default branches', survivalAnswer, survivalParameters, {
    csv: true,
  })
  async survival(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<SurvivalAnswer> {
    const parameters = parseParameters(survivalParameters, query);
    const { born_from = null, born_to = null, by } = parameters;
    if (born_from !== null && born_to !== null && born_from > born_to) {
      throw invalidParameters([{ path: 'born_to', detail: 'send a day that is not before born_from' }]);
    }
    const { view, filter } = await askedLedger(this.database, principal, parameters);
    const heads = await listHeads(this.database, view, filter);
    const asked = { heads, userIds: filter.userIds, bornFrom: born_from, bornTo: born_to };
    return assembleSurvival(await livesOfLines(this.database, view, asked, by));
  }
}

function tableOfCohorts({ cohorts }: SurvivalAnswer): Table {
  const columns = ['week', 'key', 'born', 'alive7', 'alive30', 'alive90', 'now'] as const;
  return { columns, rows: cohorts.map((cohort) => columns.map((column) => cohort[column])) };
}
