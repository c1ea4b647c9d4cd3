import type { CommitFile, CommitPush } from './commit';

/**
 * Changed lines (added and removed) of one file that count. Nobody writes more in a commit, by hand or with an AI:
 * such a file was generated or imported, and is reported as excluded instead of as someone's work.
 */
export const MAX_FILE_LINES = 50_000;
/** The same of all files of a commit that count: what one commit may take of a service's memory. */
export const MAX_COMMIT_LINES = 200_000;

/**
 * The commit without the text of files beyond the limits, in the order of its files: `too-large` as libs/git has
 * it, for whoever sends commits without it. A baseline is sent in parts, so that only its files are limited.
 */
export function withinLineLimits<C extends Pick<CommitPush, 'files' | 'baseline'>>(commit: C): C {
  let left = commit.baseline ? Infinity : MAX_COMMIT_LINES;
  return {
    ...commit,
    files: commit.files.map((file) => {
      if (file.excluded !== undefined) return file;
      const lines = linesOf(file);
      if (lines > Math.min(left, MAX_FILE_LINES)) return tooLarge(file);
      left -= lines;
      return file;
    }),
  };
}

/** What its counts say, or what it really carries where that is more. */
function linesOf({ addedLines, deletedLines, hunks }: CommitFile): number {
  const carried = hunks.reduce((sum, { removed, added = [] }) => sum + removed.length + added.length, 0);
  return Math.max(addedLines + deletedLines, carried, hunks.length);
}

function tooLarge({ content: _content, declaredLines: _declared, ...file }: CommitFile): CommitFile {
  return { ...file, hunks: [], excluded: 'too-large' };
}
