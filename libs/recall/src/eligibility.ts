import { type Coverage, STOP_POSTINGS, type Posting } from './recall-index';

/** What one commit may see of the index. */
export interface RecallQuery {
  /** Latest time a snippet may have been accepted, milliseconds since 1970: the commit's time plus clock skew. */
  readonly notAfter: number;
  /** Earliest such time: the commit's time less the snippets' TTL. */
  readonly notBefore: number;
  /** The commit's causal horizon: by partition, the offset that the snippet's must be below; missing is 0. */
  readonly horizon: readonly number[];
}

/**
 * The postings of one key that a commit may see, in their order; `'stop'` if STOP_POSTINGS or more remain.
 * Stop keys are decided by what the commit may see and not by what the key holds, so that a replay, which
 * finds later snippets in the index as well, decides the same.
 */
export function eligible(postings: readonly Posting[], query: RecallQuery): Posting[] | 'stop' {
  const visible = postings.filter(
    (posting) =>
      posting.eventTime >= query.notBefore &&
      posting.eventTime <= query.notAfter &&
      posting.offset < (query.horizon[posting.partition] ?? 0),
  );
  return visible.length >= STOP_POSTINGS ? 'stop' : visible;
}

/**
 * True if the index holds every snippet below the horizon that the indexer says it has written. What the
 * indexer has not written yet is another matter: the causal wait's.
 */
export function holds(
  coverage: Coverage,
  horizon: readonly number[],
  written: ReadonlyMap<number, number>,
): boolean {
  return horizon.every(
    (end, partition) => (coverage.next.get(partition) ?? 0) >= Math.min(end, written.get(partition) ?? 0),
  );
}
