import type { Policy } from '@lineprint/contracts';
import {
  addLabelledPolicies,
  type Database,
  droppedPolicies,
  findPolicy,
  labelledPolicies,
  lineHeads,
  lockLedger,
  noteAllStale,
  noteStaleOrigins,
  type Queryable,
  type RepositoryPlace,
  takeRelabels,
  takeStaleFiles,
  takeStaleLives,
} from '@lineprint/persistence';
import { copiesOf } from '@lineprint/results';
import { labelFiles, labelLives } from './labels';

/** Verdicts, files, and commits with lives a transaction. */
const RELABELS = 1_000;
const FILES = 200;
const COMMITS = 500;

/**
 * Labels what has changed of a repository's lines, or of the verdicts on them.
 * @returns false where another process works at the repository's ledger, or the signal came
 */
export async function labelLines(
  database: Database,
  place: RepositoryPlace,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    if (signal.aborted) return false;
    const left = await database.transaction(async (tx) =>
      (await lockLedger(tx, place)) ? labelSome(tx, place) : 'busy',
    );
    if (left === 'busy') return false;
    if (left === 'nothing') return true;
  }
}

async function labelSome(tx: Queryable, place: RepositoryPlace): Promise<'nothing' | 'maybe more'> {
  const verdicts = await takeRelabels(tx, place, RELABELS);
  await noteVerdicts(tx, place, verdicts);
  const files = await takeStaleFiles(tx, place, FILES);
  const lives = await takeStaleLives(tx, place, COMMITS);
  if (verdicts.length + files.length + lives.length === 0) return 'nothing';
  const policies = await policiesOf(tx, place);
  for (const head of await lineHeads(tx, place)) {
    const ofRef = { ...place, ref: head.ref };
    const paths = files.flatMap(({ ref, path }) => (ref === head.ref ? [path] : []));
    const shas = lives.flatMap(({ ref, originCommit }) => (ref === head.ref ? [originCommit] : []));
    if (paths.length > 0) await labelFiles(tx, ofRef, head, policies, paths);
    if (shas.length > 0) await labelLives(tx, ofRef, head, policies, shas);
  }
  return 'maybe more';
}

/** Notes what is to be labelled anew for verdicts, those on copies of their lines as well. */
async function noteVerdicts(
  tx: Queryable,
  place: RepositoryPlace,
  verdicts: readonly { policyId: string; sha: string }[],
): Promise<void> {
  const byPolicy = new Map<string, string[]>();
  for (const { policyId, sha } of verdicts) byPolicy.set(policyId, [...(byPolicy.get(policyId) ?? []), sha]);
  const kept = await keptPolicies(tx, place, [...byPolicy.keys()]);
  if (kept.length === 0) return;
  if (await addLabelledPolicies(tx, place, kept)) await noteAllStale(tx, place);
  for (const policyId of kept) {
    const shas = byPolicy.get(policyId)!;
    const copies = await copiesOf(tx, { ...place, policyId }, shas);
    await noteStaleOrigins(tx, place, [...new Set([...shas, ...copies])]);
  }
}

async function policiesOf(tx: Queryable, place: RepositoryPlace): Promise<Policy[]> {
  const policies: Policy[] = [];
  for (const policyId of await keptPolicies(tx, place, await labelledPolicies(tx, place))) {
    const stored = await findPolicy(tx, place.orgId, policyId);
    if (stored) policies.push(stored.policy);
  }
  return policies;
}

/** Those that are not dropped, nor will be before the transaction ends. */
async function keptPolicies(
  tx: Queryable,
  { orgId }: RepositoryPlace,
  policyIds: readonly string[],
): Promise<string[]> {
  if (policyIds.length === 0) return [];
  const dropped = await droppedPolicies(
    tx,
    policyIds.map((policyId) => ({ orgId, policyId })),
  );
  return policyIds.filter((policyId) => !dropped.has(`${orgId} ${policyId}`));
}
