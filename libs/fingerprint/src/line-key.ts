import { hmacSha256 } from './digest';
import { LINE_PRINT_VERSION } from './line-print';
import { SipHasher, type SipKey } from './sip-hash';

/** Shortest secret accepted, in bytes. */
export const MIN_SECRET_BYTES = 16;

/** The organisation's key as the hashes use it: one SipHash key for each purpose. */
export interface LineKey {
  readonly keyId: string;
  readonly tokens: SipKey;
  /** H1 and H3. */
  readonly exact: SipKey;
  /** H2. */
  readonly abstract: SipKey;
  readonly paths: SipKey;
}

/** The secret is unfit as a key. */
export class LineKeyError extends Error {
  readonly code = 'line_key_too_short';
  override readonly name = 'LineKeyError';
}

/**
 * Derives the keys of all prints from the organisation's secret (HMAC-SHA-256 of version, purpose and key id), so
 * that prints of two versions never meet, wherever they are compared.
 *
 * @param secret at least 16 random bytes
 * @throws LineKeyError when the secret is shorter: prints under a guessable key can be searched for known lines
 */
export function deriveLineKey(secret: Uint8Array, keyId: string): LineKey {
  if (secret.length < MIN_SECRET_BYTES) {
    throw new LineKeyError(
      `a line key needs at least ${MIN_SECRET_BYTES} secret bytes, not ${secret.length}`,
    );
  }
  const keyFor = (purpose: string): SipKey => {
    const digest = hmacSha256(secret, `lineprint ${LINE_PRINT_VERSION} ${purpose}\0${keyId}`);
    const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
    return Int32Array.from({ length: 4 }, (_, word) => view.getInt32(word * 4, true));
  };
  return {
    keyId,
    tokens: keyFor('tokens'),
    exact: keyFor('exact'),
    abstract: keyFor('abstract'),
    paths: keyFor('paths'),
  };
}

/** 16 lower-case hex digits of an unsigned 64-bit hash. */
export function hex64(hash: bigint): string {
  return hash.toString(16).padStart(16, '0');
}

/**
 * Keyed hash of a path as 16 hex digits, so that neither directories nor file names leave the client.
 *
 * @param path relative to the repository's root, `/` between its parts, as git prints it
 */
export function pathKey(path: string, key: LineKey): string {
  const hasher = new SipHasher(key.paths);
  hasher.hashText(0, path);
  const [low, high] = [hasher.result[0]! >>> 0, hasher.result[1]! >>> 0];
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}
