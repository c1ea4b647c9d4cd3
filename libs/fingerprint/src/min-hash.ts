import { EMPTY_HASH, hasShingles } from './text-signature';

/** Hashes of a signature unless told otherwise. */
export const SIGNATURE_HASHES = 128;

// Bound once: a look-up of a global is slow where scripts run in a context of their own (tests, some editors).
const { imul } = Math;

/** Bijective mixing of 32 bits (the finaliser of MurmurHash3). */
export function mix32(value: number): number {
  let mixed = value;
  mixed = imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * Multipliers (odd) and summands of the universal hashes: SplitMix32's sequence from a fixed seed, 0x4c50_4d48 ("LPMH"),
 * a multiplier and a summand in turn.
 */
function universalFamily(length: number): { multipliers: Int32Array; summands: Int32Array } {
  let state = 0x4c50_4d48;
  const next = (): number => {
    state = (state + 0x9e37_79b9) | 0;
    let mixed = imul(state ^ (state >>> 16), 0x21f0_aaad);
    mixed = imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
    return mixed ^ (mixed >>> 15);
  };
  const multipliers = new Int32Array(length);
  const summands = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    multipliers[i] = next() | 1;
    summands[i] = next();
  }
  return { multipliers, summands };
}
const { multipliers, summands } = universalFamily(SIGNATURE_HASHES);

/** Turns the order of unsigned numbers into that of signed ones and back. */
const SIGN = 0x8000_0000;

/**
 * MinHash with 128 universal hashes h(x) = (a·x + b) mod 2^32 of the mixed shingle, a odd: permutations of the 32-bit
 * numbers, exact in integer arithmetic. The reference beside one permutation, which is faster.
 *
 * @param shingles unsigned 32-bit shingle hashes; duplicates do not matter
 * @returns 128 unsigned 32-bit minima; all `EMPTY_HASH` without shingles
 */
export function universalSignature(shingles: Uint32Array): Uint32Array {
  const signature = new Uint32Array(SIGNATURE_HASHES).fill(EMPTY_HASH);
  const count = shingles.length;
  if (count === 0) return signature;
  const mixed = new Int32Array(count);
  for (let i = 0; i < count; i++) mixed[i] = mix32(shingles[i]!);
  // Four at a time: their minima stay in registers, and one load of a shingle serves all.
  for (let hash = 0; hash < SIGNATURE_HASHES; hash += 4) {
    const a0 = multipliers[hash]!;
    const a1 = multipliers[hash + 1]!;
    const a2 = multipliers[hash + 2]!;
    const a3 = multipliers[hash + 3]!;
    const b0 = summands[hash]! ^ SIGN;
    const b1 = summands[hash + 1]! ^ SIGN;
    const b2 = summands[hash + 2]! ^ SIGN;
    const b3 = summands[hash + 3]! ^ SIGN;
    let m0 = 0x7fff_ffff;
    let m1 = 0x7fff_ffff;
    let m2 = 0x7fff_ffff;
    let m3 = 0x7fff_ffff;
    for (let i = 0; i < count; i++) {
      const x = mixed[i]!;
      const h0 = (imul(a0, x) + b0) | 0;
      const h1 = (imul(a1, x) + b1) | 0;
      const h2 = (imul(a2, x) + b2) | 0;
      const h3 = (imul(a3, x) + b3) | 0;
      if (h0 < m0) m0 = h0;
      if (h1 < m1) m1 = h1;
      if (h2 < m2) m2 = h2;
      if (h3 < m3) m3 = h3;
    }
    signature[hash] = m0 ^ SIGN;
    signature[hash + 1] = m1 ^ SIGN;
    signature[hash + 2] = m2 ^ SIGN;
    signature[hash + 3] = m3 ^ SIGN;
  }
  return signature;
}

/** Bin of a 32-bit hash: its upper bits, scaled, so that any number of bins is filled evenly. */
const binOf = (hash: number, bins: number): number => (((hash >>> 0) / 2 ** 32) * bins) | 0;

/** `EMPTY_HASH` in the order of signed numbers. */
const EMPTY_BIN = 0x7fff_ffff;
/** The bins of the signature at hand; only ever as many as the longest signature has. */
let minima = new Int32Array(SIGNATURE_HASHES);

/**
 * One-permutation MinHash: each shingle is hashed once and falls into one bin; empty bins borrow from bins
 * chosen by their own number (optimal densification, Shrivastava 2017), so that two signatures borrow alike.
 *
 * @param shingles unsigned 32-bit shingle hashes; duplicates do not matter
 * @returns `length` unsigned 32-bit values; all `EMPTY_HASH` without shingles
 */
export function onePermutationSignature(shingles: Uint32Array, length = SIGNATURE_HASHES): Uint32Array {
  if (minima.length < length) minima = new Int32Array(length);
  const bins = minima.fill(EMPTY_BIN, 0, length);
  let isFilled = false;
  for (let i = 0; i < shingles.length; i++) {
    const shingle = shingles[i]!;
    const bin = binOf(mix32(shingle ^ 0x3c6e_f372), length);
    const value = mix32(shingle ^ 0x1b87_3593) ^ SIGN;
    if (value >= bins[bin]!) continue;
    bins[bin] = value;
    isFilled = true;
  }
  const signature = new Uint32Array(length).fill(EMPTY_HASH);
  if (!isFilled) return signature;
  for (let bin = 0; bin < length; bin++) {
    let from = bin;
    for (let attempt = 1; bins[from] === EMPTY_BIN; attempt++) {
      from = binOf(mix32(imul(bin + 1, 0x9e37_79b1) ^ imul(attempt, 0x85eb_ca77)), length);
    }
    signature[bin] = bins[from]! ^ SIGN;
  }
  return signature;
}

/**
 * Band keys for locality-sensitive lookup: a hash of each band's whole values.
 *
 * @returns `bands` unsigned 32-bit keys; none for a signature without shingles, which must never match
 * @throws RangeError when the signature is shorter than bands × rows
 */
export function bandKeys(signature: ArrayLike<number>, bands: number, rows: number): Uint32Array {
  if (signature.length < bands * rows) {
    throw new RangeError(`${bands} bands of ${rows} rows need more than ${signature.length} hashes`);
  }
  if (!hasShingles(signature)) return new Uint32Array(0);
  const keys = new Uint32Array(bands);
  for (let band = 0; band < bands; band++) {
    let key = mix32(band + 0x9e37_79b9);
    for (let row = 0; row < rows; row++) {
      key = (imul(mix32(key ^ signature[band * rows + row]!), 5) + 0x6b64_e653) | 0;
    }
    keys[band] = key;
  }
  return keys;
}

/**
 * Estimated Jaccard similarity, 0 to 1: the share of equal hashes. 0 when either has no shingles.
 *
 * @throws RangeError when the signatures differ in length
 */
export function estimateJaccard(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) throw new RangeError(`signatures of ${a.length} and ${b.length} hashes`);
  if (!hasShingles(a) || !hasShingles(b)) return 0;
  let equal = 0;
  for (let i = 0; i < a.length; i++) if (a[i] === b[i]) equal++;
  return equal / a.length;
}
