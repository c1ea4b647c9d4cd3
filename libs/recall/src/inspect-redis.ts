import { answered, connectRedis } from './redis-connection';

/** What a Redis, or Valkey, says of itself. */
export interface RedisServer {
  /** Of Redis, or the one that Valkey is compatible with, e.g. `7.0.15`. */
  readonly version: string;
  /** Its clock, milliseconds since 1970. */
  readonly now: number;
  readonly usedBytes: number;
  /** 0 where it may use all there is. */
  readonly maxBytes: number;
}

/**
 * Asks a server about itself; changes nothing.
 *
 * @param ca certificate authorities (PEM) to trust with `rediss://` instead of what Node trusts
 * @throws StoreError, ConfigError as `openRecallIndex`
 */
export async function inspectRedis(url: string, ca?: string): Promise<RedisServer> {
  const redis = await connectRedis(url, ca);
  try {
    const [seconds, microseconds] = await answered(() => redis.time());
    const info = await answered(() => redis.info());
    const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
    return {
      version: field('redis_version') ?? '',
      now: Number(seconds) * 1000 + Number(microseconds) / 1000,
      usedBytes: Number(field('used_memory') ?? 0),
      maxBytes: Number(field('maxmemory') ?? 0),
    };
  } finally {
    redis.disconnect();
  }
}
