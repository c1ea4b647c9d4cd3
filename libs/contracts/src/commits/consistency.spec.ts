import type { CommitFile, MergedFile } from './commit';
import { areFollowable, commitInconsistency } from './consistency';

const file = (changes: Partial<CommitFile> = {}): CommitFile => ({
  ...{ path: 'a.ts', status: 'modified', binary: false, addedLines: 2, deletedLines: 1 },
  content: 'one\ntwo\nthree\n',
  hunks: [
    { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, removed: ['old'] },
    { oldStart: 2, oldLines: 0, newStart: 3, newLines: 1, removed: [] },
  ],
  ...changes,
});
const hunk = (newStart: number, newLines: number, added?: string[]) => ({
  ...{ oldStart: 0, oldLines: 0, newStart, newLines, removed: [] },
  ...(added ? { added } : {}),
});
const without = ({ content: _content, ...rest }: CommitFile): CommitFile => rest;

describe('a commit', () => {
  it('whose counts, hunks and content agree says nothing against itself', () => {
    const carried = without(file({ addedLines: 1, hunks: [hunk(9, 1, ['x'])] }));
    const empty = file({ addedLines: 0, hunks: [hunk(0, 0)] });
    expect(commitInconsistency({ files: [file(), carried, empty] })).toBeUndefined();
  });

  it.each<[string, CommitFile, RegExp]>([
    ['counts other lines than its hunks', file({ addedLines: 3 }), /hunks add 2 lines, `addedLines` says 3/],
    ['has a hunk at line 0', file({ hunks: [hunk(0, 2)] }), /hunk at line 0/],
    ['has hunks that overlap', file({ hunks: [hunk(1, 2), hunk(2, 1)] }), /hunk at line 2 begins before/],
    ['has a hunk behind its end', file({ hunks: [hunk(4, 2)] }), /carries 1 of them/],
    ['has a hunk far behind its end', file({ hunks: [hunk(2_000_000_000, 2)] }), /carries 0 of them/],
    ['lacks lines', without(file({ hunks: [hunk(1, 2, ['x'])] })), /carries 1 of them/],
    ['has a line feed in a line', without(file({ hunks: [hunk(1, 2, ['x\ny', 'z'])] })), /holds a line feed/],
  ])('with a file that %s is told so', (_what, one, said) => {
    expect(commitInconsistency({ files: [file(), one] })).toMatch(said);
  });

  it('may say what it likes of what does not count', () => {
    const wrong = { addedLines: 9, hunks: [hunk(7, 1)] };
    const files = [
      file({ ...wrong, excluded: 'vendored' }),
      file({ ...wrong, binary: true }),
      file({ ...wrong, status: 'deleted' }),
    ];
    expect(commitInconsistency({ files })).toBeUndefined();
    expect(commitInconsistency({ files: [file(wrong)], baseline: { part: 0 } })).toBeUndefined();
  });

  it('that is a merge has edits that lines can be followed through', () => {
    const merged = (edits: number[]): MergedFile[] => [{ path: 'a.ts', from: [{ parent: 0, edits }] }];
    expect(commitInconsistency({ files: [], merged: merged([2, 1, 2, 0]) })).toBeUndefined();
    expect(commitInconsistency({ files: [], merged: merged([2, 1, 3, 0]) })).toMatch(/a\.ts: the edits/);
  });
});

it.each([
  [true, []],
  [true, [0, 2, 0, 3, 4, 0, 5, 2]],
  [false, [0, 2, 0, 3, 4, 0, 6, 2]],
  [false, [-1, 1, -1, 1]],
  [false, [5, 1, 5, 1, 3, 1, 3, 1]],
  [false, [0, 0, 0]],
  [false, [2_147_483_647, 0, 2_147_483_647, 1]],
])('it is %s that lines can be followed through the edits %j', (followable, edits) => {
  expect(areFollowable(edits)).toBe(followable);
});
