import { sha256Hex } from './digest';

// The seed's client scheme (its section 4.3), bit for bit: v1 clients send these numbers.

/** Hashes of a signature. */
export const TEXT_HASHES = 128;
/** Bands of a text signature; 8 rows each. */
export const TEXT_BANDS = 16;
/** What every hash of a text without shingles is: it says nothing, and must never match. */
export const EMPTY_HASH = 0xffff_ffff;
/** Shorter texts are cut into characters, others into words. */
export const WORDS_FROM_LENGTH = 200;

const SHINGLE_SIZE = 3;
const ROWS = TEXT_HASHES / TEXT_BANDS;
const FNV_OFFSET = 2166136261;
// The seed's sum of shifted hashes is a multiplication by FNV's prime modulo 2^32.
const FNV_PRIME = 0x0100_0193;
const SEED_BASE = 0x5a82_7999;
const startingStates = Int32Array.from({ length: TEXT_HASHES }, (_, i) => FNV_OFFSET ^ (SEED_BASE + i));

// Bound once: a look-up of a global is slow where scripts run in a context of their own (tests, some editors).
const { imul } = Math;

export type ShingleKind = 'char' | 'word';

function shinglesOf(text: string, kind: ShingleKind): Set<string> {
  const shingles = new Set<string>();
  if (kind === 'char') {
    for (let i = 0; i + SHINGLE_SIZE <= text.length; i++) shingles.add(text.slice(i, i + SHINGLE_SIZE));
    return shingles;
  }
  const words = text.match(/\w+/g) ?? [];
  for (let i = 0; i + SHINGLE_SIZE <= words.length; i++) {
    shingles.add(`${words[i]} ${words[i + 1]} ${words[i + 2]}`);
  }
  return shingles;
}

/**
 * MinHash signature over shingles of a chosen kind. A text that grew past 200 characters between acceptance
 * and commit shares no shingle with itself under `textSignature`: compare both kinds.
 *
 * @returns 128 unsigned 32-bit minima; all `EMPTY_HASH` when the text is too short for a shingle
 */
export function textSignatureWith(text: string, kind: ShingleKind): Uint32Array {
  const signature = new Uint32Array(TEXT_HASHES).fill(EMPTY_HASH);
  let units = new Uint16Array(256);
  for (const shingle of shinglesOf(text, kind)) {
    const length = shingle.length;
    if (length > units.length) units = new Uint16Array(length * 2);
    for (let i = 0; i < length; i++) units[i] = shingle.charCodeAt(i);
    // Four hashes at a time: each one's steps wait for one another, but not for the other three's.
    for (let hash = 0; hash < TEXT_HASHES; hash += 4) {
      let a = startingStates[hash]!;
      let b = startingStates[hash + 1]!;
      let c = startingStates[hash + 2]!;
      let d = startingStates[hash + 3]!;
      for (let i = 0; i < length; i++) {
        const unit = units[i]!;
        a = imul(a ^ unit, FNV_PRIME);
        b = imul(b ^ unit, FNV_PRIME);
        c = imul(c ^ unit, FNV_PRIME);
        d = imul(d ^ unit, FNV_PRIME);
      }
      if (a >>> 0 < signature[hash]!) signature[hash] = a;
      if (b >>> 0 < signature[hash + 1]!) signature[hash + 1] = b;
      if (c >>> 0 < signature[hash + 2]!) signature[hash + 2] = c;
      if (d >>> 0 < signature[hash + 3]!) signature[hash + 3] = d;
    }
  }
  return signature;
}

/** The signature a v1 client sends: characters below 200, words from there on. */
export function textSignature(text: string): Uint32Array {
  return textSignatureWith(text, text.length < WORDS_FROM_LENGTH ? 'char' : 'word');
}

/** False for the signature of a text without shingles: such a signature must never be indexed or compared. */
export function hasShingles(signature: ArrayLike<number>): boolean {
  for (let i = 0; i < signature.length; i++) if (signature[i] !== EMPTY_HASH) return true;
  return false;
}

/** The 16 band hashes of a text signature: FNV over the low byte of each of a band's 8 values. */
export function textBands(signature: ArrayLike<number>): Uint32Array {
  const bands = new Uint32Array(TEXT_BANDS);
  for (let band = 0; band < TEXT_BANDS; band++) {
    let state = FNV_OFFSET ^ band;
    for (let row = 0; row < ROWS; row++) {
      state = imul(state ^ (signature[band * ROWS + row]! & 0xff), FNV_PRIME);
    }
    bands[band] = state;
  }
  return bands;
}

/** The seed's structure hash: 16 hex digits of SHA-256 over the text without white space, strings, numbers. */
export function structureHash(text: string): string {
  const normalized = text
    .replace(/\s+/g, '')
    .replace(/"[^"]*"/g, '""')
    .replace(/'[^']*'/g, "''")
    .replace(/\b\d+\b/g, '0');
  return sha256Hex(normalized).slice(0, 16);
}
