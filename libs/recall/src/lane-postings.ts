import { FrozenPostings, frozenOrder, type KeyedId, MIN_FROZEN } from './frozen-postings';

/** A part that is not this many times as long as the newer one after it is merged with that. */
const MERGE_RATIO = 8;

/** The postings of one lane in memory: new ones in a map, older ones in a few frozen parts, the longest first. */
export class LanePostings {
  /** Most hashes have one posting: a bare id saves the array, about 60 bytes a hash. */
  private fresh = new Map<number, number | number[]>();
  private freshLength = 0;
  private readonly frozen: FrozenPostings[] = [];

  /** Ids of the snippets that have the hash. */
  find(hash: number): number[] {
    const found: number[] = [];
    for (const part of this.frozen) part.find(hash, found);
    const held = this.fresh.get(hash);
    if (typeof held === 'number') found.push(held);
    else if (held) found.push(...held);
    return found;
  }

  /** Adds an id that the hash does not have. */
  add(hash: number, id: number): void {
    const held = this.fresh.get(hash);
    if (held === undefined) this.fresh.set(hash, id);
    else if (typeof held === 'number') this.fresh.set(hash, [held, id]);
    else held.push(id);
    if (++this.freshLength >= MIN_FROZEN) this.freeze();
  }

  remove(hash: number, id: number): void {
    for (const part of this.frozen) part.remove(hash, id);
    const held = this.fresh.get(hash);
    if (held === undefined) return;
    const ids = typeof held === 'number' ? [held] : held;
    const left = ids.filter((other) => other !== id);
    this.freshLength -= ids.length - left.length;
    if (left.length === 0) this.fresh.delete(hash);
    else this.fresh.set(hash, left.length === 1 ? left[0]! : left);
  }

  private freeze(): void {
    const hashes = [...this.fresh.keys()].sort((a, b) => frozenOrder(a) - frozenOrder(b));
    const fresh = this.fresh;
    const sorted = function* (): Generator<KeyedId> {
      for (const hash of hashes) for (const id of [fresh.get(hash)!].flat()) yield { hash, id };
    };
    this.frozen.push(FrozenPostings.from(sorted(), this.freshLength));
    this.fresh = new Map();
    this.freshLength = 0;
    for (;;) {
      const [older, newer] = this.frozen.slice(-2);
      if (!older || !newer || older.length >= MERGE_RATIO * newer.length) return;
      this.frozen.splice(-2, 2, FrozenPostings.merge(older, newer));
    }
  }
}
