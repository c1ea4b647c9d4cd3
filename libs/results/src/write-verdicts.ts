import { noteRelabels, type Queryable } from '@lineprint/persistence';
import type { CommitRows } from './attribution-rows';
import { copiesOfOriginals, insertCopies, settleCopies } from './copied-results';
import type { PolicyPlace } from './file-verdicts';
import {
  commitKey,
  type CommitRow,
  type DailyKey,
  deleteResults,
  insertFiles,
  insertResults,
  lockDaily,
  recomputeDays,
  uncountedCommits,
  verdictKey,
  writeCommits,
  writeVerdictRows,
} from './results.queries';

/**
 * Writes verdicts and sums the days they belong to anew, in the caller's transaction; the ledger is to label their lines. A policy's first verdict on a
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
  const copies = fresh.flatMap((row) => row.copies);
  await insertCopies(tx, copies);
  const originals = copies.map(({ from_commit, ...row }) => ({ ...row, sha: from_commit }));
  const uncounted = await uncountedCommits(tx, [...fresh.map(({ commit }) => commit), ...originals]);
  const results = fresh.flatMap(({ commit, results: own }) =>
    uncounted.has(commitKey(commit)) ? own.map((row) => ({ ...row, counted: false })) : own,
  );
  await insertResults(tx, results);
  const touched = results.map(({ day, ...result }) => ({ ...result, date: day }));
  const copied = uncounted.size === 0 ? [] : await settleFreshCopies(tx, fresh, uncounted);
  await recomputeDays(tx, [...replaced, ...touched, ...copied]);
  await noteRelabels(
    tx,
    fresh.map(({ verdict }) => ({
      orgId: verdict.org_id,
      policyId: verdict.policy_id,
      repository: verdict.repository,
      sha: verdict.commit_sha,
    })),
  );
  return fresh.length;
}

/** Of what the verdicts copy, or are copied from, that which does not count itself counts in copies that do. */
async function settleFreshCopies(
  tx: Queryable,
  fresh: readonly CommitRows[],
  uncounted: ReadonlySet<string>,
): Promise<DailyKey[]> {
  const places = new Map<string, { place: PolicyPlace; shas: Set<string> }>();
  for (const { verdict, copies } of fresh) {
    const { org_id, policy_id, repository, commit_sha } = verdict;
    const key = JSON.stringify([org_id, policy_id, repository]);
    const place = { orgId: org_id, policyId: policy_id, repository };
    const { shas } = places.get(key) ?? { shas: new Set<string>() };
    places.set(key, { place, shas });
    for (const sha of [commit_sha, ...copies.map(({ from_commit }) => from_commit)]) {
      if (uncounted.has(commitKey({ org_id, repository, sha }))) shas.add(sha);
    }
  }
  const days: DailyKey[] = [];
  for (const { place, shas } of places.values()) {
    days.push(...(await settleCopies(tx, place, await copiesOfOriginals(tx, place, [...shas]))));
  }
  return days;
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
    const key = commitKey(commit);
    const known = commits.get(key);
    commits.set(key, known ? revised(known, commit) : commit);
  }
  return [...commits.values()];
}

/** The commit as it came first, as late as its highest revision is. */
function revised(first: CommitRow, { late, revision }: CommitRow): CommitRow {
  return first.revision < revision ? { ...first, late, revision } : first;
}
