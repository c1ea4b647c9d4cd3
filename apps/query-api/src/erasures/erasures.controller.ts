import { Body, Controller, Delete, Get, Inject, Param, Post } from '@nestjs/common';
import {
  type Database,
  type Erasure,
  findErasure,
  liftErasure,
  listErasures,
  requestErasure,
  TENANT_DATABASE,
} from '@lineprint/persistence';
import { actorOf, CurrentPrincipal, HttpProblem, type Principal, Scopes } from '@lineprint/platform';
import { z } from 'zod';
import { DescribesAnswer } from '../openapi/describe';
import { parseBody, parseParameters } from '../parameters';
import { orProblem, type Problems } from '../problems';
import {
  erasureAnswer,
  type ErasureAnswer,
  erasureBody,
  erasureListAnswer,
  type ErasureListAnswer,
  erasurePath,
  pseudonymPath,
} from './erasures.schema';

const NO_PARAMETERS = z.object({});
const ADMIN = { scope: 'admin' } as const;

const PROBLEMS: Problems = {
  'person-unknown': { status: 404, title: 'No such person' },
  'erasure-unknown': { status: 404, title: 'No such erasure' },
};

/** People who are to be forgotten: rollup takes them out of all rows, and the log passes them on by a pseudonym alone. */
@Controller('api/v1/erasures')
export class ErasuresController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('admin')
  @DescribesAnswer(
    'Erased people by their pseudonyms, the newest first',
    erasureListAnswer,
    NO_PARAMETERS,
    ADMIN,
  )
  async list(@CurrentPrincipal() { orgId }: Principal): Promise<ErasureListAnswer> {
    return { erasures: (await listErasures(this.database, orgId)).map(erasureFields) };
  }

  @Get(':pseudonym')
  @Scopes('admin')
  @DescribesAnswer('Whether anything is left of an erased person', erasureAnswer, NO_PARAMETERS, {
    ...ADMIN,
    path: pseudonymPath,
  })
  async one(
    @CurrentPrincipal() { orgId }: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<ErasureAnswer> {
    const { pseudonym } = parseParameters(z.object(pseudonymPath), path);
    const found = await findErasure(this.database, orgId, pseudonym);
    if (found) return erasureFields(found);
    throw new HttpProblem(
      404,
      'erasure-unknown',
      'No such erasure',
      `This organisation has erased nobody as ${pseudonym}. GET /api/v1/erasures lists whom it has.`,
    );
  }

  @Post()
  @Scopes('admin')
  @DescribesAnswer(
    'Erase a person with all addresses; the lines stay a pseudonym’s',
    erasureAnswer,
    NO_PARAMETERS,
    {
      ...ADMIN,
      status: 201,
      body: { schema: erasureBody, example: { address: 'mara@harbour.example' } },
    },
  )
  async erase(@CurrentPrincipal() principal: Principal, @Body() body: unknown): Promise<ErasureAnswer> {
    const { address } = parseBody(erasureBody, body);
    const { orgId } = principal;
    return erasureFields(
      await orProblem(requestErasure(this.database, orgId, address, actorOf(principal)), PROBLEMS),
    );
  }

  @Delete(':address')
  @Scopes('admin')
  @DescribesAnswer('Let new events have an erased person again', erasureAnswer, NO_PARAMETERS, {
    ...ADMIN,
    path: erasurePath,
  })
  async lift(
    @CurrentPrincipal() { orgId }: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<ErasureAnswer> {
    const { address } = parseParameters(z.object(erasurePath), path);
    return erasureFields(await orProblem(liftErasure(this.database, orgId, address), PROBLEMS));
  }
}

function erasureFields({
  pseudonym,
  requestedBy,
  requestedAt,
  finishedAt,
  liftedAt,
}: Erasure): ErasureAnswer {
  return {
    pseudonym,
    status: finishedAt === null ? 'waiting' : liftedAt === null ? 'finished' : 'lifted',
    requestedBy,
    requestedAt: requestedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    liftedAt: liftedAt?.toISOString() ?? null,
  };
}
