import { bandKeys, onePermutationSignature } from '@lineprint/fingerprint';
import type { AstSignature } from './ast-file';

/** Tokens a shingle, words a signature, and bands of the `ast` lane: docs/engine.md. */
const SHINGLE_TOKENS = 5;
const SIGNATURE_WORDS = 128;
const BANDS = 32;
const ROWS = 4;
/** With fewer, unrelated code is too often equal (docs/engine.md). */
const MIN_SHINGLES = 8;

/** 32-bit FNV-1a of a node type. Of its name and not of its id: ids change with every grammar version. */
export function tokenHash(nodeType: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < nodeType.length; i++) {
    hash = Math.imul(hash ^ nodeType.charCodeAt(i), 0x0100_0193);
  }
  return hash >>> 0;
}

/** The 32 band keys under which a signature of the `ast` lane is indexed and asked for. */
export function astBands(signature: Uint32Array): Uint32Array {
  return bandKeys(signature, BANDS, ROWS);
}

/**
 * Signature and bands of the tokens `from` to `to` (exclusive); undefined if they have fewer than
 * MIN_SHINGLES different shingles, which must never be indexed.
 */
export function signatureOf(tokens: readonly number[], from: number, to: number): AstSignature | undefined {
  const shingles = new Set<number>();
  for (let start = from; start + SHINGLE_TOKENS <= to; start++) {
    let shingle = 0;
    for (let i = start; i < start + SHINGLE_TOKENS; i++) {
      shingle = Math.imul(shingle ^ tokens[i]!, 0x9e37_79b1);
      shingle ^= shingle >>> 15;
    }
    shingles.add(shingle >>> 0);
  }
  if (shingles.size < MIN_SHINGLES) return undefined;
  const signature = onePermutationSignature(Uint32Array.from(shingles), SIGNATURE_WORDS);
  return { signature, bands: astBands(signature) };
}
