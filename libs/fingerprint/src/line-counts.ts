/** Slots a table begins with; a power of two, as every size of it. */
const FIRST_SLOTS = 1024;
/** A table is grown when more of its slots are used. */
const MAX_LOAD = 0.7;
const HASH_BYTES = 8;
/** Two words of the hash, one of the count. */
const SLOT_BYTES = 12;

/**
 * How often each 64-bit hash occurs, in 20 to 35 bytes a hash. H1 and H2 of line prints stand side by side in one
 * table: they are hashed under different keys, so that none of one kind equals one of the other.
 */
export class LineCounts {
  /** Low and high word of each slot's hash; both 0 where it is empty. */
  private hashes = new Uint32Array(FIRST_SLOTS * 2);
  private counts = new Uint32Array(FIRST_SLOTS);
  /** Slots with a hash, also those whose count has gone back to 0. */
  private used = 0;

  /** Memory that the table takes. */
  get bytes(): number {
    return this.counts.length * SLOT_BYTES;
  }

  get(hash: bigint): number {
    return this.counts[this.slotOf(lowWord(hash), highWord(hash))]!;
  }

  /** Adds `change`, which may be negative; a count never falls below 0. */
  add(hash: bigint, change: number): void {
    this.addWords(lowWord(hash), highWord(hash), change);
  }

  /** What `decode` reads: 12 bytes a hash. Several times as fast as packing `entries`, and a third larger. */
  encode(): Uint8Array {
    const { hashes, counts } = this;
    const bytes = new Uint8Array(this.live() * SLOT_BYTES);
    const view = new DataView(bytes.buffer);
    let at = 0;
    counts.forEach((count, slot) => {
      if (count === 0) return;
      view.setUint32(at, hashes[slot * 2]!, true);
      view.setUint32(at + 4, hashes[slot * 2 + 1]!, true);
      view.setUint32(at + HASH_BYTES, count, true);
      at += SLOT_BYTES;
    });
    return bytes;
  }

  /** @throws HashCountsFormatError when the bytes are not what `encode` wrote */
  static decode(bytes: Uint8Array): LineCounts {
    if (bytes.length % SLOT_BYTES !== 0) {
      throw new HashCountsFormatError('hash_counts_truncated', `counts end early, at byte ${bytes.length}`);
    }
    const counts = new LineCounts();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; at += SLOT_BYTES) {
      const [low, high] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
      counts.addWords(low, high, view.getUint32(at + HASH_BYTES, true));
    }
    return counts;
  }

  private addWords(low: number, high: number, change: number): void {
    let slot = this.slotOf(low, high);
    if (this.isEmpty(slot)) {
      if (change <= 0) return;
      if (this.used + 1 > this.counts.length * MAX_LOAD) {
        this.grow();
        slot = this.slotOf(low, high);
      }
      this.hashes[slot * 2] = low;
      this.hashes[slot * 2 + 1] = high;
      this.used++;
    }
    this.counts[slot] = Math.max(0, this.counts[slot]! + change);
  }

  /** Every hash with its count, in no order that means anything; those that occur no more are left out. */
  *entries(): Generator<readonly [bigint, number]> {
    for (let slot = 0; slot < this.counts.length; slot++) {
      const count = this.counts[slot]!;
      if (count === 0) continue;
      const low = BigInt(this.hashes[slot * 2]!);
      const high = BigInt(this.hashes[slot * 2 + 1]!);
      yield [(high << 32n) | low, count];
    }
  }

  private live(): number {
    return this.counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  }

  private isEmpty(slot: number): boolean {
    return this.hashes[slot * 2] === 0 && this.hashes[slot * 2 + 1] === 0;
  }

  /** Slot of the hash, or the empty one where it belongs. */
  private slotOf(low: number, high: number): number {
    const { hashes } = this;
    const mask = this.counts.length - 1;
    let slot = (low ^ high) & mask;
    while (
      (hashes[slot * 2] !== low || hashes[slot * 2 + 1] !== high) &&
      (hashes[slot * 2] !== 0 || hashes[slot * 2 + 1] !== 0)
    ) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** Drops what occurs no more, and doubles the table unless that has made room enough. */
  private grow(): void {
    const { hashes, counts } = this;
    const live = this.live();
    const slots = live > (counts.length * MAX_LOAD) / 2 ? counts.length * 2 : counts.length;
    this.hashes = new Uint32Array(slots * 2);
    this.counts = new Uint32Array(slots);
    this.used = live;
    counts.forEach((count, slot) => {
      if (count === 0) return;
      const low = hashes[slot * 2]!;
      const high = hashes[slot * 2 + 1]!;
      const target = this.slotOf(low, high);
      this.hashes[target * 2] = low;
      this.hashes[target * 2 + 1] = high;
      this.counts[target] = count;
    });
  }
}

function lowWord(hash: bigint): number {
  return Number(BigInt.asUintN(32, hash));
}

/** A hash of 0 would be an empty slot: it counts as another one, that occurs as seldom. */
function highWord(hash: bigint): number {
  return hash === 0n ? 1 : Number(hash >> 32n);
}

export type HashCountsFormatCode = 'hash_counts_truncated' | 'hash_counts_malformed';

/** Bytes that are no packed counts. */
export class HashCountsFormatError extends Error {
  override readonly name = 'HashCountsFormatError';

  constructor(
    readonly code: HashCountsFormatCode,
    message: string,
  ) {
    super(message);
  }
}

/** Packs hashes with a number each, negative ones included: 8 bytes and a zigzag LEB128. */
export function encodeHashCounts(entries: Iterable<readonly [bigint, number]>): Uint8Array {
  let bytes = new Uint8Array(1024);
  let view = new DataView(bytes.buffer);
  let at = 0;
  for (const [hash, count] of entries) {
    if (at + HASH_BYTES + MAX_COUNT_BYTES > bytes.length) {
      const larger = new Uint8Array(bytes.length * 2);
      larger.set(bytes);
      bytes = larger;
      view = new DataView(bytes.buffer);
    }
    view.setBigUint64(at, hash, true);
    at += HASH_BYTES;
    let rest = count < 0 ? -count * 2 - 1 : count * 2;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[at++] = (rest % 0x80) | 0x80;
    bytes[at++] = rest;
  }
  return bytes.slice(0, at);
}

/** Enough for every safe integer. */
const MAX_COUNT_BYTES = 8;

/**
 * Unpacks what `encodeHashCounts` packed.
 *
 * @throws HashCountsFormatError
 */
export function* decodeHashCounts(bytes: Uint8Array): Generator<readonly [bigint, number]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    if (at + HASH_BYTES >= bytes.length) {
      throw new HashCountsFormatError('hash_counts_truncated', `counts end early, at byte ${bytes.length}`);
    }
    const hash = view.getBigUint64(at, true);
    at += HASH_BYTES;
    let value = 0;
    let scale = 1;
    let byte: number;
    do {
      if (at === bytes.length || scale > 2 ** 49) {
        throw new HashCountsFormatError('hash_counts_malformed', `no count at byte ${at}`);
      }
      byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80);
    yield [hash, value % 2 === 1 ? -(value + 1) / 2 : value / 2];
  }
}
