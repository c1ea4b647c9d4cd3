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
    expect(followedLines({ parents: ['p'] }, { hunks }, { status: 'modified' })).toEqual({
      edits: [0, 0, 0, 2, 6, 3, 8, 0, 19, 1, 18, 4],
    });
    expect(followedLines({ parents: [] }, { hunks: [] }, { status: 'added' })).toEqual({ edits: [] });
  });

  it('is not said of merges, nor of what is gone or does not count', () => {
    expect(followedLines({ parents: ['p', 'q'] }, { hunks }, { status: 'modified' })).toEqual({});
    expect(followedLines({ parents: ['p'] }, { hunks }, { status: 'deleted' })).toEqual({});
    expect(followedLines({ parents: ['p'] }, { hunks }, { status: 'modified', excluded: 'lock' })).toEqual(
      {},
    );
  });
});
