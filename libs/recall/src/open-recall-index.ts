import { RECALL_KEY_VERSION } from '@lineprint/fingerprint';
import { ConfigError } from '@lineprint/platform';
import { MemoryRecallIndex } from './memory-recall-index';
import type { RecallIndex } from './recall-index';
import { RedisRecallIndex } from './redis-recall-index';

export interface RecallOptions {
  /** Of the keys: indexes of two versions live side by side in one server. */
  readonly version?: string;
  /** Whether questions to a server are filtered by what it may have; the default. */
  readonly filters?: boolean;
  /** Certificate authorities (PEM) to trust with `rediss://` instead of what Node trusts. */
  readonly ca?: string | undefined;
}

/** Of the keys that an installation uses: another choice of keys is another index. */
export function recallVersion(hasBands: boolean): string {
  return `${RECALL_KEY_VERSION}${hasBands ? '' : '-lines'}`;
}

/**
 * Opens the adapter that the URL's scheme names: `memory:` or `redis://…`, `rediss://…`.
 * Throws ConfigError for another scheme, StoreError if the server does not answer.
 */
export async function openRecallIndex(url: string, options: RecallOptions = {}): Promise<RecallIndex> {
  if (url === 'memory:') return new MemoryRecallIndex();
  if (/^rediss?:\/\/./.test(url) && URL.canParse(url)) {
    const { version = String(RECALL_KEY_VERSION), filters = true, ca } = options;
    return RedisRecallIndex.open(url, version, filters, ca);
  }
  // The URL itself may hold a password, so it is not shown.
  throw new ConfigError('The recall index needs a URL: memory: or redis://host:port or rediss://host:port');
}
