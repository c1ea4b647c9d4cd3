import type { Redis } from 'ioredis';
import { readRecord, RECORD_BYTES } from './posting-record';
import type { Coverage, Posting } from './recall-index';
import { tenantPrefix } from './redis-keys';
import { BLOCK_RECORDS } from './redis-scripts';

/** 64 MB, read anew or not. */
const MOST_BLOCKS = 16_000;

/**
 * Who the ids of an index in Redis are. A record never changes once it is written, so that blocks are kept here and
 * read again only for a record that they lack.
 */
export class SnippetDirectory {
  /** By organisation and generation, then number. */
  private readonly blocks = new Map<string, Map<number, Buffer>>();
  private count = 0;

  constructor(private readonly redis: Redis) {}

  /** Those of the ids that there is a record of. */
  async read(at: Coverage, tenant: string, ids: Iterable<number>): Promise<Map<number, Posting>> {
    const prefix = `${tenantPrefix(tenant)}d:${at.generation}:`;
    const blocks = this.blocks.get(prefix) ?? new Map<number, Buffer>();
    const found = new Map<number, Posting>();
    const missing = new Set<number>();
    const lookUp = (id: number) => {
      const block = blocks.get(Math.floor(id / BLOCK_RECORDS));
      const posting = block && readRecord(block, (id % BLOCK_RECORDS) * RECORD_BYTES, id);
      if (posting) found.set(id, posting);
      else missing.add(id);
    };
    for (const id of ids) if (!found.has(id)) lookUp(id);
    if (missing.size === 0) return found;
    const numbers = new Set([...missing].map((id) => Math.floor(id / BLOCK_RECORDS)));
    await Promise.all(
      [...numbers].map(async (number) => {
        const block = await this.redis.getBuffer(prefix + number);
        // Copied: an answer holds on to all that came with it.
        if (block) blocks.set(number, Buffer.from(block));
      }),
    );
    this.count += numbers.size;
    if (this.count > MOST_BLOCKS) {
      this.blocks.clear();
      this.count = 0;
    } else {
      this.blocks.set(prefix, blocks);
    }
    for (const id of missing) lookUp(id);
    return found;
  }
}
