import { bandKeys, estimateJaccard, onePermutationSignature } from './min-hash';
import { EMPTY_HASH, hasShingles } from './text-signature';

/** Numbers that look random and are the same in every run (a 32-bit xorshift). */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Two sets of `size` shingles of which `shared` are in both. */
function pair(next: () => number, size: number, shared: number): [Uint32Array, Uint32Array] {
  const a = new Uint32Array(size);
  const b = new Uint32Array(size);
  for (let i = 0; i < size; i++) {
    a[i] = next();
    b[i] = i < shared ? a[i]! : next();
  }
  return [a, b];
}

describe('one-permutation signatures', () => {
  // Bins sample without replacement, which only shows in small sets: there the variance is smaller still.
  it.each([300, 1000, 2000, 2700])(
    'are unbiased and have the variance of 128 hashes (%i of 3000 shared)',
    (shared) => {
      const next = sequence(0x1234_5678 + shared);
      const jaccard = shared / (6000 - shared);
      const runs = 2000;
      let sum = 0;
      let squares = 0;
      for (let run = 0; run < runs; run++) {
        const [a, b] = pair(next, 3000, shared);
        const error = estimateJaccard(onePermutationSignature(a), onePermutationSignature(b)) - jaccard;
        sum += error;
        squares += error * error;
      }
      const variance = (jaccard * (1 - jaccard)) / 128;
      expect(Math.abs(sum / runs)).toBeLessThan(4 * Math.sqrt(variance / runs));
      expect(squares / runs / variance).toBeGreaterThan(0.9);
      expect(squares / runs / variance).toBeLessThan(1.1);
    },
  );

  it.each([5, 20, 60])('stay unbiased when most bins are empty (%i shingles)', (size) => {
    const next = sequence(0x0bad_cafe + size);
    const shared = size * 0.6;
    const jaccard = shared / (2 * size - shared);
    const runs = 3000;
    let sum = 0;
    for (let run = 0; run < runs; run++) {
      const [a, b] = pair(next, size, shared);
      sum += estimateJaccard(onePermutationSignature(a), onePermutationSignature(b));
    }
    expect(Math.abs(sum / runs - jaccard)).toBeLessThan(0.012);
  });

  it('do not depend on order or repetition', () => {
    const shingles = Uint32Array.from({ length: 50 }, sequence(9));
    const again = Uint32Array.from([...shingles].reverse().concat(...shingles));
    expect(onePermutationSignature(again)).toEqual(onePermutationSignature(shingles));
  });

  it('have the asked length and no empty hash once there is a shingle', () => {
    const signature = onePermutationSignature(Uint32Array.of(7), 100);
    expect(signature).toHaveLength(100);
    expect(new Set(signature).size).toBe(1);
    expect(signature).not.toContain(EMPTY_HASH);
  });

  it('of nothing never match, not even each other', () => {
    const empty = onePermutationSignature(new Uint32Array(0));
    expect(hasShingles(empty)).toBe(false);
    expect(estimateJaccard(empty, empty)).toBe(0);
    expect(estimateJaccard(empty, onePermutationSignature(Uint32Array.of(1)))).toBe(0);
    expect(bandKeys(empty, 32, 4)).toHaveLength(0);
  });
});

describe('bands', () => {
  it.each([
    [32, 4],
    [16, 8],
  ])('of %i × %i meet as often as 1 − (1 − J^rows)^bands says', (bands, rows) => {
    const next = sequence(77);
    for (const shared of [500, 700, 850]) {
      const jaccard = shared / (2000 - shared);
      const runs = 1500;
      let met = 0;
      for (let run = 0; run < runs; run++) {
        const [a, b] = pair(next, 1000, shared);
        const other = bandKeys(onePermutationSignature(b), bands, rows);
        if (bandKeys(onePermutationSignature(a), bands, rows).some((key, band) => key === other[band])) met++;
      }
      const rate = 1 - (1 - jaccard ** rows) ** bands;
      // One point, and what chance allows in so many runs.
      expect(Math.abs(met / runs - rate)).toBeLessThan(0.01 + 3 * Math.sqrt((rate * (1 - rate)) / runs));
    }
  });

  it('differ by their number even over equal rows', () => {
    const keys = bandKeys(new Uint32Array(128).fill(5), 32, 4);
    expect(new Set(keys).size).toBe(32);
  });

  it('need a signature that is long enough, and similarity two of one length', () => {
    expect(() => bandKeys(new Uint32Array(127), 32, 4)).toThrow(RangeError);
    expect(() => estimateJaccard(new Uint32Array(127), new Uint32Array(128))).toThrow(RangeError);
  });
});
