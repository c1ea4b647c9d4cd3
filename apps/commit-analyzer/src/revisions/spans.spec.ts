import { spansOf } from './spans';

const at = (partition: number, ...offsets: number[]) => offsets.map((offset) => ({ partition, offset }));

describe('the ranges of positions', () => {
  it('are none for none', () => {
    expect(spansOf([])).toEqual([]);
  });

  it('join what is near, one range a partition', () => {
    expect(spansOf([...at(0, 5, 6, 400), ...at(2, 1)])).toEqual([
      [
        { partition: 0, from: 5, to: 401 },
        { partition: 2, from: 1, to: 2 },
      ],
    ]);
  });

  it('come one after the other where a partition’s positions lie far apart', () => {
    expect(spansOf([...at(0, 0, 499, 500, 5000), ...at(1, 7)])).toEqual([
      [
        { partition: 0, from: 0, to: 500 },
        { partition: 1, from: 7, to: 8 },
      ],
      [{ partition: 0, from: 500, to: 501 }],
      [{ partition: 0, from: 5000, to: 5001 }],
    ]);
  });
});
