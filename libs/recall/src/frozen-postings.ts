import { RECALL_HASH_BITS } from '@lineprint/fingerprint';

/** Fewer stay fresh: this many need no more than 24 bits of a key beside their bucket. */
export const MIN_FROZEN = 2 ** 16;
const KEPT_BITS = 24;
/** Two to the number of bits by which a key's two halves are swapped. */
const HALF = 2 ** (RECALL_HASH_BITS / 2);
/** No snippet's id. */
export const REMOVED = 0xffff_ffff;
/** The same where ids have 3 bytes. */
const SHORT_REMOVED = 0xff_ffff;

export const isShortId = (id: number): boolean => id < SHORT_REMOVED;

/** Takes an id, and says whether that is enough. */
export type Visit = (id: number) => boolean;

/** One posting of one lane: a 40-bit hash and a snippet. */
export interface KeyedId {
  readonly hash: number;
  readonly id: number;
}

/**
 * The order of hashes in frozen postings: their halves are swapped, because a snippet is indexed under its
 * smallest hashes, which would all share a few buckets.
 */
export function frozenOrder(hash: number): number {
  const high = Math.floor(hash / HALF);
  return (hash - high * HALF) * HALF + high;
}

/**
 * Postings that no longer change, sorted by hash: 6 bytes each, one more from 16 million snippets on, and about half
 * a byte for the buckets. A bucket stands for the first bits of a hash, the other 24 are kept, so that no two hashes
 * are taken for one.
 */
export class FrozenPostings {
  private readonly removed: number;

  private constructor(
    /** How many orders a bucket stands for. */
    private readonly bucketUnit: number,
    private readonly starts: Uint32Array,
    private readonly low: Uint16Array,
    private readonly high: Uint8Array,
    private readonly idLow: Uint16Array,
    private readonly idHigh: Uint8Array | Uint16Array,
  ) {
    this.removed = this.hasLongIds ? REMOVED : SHORT_REMOVED;
  }

  /**
   * @param sorted by `frozenOrder` of their hashes
   * @param length of them, or a little more; at least MIN_FROZEN
   * @param hasLongIds whether one of the ids is no `isShortId`
   */
  static from(sorted: Iterable<KeyedId>, length: number, hasLongIds: boolean): FrozenPostings {
    const bucketBits = Math.max(RECALL_HASH_BITS - KEPT_BITS, Math.floor(Math.log2(length)) - 3);
    const bucketUnit = 2 ** (RECALL_HASH_BITS - bucketBits);
    const starts = new Uint32Array(2 ** bucketBits + 1);
    const low = new Uint16Array(length);
    const high = new Uint8Array(length);
    const idLow = new Uint16Array(length);
    const idHigh = hasLongIds ? new Uint16Array(length) : new Uint8Array(length);
    let row = 0;
    for (const { hash, id } of sorted) {
      const order = frozenOrder(hash);
      const bucket = Math.floor(order / bucketUnit);
      const rest = order - bucket * bucketUnit;
      starts[bucket + 1]!++;
      low[row] = rest & 0xffff;
      high[row] = rest >>> 16;
      idLow[row] = id & 0xffff;
      idHigh[row++] = id >>> 16;
    }
    for (let bucket = 1; bucket < starts.length; bucket++) starts[bucket]! += starts[bucket - 1]!;
    return new FrozenPostings(bucketUnit, starts, low, high, idLow, idHigh);
  }

  /** Both as one; what was removed from either may leave rows at the end unused. */
  static merge(older: FrozenPostings, newer: FrozenPostings): FrozenPostings {
    const length = older.length + newer.length;
    const hasLongIds = older.hasLongIds || newer.hasLongIds;
    return FrozenPostings.from(merged(older.entries(), newer.entries()), length, hasLongIds);
  }

  private get hasLongIds(): boolean {
    return this.idHigh.BYTES_PER_ELEMENT === 2;
  }

  get length(): number {
    return this.idLow.length;
  }

  get bytes(): number {
    const columns = [this.starts, this.low, this.high, this.idLow, this.idHigh];
    return columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Calls `visit` with each id of the hash of that order until it answers true; whether it did. */
  some(order: number, visit: Visit): boolean {
    for (let row = this.rowOf(order, 0); row >= 0; row = this.rowOf(order, row + 1)) {
      const id = this.idOf(row);
      if (id !== this.removed && visit(id)) return true;
    }
    return false;
  }

  remove(order: number, id: number): void {
    for (let row = this.rowOf(order, 0); row >= 0; row = this.rowOf(order, row + 1)) {
      if (this.idOf(row) !== id) continue;
      this.idLow[row] = this.removed & 0xffff;
      this.idHigh[row] = this.removed >>> 16;
    }
  }

  /** What is left, in order. */
  *entries(): Generator<KeyedId, void, undefined> {
    for (let bucket = 0; bucket + 1 < this.starts.length; bucket++) {
      for (let row = this.starts[bucket]!; row < this.starts[bucket + 1]!; row++) {
        const id = this.idOf(row);
        if (id === this.removed) continue;
        yield {
          hash: frozenOrder(bucket * this.bucketUnit + this.high[row]! * 0x1_0000 + this.low[row]!),
          id,
        };
      }
    }
  }

  private idOf(row: number): number {
    return this.idHigh[row]! * 0x1_0000 + this.idLow[row]!;
  }

  /** The first row of that order from the given one on, or -1. */
  private rowOf(order: number, from: number): number {
    const bucket = Math.floor(order / this.bucketUnit);
    const rest = order - bucket * this.bucketUnit;
    const [low, high] = [rest & 0xffff, rest >>> 16];
    const end = this.starts[bucket + 1]!;
    for (let row = Math.max(from, this.starts[bucket]!); row < end; row++) {
      if (this.low[row] === low && this.high[row] === high) return row;
    }
    return -1;
  }
}

function* merged(first: Iterator<KeyedId>, second: Iterator<KeyedId>): Generator<KeyedId, void, undefined> {
  let [a, b] = [first.next(), second.next()];
  while (!a.done || !b.done) {
    if (b.done || (!a.done && frozenOrder(a.value.hash) <= frozenOrder(b.value.hash))) {
      yield (a as IteratorYieldResult<KeyedId>).value;
      a = first.next();
    } else {
      yield b.value;
      b = second.next();
    }
  }
}
