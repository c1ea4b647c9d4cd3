import { LineprintError, StoreError } from '@lineprint/platform';
import { Redis } from 'ioredis';
import { refuseEviction } from './eviction';
import { LUA_CODE_ID_START, LUA_PARTITION, packCodeId, packPosting, unpackPosting } from './posting-codec';
import {
  type Coverage,
  MAX_POSTINGS,
  type Posting,
  type RecallEntry,
  type RecallIndex,
} from './recall-index';

/** Snippets count for 90 days; the rest is slack for late commits (docs/engine.md). */
const EXPIRE_SECONDS = 120 * 86_400;
/** Keys a script call: a call blocks the server, and this many take it a few milliseconds. */
const KEYS_A_CALL = 1000;
const COMMAND_TIMEOUT_MS = 5000;

/**
 * KEYS: for each entry the snippet's own key, then its recall keys. ARGV: cap, seconds to live, then for each
 * entry its packed posting, the number of its recall keys, and those keys in lines (for `remove`).
 */
const ADD = `
local cap, ttl, next = tonumber(ARGV[1]), tonumber(ARGV[2]), 1
for a = 3, #ARGV, 3 do
  local posting, count, lines = ARGV[a], tonumber(ARGV[a + 1]), ARGV[a + 2]
  local codeId = string.sub(posting, ${LUA_CODE_ID_START})
  local partition = string.sub(posting, ${LUA_PARTITION.join(', ')})
  local known = redis.call('GET', KEYS[next])
  if not (known and string.find(known, lines, 1, true)) then
    redis.call('APPEND', KEYS[next], lines)
    redis.call('EXPIRE', KEYS[next], ttl)
  end
  for k = next + 1, next + count do
    local held = redis.call('LRANGE', KEYS[k], 0, -1)
    local closed, neighbours = false, 0
    for i = 1, #held do
      if string.sub(held[i], ${LUA_PARTITION.join(', ')}) == partition then neighbours = neighbours + 1 end
      closed = neighbours >= cap or string.sub(held[i], ${LUA_CODE_ID_START}) == codeId
      if closed then break end
    end
    if not closed then
      redis.call('RPUSH', KEYS[k], posting)
      redis.call('EXPIRE', KEYS[k], ttl)
    end
  end
  next = next + count + 1
end
return 0`;

/** Answers pairs: index into KEYS, from 0, and the packed postings; nothing for keys without any. */
const FIND = `
local hits = {}
for k = 1, #KEYS do
  local held = redis.call('LRANGE', KEYS[k], 0, -1)
  if #held > 0 then
    hits[#hits + 1] = k - 1
    hits[#hits + 1] = held
  end
end
return hits`;

/** KEYS: recall keys of one snippet. ARGV: its packed codeId. */
const REMOVE = `
for k = 1, #KEYS do
  for _, posting in ipairs(redis.call('LRANGE', KEYS[k], 0, -1)) do
    if string.sub(posting, ${LUA_CODE_ID_START}) == ARGV[1] then redis.call('LREM', KEYS[k], 0, posting) end
  end
end
return 0`;

/** Next offset by partition. One writer's commands reach a snapshot or replica in order: never ahead of the postings. */
const COVERAGE_KEY = 'lp:coverage';
/** Empty where a service that speaks Redis has no run id: a restart in the middle of a write goes unnoticed there. */
const RUN = `local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''`;

/** KEYS: COVERAGE_KEY. Answers the server's run and its coverage, at one moment. */
const COVERAGE = `
${RUN}
return { run, redis.call('HGETALL', KEYS[1]) }`;

/** KEYS: COVERAGE_KEY. ARGV: the run in which the postings were added, partition, its coverage then, and now. */
const COVER = `
${RUN}
local held = tonumber(redis.call('HGET', KEYS[1], ARGV[2]) or 0)
if run ~= ARGV[1] or held < tonumber(ARGV[3]) then return 0 end
if held < tonumber(ARGV[4]) then redis.call('HSET', KEYS[1], ARGV[2], ARGV[4]) end
return 1`;

type ScriptArgument = string | number | Buffer;

/** ioredis makes these from the scripts given to it: EVALSHA, and EVAL where the server lost them. */
interface Scripts {
  lpAdd(keyCount: number, ...keysThenArgv: ScriptArgument[]): Promise<unknown>;
  lpFindBuffer(keyCount: number, ...keys: ScriptArgument[]): Promise<unknown[]>;
  lpCoverage(keyCount: number, key: string): Promise<[string, string[]]>;
  lpCover(keyCount: number, ...keysThenArgv: ScriptArgument[]): Promise<number>;
  lpRemove(keyCount: number, ...keysThenArgv: ScriptArgument[]): Promise<unknown>;
}

/**
 * The recall index in Redis 7 or Valkey. A recall key is a list of packed postings at `lp:{tenant}:<key>`; the
 * recall keys of a snippet are lines at `lp:{tenant}:snippet:<codeId>`, its coverage a hash. The tenant is the hash tag, so that
 * each script call stays in one slot of a cluster.
 */
export class RedisRecallIndex implements RecallIndex {
  readonly kind = 'redis';

  private constructor(private readonly redis: Redis & Scripts) {}

  /**
   * Connects to `redis://` or `rediss://`. Throws StoreError if the server does not answer, ConfigError if it may
   * throw postings away.
   */
  static async open(url: string): Promise<RedisRecallIndex> {
    const redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: COMMAND_TIMEOUT_MS,
      commandTimeout: COMMAND_TIMEOUT_MS,
      // ioredis keeps the process up this long for a socket that is closed already.
      disconnectTimeout: 100,
      maxRetriesPerRequest: 2,
      retryStrategy: (attempt) => Math.min(attempt * 200, 2000),
      // After a failover the old primary refuses writes: connect anew and send the command again.
      reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
      scripts: {
        lpAdd: { lua: ADD },
        lpFind: { lua: FIND, readOnly: true },
        lpRemove: { lua: REMOVE },
        lpCoverage: { lua: COVERAGE, readOnly: true },
        lpCover: { lua: COVER },
      },
    }) as Redis & Scripts;
    // Every command rejects with the cause; without a listener ioredis also prints it.
    redis.on('error', () => undefined);
    try {
      await answered(() => redis.connect());
      refuseEviction(await answered(() => redis.info('memory')));
    } catch (error) {
      redis.disconnect();
      throw error;
    }
    return new RedisRecallIndex(redis);
  }

  async add(tenant: string, entries: readonly RecallEntry[]): Promise<void> {
    const prefix = prefixOf(tenant);
    let keys: string[] = [];
    let argv: ScriptArgument[] = [];
    const write = async (): Promise<void> => {
      if (keys.length === 0) return;
      const call = [...keys, MAX_POSTINGS, EXPIRE_SECONDS, ...argv];
      await answered(() => this.redis.lpAdd(keys.length, ...call));
      keys = [];
      argv = [];
    };
    for (const entry of entries) {
      const own = [...new Set(entry.keys)];
      if (own.length === 0) continue;
      if (keys.length > 0 && keys.length + own.length >= KEYS_A_CALL) await write();
      keys.push(`${prefix}snippet:${entry.codeId}`, ...own.map((key) => prefix + key));
      argv.push(packPosting(entry), own.length, `${own.join('\n')}\n`);
    }
    await write();
  }

  async postings(tenant: string, keys: readonly string[]): Promise<Map<string, Posting[]>> {
    const prefix = prefixOf(tenant);
    const chunks = inChunks([...new Set(keys)]);
    const answers = await answered(() =>
      Promise.all(
        chunks.map((chunk) => this.redis.lpFindBuffer(chunk.length, ...chunk.map((key) => prefix + key))),
      ),
    );
    const found = new Map<string, Posting[]>();
    answers.forEach((hits, c) => {
      for (let i = 0; i < hits.length; i += 2) {
        const key = chunks[c]![hits[i] as number]!;
        found.set(key, (hits[i + 1] as Buffer[]).map(unpackPosting));
      }
    });
    return found;
  }

  async remove(tenant: string, codeIds: readonly string[]): Promise<void> {
    const prefix = prefixOf(tenant);
    for (const codeId of codeIds) {
      const snippetKey = `${prefix}snippet:${codeId}`;
      const lines = await answered(() => this.redis.get(snippetKey));
      if (lines === null) continue;
      const keys = new Set(lines.split('\n').filter((key) => key !== ''));
      for (const chunk of inChunks([...keys])) {
        const call = [...chunk.map((key) => prefix + key), packCodeId(codeId)];
        await answered(() => this.redis.lpRemove(chunk.length, ...call));
      }
      // Last, so that a removal that was interrupted can be repeated.
      await answered(() => this.redis.del(snippetKey));
    }
  }

  async coverage(): Promise<Coverage> {
    const [run, fields] = await answered(() => this.redis.lpCoverage(1, COVERAGE_KEY));
    const next = new Map<number, number>();
    for (let i = 0; i < fields.length; i += 2) next.set(Number(fields[i]), Number(fields[i + 1]));
    return { run, next };
  }

  async cover(since: Coverage, partition: number, next: number): Promise<void> {
    const call = [COVERAGE_KEY, since.run, partition, since.next.get(partition) ?? 0, next];
    if ((await answered(() => this.redis.lpCover(1, ...call))) === 1) return;
    throw new StoreError(
      'recall-lost',
      'Redis has lost postings of the recall index while they were written; they will be written again',
    );
  }

  async ping(): Promise<void> {
    await answered(() => this.redis.ping());
  }

  async close(): Promise<void> {
    // A server that is gone cannot confirm the end; there is nothing left to lose.
    await this.redis.quit().catch(() => this.redis.disconnect());
  }
}

/** Percent-encoding keeps braces out of the tenant: they would end the hash tag, and a colon the prefix. */
function prefixOf(tenant: string): string {
  return `lp:{${encodeURIComponent(tenant)}}:`;
}

function inChunks(keys: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let i = 0; i < keys.length; i += KEYS_A_CALL) chunks.push(keys.slice(i, i + KEYS_A_CALL));
  return chunks;
}

async function answered<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw storeError(error);
  }
}

function storeError(error: unknown): LineprintError {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  if (name === 'ReplyError') {
    return new StoreError('recall-refused', `Redis refused a command of the recall index: ${message}`, error);
  }
  if (message === 'Command timed out') {
    return new StoreError('recall-timeout', `Redis did not answer in ${COMMAND_TIMEOUT_MS} ms`, error);
  }
  return new StoreError('recall-unavailable', `Redis cannot be reached: ${message}`, error);
}
