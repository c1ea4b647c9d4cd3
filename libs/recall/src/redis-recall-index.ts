import { StoreError } from '@lineprint/platform';
import type { Redis } from 'ioredis';
import { eligible, isPast } from './eligibility';
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
import { answered, connectRedis, type Hits, type Scripts, type StreamEntry } from './redis-connection';
import { packId, packKeys, tenantPrefix } from './redis-keys';
import { COVERAGE_KEY, ID_BYTES, LAYOUT_VERSION } from './redis-scripts';
import { type KnownSnippets, SnippetDirectory } from './snippet-directory';

/** Keys that a script call writes, or looks up: a call blocks the server, and this many take it some milliseconds. */
const KEYS_A_CALL = 2000;

type EpochKeys = readonly [epoch: number, keys: readonly number[]];

interface Hit {
  readonly key: number;
  /** One after the other, as Redis keeps them. */
  readonly ids: Buffer;
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
  static async open(
    url: string,
    version: string,
    isFiltered: boolean,
    ca?: string,
  ): Promise<RedisRecallIndex> {
    const redis = await connectRedis(url, ca);
    return new RedisRecallIndex(
      redis,
      `${version}.${LAYOUT_VERSION}`,
      isFiltered ? new KeyFilters(redis) : undefined,
    );
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
    const found = await this.resolve(at, tenant, hits, query);
    // A key that has so many is a stop key nearly always, and then seen to be one.
    const full = new Set(
      hits.filter(({ ids }) => ids.length >= STOP_POSTINGS * ID_BYTES).map(({ key }) => key),
    );
    const undecided = [...full].filter((key) => eligible(found.get(key) ?? [], query) !== 'stop');
    if (undecided.length === 0) return found;
    const all = await this.ask(
      epochs.map((epoch) => [epoch, undecided]),
      async (argv) => {
        const [, , hits] = await this.find(
          at,
          tenant,
          Number.MAX_SAFE_INTEGER,
          Number.MAX_SAFE_INTEGER,
          argv,
        );
        return hits;
      },
    );
    return new Map([...found, ...(await this.resolve(at, tenant, all, query))]);
  }

  /** Of each key that has any in the epochs: of an epoch as many ids as make a stop key, or all. */
  private async firstIds(
    at: Coverage,
    tenant: string,
    keys: readonly number[],
    epochs: readonly number[],
  ): Promise<Hit[]> {
    const filter = this.filters?.get(at, tenant);
    let isFollowed = filter !== undefined;
    const find = (wanted: readonly EpochKeys[]) => {
      const from = filter?.entry ?? Number.MAX_SAFE_INTEGER;
      return this.ask(wanted, async (argv) => {
        const [entry, news, hits] = await this.find(at, tenant, from, STOP_POSTINGS, argv);
        if (filter && !filter.follow(from, entry, news)) isFollowed = false;
        return hits;
      });
    };
    if (!filter) return find(epochs.map((epoch) => [epoch, keys]));
    const before = filter.entry;
    const leftOut: (readonly [number, number[]])[] = [];
    const hits = await find(
      epochs.map((epoch) => {
        const [present, absent] = filter.divide(keys, epoch);
        leftOut.push([epoch, absent]);
        return [epoch, present];
      }),
    );
    if (isFollowed && filter.entry === before) return hits;
    if (!isFollowed) this.filters!.forget(tenant);
    const since = leftOut.map(([epoch, absent]): EpochKeys => [
      epoch,
      isFollowed ? filter.divide(absent, epoch)[0] : absent,
    ]);
    return since.some(([, absent]) => absent.length > 0) ? [...hits, ...(await find(since))] : hits;
  }

  /** @param most about so many ids of each key and epoch */
  private find(
    at: Coverage,
    tenant: string,
    from: number,
    most: number,
    argv: readonly (number | Buffer)[],
  ): Promise<[entry: number, news: StreamEntry[], hits: Hits]> {
    const [sizes, prefix, generation] = this.scope(at, tenant);
    const journal = `${prefix}j:${generation}:keys`;
    return this.redis.lpFindBuffer(2, sizes, journal, prefix, generation, from, most, ...argv);
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
        ids: hits[2 * i + 1] as Buffer,
      })),
    );
  }

  /** Who the ids are: of a key all, or of a stop key those that show it. */
  private async resolve(
    at: Coverage,
    tenant: string,
    hits: readonly Hit[],
    query: RecallQuery,
  ): Promise<Map<number, Posting[]>> {
    const known = this.directory.of(at, tenant);
    const first = postingsOf(hits, known, query);
    if (first.missing.size === 0) return first.found;
    await answered(() => known.load(first.missing));
    // What is missing still has expired.
    return postingsOf(hits, known, query).found;
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

  async size(): Promise<number> {
    const memory = await answered(() => this.redis.info('memory'));
    return Number(/^used_memory:(\d+)/m.exec(memory)?.[1]);
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

function postingsOf(
  hits: readonly Hit[],
  known: KnownSnippets,
  query: RecallQuery,
): { found: Map<number, Posting[]>; missing: Set<number> } {
  const keys = new Map<number, { postings: Posting[]; past: number }>();
  const missing = new Set<number>();
  for (const { key, ids } of hits) {
    let held = keys.get(key);
    if (!held) keys.set(key, (held = { postings: [], past: 0 }));
    for (let i = 0; i < ids.length && held.past < STOP_POSTINGS; i += ID_BYTES) {
      const id = ids.readUInt32BE(i);
      const posting = known.get(id);
      if (!posting) {
        missing.add(id);
        continue;
      }
      held.postings.push(posting);
      if (isPast(posting, query)) held.past++;
    }
  }
  const found = new Map<number, Posting[]>();
  for (const [key, { postings }] of keys) if (postings.length > 0) found.set(key, postings);
  return { found, missing };
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
