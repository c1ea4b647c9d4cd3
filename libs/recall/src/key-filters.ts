import { recallHash, recallLane } from '@lineprint/fingerprint';
import type { Redis } from 'ioredis';
import { BloomFilter } from './bloom-filter';
import type { Coverage } from './recall-index';
import type { Scripts, StreamEntry } from './redis-connection';
import { LANE_NAMES, tenantPrefix } from './redis-keys';

const HASH_BYTES = 5;
const SHARDS_A_CALL = 16;
/** Of all organisations' filters together. */
const MOST_BYTES = 256 * 1024 * 1024;

/** What of an organisation's index may be there, by lane and epoch, as far as its journal was read. */
export class TenantFilter {
  private readonly epochs = new Map<string, BloomFilter>();

  /** @param entry the last entry of the journal that was read */
  constructor(
    readonly run: string,
    readonly generation: number,
    public entry: number,
  ) {}

  /** Divides keys into those that the epoch may have, and the others. */
  divide(keys: readonly number[], epoch: number): [present: number[], absent: number[]] {
    const lanes = LANE_NAMES.map((lane) => this.epochs.get(`${lane}:${epoch}`));
    const [present, absent]: [number[], number[]] = [[], []];
    for (const key of keys) (lanes[recallLane(key)]?.has(recallHash(key)) ? present : absent).push(key);
    return [present, absent];
  }

  /** Takes in the entries after those it has read; false if some are missing. */
  follow(from: number, entry: number, news: readonly StreamEntry[]): boolean {
    if (news.length < entry - from) return false;
    for (const [, pairs] of news) {
      for (let i = 0; i < pairs.length; i += 2) this.add(pairs[i]!.toString(), pairs[i + 1]!);
    }
    // Another question may have read more meanwhile.
    this.entry = Math.max(this.entry, entry);
    return true;
  }

  add(name: string, packed: Buffer, expected = 0): void {
    let filter = this.epochs.get(name);
    if (!filter) this.epochs.set(name, (filter = new BloomFilter(expected)));
    for (let at = 0; at < packed.length; at += HASH_BYTES) filter.add(packed.readUIntBE(at, HASH_BYTES));
  }

  get bytes(): number {
    return [...this.epochs.values()].reduce((sum, filter) => sum + filter.bytes, 0);
  }
}

/**
 * Bloom filters in front of Redis, since most keys of a commit are in no snippet. An organisation's is made from its
 * index when it is first wanted; until it is there, all keys are asked for. The answer to each question brings what
 * was added since the filter last heard, so that what it left out can still be asked for: it never hides a posting.
 */
export class KeyFilters {
  /** The longest unused first. */
  private readonly filters = new Map<string, TenantFilter>();
  private readonly making = new Set<string>();

  constructor(private readonly redis: Redis & Scripts) {}

  /** The organisation's filter; undefined while it is made. */
  get(at: Coverage, tenant: string): TenantFilter | undefined {
    const filter = this.filters.get(tenant);
    this.filters.delete(tenant);
    if (filter && filter.run === at.run && filter.generation === at.generation) {
      this.filters.set(tenant, filter);
      return filter;
    }
    if (!this.making.has(tenant)) void this.make(at, tenant);
    return undefined;
  }

  forget(tenant: string): void {
    this.filters.delete(tenant);
  }

  private async make(at: Coverage, tenant: string): Promise<void> {
    this.making.add(tenant);
    try {
      const prefix = tenantPrefix(tenant);
      const sizesKey = `${prefix}m:${at.generation}:sizes`;
      const sizes = await this.redis.lpSizes(1, sizesKey);
      const fields = new Map(sizes.flatMap((name, i) => (i % 2 === 0 ? [[name, Number(sizes[i + 1])]] : [])));
      const filter = new TenantFilter(at.run, at.generation, fields.get('journal') ?? 0);
      for (const [field, size] of fields) {
        const [, name, lane, epoch] = /^rows:((.):(.+))$/.exec(field) ?? [];
        if (name === undefined) continue;
        const shardPrefix = `${prefix}${lane}:${at.generation}:${epoch}:`;
        for (let first = 0, shards = 1; first < shards; first += SHARDS_A_CALL) {
          const call = [sizesKey, name, shardPrefix, first, SHARDS_A_CALL];
          const [total, hashes] = await this.redis.lpHashesBuffer(1, ...call);
          filter.add(name, hashes, size);
          shards = total;
        }
      }
      this.filters.set(tenant, filter);
      this.forgetSome();
    } catch {
      // Redis is away: the question that comes next says so, or begins again.
    } finally {
      this.making.delete(tenant);
    }
  }

  private forgetSome(): void {
    let bytes = [...this.filters.values()].reduce((sum, filter) => sum + filter.bytes, 0);
    for (const [tenant, filter] of this.filters) {
      if (bytes <= MOST_BYTES || this.filters.size === 1) return;
      this.filters.delete(tenant);
      bytes -= filter.bytes;
    }
  }
}
