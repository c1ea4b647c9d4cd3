import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Assumptions, capacityOf, DAY_PROFILE, type Figures, peakOf } from '../../bench/capacity/model';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(__dirname, '../../bench/capacity', name), 'utf8'));
const figures = read('figures.json') as Figures;
const assumptions: Assumptions = Object.fromEntries(
  Object.entries(read('assumptions.json') as Record<string, { value: number }>).map(([name, { value }]) => [
    name,
    value,
  ]),
);

describe('the capacity model', () => {
  it('has a day of 24 hours that hold all of it', () => {
    expect(DAY_PROFILE).toHaveLength(24);
    expect(DAY_PROFILE.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(peakOf(1) * 3600).toBeCloseTo(Math.max(...DAY_PROFILE), 12);
  });

  it('multiplies what is kept by the working days of its retention', () => {
    const plan = capacityOf(100, figures, { ...assumptions, 'recall-days': 7, 'working-days': 5 });
    expect(plan.redisBytes).toBeCloseTo(100 * 40 * 5 * figures['redis-bytes-per-snippet']!.value, 3);
  });

  it('gives ten times the developers ten times the stores, and never fewer processes or partitions', () => {
    const [small, large] = [
      capacityOf(1_000, figures, assumptions),
      capacityOf(10_000, figures, assumptions),
    ];
    expect(large.postgresBytes / small.postgresBytes).toBeCloseTo(10, 9);
    expect(large.kafkaBytes / small.kafkaBytes).toBeCloseTo(10, 9);
    expect(large.partitions).toBeGreaterThanOrEqual(small.partitions);
    expect(large.services['commit-analyzer'].replicas).toBeGreaterThanOrEqual(2);
  });

  it('names a figure that is missing', () => {
    const { 'query-ms': __, ...rest } = figures;
    expect(() => capacityOf(100, rest, assumptions)).toThrow('There is no figure query-ms.');
  });
});
