import { MAX_COUNT } from '../primitives';
import type { CommitFile, CommitPush } from './commit';

/**
 * What a commit says against itself, if so. Such a commit is refused at the door: behind the log it would become a dead
 * letter that its sender never hears of, and a few of those hold up everybody's commits.
 */
export function commitInconsistency({
  files,
  baseline,
  merged = [],
}: Pick<CommitPush, 'files' | 'baseline' | 'merged'>): string | undefined {
  // Its files are no change: nobody asks how their lines came to be there.
  if (baseline) return undefined;
  for (const file of files) {
    const found = fileInconsistency(file);
    if (found !== undefined) return found;
  }
  const crossed = merged.find(({ from }) => from.some(({ edits }) => !areFollowable(edits)));
  return crossed && `${crossed.path}: the edits of the merge do not follow one another on both sides.`;
}

/**
 * Whether lines can be followed through edits: they ascend, what is between two of them is as long on both sides, and
 * no line has a number beyond the largest that is stored.
 *
 * @param edits as `lineEditsSchema`
 */
export function areFollowable(edits: readonly number[]): boolean {
  if (edits.length % 4 !== 0) return false;
  let oldEnd = 0;
  let newEnd = 0;
  for (let i = 0; i < edits.length; i += 4) {
    const between = edits[i]! - oldEnd;
    if (between < 0 || edits[i + 2]! - newEnd !== between) return false;
    oldEnd = edits[i]! + edits[i + 1]!;
    newEnd = edits[i + 2]! + edits[i + 3]!;
  }
  return Math.max(oldEnd, newEnd) <= MAX_COUNT;
}

/** Why the counts, hunks and content of a file whose lines count contradict each other, if they do. */
export function fileInconsistency(file: CommitFile): string | undefined {
  const { path, status, binary, content, hunks, addedLines, excluded } = file;
  if (excluded !== undefined || binary || status === 'deleted') return undefined;
  const lines = content === undefined ? undefined : lineCount(content);
  let added = 0;
  let free = 1;
  for (const { newStart, newLines, added: text } of hunks) {
    if (newLines === 0) continue;
    if (newStart < free) return `${path}: the hunk at line ${newStart} begins before the one above it ends.`;
    free = newStart + newLines;
    added += newLines;
    const carried = lines === undefined ? (text?.length ?? 0) : Math.max(0, lines + 1 - newStart);
    if (lines === undefined ? carried !== newLines : carried < newLines) {
      return `${path}: a hunk adds ${newLines} lines from line ${newStart}, the commit carries ${carried} of them.`;
    }
    if (lines === undefined && text?.some((line) => line.includes('\n'))) {
      return `${path}: an added line holds a line feed.`;
    }
  }
  if (added === addedLines) return undefined;
  return `${path}: the hunks add ${added} lines, \`addedLines\` says ${addedLines}.`;
}

/** Lines of a text, also the empty one behind its last line end. */
function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
