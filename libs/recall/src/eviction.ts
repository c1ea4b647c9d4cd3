import { ConfigError } from '@lineprint/platform';

/**
 * Throws a ConfigError where Redis' `INFO memory` says that it may evict keys: code whose postings are gone would
 * count as human, and nothing would tell.
 */
export function refuseEviction(info: string): void {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction';
  const limit = Number(/^maxmemory:(\d+)/m.exec(info)?.[1] ?? 0);
  if (limit === 0 || policy === 'noeviction') return;
  throw new ConfigError(
    `Redis would throw away what it was given once it is full (maxmemory-policy ${policy}): set it to noeviction`,
  );
}
