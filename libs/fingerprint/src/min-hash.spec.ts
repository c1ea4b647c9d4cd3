import { bandKeys, estimateJaccard, onePermutationSignature, universalSignature } from './min-hash';
import { EMPTY_HASH, hasShingles, textBands, textSignatureWith } from './text-signature';

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

// Enough that chance stays below what is allowed.
const RUNS = 4000;
const BAND_RUNS = 12_000;

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

/** Two texts of `size` different words each, of which `shared` in a row are in both, as the text lane sees them. */
function textPair(next: () => number, size: number, shared: number): [string, string] {
  const word = () => next().toString(36);
  const both = Array.from({ length: shared }, word);
  const withMore = () => both.concat(Array.from({ length: size - shared }, word)).join(' ');
  return [withMore(), withMore()];
}

interface Lane {
  readonly name: string;
  /** Shingles of each set. */
  readonly size: number;
  /** The signatures of two random sets of `size` shingles, of which `shared` are in both. */
  readonly signatures: (next: () => number, size: number, shared: number) => [Uint32Array, Uint32Array];
  /** Bands of 8 rows as the lane keys them. */
  readonly bandKeys: (signature: Uint32Array, bands: number, rows: number) => Uint32Array;
}

const ofShingles =
  (sign: (shingles: Uint32Array) => Uint32Array): Lane['signatures'] =>
  (next, size, shared) => {
    const [a, b] = pair(next, size, shared);
    return [sign(a), sign(b)];
  };

const lanes: Lane[] = [
  {
    name: 'the text lane',
    size: 60,
    // n words in a row make n − 2 shingles.
    signatures: (next, size, shared) => {
      const [a, b] = textPair(next, size + 2, shared + 2);
      return [textSignatureWith(a, 'word'), textSignatureWith(b, 'word')];
    },
    bandKeys: (signature, bands, rows) =>
      bands === 16 ? textBands(signature) : bandKeys(signature, bands, rows),
  },
  { name: 'universal hashes', size: 200, signatures: ofShingles(universalSignature), bandKeys },
  {
    name: 'one permutation',
    // Bins sample without replacement, which makes the variance of small sets smaller.
    size: 2000,
    signatures: ofShingles((shingles) => onePermutationSignature(shingles)),
    bandKeys,
  },
];

describe.each(lanes)('signatures of $name', ({ size, signatures, bandKeys }) => {
  it.each([0.1, 0.4, 0.7, 0.9])('are unbiased and have the variance of 128 hashes (%d shared)', (share) => {
    const next = sequence(0x1234_5678 + share * 100);
    const shared = Math.round(share * size);
    const jaccard = shared / (2 * size - shared);
    let sum = 0;
    let squares = 0;
    for (let run = 0; run < RUNS; run++) {
      const [a, b] = signatures(next, size, shared);
      const error = estimateJaccard(a, b) - jaccard;
      sum += error;
      squares += error * error;
    }
    const variance = (jaccard * (1 - jaccard)) / 128;
    expect(Math.abs(sum / RUNS)).toBeLessThan(4 * Math.sqrt(variance / RUNS));
    expect(squares / RUNS / variance).toBeGreaterThan(0.9);
    expect(squares / RUNS / variance).toBeLessThan(1.1);
  });

  it.each([0.5, 0.7, 0.85])('meet in bands as often as 1 − (1 − J^rows)^bands says (%d shared)', (share) => {
    const next = sequence(77);
    const shared = Math.round(share * size);
    const jaccard = shared / (2 * size - shared);
    const shapes = [
      [16, 8],
      [32, 4],
    ] as const;
    const met = shapes.map(() => 0);
    for (let run = 0; run < BAND_RUNS; run++) {
      const [a, b] = signatures(next, size, shared);
      shapes.forEach(([bands, rows], shape) => {
        const other = bandKeys(b, bands, rows);
        if (bandKeys(a, bands, rows).some((key, band) => key === other[band])) met[shape]!++;
      });
    }
    shapes.forEach(([bands, rows], shape) => {
      expect(Math.abs(met[shape]! / BAND_RUNS - (1 - (1 - jaccard ** rows) ** bands))).toBeLessThan(0.01);
    });
  });
});

describe('one-permutation signatures', () => {
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
    expect(universalSignature(again)).toEqual(universalSignature(shingles));
  });

  it('have the asked length and no empty hash once there is a shingle', () => {
    const signature = onePermutationSignature(Uint32Array.of(7), 100);
    expect(signature).toHaveLength(100);
    expect(new Set(signature).size).toBe(1);
    expect(signature).not.toContain(EMPTY_HASH);
  });

  it('of a shingle whose only hash is the empty one end, and never match', () => {
    expect(hasShingles(onePermutationSignature(Uint32Array.of(0x289a9510)))).toBe(false);
  });

  it('of nothing never match, not even each other', () => {
    const empty = onePermutationSignature(new Uint32Array(0));
    expect(hasShingles(empty)).toBe(false);
    expect(estimateJaccard(empty, empty)).toBe(0);
    expect(estimateJaccard(empty, onePermutationSignature(Uint32Array.of(1)))).toBe(0);
    expect(bandKeys(empty, 32, 4)).toHaveLength(0);
    expect(hasShingles(universalSignature(new Uint32Array(0)))).toBe(false);
  });
});

describe('bands', () => {
  it('differ by their number even over equal rows', () => {
    const keys = bandKeys(new Uint32Array(128).fill(5), 32, 4);
    expect(new Set(keys).size).toBe(32);
  });

  it('need a signature that is long enough, and similarity two of one length', () => {
    expect(() => bandKeys(new Uint32Array(127), 32, 4)).toThrow(RangeError);
    expect(() => estimateJaccard(new Uint32Array(127), new Uint32Array(128))).toThrow(RangeError);
  });
});
