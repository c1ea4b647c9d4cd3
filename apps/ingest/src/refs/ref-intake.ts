import { Inject, Injectable } from '@nestjs/common';
import { type RefsPush, refsPushSchema, TOPICS } from '@lineprint/contracts';
import { EVENT_LOG, type EventLog, newRefsEvent } from '@lineprint/event-log';
import { isCountedBranch } from '@lineprint/git';
import { connectedPatterns, DATABASE, type Database } from '@lineprint/persistence';
import { type Config, CONFIG, type Principal } from '@lineprint/platform';
import { parseItem } from '../batch/batch';
import { Tenancy } from '../tenancy/tenancy';

const HEADS = 'refs/heads/';

/**
 * Turns what refs name into events among the commits of their repository. Which refs count beside the default branch is
 * decided here and written into the log: a setting that changes later changes nothing that was told before.
 */
@Injectable()
export class RefIntake {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(CONFIG) private readonly config: Config,
    private readonly tenancy: Tenancy,
  ) {}

  /** @throws ItemRefused when the item does not say what refs name, or not of a repository of this principal. */
  async accept(item: unknown, principal: Principal): Promise<RefsPush> {
    const push = parseItem(refsPushSchema, item);
    await this.tenancy.check(principal, { projectId: push.projectId });
    return push;
  }

  /**
   * Resolves once the log has the event.
   * @param complete whether there are no other refs that count, as the host says
   */
  async publish(
    orgId: string,
    { repository, refs }: Pick<RefsPush, 'repository' | 'refs'>,
    { complete = false, traceparent }: { complete?: boolean; traceparent?: string } = {},
  ): Promise<void> {
    const own = await connectedPatterns(this.database, orgId, repository);
    const patterns = own.length > 0 ? own : this.config.countedBranches;
    const told = refs.map((one) => ({
      ...one,
      counts: isCountedBranch(one.ref.slice(HEADS.length), patterns, null),
    }));
    await this.log.append([
      newRefsEvent({
        topic: TOPICS.commits,
        source: 'ingest',
        value: { tenant: orgId, repository, refs: told, complete },
        traceparent,
      }),
    ]);
  }
}
