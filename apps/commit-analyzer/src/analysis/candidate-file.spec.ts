import type { Hunk } from '@lineprint/contracts';
import { followedLines } from './candidate-file';

const hunk = (oldStart: number, oldLines: number, newStart: number, newLines: number): Hunk => ({
  oldStart,
  oldLines,
  newStart,
  newLines,
  removed: [],
});
const hunks = [hunk(0, 0, 1, 2), hunk(7, 3, 8, 0), hunk(20, 1, 19, 4)];

describe('how the lines of a file follow from the parent’s', () => {
  it('is its edits, numbered from 0, beside what they leave empty', () => {
    expect(followedLines({ parents: ['p'] }, { hunks }, { status: 'modified', addedLines: 6 })).toEqual({
      edits: [0, 0, 0, 2, 6, 3, 8, 0, 19, 1, 18, 4],
    });
    expect(followedLines({ parents: [] }, { hunks: [] }, { status: 'added', addedLines: 0 })).toEqual({
      edits: [],
    });
  });

  it('is not said of merges, nor of what is gone or does not count', () => {
    expect(followedLines({ parents: ['p', 'q'] }, { hunks }, { status: 'modified', addedLines: 6 })).toEqual(
      {},
    );
    expect(followedLines({ parents: ['p'] }, { hunks }, { status: 'deleted', addedLines: 0 })).toEqual({});
    expect(
      followedLines({ parents: ['p'] }, { hunks }, { status: 'modified', addedLines: 6, excluded: 'lock' }),
    ).toEqual({});
  });

  it('is all of it where there was no file before, as when a link becomes one', () => {
    const replaced = [hunk(1, 1, 0, 0), hunk(0, 0, 1, 7)];
    expect(
      followedLines({ parents: ['p'] }, { hunks: replaced }, { status: 'typechange', addedLines: 7 }),
    ).toEqual({ edits: [0, 0, 0, 7] });
  });

  it('is not said where the hunks cannot be of two versions of a file', () => {
    const crossed = [hunk(7, 3, 8, 0), hunk(0, 1, 1, 2)];
    expect(
      followedLines({ parents: ['p'] }, { hunks: crossed }, { status: 'modified', addedLines: 2 }),
    ).toEqual({});
  });
});
