import { StoreError } from '@lineprint/platform';
import type { Redis } from 'ioredis';
import { eligible } from './eligibility';
import { epochOf, epochsOf } from './epoch';
import { FullKeys } from './full-keys';
import { KeyFilters } from './key-filters';
import { RECORD_BYTES, writeRecord } from './posting-record';
import {
  type Coverage,
  type Posting,
  type RecallEntry,
  type RecallIndex,
  type RecallQuery,
  STOP_POSTINGS,
} from './recall-index';
import { answered, connectRedis, type Hits, type Scripts } from './redis-connection';
import { packId, packKeys, tenantPrefix, unpackIds } from './redis-keys';
import { COVERAGE_KEY, IDS_A_FIELD } from './redis-scripts';
import { SnippetDirectory } from './snippet-directory';

/** Keys that a script call writes, or looks up: a call blocks the server, and this many take it some milliseconds. */
const KEYS_A_CALL = 2000;

type EpochKeys = readonly [epoch: number, keys: readonly number[]];

interface Hit {
  readonly key: number;
  readonly ids: readonly number[];
}

/** The recall index in Redis 7 or Valkey, laid out as redis-scripts.ts says. */
export class RedisRecallIndex implements RecallIndex {
  readonly kind = 'redis';
  private readonly directory: SnippetDirectory;
  private readonly fullKeys = new FullKeys();

  private constructor(
    private readonly redis: Redis & Scripts,
    private readonly version: string,
    private readonly filters: KeyFilters | undefined,
  ) {
    this.directory = new SnippetDirectory(redis);
  }

  /**
   * @param version of the keys: indexes of two versions live side by side, each with its own generations
   * @throws StoreError, ConfigError as `connectRedis`
   */
  static async open(url: string, version: string, isFiltered: boolean): Promise<RedisRecallIndex> {
    const redis = await connectRedis(url);
    return new RedisRecallIndex(redis, version, isFiltered ? new KeyFilters(redis) : undefined);
  }

  async add(at: Coverage, tenant: string, entries: readonly RecallEntry[]): Promise<void> {
    const slotOf = ({ eventTime, partition }: RecallEntry) => `${epochOf(eventTime)}:${partition}:${tenant}`;
    const wanted = entries.map((entry) => {
      const slot = slotOf(entry);
      return { ...entry, keys: entry.keys.filter((key) => !this.fullKeys.has(at, slot, key, entry)) };
    });
    for (const chunk of inChunks(wanted)) {
      const packed = chunk.flatMap((entry) => {
        const record = Buffer.alloc(RECORD_BYTES);
        writeRecord(record, 0, entry);
        return [packId(entry.id), record, epochOf(entry.eventTime), packKeys(entry.keys)];
      });
      const call = [...this.scope(at, tenant), STOP_POSTINGS, ...packed];
      const surplus = new Set(await answered(() => this.redis.lpAdd(1, ...call)));
      let position = 0;
      for (const entry of chunk) {
        const slot = slotOf(entry);
        for (const key of entry.keys) if (surplus.has(position++)) this.fullKeys.add(at, slot, key, entry);
      }
    }
  }

  async postings(
    at: Coverage,
    tenant: string,
    keys: Iterable<number>,
    query: RecallQuery,
  ): Promise<Map<number, Posting[]>> {
    const epochs = epochsOf(query);
    const wanted = [...new Set(keys)];
    const hits = await this.firstIds(at, tenant, wanted, epochs);
    const found = await this.resolve(at, tenant, hits);
    // A key that has more than a field holds is a stop key nearly always, and then seen to be one.
    const full = new Set(hits.filter(({ ids }) => ids.length === IDS_A_FIELD).map(({ key }) => key));
    const undecided = [...full].filter((key) => eligible(found.get(key) ?? [], query) !== 'stop');
    if (undecided.length === 0) return found;
    const all = await this.ask(
      epochs.map((epoch) => [epoch, undecided]),
      (argv) => this.redis.lpFindAllBuffer(1, ...this.scope(at, tenant), ...argv),
    );
    return new Map([...found, ...(await this.resolve(at, tenant, all))]);
  }

  /** Of each key that has any in the epochs: as many ids of an epoch as a field holds, or all. */
  private async firstIds(
    at: Coverage,
    tenant: string,
    keys: readonly number[],
    epochs: readonly number[],
  ): Promise<Hit[]> {
    const filter = this.filters?.get(at, tenant);
    const journal = `${tenantPrefix(tenant)}j:${at.generation}:keys`;
    const [sizes, ...scope] = this.scope(at, tenant);
    let isFollowed = filter !== undefined;
    const find = (wanted: readonly EpochKeys[]) => {
      const from = filter?.entry ?? Number.MAX_SAFE_INTEGER;
      return this.ask(wanted, async (argv) => {
        const [entry, news, hits] = await this.redis.lpFindBuffer(2, sizes, journal, ...scope, from, ...argv);
        if (filter && !filter.follow(from, entry, news)) isFollowed = false;
        return hits;
      });
    };
    if (!filter) return find(epochs.map((epoch) => [epoch, keys]));
    const leftOut: (readonly [number, number[]])[] = [];
    const hits = await find(
      epochs.map((epoch) => {
        const [present, absent] = filter.divide(keys, epoch);
        leftOut.push([epoch, absent]);
        return [epoch, present];
      }),
    );
    if (!isFollowed) this.filters!.forget(tenant);
    const since = leftOut.map(([epoch, absent]): EpochKeys => [
      epoch,
      isFollowed ? filter.divide(absent, epoch)[0] : absent,
    ]);
    return since.some(([, absent]) => absent.length > 0) ? [...hits, ...(await find(since))] : hits;
  }

  /** Calls `find` as often as the number of keys needs, at least once. */
  private async ask(
    wanted: readonly EpochKeys[],
    find: (argv: readonly (number | Buffer)[]) => Promise<Hits>,
  ): Promise<Hit[]> {
    const calls: { keys: number[]; argv: (number | Buffer)[] }[] = [{ keys: [], argv: [] }];
    for (const [epoch, keys] of wanted) {
      for (let i = 0; i < keys.length; i += KEYS_A_CALL) {
        const part = keys.slice(i, i + KEYS_A_CALL);
        let call = calls.at(-1)!;
        if (call.keys.length + part.length > KEYS_A_CALL) calls.push((call = { keys: [], argv: [] }));
        call.keys.push(...part);
        call.argv.push(epoch, packKeys(part));
      }
    }
    const answers = await answered(() => Promise.all(calls.map(({ argv }) => find(argv))));
    return answers.flatMap((hits, c) =>
      Array.from({ length: hits.length / 2 }, (_, i) => ({
        key: calls[c]!.keys[hits[2 * i] as number]!,
        ids: unpackIds(hits[2 * i + 1] as Buffer),
      })),
    );
  }

  private async resolve(at: Coverage, tenant: string, hits: readonly Hit[]): Promise<Map<number, Posting[]>> {
    const ids = hits.flatMap((hit) => hit.ids);
    const directory = await answered(() => this.directory.read(at, tenant, ids));
    const found = new Map<number, Posting[]>();
    for (const hit of hits) {
      const postings = hit.ids.flatMap((id) => directory.get(id) ?? []);
      const held = found.get(hit.key);
      if (held) held.push(...postings);
      else if (postings.length > 0) found.set(hit.key, postings);
    }
    return found;
  }

  async remove(at: Coverage, tenant: string, entries: readonly RecallEntry[]): Promise<void> {
    for (const chunk of inChunks(entries)) {
      const packed = chunk.flatMap(({ id, eventTime, keys }) => [
        packId(id),
        epochOf(eventTime),
        packKeys(keys),
      ]);
      await answered(() => this.redis.lpRemove(1, ...this.scope(at, tenant), ...packed));
    }
    this.fullKeys.clear();
  }

  async coverage(): Promise<Coverage> {
    return coverageOf(await answered(() => this.redis.lpCoverage(1, COVERAGE_KEY, this.version)));
  }

  async cover(since: Coverage, partition: number, next: number): Promise<void> {
    const { generation, run } = since;
    const call = [this.version, generation, run, partition, since.next.get(partition) ?? 0, next];
    if ((await answered(() => this.redis.lpCover(1, COVERAGE_KEY, ...call))) !== 1) throw lost();
  }

  async begin(): Promise<Coverage> {
    return coverageOf(await answered(() => this.redis.lpBegin(1, COVERAGE_KEY, this.version)));
  }

  async activate(rebuilt: Coverage): Promise<void> {
    const call = [this.version, rebuilt.generation];
    const old = await answered(() => this.redis.lpActivate(1, COVERAGE_KEY, ...call));
    if (old === null) throw lost();
    for (const generation of old) {
      const pattern = `lp:{*}:?:${generation}:*`;
      for await (const keys of this.redis.scanStream({ match: pattern, count: 1000 })) {
        if ((keys as string[]).length > 0) await answered(() => this.redis.unlink(keys as string[]));
      }
    }
  }

  async ping(): Promise<void> {
    await answered(() => this.redis.ping());
  }

  async close(): Promise<void> {
    // A server that is gone cannot confirm the end; there is nothing left to lose.
    await this.redis.quit().catch(() => this.redis.disconnect());
  }

  private scope({ generation }: Coverage, tenant: string): [string, string, number] {
    const prefix = tenantPrefix(tenant);
    return [`${prefix}m:${generation}:sizes`, prefix, generation];
  }
}

function coverageOf([run, generation, fields]: [string, number, string[]]): Coverage {
  const next = new Map<number, number>();
  for (let i = 0; i < fields.length; i += 2) {
    const [of, partition] = fields[i]!.split(':');
    if (of === String(generation)) next.set(Number(partition), Number(fields[i + 1]));
  }
  return { generation, run, next };
}

function lost(): StoreError {
  return new StoreError(
    'recall-lost',
    'Redis has lost postings of the recall index while they were written; they will be written again',
  );
}

function inChunks(entries: readonly RecallEntry[]): RecallEntry[][] {
  const chunks: RecallEntry[][] = [];
  let keys = Infinity;
  for (const entry of entries) {
    if (keys + entry.keys.length > KEYS_A_CALL) {
      chunks.push([]);
      keys = 0;
    }
    chunks.at(-1)!.push(entry);
    keys += entry.keys.length;
  }
  return chunks;
}
