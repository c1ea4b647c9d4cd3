import { SipHasher, sipHash24 } from './sip-hash';

const MASK = 0xffff_ffff_ffff_ffffn;
const rotate = (x: bigint, by: bigint) => ((x << by) | (x >> (64n - by))) & MASK;

/** SipHash-2-4 as its paper has it, on bytes. */
function reference(key: Uint8Array, message: Uint8Array): bigint {
  const word = (bytes: Uint8Array, at: number) =>
    bytes.slice(at, at + 8).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const [k0, k1] = [word(key, 0), word(key, 8)];
  const v = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ] as [bigint, bigint, bigint, bigint];
  const round = () => {
    v[0] = (v[0] + v[1]) & MASK;
    v[2] = (v[2] + v[3]) & MASK;
    v[1] = rotate(v[1], 13n) ^ v[0];
    v[3] = rotate(v[3], 16n) ^ v[2];
    v[0] = rotate(v[0], 32n);
    v[2] = (v[2] + v[1]) & MASK;
    v[0] = (v[0] + v[3]) & MASK;
    v[1] = rotate(v[1], 17n) ^ v[2];
    v[3] = rotate(v[3], 21n) ^ v[0];
    v[2] = rotate(v[2], 32n);
  };
  const whole = message.length - (message.length % 8);
  for (let at = 0; at <= whole; at += 8) {
    const last = BigInt(message.length & 0xff) << 56n;
    const m = at < whole ? word(message, at) : word(message, at) | last;
    v[3] ^= m;
    round();
    round();
    v[0] ^= m;
  }
  v[2] ^= 0xffn;
  for (let i = 0; i < 4; i++) round();
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

const paperKey = Uint8Array.from({ length: 16 }, (_, i) => i);
const sipKey = (bytes: Uint8Array) => new Int32Array(bytes.slice().buffer);
const unsigned = (words: Int32Array) => (BigInt(words[1]! >>> 0) << 32n) | BigInt(words[0]! >>> 0);

describe('SipHash-2-4', () => {
  it('gives the hash of the example in its paper', () => {
    const message = new Uint8Array(16);
    for (let i = 0; i < 15; i++) message[i] = i;
    message[15] = 15;
    const result = new Int32Array(2);
    sipHash24(sipKey(paperKey), new Int32Array(message.buffer), 2, result);
    expect(unsigned(result)).toBe(0xa129ca6149be45e5n);
  });

  it('hashes texts of every length as the bytes of their code units', () => {
    const hasher = new SipHasher(sipKey(paperKey));
    let text = '';
    for (let length = 0; length < 300; length++) {
      const units = Uint16Array.from([7, ...[...text].map((c) => c.charCodeAt(0))]);
      hasher.hashText(7, text);
      expect(unsigned(hasher.result)).toBe(reference(paperKey, new Uint8Array(units.buffer)));
      text += String.fromCharCode((length * 7919 + 13) & 0xd7ff);
    }
  });

  it('hashes named blocks as one message, whatever their number', () => {
    const hasher = new SipHasher(sipKey(paperKey));
    const indices: number[] = [];
    const low: number[] = [];
    const high: number[] = [];
    const words: number[] = [];
    for (let blocks = 0; blocks < 300; blocks++) {
      hasher.hashBlocks(indices, low, high);
      const bytes = new Uint8Array(Int32Array.from(words).buffer);
      expect(unsigned(hasher.result)).toBe(reference(paperKey, bytes));
      low.push(Math.imul(blocks + 1, 0x9e3779b1));
      high.push(~blocks);
      // The latest block, or one that was there before.
      const index = blocks % 3 === 0 ? blocks >> 1 : blocks;
      indices.push(index);
      words.push(low[index]!, high[index]!);
    }
  });
});
