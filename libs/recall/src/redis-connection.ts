import { type LineprintError, StoreError } from '@lineprint/platform';
import { Redis } from 'ioredis';
import { refuseEviction } from './eviction';
import * as lua from './redis-scripts';

const COMMAND_TIMEOUT_MS = 5000;

type ScriptArgument = string | number | Buffer;
/** The id of a stream's entry, and its fields and values. */
export type StreamEntry = [Buffer, Buffer[]];
/** A position and what was found there, in turn. */
export type Hits = (number | Buffer)[];

/** ioredis makes these from the scripts given to it: EVALSHA, and EVAL where the server lost them. */
export interface Scripts {
  lpAdd(keyCount: number, ...keysThenArgv: ScriptArgument[]): Promise<number[]>;
  lpFindBuffer(
    keyCount: number,
    ...keysThenArgv: ScriptArgument[]
  ): Promise<[entry: number, news: StreamEntry[], hits: Hits]>;
  lpRemove(keyCount: number, ...keysThenArgv: ScriptArgument[]): Promise<unknown>;
  lpSizes(keyCount: number, key: string): Promise<string[]>;
  lpHashesBuffer(keyCount: number, ...keysThenArgv: ScriptArgument[]): Promise<[number, Buffer]>;
  lpCoverage(keyCount: number, ...keysThenArgv: ScriptArgument[]): Promise<[string, number, string[]]>;
  lpBegin(keyCount: number, ...keysThenArgv: ScriptArgument[]): Promise<[string, number, string[]]>;
  lpActivate(keyCount: number, ...keysThenArgv: ScriptArgument[]): Promise<number[] | null>;
  lpCover(keyCount: number, ...keysThenArgv: ScriptArgument[]): Promise<number>;
}

/**
 * Connects to `redis://` or `rediss://`. Throws StoreError if the server does not answer, ConfigError if it may
 * throw postings away.
 *
 * @param ca certificate authorities (PEM) to trust with `rediss://` instead of what Node trusts
 */
export async function connectRedis(url: string, ca?: string): Promise<Redis & Scripts> {
  const redis = new Redis(url, {
    ...(ca !== undefined && url.startsWith('rediss:') ? { tls: { ca } } : {}),
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
      lpAdd: { lua: lua.ADD },
      lpFind: { lua: lua.FIND, readOnly: true },
      lpRemove: { lua: lua.REMOVE },
      lpSizes: { lua: lua.SIZES, readOnly: true },
      lpHashes: { lua: lua.HASHES, readOnly: true },
      lpCoverage: { lua: lua.COVERAGE, readOnly: true },
      lpBegin: { lua: lua.BEGIN },
      lpActivate: { lua: lua.ACTIVATE },
      lpCover: { lua: lua.COVER },
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
  return redis;
}

/** What `call` answers; what it throws as a StoreError. */
export async function answered<T>(call: () => Promise<T>): Promise<T> {
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
