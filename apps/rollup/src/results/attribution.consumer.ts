import { Controller, Inject } from '@nestjs/common';
import { type AttributionEvent, attributionEventSchema, GROUPS, TOPICS } from '@lineprint/contracts';
import {
  type Batch,
  type BatchResult,
  ConsumeBatches,
  type DeadLetter,
  readBatch,
} from '@lineprint/event-log';
import { DATABASE, type Database, loadTenant, type Queryable, saveProgress } from '@lineprint/persistence';
import { LineprintError } from '@lineprint/platform';
import { attributionRows, type CommitRows, type TenantClock } from './attribution-rows';
import {
  commitKey,
  type DailyKey,
  insertCommits,
  insertFiles,
  insertResults,
  lockDaily,
  recomputeDaily,
} from './results.queries';

/** Keeps results and daily rows: the first verdict on a commit stands, days are summed from results. */
@Controller()
export class AttributionConsumer {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  @ConsumeBatches({ topic: TOPICS.attributions, group: GROUPS.rollupAttributions, maxRecords: 128 })
  async consume(batch: Batch): Promise<BatchResult> {
    const { events, deadLetters } = readBatch(batch, attributionEventSchema);
    const clocks = new Map<string, TenantClock>();
    const refused: DeadLetter[] = [];
    // A commit sent twice comes twice; within a batch, too, the first stands.
    const verdicts = new Map<string, CommitRows>();
    for (const { record, event } of events) {
      const key = keyOf(event);
      if (verdicts.has(key)) continue;
      try {
        verdicts.set(key, attributionRows(event, await this.clock(clocks, event.commit.tenant)));
      } catch (error) {
        if (!(error instanceof LineprintError) || error.transient) throw error;
        refused.push({ record, code: error.code, message: error.message });
      }
    }
    const last = batch.records[batch.records.length - 1]!;
    await this.database.transaction(async (tx) => {
      await this.write(tx, verdicts);
      await saveProgress(tx, GROUPS.rollupAttributions, batch.topic, batch.partition, last.offset + 1);
    });
    return { processed: batch.records.length, deadLetters: [...deadLetters, ...refused] };
  }

  private async write(tx: Queryable, verdicts: ReadonlyMap<string, CommitRows>): Promise<void> {
    if (verdicts.size === 0) return;
    const rows = [...verdicts.values()];
    await lockDaily(
      tx,
      rows.map(({ commit }) => commit.org_id),
    );
    const inserted = await insertCommits(
      tx,
      rows.map(({ commit }) => commit),
    );
    const fresh = rows.filter(({ commit }) =>
      inserted.has(commitKey(commit.org_id, commit.repository, commit.sha)),
    );
    if (fresh.length === 0) return;
    const results = fresh.flatMap((row) => row.results);
    await insertFiles(
      tx,
      fresh.flatMap((row) => row.files),
    );
    await insertResults(tx, results);
    const days = new Map<string, DailyKey>();
    for (const { org_id, policy_id, day, user_id, project_id } of results) {
      const key = { org_id, policy_id, date: day, user_id, project_id };
      days.set(JSON.stringify(key), key);
    }
    if (days.size > 0) await recomputeDaily(tx, [...days.values()]);
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

function keyOf(event: AttributionEvent): string {
  return commitKey(event.commit.tenant, event.commit.repository, event.commit.sha);
}
