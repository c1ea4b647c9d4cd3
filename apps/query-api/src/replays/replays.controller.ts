import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import {
  changeReplay,
  createReplay,
  TENANT_DATABASE,
  type Database,
  findReplay,
  listReplays,
  type ReplayAction,
  type ReplayProgress,
} from '@lineprint/persistence';
import { actorOf, CurrentPrincipal, HttpProblem, Scopes, type Principal } from '@lineprint/platform';
import { z } from 'zod';
import { DescribesAnswer } from '../openapi/describe';
import { parseBody, parseParameters } from '../parameters';
import { orProblem, type Problems } from '../problems';
import {
  replayAnswer,
  type ReplayAnswer,
  replayIdParameter,
  replayListAnswer,
  type ReplayListAnswer,
  startReplayBody,
  startReplayExample,
} from './replays.schema';

const NO_QUERY = z.object({});
const ADMIN = { scope: 'admin' } as const;
const ONE = { ...ADMIN, path: { id: replayIdParameter } } as const;

const PROBLEMS: Problems = {
  'policy-unknown': { status: 404, title: 'No such policy' },
  'policy-live': { status: 409, title: 'The policy is judged live' },
  'policy-active': { status: 409, title: 'The policy is active' },
  'replay-exists': { status: 409, title: 'The policy has a replay' },
  'replay-transition': { status: 409, title: 'Not from this status' },
};

/** Reads a topic again under a policy that the live stream does not judge. */
@Controller('api/v1/replays')
export class ReplaysController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('admin')
  @DescribesAnswer('The replays, newest first', replayListAnswer, NO_QUERY, ADMIN)
  async list(@CurrentPrincipal() { orgId }: Principal): Promise<ReplayListAnswer> {
    return { replays: (await listReplays(this.database, orgId)).map(replayFields) };
  }

  @Get(':id')
  @Scopes('admin')
  @DescribesAnswer('One replay and how far it is', replayAnswer, NO_QUERY, ONE)
  one(
    @CurrentPrincipal() { orgId }: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<ReplayAnswer> {
    return this.answer(orgId, idOf(path));
  }

  @Post()
  @Scopes('admin')
  @DescribesAnswer('Judge every commit again under a policy', replayAnswer, NO_QUERY, {
    ...ADMIN,
    status: 201,
    body: { schema: startReplayBody, example: startReplayExample },
  })
  async start(@CurrentPrincipal() principal: Principal, @Body() body: unknown): Promise<ReplayAnswer> {
    const { policy, from, to, ...wanted } = parseBody(startReplayBody, body);
    const { orgId } = principal;
    const replay = await orProblem(
      createReplay(this.database, {
        ...wanted,
        orgId,
        policyId: policy,
        from: from ?? null,
        to: to ?? null,
        createdBy: actorOf(principal),
      }),
      PROBLEMS,
    );
    return this.answer(orgId, replay.id);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @Scopes('admin')
  @DescribesAnswer('Stop for a while', replayAnswer, NO_QUERY, ONE)
  pause(
    @CurrentPrincipal() { orgId }: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<ReplayAnswer> {
    return this.change(orgId, path, 'pause');
  }

  @Post(':id/resume')
  @HttpCode(200)
  @Scopes('admin')
  @DescribesAnswer('Go on from there, also after it was cancelled or failed', replayAnswer, NO_QUERY, ONE)
  resume(
    @CurrentPrincipal() { orgId }: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<ReplayAnswer> {
    return this.change(orgId, path, 'resume');
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Scopes('admin')
  @DescribesAnswer(
    'End it; what it has written stays until its policy is dropped',
    replayAnswer,
    NO_QUERY,
    ONE,
  )
  cancel(
    @CurrentPrincipal() { orgId }: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<ReplayAnswer> {
    return this.change(orgId, path, 'cancel');
  }

  private async change(
    orgId: string,
    path: Record<string, unknown>,
    action: ReplayAction,
  ): Promise<ReplayAnswer> {
    const id = idOf(path);
    await this.answer(orgId, id);
    await orProblem(changeReplay(this.database, orgId, id, action), PROBLEMS);
    return this.answer(orgId, id);
  }

  /** @throws HttpProblem 404 `replay-unknown` */
  private async answer(orgId: string, id: string): Promise<ReplayAnswer> {
    const found = await findReplay(this.database, orgId, id);
    if (found) return replayFields(found);
    throw new HttpProblem(
      404,
      'replay-unknown',
      'No such replay',
      `This organisation has no replay ${id}. GET /api/v1/replays lists those it has.`,
    );
  }
}

function idOf(path: Record<string, unknown>): string {
  return parseParameters(z.object({ id: replayIdParameter }), path).id;
}

function replayFields({ replay, partitions, rate }: ReplayProgress): ReplayAnswer {
  const own = partitions.filter(({ stage }) => stage === replay.stage);
  const sum = (of: (partition: (typeof own)[number]) => number) =>
    own.reduce((total, partition) => total + of(partition), 0);
  const total = sum(({ startOffset, targetOffset }) => (targetOffset ?? startOffset) - startOffset);
  const done = sum(
    ({ startOffset, targetOffset, nextOffset }) =>
      Math.min(nextOffset, targetOffset ?? startOffset) - startOffset,
  );
  const iso = (at: Date | null) => at?.toISOString() ?? null;
  return {
    id: replay.id,
    policy: replay.policyId,
    topic: replay.topic,
    stage: replay.stage,
    status: replay.status,
    repository: replay.repository,
    from: iso(replay.from),
    to: iso(replay.to),
    maxRate: replay.maxRate,
    error: replay.error,
    createdBy: replay.createdBy,
    createdAt: replay.createdAt.toISOString(),
    caughtUpAt: iso(replay.caughtUpAt),
    endedAt: iso(replay.endedAt),
    done,
    total,
    judged: sum(({ judged }) => judged),
    written: sum(({ written }) => written),
    refused: sum(({ refused }) => refused),
    rate: rate === null ? null : Math.round(rate * 10) / 10,
    secondsLeft: rate ? Math.ceil((total - done) / rate) : null,
    partitions: own.map(({ partition, startOffset, nextOffset, targetOffset }) => ({
      partition,
      start: startOffset,
      next: nextOffset,
      target: targetOffset,
    })),
  };
}
