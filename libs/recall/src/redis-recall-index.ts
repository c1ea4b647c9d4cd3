import { StoreError } from '@lineprint/platform';
import type { Redis } from 'ioredis';
import { epochOf, epochsOf } from './epoch';
import { KeyFilters } from './key-filters';
import { readRecord, RECORD_BYTES, writeRecord } from './posting-record';
import {
  type Coverage,
  type Posting,
  type RecallEntry,
  type RecallIndex,
  STOP_POSTINGS,
  type TimeWindow,
} from './recall-index';
import { answered, connectRedis, type Scripts } from './redis-connection';
import { packId, packKeys, tenantPrefix, unpackIds } from './redis-keys';
import { COVERAGE_KEY } from './redis-scripts';

/** Keys that a script call writes, or looks up: a call blocks the server, and this many take it some milliseconds. */
const KEYS_A_CALL = 2000;

/** The recall index in Redis 7 or Valkey, laid out as redis-scripts.ts says. */
export class RedisRecallIndex implements RecallIndex {
  readonly kind = 'redis';
  private readonly filters: KeyFilters;

  private constructor(
    private readonly redis: Redis & Scripts,
    private readonly version: string,
  ) {
    this.filters = new KeyFilters(redis);
  }

  /**
   * @param version of the keys: indexes of two versions live side by side, each with its own generations
   * @throws StoreError, ConfigError as `connectRedis`
   */
  static async open(url: string, version: string): Promise<RedisRecallIndex> {
    return new RedisRecallIndex(await connectRedis(url), version);
  }

  async add(at: Coverage, tenant: string, entries: readonly RecallEntry[]): Promise<void> {
    for (const chunk of inChunks(entries)) {
      const packed = chunk.flatMap((entry) => {
        const record = Buffer.alloc(RECORD_BYTES);
        writeRecord(record, 0, entry);
        return [packId(entry.id), record, epochOf(entry.eventTime), packKeys(entry.keys)];
      });
      const call = [...this.scope(at, tenant), STOP_POSTINGS, ...packed];
      await answered(() => this.redis.lpAdd(1, ...call));
    }
  }

  async postings(
    at: Coverage,
    tenant: string,
    keys: Iterable<number>,
    window: TimeWindow,
  ): Promise<Map<number, Posting[]>> {
    const filter = await answered(() => this.filters.current(at, tenant));
    const wanted = [...new Set(keys)];
    const calls: { keys: number[]; argv: (number | Buffer)[] }[] = [];
    for (const epoch of epochsOf(window)) {
      const present = filter ? wanted.filter((key) => filter.mayHave(key, epoch)) : wanted;
      for (let i = 0; i < present.length; i += KEYS_A_CALL) {
        const part = present.slice(i, i + KEYS_A_CALL);
        let call = calls.at(-1);
        if (!call || call.keys.length + part.length > KEYS_A_CALL) {
          calls.push((call = { keys: [], argv: [] }));
        }
        call.keys.push(...part);
        call.argv.push(epoch, packKeys(part));
      }
    }
    const found = new Map<number, Posting[]>();
    const answers = await answered(() =>
      Promise.all(calls.map(({ argv }) => this.redis.lpFindBuffer(1, ...this.scope(at, tenant), ...argv))),
    );
    answers.forEach(([hits, ids, records], c) => {
      const postings = new Map(
        unpackIds(ids).map((id, i) => [id, readRecord(records, i * RECORD_BYTES, id)]),
      );
      for (let i = 0; i < hits.length; i += 2) {
        const key = calls[c]!.keys[hits[i] as number]!;
        const held = found.get(key) ?? [];
        for (const id of unpackIds(hits[i + 1] as Buffer)) {
          const posting = postings.get(id);
          if (posting) held.push(posting);
        }
        if (held.length > 0) found.set(key, held);
      }
    });
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
