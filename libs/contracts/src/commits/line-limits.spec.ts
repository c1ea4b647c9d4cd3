import type { CommitFile } from './commit';
import { MAX_COMMIT_LINES, MAX_FILE_LINES, withinLineLimits } from './line-limits';

const file = (addedLines: number, changes: Partial<CommitFile> = {}): CommitFile => ({
  path: `${addedLines}.ts`,
  status: 'modified',
  binary: false,
  addedLines,
  deletedLines: 0,
  content: 'text',
  hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: addedLines, removed: [] }],
  ...changes,
});
const tooLarge = (addedLines: number, changes: Partial<CommitFile> = {}): CommitFile => {
  const { content: _content, ...rest } = file(addedLines, changes);
  return { ...rest, hunks: [], excluded: 'too-large' };
};

describe('withinLineLimits', () => {
  it('excludes a file with more changed lines than anyone writes, and keeps its counts', () => {
    const files = [file(MAX_FILE_LINES), file(MAX_FILE_LINES, { deletedLines: 1 }), file(1)];
    expect(withinLineLimits({ files }).files).toEqual([
      file(MAX_FILE_LINES),
      tooLarge(MAX_FILE_LINES, { deletedLines: 1 }),
      file(1),
    ]);
  });

  it('goes by what a file carries where its counts say less', () => {
    const hunk = { oldStart: 0, oldLines: 0, newStart: 0, newLines: 0, removed: [] };
    const lines = Array<string>(MAX_FILE_LINES + 1).fill('x');
    const files = [
      file(0, { hunks: [{ ...hunk, removed: lines }] }),
      file(0, { hunks: [{ ...hunk, added: lines }] }),
      file(0, { hunks: lines.map(() => hunk) }),
    ];
    expect(withinLineLimits({ files }).files).toEqual([tooLarge(0), tooLarge(0), tooLarge(0)]);
  });

  it('excludes what goes beyond the lines of a commit, in the order of its files', () => {
    const files = Array.from({ length: 6 }, () => file(MAX_FILE_LINES));
    const small = file(1);
    const kept = withinLineLimits({ files: [...files, small] }).files.map(({ excluded }) => excluded);
    expect(MAX_COMMIT_LINES).toBe(4 * MAX_FILE_LINES);
    expect(kept).toEqual([...Array(4).fill(undefined), 'too-large', 'too-large', 'too-large']);
  });

  it('does not count what is excluded already', () => {
    const vendored = file(10 * MAX_COMMIT_LINES, { excluded: 'vendored' });
    expect(withinLineLimits({ files: [vendored, file(1)] }).files).toEqual([vendored, file(1)]);
  });

  it('limits the files of a baseline, not the part', () => {
    const files = [...Array.from({ length: 9 }, () => file(MAX_FILE_LINES)), file(MAX_FILE_LINES + 1)];
    const kept = withinLineLimits({ files, baseline: { part: 0 } }).files.map(({ excluded }) => excluded);
    expect(kept).toEqual([...Array(9).fill(undefined), 'too-large']);
  });
});
