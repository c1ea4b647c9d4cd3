import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import {
  type BatchAnswer,
  type CommitEvent,
  type CommitPush,
  commitPushSchema,
  repositoryKey,
  TOPICS,
  withinLineLimits,
} from '@lineprint/contracts';
import { EVENT_LOG, type EventLog, newEvent } from '@lineprint/event-log';
import { CurrentPrincipal, type Principal, Scopes, Traceparent } from '@lineprint/platform';
import { batchAnswer, batchItems, parseItem, sortItems } from '../batch/batch';
import { projectOf, Tenancy } from '../tenancy/tenancy';

export const MAX_COMMITS = 500;

@Controller('api/v1/commits')
export class CommitsController {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    private readonly tenancy: Tenancy,
  ) {}

  /** Takes commits with their content, in the order in which they are to be analysed. */
  @Post()
  @HttpCode(202)
  @Scopes('ingest')
  async post(
    @Body() body: unknown,
    @CurrentPrincipal() principal: Principal,
    @Traceparent() traceparent: string,
  ): Promise<BatchAnswer> {
    const items = batchItems(body, 'commits', MAX_COMMITS);
    const { taken, rejected } = await sortItems(items, (item) => this.accept(item, principal));
    if (taken.length > 0) await this.publish(taken, principal, traceparent);
    return batchAnswer(taken.length, rejected);
  }

  private async accept(item: unknown, principal: Principal): Promise<CommitPush & { projectId: string }> {
    const commit = parseItem(commitPushSchema, item);
    await this.tenancy.check(principal, { projectId: commit.projectId });
    return { ...withinLineLimits(commit), projectId: projectOf(commit) };
  }

  private async publish(
    commits: readonly (CommitPush & { projectId: string })[],
    principal: Principal,
    traceparent: string,
  ): Promise<void> {
    // Read after the client's earlier requests were acknowledged: everything it sent before lies below.
    const snippetHorizon = await this.log.endOffsets(TOPICS.snippets);
    await this.log.append(
      commits.map((commit) => {
        const event: CommitEvent = { ...commit, tenant: principal.orgId, snippetHorizon };
        return newEvent({
          topic: TOPICS.commits,
          key: repositoryKey(principal.orgId, commit.repository),
          tenant: principal.orgId,
          source: 'ingest',
          value: event,
          traceparent,
        });
      }),
    );
  }
}
