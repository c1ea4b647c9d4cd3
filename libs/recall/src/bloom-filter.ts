/** About one wrong yes in a hundred. */
const BITS_A_KEY = 10;
const PROBES = 6;
/** All probes of a hash fall into one block of 512 bits: a cache line, which is what an answer waits for. */
const BLOCK_WORDS = 16;
const MIN_CAPACITY = 4096;

/** Says of a 40-bit hash that it was surely never added, or that it may have been. Grows by layers, each twice as large. */
export class BloomFilter {
  private readonly layers: Uint32Array[];
  private capacity: number;
  private room: number;

  /** @param expected how many hashes are to come at first */
  constructor(expected: number) {
    this.capacity = this.room = Math.max(MIN_CAPACITY, expected);
    this.layers = [layerFor(this.capacity)];
  }

  add(hash: number): void {
    if (this.has(hash)) return;
    if (this.room === 0) {
      this.capacity *= 2;
      this.room = this.capacity;
      this.layers.push(layerFor(this.capacity));
    }
    this.room--;
    const layer = this.layers[this.layers.length - 1]!;
    const block = blockOf(hash, layer);
    const bits = bitsOf(hash);
    const step = stepOf(bits);
    for (let probe = 0, bit = bits; probe < PROBES; probe++, bit += step) {
      layer[block + ((bit >>> 5) % BLOCK_WORDS)]! |= 1 << (bit & 31);
    }
  }

  has(hash: number): boolean {
    const bits = bitsOf(hash);
    for (const layer of this.layers) if (isSet(layer, blockOf(hash, layer), bits)) return true;
    return false;
  }

  get bytes(): number {
    return this.layers.reduce((sum, layer) => sum + layer.byteLength, 0);
  }
}

function isSet(layer: Uint32Array, block: number, bits: number): boolean {
  const step = stepOf(bits);
  for (let probe = 0, bit = bits; probe < PROBES; probe++, bit += step) {
    if ((layer[block + ((bit >>> 5) % BLOCK_WORDS)]! & (1 << (bit & 31))) === 0) return false;
  }
  return true;
}

function layerFor(capacity: number): Uint32Array {
  return new Uint32Array(Math.ceil((capacity * BITS_A_KEY) / (32 * BLOCK_WORDS)) * BLOCK_WORDS);
}

const highOf = (hash: number): number => Math.floor(hash / 0x1_0000_0000);

/** The first word of the hash's block. */
function blockOf(hash: number, layer: Uint32Array): number {
  let mixed = Math.imul(hash ^ (hash >>> 15) ^ highOf(hash), 0x2c1b_3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39);
  return (((mixed ^ (mixed >>> 15)) >>> 0) % (layer.length / BLOCK_WORDS)) * BLOCK_WORDS;
}

/** 23 bits, of which the lower say where in the block the first probe falls, the others how far it is to the next. */
function bitsOf(hash: number): number {
  return Math.imul(hash ^ highOf(hash), 0x9e37_79b1) >>> 9;
}

/** Odd, so that the probes of a hash differ. */
function stepOf(bits: number): number {
  return (bits >>> 11) | 1;
}
