import type { CandidateFile, InheritedRange, MergedFile } from '@lineprint/contracts';
import type { FileLineage, LineEdit } from './lineage';
import {
  applyChange,
  changedTree,
  type FileChange,
  mergedTree,
  type TreeChange,
  type TreeLineage,
} from './tree-lineage';

/** What a commit says of one of its files that lets its lines be followed. */
export interface FollowedFile extends Pick<CandidateFile, 'path' | 'oldPath' | 'status'> {
  /** As `lineEditsSchema`; undefined where the file has no lines to follow. */
  readonly edits?: readonly number[] | undefined;
  readonly inherited: readonly Omit<InheritedRange, 'how'>[];
}

/** A commit whose lines are followed. */
export interface FollowedCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly files: readonly FollowedFile[];
  /** Of a merge; `files` of a merge say nothing of where lines come from. */
  readonly merged?: readonly MergedFile[] | undefined;
}

const EMPTY: TreeLineage = new Map();

/**
 * What a commit makes of its first parent's tree.
 * @param parents the trees of its parents in their order, empty ones where they are not known
 */
export function treeChange(commit: FollowedCommit, parents: readonly TreeLineage[]): TreeChange {
  if (commit.parents.length > 1) {
    const files = (commit.merged ?? []).map(({ path, from }) => ({
      path,
      sources: from.map(({ parent, path: name = path, edits }) => ({
        parent,
        path: name,
        edits: unpackEdits(edits),
      })),
    }));
    return mergedTree(parents, commit.sha, files);
  }
  return changedTree(parents[0] ?? EMPTY, commit.sha, commit.files.map(fileChange));
}

function fileChange({ path, oldPath, status, edits, inherited }: FollowedFile): FileChange {
  return {
    path,
    ...(oldPath === undefined ? {} : { oldPath }),
    isFollowed: status !== 'deleted' && edits !== undefined,
    isCopy: status === 'copied',
    edits: unpackEdits(edits ?? []),
    inherited: inherited.map(({ start, count, fromFile = oldPath ?? path, fromLine }) => ({
      start,
      count,
      fromFile,
      fromLine,
    })),
  };
}

function unpackEdits(numbers: readonly number[]): LineEdit[] {
  return Array.from({ length: Math.floor(numbers.length / 4) }, (_, i) => {
    const [oldStart, oldLines, newStart, newLines] = numbers.slice(4 * i, 4 * i + 4);
    return { oldStart: oldStart!, oldLines: oldLines!, newStart: newStart!, newLines: newLines! };
  });
}

/** The lineage of a whole history, commit by commit, parents first. Memory: the trees that still have a child to come. */
export class HistoryLineage {
  private readonly trees = new Map<string, Map<string, FileLineage>>();
  private readonly children = new Map<string, number>();

  /** @param commits all that will be added: a tree is dropped when the last child has taken it */
  constructor(commits: Iterable<Pick<FollowedCommit, 'parents'>>) {
    for (const { parents } of commits) {
      for (const parent of parents) this.children.set(parent, (this.children.get(parent) ?? 0) + 1);
    }
  }

  has(sha: string): boolean {
    return this.trees.has(sha);
  }

  /** Puts the tree of a commit that was added elsewhere; it is changed here when the last child has taken it. */
  put(sha: string, tree: Map<string, FileLineage>): void {
    this.trees.set(sha, tree);
  }

  /** The tree of a commit; empty where it is not known. */
  tree(sha: string | undefined): TreeLineage {
    return (sha === undefined ? undefined : this.trees.get(sha)) ?? EMPTY;
  }

  /** What a commit makes of its first parent's tree. */
  change(commit: FollowedCommit): TreeChange {
    return treeChange(
      commit,
      commit.parents.map((sha) => this.tree(sha)),
    );
  }

  /** The tree after a commit; it is valid until a child of it is added. */
  add(commit: FollowedCommit, change = this.change(commit)): TreeLineage {
    const first = commit.parents[0];
    const isLast = commit.parents.map((sha) => this.isLastChild(sha));
    const own = first === undefined ? undefined : this.trees.get(first);
    const tree = own && isLast[0] ? own : new Map(own ?? EMPTY);
    commit.parents.forEach((sha, i) => isLast[i] && this.trees.delete(sha));
    applyChange(tree, change);
    this.trees.set(commit.sha, tree);
    return tree;
  }

  private isLastChild(sha: string): boolean {
    const left = (this.children.get(sha) ?? 1) - 1;
    this.children.set(sha, left);
    return left === 0;
  }
}
