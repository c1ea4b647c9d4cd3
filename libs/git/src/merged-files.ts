import { lineEdits, MAX_COMMIT_LINES, MAX_FILE_LINES, type MergedFile } from '@lineprint/contracts';
import { MAX_FILES } from './commit-parser';
import type { ParentDiff } from './merge-reader';

type FileDiff = ParentDiff[number];

/**
 * Which parent each file of a merge has its lines from, where it is not as in the first one.
 *
 * @param diffs the merge against each of its parents
 * @returns undefined where there are more files, or more edits, than a commit carries
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
  const edits = merged.flatMap(({ from }) => from.map((source) => source.edits.length / 4));
  const isCarried =
    merged.length <= MAX_FILES &&
    edits.every((count) => count <= MAX_FILE_LINES) &&
    edits.reduce((sum, count) => sum + count, 0) <= MAX_COMMIT_LINES;
  return isCarried ? merged : undefined;
}

function sourceIn(parent: number, path: string, file: FileDiff): MergedFile['from'][number] | undefined {
  // No line of a file was one of the link that stood in its place.
  const isReplaced = file.status === 'typechange';
  // What is new against a parent has no line from it. Of the first one it says how long the file is.
  if ((file.status === 'added' || isReplaced) && parent > 0) return undefined;
  const renamed = file.oldPath !== undefined && file.oldPath !== path ? { path: file.oldPath } : {};
  return { parent, ...renamed, edits: isReplaced ? [0, 0, 0, file.addedLines] : lineEdits(file.hunks) };
}
