import { TokenBuckets } from './rate-limits';

let now = 0;
beforeEach(() => (now = 0));
const buckets = (rate: number) => new TokenBuckets(rate, () => now);
const taken = (from: TokenBuckets, key: string, times: number) =>
  Array.from({ length: times }, () => from.take(key)).filter((wait) => wait === 0).length;

describe('TokenBuckets', () => {
  it('let ten seconds’ worth through at once, then as many as come back', () => {
    const limited = buckets(5);
    expect(taken(limited, 'a', 60)).toBe(50);
    now = 1000;
    expect(taken(limited, 'a', 60)).toBe(5);
    now = 3_600_000;
    expect(taken(limited, 'a', 60)).toBe(50);
  });

  it('say in how many seconds there is room again', () => {
    const limited = buckets(0.1);
    expect(limited.take('a')).toBe(0);
    expect(limited.take('a')).toBeCloseTo(10);
    now = 4000;
    expect(limited.take('a')).toBeCloseTo(6);
  });

  it('are one a key, and take all where there is no limit', () => {
    const limited = buckets(1);
    expect(taken(limited, 'a', 20)).toBe(10);
    expect(taken(limited, 'b', 20)).toBe(10);
    expect(taken(buckets(0), 'a', 1000)).toBe(1000);
  });

  it('do not grow without end', () => {
    const limited = buckets(1);
    taken(limited, 'first', 10);
    for (let i = 0; i < 10_000; i++) limited.take(`other ${i}`);
    expect(limited.take('first')).toBe(0);
  });
});
