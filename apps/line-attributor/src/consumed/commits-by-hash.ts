const FIRST_ENTRIES = 64;
/** By how much room is added when it is used up. */
const GROWTH = 1.5;
const NONE = -1;

/**
 * Which commits have a hash, by their numbers. A history has hundreds of thousands of lines: they are chained in typed arrays,
 * at about 20 bytes each, where a Map of arrays takes 100.
 */
export class CommitsByHash {
  private hashes = new Uint32Array(FIRST_ENTRIES);
  private commits = new Uint32Array(FIRST_ENTRIES);
  /** The entry after each in its chain. */
  private next = new Int32Array(FIRST_ENTRIES);
  /** The first entry of each chain; as many as a power of two. */
  private chains = new Int32Array(FIRST_ENTRIES).fill(NONE);
  private count = 0;

  /** Memory that it takes. */
  get bytes(): number {
    const { hashes, commits, next, chains } = this;
    return hashes.byteLength + commits.byteLength + next.byteLength + chains.byteLength;
  }

  /** A commit that has a hash more than once is added as often. */
  add(hash: number, commit: number): void {
    if (this.count === this.hashes.length) this.grow();
    this.hashes[this.count] = hash;
    this.commits[this.count] = commit;
    this.link(this.count++);
  }

  /** Takes away all that a commit has of a hash. */
  remove(hash: number, commit: number): void {
    const chain = this.chainOf(hash);
    let before = NONE;
    for (let entry = this.chains[chain]!; entry !== NONE; entry = this.next[entry]!) {
      if (this.hashes[entry] !== hash || this.commits[entry] !== commit) before = entry;
      else if (before === NONE) this.chains[chain] = this.next[entry]!;
      else this.next[before] = this.next[entry]!;
    }
  }

  /** The commits that have a hash, each as often as it was added; in no order. */
  get(hash: number): number[] {
    const commits: number[] = [];
    for (let entry = this.chains[this.chainOf(hash)]!; entry !== NONE; entry = this.next[entry]!) {
      if (this.hashes[entry] === hash) commits.push(this.commits[entry]!);
    }
    return commits;
  }

  private chainOf(hash: number): number {
    return hash & (this.chains.length - 1);
  }

  private link(entry: number): void {
    const chain = this.chainOf(this.hashes[entry]!);
    this.next[entry] = this.chains[chain]!;
    this.chains[chain] = entry;
  }

  private grow(): void {
    const length = Math.ceil(this.hashes.length * GROWTH);
    const { hashes, commits, next } = this;
    (this.hashes = new Uint32Array(length)).set(hashes);
    (this.commits = new Uint32Array(length)).set(commits);
    (this.next = new Int32Array(length)).set(next);
    if (length <= 2 * this.chains.length) return;
    const { chains } = this;
    this.chains = new Int32Array(2 * chains.length).fill(NONE);
    for (const first of chains) {
      for (let entry = first, after; entry !== NONE; entry = after) {
        after = this.next[entry]!;
        this.link(entry);
      }
    }
  }
}
