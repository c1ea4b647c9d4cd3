import type { Redis } from 'ioredis';
import { readRecord, RECORD_BYTES } from './posting-record';
import type { Coverage, Posting } from './recall-index';
import { tenantPrefix } from './redis-keys';
import { BLOCK_RECORDS } from './redis-scripts';

/** 64 MB, read anew or not. */
const MOST_BLOCKS = 16_000;

/** Who the ids of one organisation and generation are, as far as it was loaded. */
export class KnownSnippets {
  /** Records of BLOCK_RECORDS ids each, by number. */
  private readonly blocks = new Map<number, Buffer>();

  /** @param onRead is told how many blocks were read */
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly onRead: (count: number) => void,
  ) {}

  get(id: number): Posting | undefined {
    const block = this.blocks.get(Math.floor(id / BLOCK_RECORDS));
    return block && readRecord(block, (id % BLOCK_RECORDS) * RECORD_BYTES, id);
  }

  /** Loads the records that there are of the ids. */
  async load(ids: Iterable<number>): Promise<void> {
    const numbers = new Set(Array.from(ids, (id) => Math.floor(id / BLOCK_RECORDS)));
    this.onRead(numbers.size);
    await Promise.all(
      [...numbers].map(async (number) => {
        const block = await this.redis.getBuffer(this.prefix + number);
        // Copied: an answer holds on to all that came with it.
        if (block) this.blocks.set(number, Buffer.from(block));
      }),
    );
  }
}

/**
 * Who the ids of an index in Redis are. A record never changes once it is written, so that blocks are kept here and
 * read again only for a record that they lack.
 */
export class SnippetDirectory {
  /** By organisation and generation. */
  private readonly known = new Map<string, KnownSnippets>();
  private count = 0;

  constructor(private readonly redis: Redis) {}

  /** To be kept while one question is answered: the directory itself may forget it. */
  of({ generation }: Coverage, tenant: string): KnownSnippets {
    if (this.count > MOST_BLOCKS) {
      this.known.clear();
      this.count = 0;
    }
    const prefix = `${tenantPrefix(tenant)}d:${generation}:`;
    let known = this.known.get(prefix);
    if (!known) {
      known = new KnownSnippets(this.redis, prefix, (count) => (this.count += count));
      this.known.set(prefix, known);
    }
    return known;
  }
}
