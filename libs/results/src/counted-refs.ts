import type { RefsEvent } from '@lineprint/contracts';
import {
  type Database,
  type GraphCommit,
  judgedPolicies,
  knownCommits,
  loadCommitGraph,
  loadRefState,
  lockTenant,
  newestGap,
  type Queryable,
  type RefState,
  type RepositoryPlace,
  saveRefState,
  takeFilledGaps,
  unreachedAncestors,
  unsettledRepositories,
} from '@lineprint/persistence';
import { copiesOfOriginals, originalsOfCopies, settleCopies } from './copied-results';
import { countedRefs, settledRefs, toldRefs } from './ref-state';
import {
  type DailyKey,
  lockDaily,
  markCounted,
  markReached,
  recomputeDays,
  uncountedBefore,
} from './results.queries';

/**
 * Takes the locks under which what counts may change: nobody writes results of the organisations meanwhile, and no
 * replay starts.
 * @returns the policies whose results are kept, by organisation
 */
export async function lockCounting(
  tx: Queryable,
  orgIds: Iterable<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const policies = new Map<string, readonly string[]>();
  for (const orgId of [...new Set(orgIds)].sort()) {
    await lockTenant(tx, orgId);
    policies.set(orgId, await judgedPolicies(tx, orgId));
  }
  await lockDaily(
    tx,
    [...policies].flatMap(([org_id, ids]) => ids.map((policy_id) => ({ org_id, policy_id }))),
  );
  return policies;
}

/**
 * Lets refs name what an event says, and sums the days anew whose commits count now, or do no longer. The same event
 * again changes nothing.
 *
 * @param tx the caller's transaction, in which `lockCounting` has answered with `policies`
 */
export async function tellRefs(
  tx: Queryable,
  event: RefsEvent,
  policies: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const place = { orgId: event.tenant, repository: event.repository };
  const state = await loadRefState(tx, place);
  await settle(
    tx,
    place,
    { before: state, told: toldRefs(state, event), complete: event.complete },
    policies.get(place.orgId) ?? [],
  );
}

/** Marks what counts where commits have arrived that a ref, or a commit that counts, was waiting for. */
export async function settleRefs(database: Database): Promise<void> {
  for (const place of await unsettledRepositories(database)) {
    await database.transaction(async (tx) => {
      const policies = await lockCounting(tx, [place.orgId]);
      const state = await loadRefState(tx, place);
      await settle(
        tx,
        place,
        { before: state, told: state, complete: false },
        policies.get(place.orgId) ?? [],
      );
    });
  }
}

async function settle(
  tx: Queryable,
  place: RepositoryPlace,
  { before, told, complete }: { before: RefState; told: RefState; complete: boolean },
  policies: readonly string[],
): Promise<void> {
  const pending = told.refs.flatMap((ref) => ref.pending.map(({ sha }) => sha));
  const known = await knownCommits(tx, place, pending);
  let graph: Promise<Map<string, GraphCommit>> | undefined;
  const loaded = () => (graph ??= loadGraph(tx, place));
  const after = await settledRefs(
    told,
    complete,
    (sha) => known.has(sha),
    // The ancestors of what is reached are.
    async (sha, of) => known.get(sha) === true && reachable(await loaded(), [of]).has(sha),
  );
  if (!after.decided) return saveRefState(tx, place, after);
  const filled = await takeFilledGaps(tx, place);
  const tips = new Set(countedRefs(after).values());
  const left = [...countedRefs(before).values()].filter((sha) => !tips.has(sha));
  const { unreached, met } = await unreachedAncestors(tx, place, [...tips]);
  // What was reached before still is, where every tip that was left is behind one that is named now.
  const onlyAdds = before.decided && filled.length === 0 && left.every((sha) => met.has(sha));
  const { horizon, change } = onlyAdds
    ? await afterAdding(tx, place, before.horizon, unreached)
    : afterAll(await loaded(), tips);
  await saveRefState(tx, place, { ...after, horizon });
  await mark(tx, place, change, policies);
}

/** Commits whose marks change. */
interface Change {
  readonly reached: readonly string[];
  readonly unreached: readonly string[];
  readonly counted: readonly string[];
  readonly uncounted: readonly string[];
}

interface Settled {
  readonly horizon: Date | null;
  readonly change: Change;
}

/** What changes where more commits are reached, and none less. */
async function afterAdding(
  tx: Queryable,
  place: RepositoryPlace,
  before: Date | null,
  reached: readonly string[],
): Promise<Settled> {
  const gap = reached.length === 0 ? null : await newestGap(tx, place, reached);
  const hasRisen = gap !== null && (before === null || gap > before);
  const behind = hasRisen ? await uncountedBefore(tx, place, gap) : [];
  return {
    horizon: hasRisen ? gap : before,
    // Those that counted because of the horizon are marked once more, which changes nothing.
    change: { reached, unreached: [], counted: [...new Set([...reached, ...behind])], uncounted: [] },
  };
}

/** What changes, whatever the refs named before. */
function afterAll(graph: ReadonlyMap<string, GraphCommit>, tips: Iterable<string>): Settled {
  const reached = reachable(graph, tips);
  const commits = [...graph.values()];
  const times = commits.flatMap(({ sha, parents, committed_at }) =>
    reached.has(sha) && parents.some((parent) => !graph.has(parent)) ? [committed_at.getTime()] : [],
  );
  const newest = times.reduce((a, b) => Math.max(a, b), -Infinity);
  const counts = ({ sha, committed_at }: GraphCommit) => reached.has(sha) || committed_at.getTime() <= newest;
  const shasOf = (has: (commit: GraphCommit) => boolean) => commits.filter(has).map(({ sha }) => sha);
  return {
    horizon: times.length === 0 ? null : new Date(newest),
    change: {
      reached: shasOf((commit) => !commit.reached && reached.has(commit.sha)),
      unreached: shasOf((commit) => commit.reached && !reached.has(commit.sha)),
      counted: shasOf((commit) => !commit.counted && counts(commit)),
      uncounted: shasOf((commit) => commit.counted && !counts(commit)),
    },
  };
}

async function loadGraph(tx: Queryable, place: RepositoryPlace): Promise<Map<string, GraphCommit>> {
  return new Map((await loadCommitGraph(tx, place)).map((commit) => [commit.sha, commit]));
}

/** The known commits that can be reached through known ones. */
function reachable(graph: ReadonlyMap<string, GraphCommit>, from: Iterable<string>): Set<string> {
  const reached = new Set<string>();
  const waiting = [...from];
  for (let sha = waiting.pop(); sha !== undefined; sha = waiting.pop()) {
    const commit = graph.get(sha);
    if (!commit || reached.has(sha)) continue;
    reached.add(sha);
    waiting.push(...commit.parents);
  }
  return reached;
}

async function mark(
  tx: Queryable,
  place: RepositoryPlace,
  { reached, unreached, counted, uncounted }: Change,
  policies: readonly string[],
): Promise<void> {
  await markReached(tx, place, reached, true);
  await markReached(tx, place, unreached, false);
  const changed = [...counted, ...uncounted];
  if (changed.length === 0) return;
  const days: DailyKey[] = [
    ...(await markCounted(tx, place, counted, true)),
    ...(await markCounted(tx, place, uncounted, false)),
  ];
  for (const policyId of policies) {
    const where = { ...place, policyId };
    const originals = new Set([
      ...(await copiesOfOriginals(tx, where, changed)),
      ...(await originalsOfCopies(tx, where, changed)),
    ]);
    days.push(...(await settleCopies(tx, where, [...originals])));
  }
  await recomputeDays(
    tx,
    days.filter(({ policy_id }) => policies.includes(policy_id)),
  );
}
