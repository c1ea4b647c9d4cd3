import {
  applyChange,
  differingPaths,
  type EndedLife,
  type FileLineage,
  type Life,
  LineLives,
  Origins,
  tipChange,
  type TipChange,
  type TreeLineage,
  unpackChange,
} from '@lineprint/attribution';
import {
  type Database,
  firstParents,
  type HeadRun,
  type LedgerPlace,
  type LineHead,
  lineHeads,
  type LineLifeRow,
  lineTreeChanges,
  type LineTreePlace,
  lineTreePlaces,
  loadFollowedCommits,
  lockLedger,
  noteAllStale,
  noteStale,
  type Queryable,
  replaceHeadRuns,
  replaceLives,
  saveLineHead,
  standingLives,
  undoLives,
} from '@lineprint/persistence';
import { LineprintError } from '@lineprint/platform';
import { loadLineTree } from '@lineprint/results';

/** First-parent commits a transaction. */
const SLICE = 500;

/** How far back a fork is looked for at first; twice as far each time that it is not found. */
const NEAR = 64;

/** Before the first commit. */
const NOWHERE: Pick<LineTreePlace, 'depth'> & { readonly sha: undefined } = { sha: undefined, depth: -1 };
type Place = LineTreePlace | typeof NOWHERE;

/**
 * Brings the ledger of a ref to a commit, along its first parents: what the ref has left is undone.
 * @param sha a commit that has a tree
 * @returns false where another process works at the repository's ledger, or the signal came
 */
export async function followTip(
  database: Database,
  place: LedgerPlace,
  sha: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    if (signal.aborted) return false;
    const step = await database.transaction(async (tx) =>
      (await lockLedger(tx, place)) ? moveTip(tx, place, sha) : 'not mine',
    );
    if (step !== 'on the way') return step === 'there';
  }
}

async function moveTip(
  tx: Queryable,
  place: LedgerPlace,
  sha: string,
): Promise<'there' | 'on the way' | 'not mine'> {
  const head = (await lineHeads(tx, place)).find(({ ref }) => ref === place.ref);
  if (head?.sha === sha) return 'there';
  const target = (await lineTreePlaces(tx, place, [sha])).get(sha);
  // Its tree was made a moment ago: another process has begun anew, for a parent that has arrived since then.
  if (!target) return 'not mine';
  const { fork, ahead } = await forkOf(tx, place, head, target);
  const origins = new Origins();
  const before = await treeAt(tx, place, head?.sha, origins);
  const tree = fork.sha === head?.sha ? before : await treeAt(tx, place, fork.sha, origins);
  const touched = new Set(tree === before ? [] : differingPaths(before, tree));
  const undone = head && head.depth > fork.depth ? await undoLives(tx, place, fork.depth) : [];
  const slice = ahead.slice(0, SLICE);
  const changes = await lineTreeChanges(
    tx,
    place,
    slice.map((commit) => commit.sha),
  );
  const steps = slice.map((commit) => {
    const change = unpackChange(changes.get(commit.sha)!, tree, origins);
    const lines = tipChange(tree, change);
    applyChange(tree, change);
    for (const path of change.keys()) touched.add(path);
    return { ...commit, lines };
  });
  const changed = await followLives(tx, place, steps);
  await replaceHeadRuns(tx, place, [...touched], runsOf(tree, touched));
  const last = slice.at(-1) ?? fork;
  if (last.sha === undefined) throw new LineprintError('ledger-astray', `${sha} is behind no commit`);
  const [commit] = await loadFollowedCommits(tx, place, [last.sha]);
  const { projectId } = commit!;
  const { ref } = place;
  await saveLineHead(tx, place, { ref, projectId, sha: last.sha, depth: last.depth, at: last.at });
  await noteStale(tx, place, [...touched], [...new Set([...undone, ...changed])]);
  // Every label says which project it is of.
  if (head && head.projectId !== projectId) await noteAllStale(tx, place);
  return last.sha === sha ? 'there' : 'on the way';
}

/** Where the ways to the head and to the target part, and the commits from there to the target, oldest first. */
async function forkOf(
  tx: Queryable,
  place: LedgerPlace,
  head: LineHead | undefined,
  target: LineTreePlace,
): Promise<{ fork: Place; ahead: LineTreePlace[] }> {
  if (!head) return { fork: NOWHERE, ahead: await firstParents(tx, place, target.sha, -1) };
  const lower = Math.min(head.depth, target.depth);
  for (let back = NEAR; ; back *= 2) {
    // One below is looked at as well: it may be the fork.
    const above = Math.max(-1, lower - back);
    const ahead = await firstParents(tx, place, target.sha, above);
    const left = new Set((await firstParents(tx, place, head.sha, above)).map(({ sha }) => sha));
    const last = ahead.findLastIndex(({ sha }) => left.has(sha));
    if (last >= 0) return { fork: ahead[last]!, ahead: ahead.slice(last + 1) };
    if (above < 0) return { fork: NOWHERE, ahead };
  }
}

async function treeAt(
  tx: Queryable,
  place: LedgerPlace,
  sha: string | undefined,
  origins: Origins,
): Promise<Map<string, FileLineage>> {
  return (sha === undefined ? undefined : await loadLineTree(tx, place, sha, origins)) ?? new Map();
}

/** @returns the commits whose lines came or went */
async function followLives(
  tx: Queryable,
  place: LedgerPlace,
  steps: readonly (LineTreePlace & { readonly lines: TipChange })[],
): Promise<string[]> {
  const dying = new Map<string, Map<string, { commit: string; path: string }>>();
  for (const { origin } of steps.flatMap(({ lines }) => lines.died)) {
    const paths = dying.get(origin.commit) ?? new Map<string, { commit: string; path: string }>();
    dying.set(origin.commit, paths.set(origin.path, origin));
  }
  const stored = await standingLives(
    tx,
    place,
    [...dying.values()].flatMap((paths) => [...paths.values()]),
  );
  const lives = new LineLives(
    stored.map(({ id, originCommit, originPath, firstLine, lineCount, bornDepth, bornAt }) => ({
      id,
      origin: { commit: originCommit, path: originPath },
      first: firstLine,
      count: lineCount,
      bornDepth,
      bornAt: bornAt.getTime(),
    })),
  );
  for (const { depth, at, lines } of steps) lives.advance(depth, at.getTime(), lines);
  const { gone, standing, ended } = lives.changes();
  await replaceLives(tx, place, gone, [...standing, ...ended].map(lifeRow));
  return [...standing, ...ended].map(({ origin }) => origin.commit);
}

function lifeRow(life: Life | EndedLife): LineLifeRow {
  const { origin, first, count, bornDepth, bornAt } = life;
  const died = 'diedAt' in life ? life : undefined;
  return {
    originCommit: origin.commit,
    originPath: origin.path,
    firstLine: first,
    lineCount: count,
    bornDepth,
    bornAt: new Date(bornAt),
    diedDepth: died?.diedDepth ?? null,
    diedAt: died ? new Date(died.diedAt) : null,
  };
}

function runsOf(tree: TreeLineage, paths: Iterable<string>): HeadRun[] {
  return [...paths].flatMap((path) => {
    let start = 0;
    return (tree.get(path) ?? []).map(({ origin, line, count }) => {
      const run = { path, start, count, origin: origin ? { ...origin, line } : null };
      start += count;
      return run;
    });
  });
}
