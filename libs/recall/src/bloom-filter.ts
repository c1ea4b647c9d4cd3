/** About one wrong yes in a hundred. */
const BITS_A_KEY = 10;
const PROBES = 6;
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
    const bits = layer.length * 32;
    const step = stepOf(hash);
    for (let probe = 0, bit = startOf(hash); probe < PROBES; probe++, bit = (bit + step) >>> 0) {
      const at = bit % bits;
      layer[at >>> 5]! |= 1 << (at & 31);
    }
  }

  has(hash: number): boolean {
    const [start, step] = [startOf(hash), stepOf(hash)];
    for (const layer of this.layers) if (isSet(layer, start, step)) return true;
    return false;
  }

  get bytes(): number {
    return this.layers.reduce((sum, layer) => sum + layer.byteLength, 0);
  }
}

function isSet(layer: Uint32Array, start: number, step: number): boolean {
  const bits = layer.length * 32;
  for (let probe = 0, bit = start; probe < PROBES; probe++, bit = (bit + step) >>> 0) {
    const at = bit % bits;
    if ((layer[at >>> 5]! & (1 << (at & 31))) === 0) return false;
  }
  return true;
}

function layerFor(capacity: number): Uint32Array {
  return new Uint32Array(Math.ceil((capacity * BITS_A_KEY) / 32));
}

const highOf = (hash: number): number => Math.floor(hash / 0x1_0000_0000);

function startOf(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 15) ^ highOf(hash), 0x2c1b_3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Odd, so that the probes of a hash differ. */
function stepOf(hash: number): number {
  return (Math.imul(hash ^ highOf(hash), 0x9e37_79b1) | 1) >>> 0;
}
