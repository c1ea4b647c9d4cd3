import { assert, array, bigInt, integer, property, tuple } from 'fast-check';
import { decodeHashCounts, encodeHashCounts, LineCounts } from './line-counts';

const anyHash = bigInt({ min: 0n, max: 2n ** 64n - 1n });
/** So few different ones that they meet again. */
const someHash = bigInt({ min: 1n, max: 200n });

describe('counts of lines', () => {
  it('are those of a Map in which no count falls below 0', () => {
    assert(
      property(array(tuple(someHash, integer({ min: -5, max: 5 })), { maxLength: 3_000 }), (changes) => {
        const counts = new LineCounts();
        const expected = new Map<bigint, number>();
        for (const [key, change] of changes) {
          counts.add(key, change);
          expected.set(key, Math.max(0, (expected.get(key) ?? 0) + change));
        }
        for (const [key, count] of expected) expect(counts.get(key)).toBe(count);
        const present = [...expected].filter(([, count]) => count > 0);
        expect(new Map(counts.entries())).toEqual(new Map(present));
        expect(new Map(LineCounts.decode(counts.encode()).entries())).toEqual(new Map(present));
      }),
    );
  });

  it('keep thousands of hashes apart that share their low or their high word', () => {
    const counts = new LineCounts();
    for (let i = 1n; i <= 5_000n; i++) {
      counts.add(i << 32n, 1);
      counts.add(i, 2);
    }
    for (let i = 1n; i <= 5_000n; i++) {
      expect(counts.get(i << 32n)).toBe(1);
      expect(counts.get(i)).toBe(2);
    }
  });

  it('take no more room where hashes come and go', () => {
    const counts = new LineCounts();
    for (let i = 1n; i <= 100n; i++) counts.add(i, 1);
    const before = counts.bytes;
    for (let i = 1_000n; i < 20_000n; i++) {
      counts.add(i, 1);
      counts.add(i, -1);
    }
    expect(counts.bytes).toBe(before);
    expect([...counts.entries()]).toHaveLength(100);
  });

  it('say of a hash that never came that it does not occur', () => {
    const counts = new LineCounts();
    counts.add(7n, -3);
    expect(counts.get(7n)).toBe(0);
    expect(counts.get(0n)).toBe(0);
  });
});

describe('packed counts', () => {
  it('are read as they were written', () => {
    const entry = tuple(anyHash, integer({ min: -(2 ** 50), max: 2 ** 50 }));
    assert(
      property(array(entry, { maxLength: 300 }), (entries) => {
        expect([...decodeHashCounts(encodeHashCounts(entries))]).toEqual(entries);
      }),
    );
  });

  it('that end early are refused', () => {
    const bytes = encodeHashCounts([[5n, 300]]);
    expect(() => [...decodeHashCounts(bytes.subarray(0, 9))]).toThrow('no count');
    expect(() => [...decodeHashCounts(bytes.subarray(0, 8))]).toThrow('end early');
    expect(() => LineCounts.decode(bytes)).toThrow('end early');
  });
});
