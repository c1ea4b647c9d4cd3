/** A 128-bit SipHash key as four little-endian 32-bit words. */
export type SipKey = Int32Array;

/**
 * SipHash-2-4 (Aumasson, Bernstein 2012) of a message of whole 8-byte blocks. Written with 32-bit integers,
 * because bigint arithmetic is about fifty times slower.
 *
 * @param message blocks as little-endian words, low before high. The last block is the caller's: it ends in
 *   the message's length in bytes, modulo 256, in its highest byte.
 * @param blocks number of blocks, the last one included
 * @param result receives the hash: low word, high word
 */
export function sipHash24(key: SipKey, message: Int32Array, blocks: number, result: Int32Array): void {
  const k0l = key[0]!;
  const k0h = key[1]!;
  const k1l = key[2]!;
  const k1h = key[3]!;
  let v0l = k0l ^ 0x70736575;
  let v0h = k0h ^ 0x736f6d65;
  let v1l = k1l ^ 0x6e646f6d;
  let v1h = k1h ^ 0x646f7261;
  let v2l = k0l ^ 0x6e657261;
  let v2h = k0h ^ 0x6c796765;
  let v3l = k1l ^ 0x79746573;
  let v3h = k1h ^ 0x74656462;
  // One turn of two rounds a block, and two more that finish. A carry is a comparison turned into a number:
  // as a condition it would be a jump that goes either way at random, and four times as slow.
  for (let turn = 0; turn < blocks + 2; turn++) {
    const low = turn < blocks ? message[turn * 2]! : 0;
    const high = turn < blocks ? message[turn * 2 + 1]! : 0;
    if (turn === blocks) v2l ^= 0xff;
    v3l ^= low;
    v3h ^= high;
    for (let round = 0; round < 2; round++) {
      let word = (v0l + v1l) | 0;
      v0h = (v0h + v1h + Number(word >>> 0 < v1l >>> 0)) | 0;
      v0l = word;
      word = (v1l << 13) | (v1h >>> 19);
      v1h = ((v1h << 13) | (v1l >>> 19)) ^ v0h;
      v1l = word ^ v0l;
      word = v0l;
      v0l = v0h;
      v0h = word;
      word = (v2l + v3l) | 0;
      v2h = (v2h + v3h + Number(word >>> 0 < v3l >>> 0)) | 0;
      v2l = word;
      word = (v3l << 16) | (v3h >>> 16);
      v3h = ((v3h << 16) | (v3l >>> 16)) ^ v2h;
      v3l = word ^ v2l;
      word = (v0l + v3l) | 0;
      v0h = (v0h + v3h + Number(word >>> 0 < v3l >>> 0)) | 0;
      v0l = word;
      word = (v3l << 21) | (v3h >>> 11);
      v3h = ((v3h << 21) | (v3l >>> 11)) ^ v0h;
      v3l = word ^ v0l;
      word = (v2l + v1l) | 0;
      v2h = (v2h + v1h + Number(word >>> 0 < v1l >>> 0)) | 0;
      v2l = word;
      word = (v1l << 17) | (v1h >>> 15);
      v1h = ((v1h << 17) | (v1l >>> 15)) ^ v2h;
      v1l = word ^ v2l;
      word = v2l;
      v2l = v2h;
      v2h = word;
    }
    v0l ^= low;
    v0h ^= high;
  }
  result[0] = v0l ^ v1l ^ v2l ^ v3l;
  result[1] = v0h ^ v1h ^ v2h ^ v3h;
}

/** The message at hand, whoever hashes it; its buffer is only ever as long as the longest message needs. */
let message = new Int32Array(256);

/** Hashes many short messages under one key; the hash is left in `result` (low, high). */
export class SipHasher {
  readonly result = new Int32Array(2);

  constructor(private readonly key: SipKey) {}

  /** Hash of blocks of 8 bytes, those that `indices` name in turn, of which `low` and `high` have the words. */
  hashBlocks(indices: readonly number[], low: readonly number[], high: readonly number[]): void {
    const blocks = indices.length;
    const buffer = bufferOf(blocks * 2 + 2);
    for (let i = 0; i < blocks; i++) {
      const index = indices[i]!;
      buffer[i * 2] = low[index]!;
      buffer[i * 2 + 1] = high[index]!;
    }
    buffer[blocks * 2] = 0;
    buffer[blocks * 2 + 1] = (blocks * 8) << 24;
    sipHash24(this.key, buffer, blocks + 1, this.result);
  }

  /** Hash of the UTF-16LE bytes of `domain` (one code unit) followed by `text`. */
  hashText(domain: number, text: string): void {
    const units = text.length + 1;
    const blocks = (units >>> 2) + 1;
    const buffer = bufferOf(blocks * 2);
    let word = domain;
    for (let i = 1; i < units; i++) {
      const unit = text.charCodeAt(i - 1);
      if ((i & 1) === 0) word = unit;
      else buffer[i >>> 1] = word | (unit << 16);
    }
    const last = blocks * 2 - 1;
    const whole = units >>> 1;
    buffer[whole] = (units & 1) === 1 ? word : 0;
    if (whole < last) buffer[last] = 0;
    buffer[last] = buffer[last]! | ((units * 2) << 24);
    sipHash24(this.key, buffer, blocks, this.result);
  }
}

function bufferOf(words: number): Int32Array {
  if (words > message.length) message = new Int32Array(Math.max(words, message.length * 2));
  return message;
}
