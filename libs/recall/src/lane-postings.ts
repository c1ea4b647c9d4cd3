import { FreshPostings } from './fresh-postings';
import { FrozenPostings, frozenOrder, MIN_FROZEN, type Visit } from './frozen-postings';

/** A part that is not this many times as long as the newer one after it is merged with that. */
const MERGE_RATIO = 8;

/** The postings of one lane in memory: new ones, and older ones in a few frozen parts, the longest first. */
export class LanePostings {
  private fresh = new FreshPostings();
  private readonly frozen: FrozenPostings[] = [];

  /** Ids of the snippets that have the hash. */
  find(hash: number): number[] {
    const found: number[] = [];
    this.some(hash, (id) => {
      found.push(id);
      return false;
    });
    return found;
  }

  /** Calls `visit` with each id of the hash until it answers true; whether it did. */
  some(hash: number, visit: Visit): boolean {
    const order = frozenOrder(hash);
    for (const part of this.frozen) if (part.some(order, visit)) return true;
    return this.fresh.some(hash, visit);
  }

  /** Adds an id that the hash does not have. */
  add(hash: number, id: number): void {
    this.fresh.add(hash, id);
    if (this.fresh.length >= MIN_FROZEN) this.freeze();
  }

  remove(hash: number, id: number): void {
    for (const part of this.frozen) part.remove(frozenOrder(hash), id);
    this.fresh.remove(hash, id);
  }

  get bytes(): number {
    return this.frozen.reduce((sum, part) => sum + part.bytes, this.fresh.bytes);
  }

  private freeze(): void {
    const { length, hasLongIds } = this.fresh;
    this.frozen.push(FrozenPostings.from(this.fresh.sorted(), length, hasLongIds));
    this.fresh = new FreshPostings();
    for (;;) {
      const [older, newer] = this.frozen.slice(-2);
      if (!older || !newer || older.length >= MERGE_RATIO * newer.length) return;
      this.frozen.splice(-2, 2, FrozenPostings.merge(older, newer));
    }
  }
}
