import type { OriginRange } from './diff.queries';
import { flippedRanges } from './flipped-ranges';

const kept = { kind: 'P', confidence: 'HIGH', evidence: 'matched', source: 'tab' } as const;
const human = { kind: 'H', confidence: 'UNIQUE', evidence: 'none', source: null } as const;
const low = { ...kept, confidence: 'LOW' } as const;
const at = (start: number, count: number, origin: Omit<OriginRange, 'start' | 'count'>) => ({
  start,
  count,
  ...origin,
});

describe('the ranges that flip', () => {
  it('are none where both say the same, however it is cut', () => {
    const whole = [at(2, 6, kept), at(8, 1, human)];
    const cut = [at(2, 1, kept), at(3, 5, kept), at(8, 1, human)];
    expect(flippedRanges(whole, cut)).toEqual([]);
    expect(flippedRanges([], [])).toEqual([]);
  });

  it('are as long as what either side says goes on', () => {
    const from = [at(0, 4, kept), at(6, 4, kept)];
    const to = [at(0, 2, kept), at(2, 2, human), at(6, 1, low), at(7, 3, human)];
    expect(flippedRanges(from, to)).toEqual([
      { start: 2, count: 2, from: kept, to: human },
      { start: 6, count: 1, from: kept, to: low },
      { start: 7, count: 3, from: kept, to: human },
    ]);
    expect(flippedRanges([at(0, 4, kept)], [at(0, 1, human), at(1, 3, human)])).toEqual([
      { start: 0, count: 4, from: kept, to: human },
    ]);
  });

  it('do not span lines that nobody counts', () => {
    expect(flippedRanges([at(0, 1, kept), at(2, 1, kept)], [at(0, 1, human), at(2, 1, human)])).toEqual([
      { start: 0, count: 1, from: kept, to: human },
      { start: 2, count: 1, from: kept, to: human },
    ]);
  });

  it('go to and from nothing where only one of them counts the file', () => {
    expect(flippedRanges([at(3, 2, kept)], [])).toEqual([{ start: 3, count: 2, from: kept, to: null }]);
    expect(flippedRanges([], [at(3, 2, human)])).toEqual([{ start: 3, count: 2, from: null, to: human }]);
  });
});
