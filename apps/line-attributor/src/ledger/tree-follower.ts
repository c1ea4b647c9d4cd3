import {
  type FollowedCommit,
  HistoryLineage,
  Origins,
  packChange,
  packTree,
  unpackFollowed,
} from '@lineprint/attribution';
import {
  commitsWithoutTree,
  type Database,
  type FollowedCommitRow,
  insertLineTrees,
  type LineTreePlace,
  lineTreePlaces,
  type LineTreeRow,
  loadFollowedCommits,
  lockLedger,
  type Queryable,
  type RepositoryPlace,
} from '@lineprint/persistence';
import { loadLineTree } from '@lineprint/results';
import { parentsFirst } from './tree-order';

/** Commits a transaction: their trees are in memory at once where many branches are open. */
const SLICE = 500;

/** Depths at which the whole tree is kept: to read one takes so many changes at most. */
const WHOLE_TREE_EVERY = 128;

/**
 * Makes the trees of a commit and of those of its ancestors that have none. A parent that is not known counts as empty.
 * @returns false where another process works at the repository's ledger, or the signal came
 */
export async function followTrees(
  database: Database,
  place: RepositoryPlace,
  tip: string,
  signal: AbortSignal,
): Promise<boolean> {
  const commits = parentsFirst(await commitsWithoutTree(database, place, tip)).map(({ sha }) => sha);
  for (let done = 0; done < commits.length; done += SLICE) {
    if (signal.aborted) return false;
    const slice = commits.slice(done, done + SLICE);
    const isDone = await database.transaction(async (tx) => {
      if (!(await lockLedger(tx, place))) return false;
      await followSlice(tx, place, slice);
      return true;
    });
    if (!isDone) return false;
  }
  return true;
}

async function followSlice(tx: Queryable, place: RepositoryPlace, shas: readonly string[]): Promise<void> {
  const rows = new Map((await loadFollowedCommits(tx, place, shas)).map((row) => [row.sha, row]));
  const all = [...rows.values()];
  // Another process may have followed some meanwhile.
  const places = await lineTreePlaces(tx, place, [
    ...new Set(all.flatMap(({ sha, parents }) => [sha, ...parents])),
  ]);
  const commits = shas.flatMap((sha) => (places.has(sha) ? [] : [rows.get(sha)!]));
  const history = new HistoryLineage(commits);
  const origins = new Origins();
  const trees: LineTreeRow[] = [];
  for (const row of commits) {
    for (const parent of row.parents) {
      if (history.has(parent) || !places.has(parent)) continue;
      history.put(parent, (await loadLineTree(tx, place, parent, origins))!);
    }
    const tree = treeOf(row, history, places);
    trees.push(tree);
    places.set(tree.sha, tree);
  }
  await insertLineTrees(tx, place, trees);
}

function treeOf(
  row: FollowedCommitRow,
  history: HistoryLineage,
  places: ReadonlyMap<string, LineTreePlace>,
): LineTreeRow {
  const { sha, parents, committedAt } = row;
  const commit: FollowedCommit = { sha, parents, ...unpackFollowed(row.followed) };
  const change = history.change(commit);
  const packed = packChange(change, history.tree(parents[0]));
  const tree = history.add(commit, change);
  const first = parents[0] === undefined ? undefined : places.get(parents[0]);
  const depth = first ? first.depth + 1 : 0;
  return {
    sha,
    firstParent: first?.sha ?? null,
    depth,
    at: new Date(Math.max(committedAt, first?.at.getTime() ?? 0)),
    change: packed,
    tree: depth > 0 && depth % WHOLE_TREE_EVERY === 0 ? packTree(tree) : null,
    missing: parents.filter((parent) => !places.has(parent)),
  };
}
