import type { Queryable } from '@lineprint/persistence';
import type { CommitRows } from './attribution-rows';
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

/**
 * Writes verdicts and sums the days they belong to anew, in the caller's transaction. A policy's first verdict on a
 * commit stands: what is there already stays as it is, and of several in `rows` the first counts.
 *
 * @returns how many verdicts were new
 */
export async function writeVerdicts(tx: Queryable, rows: readonly CommitRows[]): Promise<number> {
  if (rows.length === 0) return 0;
  await lockDaily(
    tx,
    rows.map(({ verdict }) => verdict),
  );
  const inserted = await insertVerdicts(
    tx,
    rows.map(({ verdict }) => verdict),
  );
  const fresh = rows.filter(({ verdict }) => inserted.delete(verdictKey(verdict)));
  if (fresh.length === 0) return 0;
  await insertCommits(
    tx,
    fresh.map(({ commit }) => commit),
  );
  await insertFiles(
    tx,
    fresh.flatMap((row) => row.files),
  );
  const results = fresh.flatMap((row) => row.results);
  await insertResults(tx, results);
  const days = new Map<string, DailyKey>();
  for (const { org_id, policy_id, day, user_id, project_id } of results) {
    const key = { org_id, policy_id, date: day, user_id, project_id };
    days.set(JSON.stringify(key), key);
  }
  if (days.size > 0) await recomputeDaily(tx, [...days.values()]);
  return fresh.length;
}
