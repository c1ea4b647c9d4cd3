import type { Queryable } from '@lineprint/persistence';
import type { CommitRows } from './attribution-rows';
import {
  type CommitRow,
  type DailyKey,
  deleteResults,
  insertFiles,
  insertResults,
  lockDaily,
  recomputeDaily,
  verdictKey,
  writeCommits,
  writeVerdictRows,
} from './results.queries';

/**
 * Writes verdicts and sums the days they belong to anew, in the caller's transaction. A policy's first verdict on a
 * commit stands until one on a higher revision of it replaces it; so it is among `rows`.
 *
 * @returns how many verdicts were written
 */
export async function writeVerdicts(tx: Queryable, rows: readonly CommitRows[]): Promise<number> {
  if (rows.length === 0) return 0;
  await lockDaily(
    tx,
    rows.map(({ verdict }) => verdict),
  );
  const newest = newestOf(rows);
  const written = await writeVerdictRows(
    tx,
    newest.map(({ verdict }) => verdict),
  );
  const fresh = newest.filter(({ verdict }) => written.has(verdictKey(verdict)));
  if (fresh.length === 0) return 0;
  await writeCommits(tx, commitsOf(fresh));
  const again = fresh.filter(({ verdict }) => verdict.revision > 0);
  const replaced = await deleteResults(
    tx,
    again.map(({ verdict }) => verdict),
  );
  await insertFiles(
    tx,
    fresh.flatMap((row) => row.files),
  );
  const results = fresh.flatMap((row) => row.results);
  await insertResults(tx, results);
  const days = new Map<string, DailyKey>();
  const touched = results.map(({ day, ...result }) => ({ ...result, date: day }));
  for (const { org_id, policy_id, date, user_id, project_id } of [...replaced, ...touched]) {
    const key = { org_id, policy_id, date, user_id, project_id };
    days.set(JSON.stringify(key), key);
  }
  if (days.size > 0) await recomputeDaily(tx, [...days.values()]);
  return fresh.length;
}

/** Of several verdicts on a commit the one on the highest revision, of several on that the first. */
function newestOf(rows: readonly CommitRows[]): CommitRows[] {
  const newest = new Map<string, CommitRows>();
  for (const row of rows) {
    const key = verdictKey(row.verdict);
    const known = newest.get(key);
    if (!known) newest.set(key, row);
    else if (known.verdict.revision < row.verdict.revision)
      newest.set(key, { ...row, commit: revised(known.commit, row.commit) });
  }
  return [...newest.values()];
}

/** Each commit once, though several policies judge it. */
function commitsOf(rows: readonly CommitRows[]): CommitRow[] {
  const commits = new Map<string, CommitRow>();
  for (const { commit } of rows) {
    const key = JSON.stringify([commit.org_id, commit.repository, commit.sha]);
    const known = commits.get(key);
    commits.set(key, known ? revised(known, commit) : commit);
  }
  return [...commits.values()];
}

/** The commit as it came first, as late as its highest revision is. */
function revised(first: CommitRow, { late, revision }: CommitRow): CommitRow {
  return first.revision < revision ? { ...first, late, revision } : first;
}
