import {
  type Database,
  hasFilledTreeGap,
  lineHeads,
  lineTreePlaces,
  loadRefState,
  lockLedger,
  type Queryable,
  removeLedger,
  type RepositoryPlace,
  resetLedger,
} from '@lineprint/persistence';
import { countedRefs } from '@lineprint/results';
import { followTip } from './tip-follower';
import { followTrees } from './tree-follower';

/**
 * Brings the ledger of each ref that counts to the commit that the ref names, as far as commits have arrived.
 * @returns false where another process works at the repository's ledger, or the signal came
 */
export async function followRepository(
  database: Database,
  place: RepositoryPlace,
  signal: AbortSignal,
): Promise<boolean> {
  const refs = await database.transaction(async (tx) =>
    (await lockLedger(tx, place)) ? prepare(tx, place) : undefined,
  );
  if (!refs) return false;
  for (const [ref, sha] of refs) {
    if (!(await followTrees(database, place, sha, signal))) return false;
    // Commits and what refs name come by different ways: this one is still to come, and will be told.
    if (!(await lineTreePlaces(database, place, [sha])).has(sha)) continue;
    if (!(await followTip(database, { ...place, ref }, sha, signal))) return false;
  }
  return true;
}

/** @returns the refs that count, and what each names */
async function prepare(tx: Queryable, place: RepositoryPlace): Promise<Map<string, string>> {
  const refs = countedRefs(await loadRefState(tx, place));
  // What follows from a commit whose parent was not known is wrong from the beginning.
  if (await hasFilledTreeGap(tx, place)) await resetLedger(tx, place);
  for (const { ref } of await lineHeads(tx, place)) {
    if (!refs.has(ref)) await removeLedger(tx, { ...place, ref });
  }
  return refs;
}
