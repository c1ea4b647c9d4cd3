import { createHash, createHmac } from 'node:crypto';

// The only file of this library that needs Node: an editor or a browser swaps it for its own SHA-256.

/** HMAC-SHA-256 of the UTF-8 bytes of `message`: 32 bytes. */
export function hmacSha256(secret: Uint8Array, message: string): Uint8Array {
  return createHmac('sha256', secret).update(message, 'utf8').digest();
}

/** SHA-256 of the UTF-8 bytes of `text`: 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
