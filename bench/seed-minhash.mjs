/**
 * The baseline: the MinHash code for clients that the project's first design document gives (its section 4.3),
 * line by line with its own arithmetic; only the TypeScript types are left out. It is measured, never used.
 * Keep it as slow as it is.
 */
import { createHash } from 'node:crypto';

const NUM_HASHES = 128;
const NUM_BANDS = 16;
const SHINGLE_SIZE = 3;
export const SEED_BASE = 0x5a827999;

export function charShingles(text, k) {
  const shingles = new Set();
  for (let i = 0; i <= text.length - k; i++) {
    shingles.add(text.slice(i, i + k));
  }
  return shingles;
}

export function wordShingles(text, k) {
  const words = text
    .replace(/[^\w\s]/g, ' ')
    .split(/\s+/)
    .filter((w) => w.length > 0);
  const shingles = new Set();
  for (let i = 0; i <= words.length - k; i++) {
    shingles.add(words.slice(i, i + k).join(' '));
  }
  return shingles;
}

export function fnv1aHash(str, seed) {
  let hash = 2166136261 ^ seed;
  for (let i = 0; i < str.length; i++) {
    hash ^= str.charCodeAt(i);
    hash += (hash << 1) + (hash << 4) + (hash << 7) + (hash << 8) + (hash << 24);
  }
  return hash >>> 0;
}

export function computeMinHashSignature(text) {
  const shingles = text.length < 200 ? charShingles(text, SHINGLE_SIZE) : wordShingles(text, SHINGLE_SIZE);
  const signature = [];
  for (let i = 0; i < NUM_HASHES; i++) {
    let minVal = 0xffffffff;
    for (const shingle of shingles) {
      const h = fnv1aHash(shingle, SEED_BASE + i);
      if (h < minVal) minVal = h;
    }
    signature.push(minVal);
  }
  return signature;
}

export function computeLshBuckets(signature) {
  const rowsPerBand = NUM_HASHES / NUM_BANDS;
  const buckets = [];
  for (let b = 0; b < NUM_BANDS; b++) {
    const start = b * rowsPerBand;
    const band = signature.slice(start, start + rowsPerBand);
    let hash = 2166136261 ^ b;
    for (const val of band) {
      hash ^= val & 0xff;
      hash += (hash << 1) + (hash << 4) + (hash << 7) + (hash << 8) + (hash << 24);
    }
    buckets.push(hash >>> 0);
  }
  return buckets;
}

export function computeStructureHash(text) {
  const normalized = text
    .replace(/[\s\n\r\t]+/g, '')
    .replace(/"[^"]*"/g, '""')
    .replace(/'[^']*'/g, "''")
    .replace(/\b\d+\b/g, '0');
  return createHash('sha256').update(normalized).digest('hex').slice(0, 16);
}
