import { RECALL_LANES, recallHash, recallLane } from '@lineprint/fingerprint';
import { StoreError } from '@lineprint/platform';
import { isPast, isSurplus } from './eligibility';
import { epochOf } from './epoch';
import { LanePostings } from './lane-postings';
import { readRecord, RECORD_BYTES, writeRecord } from './posting-record';
import {
  type Coverage,
  type Posting,
  type RecallEntry,
  type RecallIndex,
  type RecallQuery,
  STOP_POSTINGS,
} from './recall-index';

const BLOCK_RECORDS = 4096;

/** One organisation in one generation. */
class TenantPostings {
  /** Records of the snippets by id, in blocks. */
  private readonly directory: (Buffer | undefined)[] = [];
  private readonly lanes = Object.values(RECALL_LANES).map(() => new LanePostings());

  add(entry: RecallEntry): void {
    writeRecord(this.blockOf(entry.id), (entry.id % BLOCK_RECORDS) * RECORD_BYTES, entry);
    for (const key of entry.keys) {
      const lane = this.lanes[recallLane(key)]!;
      const ids = lane.find(recallHash(key));
      if (ids.includes(entry.id)) continue;
      // Fewer than that make nothing surplus.
      if (
        ids.length >= STOP_POSTINGS &&
        isSurplus(
          entry,
          ids.map((id) => this.recordOf(id)),
        )
      )
        continue;
      lane.add(recallHash(key), entry.id);
    }
  }

  /** Undefined if there is none, as of most keys that are asked for. */
  find(key: number, query: RecallQuery): Posting[] | undefined {
    let found: Posting[] | undefined;
    let past = 0;
    this.lanes[recallLane(key)]!.some(recallHash(key), (id) => {
      const posting = this.recordOf(id);
      if (!isTouched(posting, query)) return false;
      if (found) found.push(posting);
      else found = [posting];
      return isPast(posting, query) && ++past === STOP_POSTINGS;
    });
    return found;
  }

  remove({ id, keys }: RecallEntry): void {
    for (const key of keys) this.lanes[recallLane(key)]!.remove(recallHash(key), id);
  }

  get bytes(): number {
    const blocks = this.directory.reduce((sum, block) => sum + (block?.length ?? 0), 0);
    return this.lanes.reduce((sum, lane) => sum + lane.bytes, blocks);
  }

  private recordOf(id: number): Posting {
    return readRecord(this.blockOf(id), (id % BLOCK_RECORDS) * RECORD_BYTES, id)!;
  }

  private blockOf(id: number): Buffer {
    return (this.directory[Math.floor(id / BLOCK_RECORDS)] ??= Buffer.alloc(BLOCK_RECORDS * RECORD_BYTES));
  }
}

/** Whether it is of an epoch that the query touches. */
function isTouched({ eventTime }: Posting, { notBefore, notAfter }: RecallQuery): boolean {
  const epoch = epochOf(eventTime);
  return epoch >= epochOf(notBefore) && epoch <= epochOf(notAfter);
}

class Generation {
  readonly tenants = new Map<string, TenantPostings>();
  readonly next = new Map<number, number>();
}

/** The recall index in the process itself: empty at every start, to be filled from the database. */
export class MemoryRecallIndex implements RecallIndex {
  readonly kind = 'memory';
  private readonly generations = new Map<number, Generation>();
  private current = 0;
  private last = 0;

  async add(at: Coverage, tenant: string, entries: readonly RecallEntry[]): Promise<void> {
    const { tenants } = this.generation(at);
    let held = tenants.get(tenant);
    if (held === undefined) tenants.set(tenant, (held = new TenantPostings()));
    for (const entry of entries) held.add(entry);
  }

  async postings(
    at: Coverage,
    tenant: string,
    keys: Iterable<number>,
    query: RecallQuery,
  ): Promise<Map<number, Posting[]>> {
    const found = new Map<number, Posting[]>();
    const held = this.generations.get(at.generation)?.tenants.get(tenant);
    if (held === undefined) return found;
    for (const key of keys) {
      const postings = held.find(key, query);
      if (postings) found.set(key, postings);
    }
    return found;
  }

  async remove(at: Coverage, tenant: string, entries: readonly RecallEntry[]): Promise<void> {
    for (const entry of entries) this.generation(at).tenants.get(tenant)?.remove(entry);
  }

  async coverage(): Promise<Coverage> {
    return this.coverageOf(this.current);
  }

  async cover(since: Coverage, partition: number, next: number): Promise<void> {
    const held = this.generation(since).next;
    held.set(partition, Math.max(next, held.get(partition) ?? 0));
  }

  async begin(): Promise<Coverage> {
    if (this.last === this.current) this.generations.set(++this.last, new Generation());
    return this.coverageOf(this.last);
  }

  async activate(rebuilt: Coverage): Promise<void> {
    this.generation(rebuilt);
    this.current = rebuilt.generation;
    for (const generation of this.generations.keys()) {
      if (generation < this.current) this.generations.delete(generation);
    }
  }

  async size(): Promise<number> {
    let bytes = 0;
    for (const { tenants } of this.generations.values()) {
      for (const held of tenants.values()) bytes += held.bytes;
    }
    return bytes;
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {
    this.generations.clear();
  }

  private coverageOf(generation: number): Coverage {
    return { generation, run: 'process', next: new Map(this.generations.get(generation)?.next) };
  }

  private generation({ generation }: Coverage): Generation {
    const held = this.generations.get(generation);
    if (held) return held;
    throw new StoreError('recall-lost', `Generation ${generation} of the recall index is not there any more`);
  }
}
