import { Inject, Injectable } from '@nestjs/common';
import {
  type CommitEvent,
  commitInconsistency,
  type CommitPush,
  commitPushSchema,
  repositoryKey,
  TOPICS,
  withinLineLimits,
} from '@lineprint/contracts';
import { EVENT_LOG, type EventLog, newEvent } from '@lineprint/event-log';
import type { Principal } from '@lineprint/platform';
import { ItemRefused, parseItem } from '../batch/batch';
import { projectOf, Tenancy } from '../tenancy/tenancy';

/** A commit that was accepted. */
export type AcceptedCommit = CommitPush & { readonly projectId: string };

/** Turns commits into events, in the order in which they come. */
@Injectable()
export class CommitIntake {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    private readonly tenancy: Tenancy,
  ) {}

  /** @throws ItemRefused when the item is not a commit this principal may send. */
  async accept(item: unknown, principal: Principal): Promise<AcceptedCommit> {
    const commit = parseItem(commitPushSchema, item);
    await this.tenancy.check(principal, { projectId: commit.projectId });
    const taken = { ...withinLineLimits(commit), projectId: projectOf(commit) };
    const inconsistency = commitInconsistency(taken);
    if (inconsistency !== undefined) throw new ItemRefused('commit-inconsistent', inconsistency);
    return taken;
  }

  /** Resolves once the log has the events. */
  async publish(
    commits: readonly AcceptedCommit[],
    { orgId }: Principal,
    traceparent?: string,
  ): Promise<void> {
    // Read after the client's earlier requests were acknowledged: everything it sent before lies below.
    const snippetHorizon = await this.log.endOffsets(TOPICS.snippets);
    await this.log.append(
      commits.map((commit) => {
        const event: CommitEvent = { ...commit, tenant: orgId, snippetHorizon };
        return newEvent({
          topic: TOPICS.commits,
          key: repositoryKey(orgId, commit.repository),
          tenant: orgId,
          source: 'ingest',
          value: event,
          traceparent,
        });
      }),
    );
  }
}
