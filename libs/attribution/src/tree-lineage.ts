import {
  type FileLineage,
  fileLineage,
  type InheritedLineage,
  isSameLineage,
  type LineEdit,
  sliceLineage,
} from './lineage';

/** The lineage of every file of a commit that has lines, by its path. */
export type TreeLineage = ReadonlyMap<string, FileLineage>;

/** What a commit did to one file, against its first parent. */
export interface FileChange {
  readonly path: string;
  /** Its name in the first parent, where that is another one. */
  readonly oldPath?: string;
  /** False where the file is gone, or has no lines to follow: binary or excluded. */
  readonly isFollowed: boolean;
  /** True where `oldPath` goes on beside the file. */
  readonly isCopy?: boolean;
  readonly edits: readonly LineEdit[];
  /** Added lines that stood elsewhere in the first parent. */
  readonly inherited: readonly InheritedLines[];
}

export interface InheritedLines {
  readonly start: number;
  readonly count: number;
  /** The file they stood in, as it was called in the first parent. */
  readonly fromFile: string;
  readonly fromLine: number;
}

/** What a merge did to one file that is not as in its first parent. */
export interface MergedFile {
  readonly path: string;
  /** Empty where the file is gone. */
  readonly sources: readonly {
    /** Index of the parent. */
    readonly parent: number;
    /** The file's name in it. */
    readonly path: string;
    readonly edits: readonly LineEdit[];
  }[];
}

/** What becomes of a tree: the new lineage by path, undefined where the path is gone. */
export type TreeChange = ReadonlyMap<string, FileLineage | undefined>;

/** What an ordinary commit makes of its parent's tree; of an empty one, where it has no parent. */
export function changedTree(parent: TreeLineage, sha: string, files: readonly FileChange[]): TreeChange {
  const change = new Map<string, FileLineage | undefined>();
  for (const { path, oldPath, isCopy } of files) {
    if (oldPath !== undefined && oldPath !== path && !isCopy) change.set(oldPath, undefined);
  }
  for (const { path, oldPath, isFollowed, edits, inherited } of files) {
    const before = parent.get(oldPath ?? path);
    // Without edits to tell of its lines, what was not followed before goes on so.
    if (!isFollowed || (!before && edits.length === 0)) {
      change.set(path, undefined);
      continue;
    }
    const lines = inherited.flatMap((range): InheritedLineage[] => {
      const from = parent.get(range.fromFile);
      return from ? [{ start: range.start, lines: sliceLineage(from, range.fromLine, range.count) }] : [];
    });
    change.set(path, fileLineage([{ before: before ?? [], edits }], { commit: sha, path }, lines));
  }
  return change;
}

/**
 * What a merge makes of its first parent's tree.
 * @param parents the trees of all its parents, in their order; an empty one where it is not known
 */
export function mergedTree(
  parents: readonly TreeLineage[],
  sha: string,
  files: readonly MergedFile[],
): TreeChange {
  const change = new Map<string, FileLineage | undefined>();
  for (const { path, sources } of files) {
    const known = sources.flatMap(({ parent, path: name, edits }) => {
      const before = parents[parent]?.get(name);
      // Where it is new against the first parent, the edits still say how long it is.
      return before || isWhole(edits) ? [{ before: before ?? [], edits }] : [];
    });
    // A parent that has the file and no lineage of it: it was excluded there.
    const isFollowed = sources.length > 0 && known.length === sources.length;
    change.set(path, isFollowed ? fileLineage(known, { commit: sha, path }) : undefined);
  }
  return change;
}

function isWhole(edits: readonly LineEdit[]): boolean {
  return edits.length > 0 && edits.every(({ oldStart, oldLines }) => oldStart === 0 && oldLines === 0);
}

export function applyChange(tree: Map<string, FileLineage>, change: TreeChange): void {
  for (const [path, lineage] of change) {
    if (lineage) tree.set(path, lineage);
    else tree.delete(path);
  }
}

/** The paths at which two trees have other lines. */
export function differingPaths(a: TreeLineage, b: TreeLineage): string[] {
  const paths = new Set([...a.keys(), ...b.keys()]);
  return [...paths].filter((path) => !isSameLineage(a.get(path) ?? [], b.get(path) ?? []));
}
