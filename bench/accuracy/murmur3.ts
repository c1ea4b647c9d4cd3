/** MurmurHash3, x86, 32 bits, as the Python package mmh3 gives it (`mmh3.hash(text, seed) & 0xFFFFFFFF`). */
export function murmur3(bytes: Uint8Array, seed: number): number {
  const words = bytes.length >> 2;
  let hash = seed;
  for (let i = 0; i < words; i++) {
    const at = i * 4;
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    hash = Math.imul(rotate(hash ^ scramble(word), 13), 5) + 0xe654_6b64;
  }
  let tail = 0;
  for (let i = bytes.length - 1; i >= words * 4; i--) tail = (tail << 8) | bytes[i]!;
  hash ^= scramble(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(word: number): number {
  return Math.imul(rotate(Math.imul(word, 0xcc9e_2d51), 15), 0x1b87_3593);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
