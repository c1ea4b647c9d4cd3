import { windowsOf } from './ast-chunks';

const lengths = (windows: readonly { first: number; last: number }[]) =>
  windows.map(({ first, last }) => last - first + 1);

describe('windowsOf', () => {
  it('has windows of 20, 8 and 3 lines over longer ranges only', () => {
    expect(windowsOf([{ first: 5, last: 7 }])).toEqual([]);
    expect(windowsOf([{ first: 5, last: 8 }])).toEqual([{ first: 5, last: 7 }]);
    expect(lengths(windowsOf([{ first: 0, last: 20 }]))).toEqual([
      20,
      ...Array(4).fill(8),
      ...Array(10).fill(3),
    ]);
  });

  it('covers half of any snippet of 20, 8 or 3 lines inside a range', () => {
    const windows = windowsOf([{ first: 0, last: 59 }]);
    for (const size of [20, 8, 3]) {
      for (let first = 0; first + size <= 60; first++) {
        const shared = windows
          .filter((window) => window.last - window.first + 1 === size)
          .map((window) => Math.min(window.last, first + size - 1) - Math.max(window.first, first) + 1);
        expect(Math.max(...shared)).toBeGreaterThanOrEqual(size / 2);
      }
    }
  });

  it('has 64 windows of one length over a range of any length, and some over each range', () => {
    expect(windowsOf([{ first: 0, last: 999_999 }]).length).toBeLessThanOrEqual(3 * 64);
    const ranges = Array.from({ length: 100 }, (_, i) => ({ first: 100 * i, last: 100 * i + 3 }));
    expect(windowsOf(ranges).map(({ first }) => first)).toEqual(ranges.map(({ first }) => first));
  });
});
