import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { newPolicySchema, type Policy } from '@lineprint/contracts';
import {
  activatePolicy,
  createPolicy,
  TENANT_DATABASE,
  type Database,
  dropPolicy,
  findPolicy,
  listPolicies,
  policyActivations,
  type StoredPolicy,
} from '@lineprint/persistence';
import {
  actorOf,
  CurrentPrincipal,
  LineprintError,
  Scopes,
  type Principal,
  WithinProjects,
} from '@lineprint/platform';
import { z } from 'zod';
import { DescribesAnswer } from '../openapi/describe';
import { parseBody, parseParameters } from '../parameters';
import { orProblem, type Problems } from '../problems';
import { unknownPolicy } from '../tenant-view';
import { judgedCommits, type PolicyReplay, policyReplays } from './policies.queries';
import {
  type ActivationAnswer,
  activationAnswer,
  createPolicyBody,
  derivedPolicyBody,
  derivedPolicyExample,
  type DroppedAnswer,
  droppedAnswer,
  type PolicyAnswer,
  policyAnswer,
  policyIdParameter,
  type PolicyListAnswer,
  policyListAnswer,
  wholePolicyBody,
} from './policies.schema';

const NO_QUERY = z.object({});
const idPath = { path: { id: policyIdParameter } };
const ACTIVATIONS = 20;

/** What a problem of the policies is to a caller; the message says what to do. */
const PROBLEMS: Problems = {
  'policy-changed': { status: 409, title: 'The id is taken' },
  'policy-dropped': { status: 409, title: 'The id is taken' },
  'policy-not-replayed': { status: 409, title: 'Not judged yet' },
  'policy-active': { status: 409, title: 'The policy is active' },
};

@Controller('api/v1/policies')
export class PoliciesController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
  @WithinProjects()
  @DescribesAnswer('The policies, oldest first, and when which was activated', policyListAnswer, NO_QUERY)
  async list(@CurrentPrincipal() principal: Principal): Promise<PolicyListAnswer> {
    const { orgId } = principal;
    const policies = await listPolicies(this.database, orgId);
    const activations = await policyActivations(this.database, orgId, ACTIVATIONS);
    return {
      policies: await this.answers(orgId, policies),
      activations: activations.map((activation) => ({ ...activation, at: activation.at.toISOString() })),
    };
  }

  @Get(':id')
  @Scopes('read')
  @WithinProjects()
  @DescribesAnswer('One policy, who judges it and who reads it', policyAnswer, NO_QUERY, idPath)
  async one(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<PolicyAnswer> {
    return this.answer(principal.orgId, idOf(path));
  }

  @Post()
  @Scopes('admin')
  @DescribesAnswer('Make a policy, whole or as changes of another one', policyAnswer, NO_QUERY, {
    scope: 'admin',
    status: 201,
    body: { schema: createPolicyBody, example: derivedPolicyExample },
  })
  async create(@CurrentPrincipal() principal: Principal, @Body() body: unknown): Promise<PolicyAnswer> {
    const { policy, description } = await this.wanted(principal.orgId, body);
    const about = { createdBy: actorOf(principal), description };
    await orProblem(createPolicy(this.database, principal.orgId, policy, about), PROBLEMS);
    return this.answer(principal.orgId, policy.id);
  }

  @Post(':id/activate')
  @HttpCode(200)
  @Scopes('admin')
  @DescribesAnswer('Let dashboards read this policy; nothing is computed', activationAnswer, NO_QUERY, {
    ...idPath,
    scope: 'admin',
  })
  async activate(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<ActivationAnswer> {
    const active = idOf(path);
    const before = await orPolicyProblem(
      activatePolicy(this.database, principal.orgId, active, actorOf(principal)),
      active,
    );
    return { active, before };
  }

  @Delete(':id')
  @Scopes('admin')
  @DescribesAnswer('Drop a policy with all its results; its id stays taken', droppedAnswer, NO_QUERY, {
    ...idPath,
    scope: 'admin',
  })
  async drop(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<DroppedAnswer> {
    const dropped = idOf(path);
    const rows = await orPolicyProblem(dropPolicy(this.database, principal.orgId, dropped), dropped);
    return { dropped, rows };
  }

  private async wanted(
    orgId: string,
    body: unknown,
  ): Promise<{ policy: Policy; description: string | undefined }> {
    if (typeof body !== 'object' || body === null || !('like' in body)) {
      const { description, ...policy } = parseBody(wholePolicyBody, body);
      return { policy, description };
    }
    const { id, like, changes, description } = parseBody(derivedPolicyBody, body);
    const stored = await findPolicy(this.database, orgId, like);
    if (!stored) throw unknownPolicy(like);
    const policy = parseBody(newPolicySchema, {
      ...stored.policy,
      ...changes,
      id,
      thresholds: { ...stored.policy.thresholds, ...changes.thresholds },
    });
    return { policy, description };
  }

  private async answer(orgId: string, id: string): Promise<PolicyAnswer> {
    const stored = await findPolicy(this.database, orgId, id);
    if (!stored) throw unknownPolicy(id);
    const [answer] = await this.answers(orgId, [stored]);
    return answer!;
  }

  private async answers(orgId: string, policies: readonly StoredPolicy[]): Promise<PolicyAnswer[]> {
    const judged = await judgedCommits(this.database, orgId);
    const replays = await policyReplays(this.database, orgId);
    return policies.map((stored) =>
      policyFields(stored, judged.get(stored.policy.id) ?? 0, replays.get(stored.policy.id) ?? null),
    );
  }
}

/** @param id the policy that must be known */
async function orPolicyProblem<T>(work: Promise<T>, id: string): Promise<T> {
  try {
    return await orProblem(work, PROBLEMS);
  } catch (error) {
    if (error instanceof LineprintError && error.code === 'policy-unknown') throw unknownPolicy(id);
    throw error;
  }
}

function idOf(path: Record<string, unknown>): string {
  return parseParameters(z.object({ id: policyIdParameter }), path).id;
}

function policyFields(stored: StoredPolicy, judged: number, replay: PolicyReplay | null): PolicyAnswer {
  const { policy, description, createdAt, createdBy, active, live } = stored;
  return {
    ...policy,
    description,
    createdAt: createdAt.toISOString(),
    createdBy,
    active,
    live,
    replay,
    judged,
  };
}
