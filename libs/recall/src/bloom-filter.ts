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
    const [first, step] = probesOf(hash);
    let bit = first;
    for (let probe = 0; probe < PROBES; probe++) {
      const at = bit % bits;
      layer[at >>> 5]! |= 1 << (at & 31);
      bit = (bit + step) >>> 0;
    }
  }

  has(hash: number): boolean {
    const [first, step] = probesOf(hash);
    return this.layers.some((layer) => {
      const bits = layer.length * 32;
      let bit = first;
      for (let probe = 0; probe < PROBES; probe++) {
        const at = bit % bits;
        if ((layer[at >>> 5]! & (1 << (at & 31))) === 0) return false;
        bit = (bit + step) >>> 0;
      }
      return true;
    });
  }

  get bytes(): number {
    return this.layers.reduce((sum, layer) => sum + layer.byteLength, 0);
  }
}

function layerFor(capacity: number): Uint32Array {
  return new Uint32Array(Math.ceil((capacity * BITS_A_KEY) / 32));
}

/** Start and odd step of the probes. */
function probesOf(hash: number): [number, number] {
  const low = hash >>> 0;
  const high = Math.floor(hash / 0x1_0000_0000);
  let mixed = Math.imul(low ^ (low >>> 15) ^ high, 0x2c1b_3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39);
  return [(mixed ^ (mixed >>> 15)) >>> 0, (Math.imul(low ^ high, 0x9e37_79b1) | 1) >>> 0];
}
