import { frozenOrder, isShortId, type KeyedId, REMOVED, type Visit } from './frozen-postings';

const FIRST_CAPACITY = 256;
const NOBODY = -1;

/** Postings that still come in: chains of rows in columns, about 24 bytes each where a map takes 80. */
export class FreshPostings {
  private hashes = new Float64Array(FIRST_CAPACITY);
  private ids = new Uint32Array(FIRST_CAPACITY);
  /** The row added before that of the same chain. */
  private before = new Int32Array(FIRST_CAPACITY);
  /** The last row of each chain, by the low bits of its hashes. */
  private chains = new Int32Array(2 * FIRST_CAPACITY).fill(NOBODY);
  private rows = 0;
  private longIds = 0;

  get length(): number {
    return this.rows;
  }

  get hasLongIds(): boolean {
    return this.longIds > 0;
  }

  get bytes(): number {
    const columns = [this.hashes, this.ids, this.before, this.chains];
    return columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  add(hash: number, id: number): void {
    if (this.rows === this.ids.length) this.grow();
    this.hashes[this.rows] = hash;
    this.ids[this.rows] = id;
    if (!isShortId(id)) this.longIds++;
    this.chain(this.rows++);
  }

  /** Calls `visit` with each id of the hash until it answers true; whether it did. */
  some(hash: number, visit: Visit): boolean {
    let row = this.chains[hash & (this.chains.length - 1)]!;
    for (; row !== NOBODY; row = this.before[row]!) {
      const isWanted = this.hashes[row] === hash && this.ids[row] !== REMOVED;
      if (isWanted && visit(this.ids[row]!)) return true;
    }
    return false;
  }

  remove(hash: number, id: number): void {
    let row = this.chains[hash & (this.chains.length - 1)]!;
    for (; row !== NOBODY; row = this.before[row]!) {
      if (this.hashes[row] === hash && this.ids[row] === id) this.ids[row] = REMOVED;
    }
  }

  /** In the order of frozen postings, without those removed. */
  *sorted(): Generator<KeyedId, void, undefined> {
    const orders = Float64Array.from(this.hashes.subarray(0, this.rows), frozenOrder);
    const rows = Uint32Array.from(orders, (_, row) => row).sort((a, b) => orders[a]! - orders[b]! || a - b);
    for (const row of rows) {
      if (this.ids[row] !== REMOVED) yield { hash: this.hashes[row]!, id: this.ids[row]! };
    }
  }

  private chain(row: number): void {
    const chain = this.hashes[row]! & (this.chains.length - 1);
    this.before[row] = this.chains[chain]!;
    this.chains[chain] = row;
  }

  private grow(): void {
    const capacity = 2 * this.rows;
    const grown = <T extends { set(other: T): void }>(column: T, larger: T): T => {
      larger.set(column);
      return larger;
    };
    this.hashes = grown(this.hashes, new Float64Array(capacity));
    this.ids = grown(this.ids, new Uint32Array(capacity));
    this.before = new Int32Array(capacity);
    this.chains = new Int32Array(2 * capacity).fill(NOBODY);
    for (let row = 0; row < this.rows; row++) this.chain(row);
  }
}
