import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { LineprintError } from './errors';

const VERSION = 'v1';
/** Node would take a tag cut to 4 bytes, which can be guessed. */
const TAG_BYTES = 16;

/** Encrypts opted-in code with AES-256-GCM: `v1.<iv>.<tag>.<ciphertext>`, each base64. */
export function encryptRawCode(code: string, key: Uint8Array): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const text = Buffer.concat([cipher.update(code, 'utf8'), cipher.final()]);
  return [
    VERSION,
    iv.toString('base64'),
    cipher.getAuthTag().toString('base64'),
    text.toString('base64'),
  ].join('.');
}

/** @throws LineprintError `raw-code-undecipherable` when the text was made with another key or was altered. */
export function decryptRawCode(encrypted: string, key: Uint8Array): string {
  const [version, iv, tag, text] = encrypted.split('.');
  try {
    if (version !== VERSION || !iv || !tag || text === undefined) throw new Error('unknown form');
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(Buffer.from(tag, 'base64'));
    return Buffer.concat([decipher.update(Buffer.from(text, 'base64')), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new LineprintError(
      'raw-code-undecipherable',
      'Raw code cannot be read with LINEPRINT_RAW_CODE_KEY: it was encrypted with another key.',
      { cause },
    );
  }
}
