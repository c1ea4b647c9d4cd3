/**
 * One posting: a snippet that has the key. `partition` and `offset` are the snippet's position in
 * `lineprint.snippets.v1`, so that a commit can leave out what its causal horizon does not cover.
 */
export interface Posting {
  readonly codeId: string;
  /** When the snippet was accepted, milliseconds since 1970. */
  readonly eventTime: number;
  readonly partition: number;
  readonly offset: number;
}

export interface RecallEntry extends Posting {
  /** Recall keys `<lane>:<hex>` from libs/fingerprint (`h1:…`, `h3:…`, `r2:…`, `h2:…`, `pb:…`, `pa:…`, `text:<band>:…`, `ast:<band>:…`). */
  readonly keys: readonly string[];
}

/** What an index says that it holds. */
export interface Coverage {
  /** Another one whenever the server has started anew, and so may have lost what it held last. */
  readonly run: string;
  /** Next offset of `lineprint.snippets.v1`, by partition: every snippet below it is in the index. */
  readonly next: ReadonlyMap<number, number>;
}

/** Postings kept a key and partition; a key that has reached STOP_POSTINGS before the commit is a stop key and says nothing. */
export const MAX_POSTINGS = 64;
export const STOP_POSTINGS = 16;

/**
 * The recall index port: in process, or Redis. Keys never cross tenants. Adding an entry twice changes nothing.
 * A key keeps the first MAX_POSTINGS postings of each partition in order of arrival. Each partition arrives in the
 * order of its offsets, but partitions arrive mixed at random: one limit for all would let chance decide.
 */
export interface RecallIndex {
  readonly kind: 'memory' | 'redis';
  add(tenant: string, entries: readonly RecallEntry[]): Promise<void>;
  /** Postings of each key that has any, in order of arrival; asks for any number of keys at once. */
  postings(tenant: string, keys: readonly string[]): Promise<Map<string, Posting[]>>;
  /** Removes snippets (deletion of a person or project) from every key. */
  remove(tenant: string, codeIds: readonly string[]): Promise<void>;
  /**
   * How far the index reaches. It is kept with the postings, so that what loses them loses it as well: a server
   * that comes back empty, or with an older snapshot, says so.
   */
  coverage(): Promise<Coverage>;
  /**
   * Says that the index now reaches to `next` in one partition, as it follows from `since`, read before the
   * postings were added. Never goes back. Throws a transient `recall-lost` if the index has lost anything since.
   */
  cover(since: Coverage, partition: number, next: number): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
