import { Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { TENANT_DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, HttpProblem, type Principal, Scopes } from '@lineprint/platform';
import {
  findReconciliation,
  listReconciliations,
  type Reconciliation,
  requestReconciliation,
} from '@lineprint/results';
import { z } from 'zod';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import {
  reconciliationAnswer,
  type ReconciliationAnswer,
  reconciliationListAnswer,
  type ReconciliationListAnswer,
  reconciliationPath,
} from './reconciliations.schema';

const NO_PARAMETERS = z.object({});
const LISTED = 50;

/** Proofs that daily sums are what results say; rollup makes them each night, and when somebody asks. */
@Controller('api/v1/reconciliations')
export class ReconciliationsController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('admin')
  @DescribesAnswer('The last 50 reconciliations, the newest first', reconciliationListAnswer, NO_PARAMETERS, {
    scope: 'admin',
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<ReconciliationListAnswer> {
    const all = await listReconciliations(this.database, principal.orgId, LISTED);
    return { reconciliations: all.map(reconciliationFields) };
  }

  @Get(':id')
  @Scopes('admin')
  @DescribesAnswer('A reconciliation and where sums differ', reconciliationAnswer, NO_PARAMETERS, {
    scope: 'admin',
    path: reconciliationPath,
  })
  async show(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<ReconciliationAnswer> {
    const { id } = parseParameters(z.object(reconciliationPath), path);
    const found = await findReconciliation(this.database, principal.orgId, id);
    if (found) return reconciliationFields(found);
    throw new HttpProblem(
      404,
      'reconciliation-unknown',
      'No such reconciliation',
      `This organisation has no reconciliation ${id}. GET /api/v1/reconciliations lists the last ones.`,
    );
  }

  @Post()
  @HttpCode(201)
  @Scopes('admin')
  @DescribesAnswer('Ask for a reconciliation', reconciliationAnswer, NO_PARAMETERS, {
    scope: 'admin',
    status: 201,
  })
  async request(@CurrentPrincipal() principal: Principal): Promise<ReconciliationAnswer> {
    return reconciliationFields(
      await requestReconciliation(this.database, principal.orgId, principal.userId),
    );
  }
}

function reconciliationFields(reconciliation: Reconciliation): ReconciliationAnswer {
  const { requestedAt, finishedAt, details, ...fields } = reconciliation;
  return {
    ...fields,
    requestedAt: requestedAt.toISOString(),
    status: finishedAt ? 'finished' : 'waiting',
    finishedAt: finishedAt?.toISOString() ?? null,
    details: [...details],
  };
}
