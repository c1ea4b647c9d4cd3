import { Controller, Inject } from '@nestjs/common';
import { attributionEventSchema, GROUPS, TOPICS } from '@lineprint/contracts';
import {
  type Batch,
  type BatchResult,
  ConsumeBatches,
  type DeadLetter,
  readBatch,
  readRefs,
} from '@lineprint/event-log';
import { DATABASE, type Database, droppedPolicies, loadTenant, type Queryable } from '@lineprint/persistence';
import { LineprintError } from '@lineprint/platform';
import {
  attributionRows,
  type CommitRows,
  lockCounting,
  tellRefs,
  type TenantClock,
  writeVerdicts,
} from '@lineprint/results';

/**
 * Keeps results and daily rows: a policy's first verdict on a commit stands, days are summed from results of commits
 * that count, and which do follows from what refs name.
 */
@Controller()
export class AttributionConsumer {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  @ConsumeBatches({ topic: TOPICS.attributions, group: GROUPS.rollupAttributions, maxRecords: 128 })
  async consume(batch: Batch): Promise<BatchResult> {
    const { events, deadLetters } = readBatch(batch, attributionEventSchema);
    const clocks = new Map<string, TenantClock>();
    const refused: DeadLetter[] = [];
    const verdicts: CommitRows[] = [];
    for (const { record, event } of events) {
      try {
        verdicts.push(attributionRows(event, await this.clock(clocks, event.commit.tenant)));
      } catch (error) {
        if (!(error instanceof LineprintError) || error.transient) throw error;
        refused.push({ record, code: error.code, message: error.message });
      }
    }
    const refs = readRefs(batch);
    const told = refs.events.map(({ event }) => event);
    await this.database.transaction(async (tx) => {
      const policies = await lockCounting(
        tx,
        told.map(({ tenant }) => tenant),
      );
      await writeVerdicts(tx, await this.undropped(tx, verdicts));
      for (const event of told) await tellRefs(tx, event, policies);
    });
    return {
      processed: batch.records.length,
      deadLetters: [...deadLetters, ...refs.deadLetters, ...refused],
    };
  }

  /** What was judged before its policy was dropped may come after the policy's rows were deleted. */
  private async undropped(tx: Queryable, verdicts: readonly CommitRows[]): Promise<CommitRows[]> {
    const policies = verdicts.map(({ verdict }) => ({ orgId: verdict.org_id, policyId: verdict.policy_id }));
    const dropped = await droppedPolicies(tx, policies);
    return verdicts.filter(({ verdict }) => !dropped.has(`${verdict.org_id} ${verdict.policy_id}`));
  }

  private async clock(clocks: Map<string, TenantClock>, tenant: string): Promise<TenantClock> {
    let clock = clocks.get(tenant);
    if (!clock) {
      const stored = await loadTenant(this.database, tenant);
      clock = stored ?? { timeZone: 'UTC', dayBy: 'author' };
      clocks.set(tenant, clock);
    }
    return clock;
  }
}
