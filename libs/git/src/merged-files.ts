import { lineEdits, MAX_COMMIT_LINES, type MergedFile } from '@lineprint/contracts';
import type { ParentDiff } from './merge-reader';

type FileDiff = ParentDiff[number];

/**
 * Which parent each file of a merge has its lines from, where it is not as in the first one.
 *
 * @param diffs the merge against each of its parents
 * @returns undefined where there are more edits than a commit may have lines
 */
export function mergedFiles(diffs: readonly ParentDiff[]): MergedFile[] | undefined {
  const byPath = diffs.map((diff) => new Map(diff.map((file) => [file.path, file])));
  const merged = (diffs[0] ?? []).flatMap((file): MergedFile[] => {
    const { path, oldPath, status, excluded } = file;
    const isGone = status === 'renamed' && oldPath !== undefined && !byPath[0]!.has(oldPath);
    const gone = isGone ? [{ path: oldPath, from: [] }] : [];
    if (status === 'deleted' || excluded !== undefined) return [...gone, { path, from: [] }];
    // As `git blame` does: a file that is one parent's has all its lines from there.
    const same = byPath.findIndex((files) => !files.has(path));
    if (same >= 0) return [...gone, { path, from: [{ parent: same, edits: [] }] }];
    const from = byPath.flatMap((files, parent) => sourceIn(parent, path, files.get(path)!) ?? []);
    return [...gone, { path, from }];
  });
  const edits = merged.flatMap(({ from }) => from).reduce((sum, source) => sum + source.edits.length / 4, 0);
  return edits <= MAX_COMMIT_LINES ? merged : undefined;
}

function sourceIn(parent: number, path: string, file: FileDiff): MergedFile['from'][number] | undefined {
  // What is new against a parent has no line from it. Of the first one it says how long the file is.
  if (file.status === 'added' && parent > 0) return undefined;
  const renamed = file.oldPath !== undefined && file.oldPath !== path ? { path: file.oldPath } : {};
  return { parent, ...renamed, edits: lineEdits(file.hunks) };
}
