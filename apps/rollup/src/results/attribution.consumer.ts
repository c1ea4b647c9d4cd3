import { Controller, Inject } from '@nestjs/common';
import { attributionEventSchema, GROUPS, TOPICS } from '@lineprint/contracts';
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
  type DailyKey,
  insertCommits,
  insertFiles,
  insertResults,
  insertVerdicts,
  lockDaily,
  recomputeDaily,
  verdictKey,
} from './results.queries';

/** Keeps results and daily rows: a policy's first verdict on a commit stands, days are summed from results. */
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
      try {
        const rows = attributionRows(event, await this.clock(clocks, event.commit.tenant));
        const key = verdictKey(rows.verdict);
        if (!verdicts.has(key)) verdicts.set(key, rows);
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
    const inserted = await insertVerdicts(
      tx,
      rows.map(({ verdict }) => verdict),
    );
    const fresh = rows.filter(({ verdict }) => inserted.has(verdictKey(verdict)));
    if (fresh.length === 0) return;
    await insertCommits(
      tx,
      fresh.map(({ commit }) => commit),
    );
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
