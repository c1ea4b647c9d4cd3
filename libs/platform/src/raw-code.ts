import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { LineprintError } from './errors';

const VERSION = 'v2';
/** Node would take a tag cut to 4 bytes, which can be guessed. */
const TAG_BYTES = 16;

/** Follows from the key, so that every process and installation calls it alike. */
function keyIdOf(key: Uint8Array): string {
  return `rk${createHash('sha256').update('lineprint raw code key').update(key).digest('hex').slice(0, 12)}`;
}

/**
 * The AES-256 keys of opted-in code: the first encrypts, all decrypt. So a key is replaced by putting another before it,
 * encrypting anew what it has encrypted, and taking it away.
 */
export class RawCodeKeys {
  private readonly keys: ReadonlyMap<string, Uint8Array>;
  /** Names of the keys, that of the current one first. */
  readonly ids: readonly string[];

  /** @param keys of 32 bytes each, at least one */
  constructor(keys: readonly Uint8Array[]) {
    this.keys = new Map(keys.map((key) => [keyIdOf(key), key]));
    this.ids = [...this.keys.keys()];
  }

  /** With AES-256-GCM: `v2.<key id>.<iv>.<tag>.<ciphertext>`, the last three base64. */
  encrypt(code: string): string {
    const [id] = this.ids;
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.keys.get(id!)!, iv);
    const text = Buffer.concat([cipher.update(code, 'utf8'), cipher.final()]);
    return [VERSION, id, ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64'))].join('.');
  }

  /**
   * @throws LineprintError `raw-code-key-missing` where it was encrypted with a key that is not among these,
   * `raw-code-undecipherable` where it was altered, or no key fits a text that names none
   */
  decrypt(encrypted: string): string {
    const id = keyIdIn(encrypted);
    const parts = encrypted.split('.').slice(id === null ? 1 : 2);
    if (id !== null && !this.keys.has(id)) {
      throw new LineprintError(
        'raw-code-key-missing',
        `Raw code was encrypted with key ${id}, which LINEPRINT_RAW_CODE_KEY does not have: put it behind the current one.`,
      );
    }
    const candidates = id === null ? [...this.keys.values()] : [this.keys.get(id)!];
    let cause: unknown;
    for (const key of candidates) {
      try {
        return decryptedWith(key, parts);
      } catch (error) {
        cause = error;
      }
    }
    throw new LineprintError(
      'raw-code-undecipherable',
      'Raw code cannot be read: it was altered, or encrypted with a key that LINEPRINT_RAW_CODE_KEY no longer has.',
      { cause },
    );
  }
}

/** Which key has encrypted it; null where the text does not say. */
export function keyIdIn(encrypted: string): string | null {
  const [version, id] = encrypted.split('.');
  return version === VERSION ? (id ?? '') : null;
}

/** SQL that says the same of a column. */
export const keyIdSql = (column: string): string =>
  `CASE WHEN ${column} LIKE '${VERSION}.%' THEN split_part(${column}, '.', 2) END`;

function decryptedWith(key: Uint8Array, [iv, tag, text, ...rest]: readonly string[]): string {
  if (!iv || !tag || text === undefined || rest.length > 0) throw new Error('unknown form');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(Buffer.from(tag, 'base64'));
  return Buffer.concat([decipher.update(Buffer.from(text, 'base64')), decipher.final()]).toString('utf8');
}
