import { EMPTY_HASH, hasShingles } from './text-signature';

/** Hashes of a signature unless told otherwise. */
export const SIGNATURE_HASHES = 128;

// Bound once: a look-up of a global is slow where scripts run in a context of their own (tests, some editors).
const { imul } = Math;

/** Bijective mixing of 32 bits (the finaliser of MurmurHash3). */
function mix32(value: number): number {
  let mixed = value;
  mixed = imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}

/** Bin of a 32-bit hash: its upper bits, scaled, so that any number of bins is filled evenly. */
const binOf = (hash: number, bins: number): number => (((hash >>> 0) / 2 ** 32) * bins) | 0;

/**
 * One-permutation MinHash: each shingle is hashed once and falls into one bin; empty bins borrow from bins
 * chosen by their own number (optimal densification, Shrivastava 2017), so that two signatures borrow alike.
 *
 * @param shingles unsigned 32-bit shingle hashes; duplicates do not matter
 * @returns `length` unsigned 32-bit values; all `EMPTY_HASH` without shingles
 */
export function onePermutationSignature(shingles: Uint32Array, length = SIGNATURE_HASHES): Uint32Array {
  const signature = new Uint32Array(length).fill(EMPTY_HASH);
  for (let i = 0; i < shingles.length; i++) {
    const shingle = shingles[i]!;
    const bin = binOf(mix32(shingle ^ 0x3c6e_f372), length);
    const value = mix32(shingle ^ 0x1b87_3593) >>> 0;
    if (value < signature[bin]!) signature[bin] = value;
  }
  if (!hasShingles(signature)) return signature;
  const filled = signature.slice();
  for (let bin = 0; bin < length; bin++) {
    let from = bin;
    for (let attempt = 1; filled[from] === EMPTY_HASH; attempt++) {
      from = binOf(mix32(imul(bin + 1, 0x9e37_79b1) ^ imul(attempt, 0x85eb_ca77)), length);
    }
    signature[bin] = filled[from]!;
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
