import type { Redis } from 'ioredis';
import { BloomFilter } from './bloom-filter';
import type { Coverage } from './recall-index';
import { epochName, hashOf, tenantPrefix } from './redis-keys';
import type { Scripts } from './redis-connection';

const HASH_BYTES = 5;
const SHARDS_A_CALL = 32;
/** Of all organisations' filters together. */
const MOST_BYTES = 256 * 1024 * 1024;

/** What of an organisation's index may be there, by lane and epoch, as far as the journal was read. */
class TenantFilter {
  private readonly epochs = new Map<string, BloomFilter>();

  constructor(
    readonly run: string,
    readonly generation: number,
    readonly since: string,
    public entry: number,
  ) {}

  add(name: string, packed: Buffer, expected = 0): void {
    let filter = this.epochs.get(name);
    if (!filter) this.epochs.set(name, (filter = new BloomFilter(expected)));
    for (let at = 0; at < packed.length; at += HASH_BYTES) filter.add(packed.readUIntBE(at, HASH_BYTES));
  }

  mayHave(key: number, epoch: number): boolean {
    return this.epochs.get(epochName(key, epoch))?.has(hashOf(key)) ?? false;
  }

  get bytes(): number {
    return [...this.epochs.values()].reduce((sum, filter) => sum + filter.bytes, 0);
  }
}

/**
 * Bloom filters in front of Redis, since three of four keys of a commit are in no snippet. An organisation's is
 * made from its index when it is first asked for, and follows the journal: each question reads the journal first,
 * so that a filter never lacks what was added before the question. Until a filter is there, all keys are asked.
 */
export class KeyFilters {
  /** The longest unused first. */
  private readonly filters = new Map<string, TenantFilter>();
  private readonly making = new Set<string>();

  constructor(private readonly redis: Redis & Scripts) {}

  /** The filter of what was added before this call; undefined while there is none. */
  async current(at: Coverage, tenant: string): Promise<TenantFilter | undefined> {
    const filter = this.filters.get(tenant);
    if (filter && (await this.follow(filter, at, tenant))) {
      this.filters.delete(tenant);
      this.filters.set(tenant, filter);
      return filter;
    }
    if (filter) this.filters.delete(tenant);
    void this.make(at, tenant);
    return undefined;
  }

  /** Reads the journal; false if the filter is of another index, or misses entries. */
  private async follow(filter: TenantFilter, at: Coverage, tenant: string): Promise<boolean> {
    if (filter.run !== at.run || filter.generation !== at.generation) return false;
    const { since, entry, news } = await this.journal(at, tenant, filter.since, filter.entry);
    if (since !== filter.since || entry < filter.entry) return false;
    const missing = entry - filter.entry;
    if (news.length < missing) return false;
    for (const [, pairs] of news) {
      for (let i = 0; i < pairs.length; i += 2) filter.add(pairs[i]!.toString(), pairs[i + 1]!);
    }
    filter.entry = Math.max(filter.entry, entry);
    return true;
  }

  private async make(at: Coverage, tenant: string): Promise<void> {
    if (this.making.has(tenant)) return;
    this.making.add(tenant);
    try {
      const { since, entry } = await this.journal(at, tenant, '', 0);
      const filter = new TenantFilter(at.run, at.generation, since, entry);
      const prefix = tenantPrefix(tenant);
      const sizesKey = `${prefix}m:${at.generation}:sizes`;
      const sizes = await this.redis.lpSizes(1, sizesKey);
      for (let i = 0; i < sizes.length; i += 2) {
        const [, name] = /^fields:(.+)$/.exec(sizes[i]!) ?? [];
        if (name === undefined) continue;
        const [lane, epoch] = name.split(':');
        const shardPrefix = `${prefix}${lane}:${at.generation}:${epoch}:`;
        for (let first = 0, shards = 1; first < shards; first += SHARDS_A_CALL) {
          const call = [sizesKey, prefix, at.generation, name, shardPrefix, first, SHARDS_A_CALL];
          const [total, hashes] = await this.redis.lpHashesBuffer(1, ...call);
          filter.add(name, hashes, Number(sizes[i + 1]));
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

  private async journal(at: Coverage, tenant: string, since: string, entry: number) {
    const prefix = tenantPrefix(tenant);
    const keys = [`${prefix}m:${at.generation}:sizes`, `${prefix}j:${at.generation}:keys`];
    const answer = await this.redis.lpFollowBuffer(2, ...keys, prefix, at.generation, since, entry);
    return { since: answer[0].toString(), entry: answer[1], news: answer[2] };
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
