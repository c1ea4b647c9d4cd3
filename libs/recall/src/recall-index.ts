/**
 * A snippet as the index knows it. `partition` and `offset` are its position in `lineprint.snippets.v1`, so that
 * a commit can leave out what its causal horizon does not cover.
 */
export interface Posting {
  /** Number of the snippet in its organisation, below 2^32 - 1, given by the database once and for all. */
  readonly id: number;
  /** When the snippet was accepted, milliseconds since 1970. */
  readonly eventTime: number;
  readonly partition: number;
  readonly offset: number;
}

export interface RecallEntry extends Posting {
  /** Recall keys of libs/fingerprint, in any order; none twice. */
  readonly keys: readonly number[];
}

/** What an index says that it holds. */
export interface Coverage {
  /** The generation that is read and written: a rebuilt index has another one. 0 while there is none. */
  readonly generation: number;
  /** Another one whenever the server has started anew, and so may have lost what it held last. */
  readonly run: string;
  /** Next offset of `lineprint.snippets.v1`, by partition: every snippet below it is in the index. */
  readonly next: ReadonlyMap<number, number>;
}

/** What one commit may see of the index: snippets accepted from its TTL before it until its time plus clock skew. */
export interface RecallQuery {
  /** Event times of snippets, milliseconds since 1970, both included. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The commit's causal horizon: by partition, the offset that the snippet's must be below; missing is 0. */
  readonly horizon: readonly number[];
  /** A commit that comes again sees beyond that, up to another horizon, what is not after its own time. */
  readonly late?: { readonly notAfter: number; readonly horizon: readonly number[] };
}

/** A key with so many snippets in a commit's epochs, up to its time and horizon, is a stop key and says nothing. */
export const STOP_POSTINGS = 16;

/**
 * The recall index port: in process, or Redis. Keys never cross tenants. Adding an entry twice changes nothing.
 *
 * Of each key it keeps what any commit may ask for (`isSurplus` says what none can). What `postings` gives
 * `eligible` is therefore the same whatever the order in which partitions arrive, as long as each partition
 * arrives in the order of its offsets.
 */
export interface RecallIndex {
  readonly kind: 'memory' | 'redis';
  add(at: Coverage, tenant: string, entries: readonly RecallEntry[]): Promise<void>;
  /**
   * What `eligible` needs of each key that has any posting in the epochs that the query touches, in no order: all
   * of them, or of a stop key enough to see that it is one. Asks for any number of keys at once.
   */
  postings(
    at: Coverage,
    tenant: string,
    keys: Iterable<number>,
    query: RecallQuery,
  ): Promise<Map<number, Posting[]>>;
  /** Removes snippets (deletion of a person or project), given as they were added. */
  remove(at: Coverage, tenant: string, entries: readonly RecallEntry[]): Promise<void>;
  /**
   * How far the current generation reaches. It is kept with the postings, so that what loses them loses it as
   * well: a server that comes back empty, or with an older snapshot, says so.
   */
  coverage(): Promise<Coverage>;
  /**
   * Says that the generation now reaches to `next` in one partition, as it follows from `since`, read before the
   * postings were added. Never goes back. Throws a transient `recall-lost` if the index has lost anything since.
   */
  cover(since: Coverage, partition: number, next: number): Promise<void>;
  /** A generation beside the current one, which nobody reads until it is activated: the one begun last, or a new one. */
  begin(): Promise<Coverage>;
  /** Makes a generation the current one, for every process at once, and drops those before it. */
  activate(rebuilt: Coverage): Promise<void>;
  /** Bytes that it takes: of this process, or of the whole server. */
  size(): Promise<number>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
