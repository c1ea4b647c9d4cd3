import { splitChanges, thresholdChanges } from './policy-changes';

it('what changes most under another policy comes first', () => {
  const figures = (lines: number, ratio: number) => ({ lines, ratio });
  const split = {
    go: { from: figures(100, 0.5), to: figures(100, 0.5) },
    sql: { from: figures(10, 0.9), to: figures(10, 0.4) },
    java: { from: figures(500, 0.2), to: figures(500, 0.2) },
  };
  expect(splitChanges(split).map(({ key }) => key)).toEqual(['sql', 'java', 'go']);
});

it('thresholds are listed where they differ', () => {
  expect(
    thresholdChanges({ minBits: 22, highBits: 80 }, { minBits: 30, highBits: 80, suspectBits: 12 }),
  ).toEqual([
    { name: 'minBits', from: 22, to: 30 },
    { name: 'suspectBits', from: 'none', to: 12 },
  ]);
});
