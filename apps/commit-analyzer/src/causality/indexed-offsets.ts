import { GROUPS, TOPICS } from '@lineprint/contracts';
import type { EventLog } from '@lineprint/event-log';
import { type Database, loadProgress } from '@lineprint/persistence';

/**
 * How far the indexer's effects reach, by partition: its published progress, or where that does not cover the
 * horizons what it has committed to the log. The latter alone counts for records from before this database.
 */
export async function indexedOffsets(
  database: Database,
  log: EventLog,
  horizons: readonly (readonly number[])[],
): Promise<Map<number, number>> {
  const progress = await loadProgress(database, GROUPS.indexer, TOPICS.snippets);
  if (horizons.every((horizon) => covers(progress, horizon))) return progress;
  const committed = await log.committed(GROUPS.indexer, TOPICS.snippets);
  committed.forEach((next, partition) =>
    progress.set(partition, Math.max(next, progress.get(partition) ?? 0)),
  );
  return progress;
}

export function covers(indexed: ReadonlyMap<number, number>, horizon: readonly number[]): boolean {
  return horizon.every((end, partition) => (indexed.get(partition) ?? 0) >= end);
}
