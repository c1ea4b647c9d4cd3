import {
  type Coverage,
  MAX_POSTINGS,
  type Posting,
  type RecallEntry,
  type RecallIndex,
} from './recall-index';

/** One tenant: postings are kept once in columns and named by their row, so that a key costs integers only. */
class TenantPostings {
  private readonly codeIds: string[] = [];
  private readonly eventTimes: number[] = [];
  private readonly partitions: number[] = [];
  private readonly offsets: number[] = [];
  private readonly rows = new Map<string, number>();
  /** Most keys have one posting: a bare row saves the array, about 60 bytes a key. */
  private readonly byKey = new Map<string, number | number[]>();

  add(entry: RecallEntry): void {
    const row = this.rowOf(entry);
    for (const key of entry.keys) {
      const held = this.byKey.get(key);
      if (held === undefined) {
        this.byKey.set(flat(key), row);
      } else if (typeof held === 'number') {
        if (this.codeIds[held] !== entry.codeId) this.byKey.set(key, [held, row]);
      } else if (
        held.filter((other) => this.partitions[other] === entry.partition).length < MAX_POSTINGS &&
        !held.some((other) => this.codeIds[other] === entry.codeId)
      ) {
        held.push(row);
      }
    }
  }

  find(key: string): Posting[] | undefined {
    const held = this.byKey.get(key);
    if (held === undefined) return undefined;
    return typeof held === 'number' ? [this.posting(held)] : held.map((row) => this.posting(row));
  }

  /** Reads every key: deletions are rare, and lists of keys by snippet would cost memory all the time. */
  remove(codeIds: ReadonlySet<string>): void {
    const isKept = (row: number): boolean => !codeIds.has(this.codeIds[row]!);
    for (const [key, held] of this.byKey) {
      const rows = typeof held === 'number' ? [held] : held;
      const kept = rows.filter(isKept);
      if (kept.length === 0) this.byKey.delete(key);
      else if (kept.length < rows.length) this.byKey.set(key, kept.length === 1 ? kept[0]! : kept);
    }
    for (const codeId of codeIds) this.rows.delete(codeId);
  }

  private rowOf(entry: RecallEntry): number {
    const known = this.rows.get(entry.codeId);
    if (known !== undefined && this.hasSamePosition(known, entry)) return known;
    const row = this.codeIds.length;
    this.codeIds.push(entry.codeId);
    this.eventTimes.push(entry.eventTime);
    this.partitions.push(entry.partition);
    this.offsets.push(entry.offset);
    this.rows.set(entry.codeId, row);
    return row;
  }

  private hasSamePosition(row: number, entry: RecallEntry): boolean {
    return (
      this.eventTimes[row] === entry.eventTime &&
      this.partitions[row] === entry.partition &&
      this.offsets[row] === entry.offset
    );
  }

  private posting(row: number): Posting {
    return {
      codeId: this.codeIds[row]!,
      eventTime: this.eventTimes[row]!,
      partition: this.partitions[row]!,
      offset: this.offsets[row]!,
    };
  }
}

/** A concatenated string keeps its parts as well, about 50 bytes a key in all. */
function flat(key: string): string {
  return Buffer.from(key).toString();
}

/** The recall index in the process itself: empty at every start, to be filled from the database. */
export class MemoryRecallIndex implements RecallIndex {
  readonly kind = 'memory';
  private readonly tenants = new Map<string, TenantPostings>();
  private readonly next = new Map<number, number>();

  async add(tenant: string, entries: readonly RecallEntry[]): Promise<void> {
    let held = this.tenants.get(tenant);
    if (held === undefined) this.tenants.set(tenant, (held = new TenantPostings()));
    for (const entry of entries) held.add(entry);
  }

  async postings(tenant: string, keys: readonly string[]): Promise<Map<string, Posting[]>> {
    const found = new Map<string, Posting[]>();
    const held = this.tenants.get(tenant);
    if (held === undefined) return found;
    for (const key of keys) {
      const postings = held.find(key);
      if (postings !== undefined) found.set(key, postings);
    }
    return found;
  }

  async remove(tenant: string, codeIds: readonly string[]): Promise<void> {
    if (codeIds.length > 0) this.tenants.get(tenant)?.remove(new Set(codeIds));
  }

  async coverage(): Promise<Coverage> {
    return { run: 'process', next: new Map(this.next) };
  }

  async cover(_since: Coverage, partition: number, next: number): Promise<void> {
    this.next.set(partition, Math.max(next, this.next.get(partition) ?? 0));
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {
    this.tenants.clear();
  }
}
