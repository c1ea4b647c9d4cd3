import { epochOf } from './epoch';
import { type Coverage, type Posting, type RecallQuery, STOP_POSTINGS } from './recall-index';

/**
 * True if the snippet was there when the commit was made, and may have been its origin. With a snippet a commit sees
 * all that come before it both in the log and in time: `isSurplus` relies on that.
 */
export function isPast(posting: Posting, query: RecallQuery): boolean {
  return isWithin(posting, query) || (query.late !== undefined && isWithin(posting, query.late));
}

function isWithin(
  { eventTime, partition, offset }: Posting,
  { notAfter, horizon }: Pick<RecallQuery, 'notAfter' | 'horizon'>,
): boolean {
  return eventTime <= notAfter && offset < (horizon[partition] ?? 0);
}

/**
 * The postings of one key that a commit may see, given those of the epochs that its window touches; `'stop'` if
 * STOP_POSTINGS or more lie below its horizon and not after its time. Those that have expired in the oldest of
 * these epochs still count for that, since they are what `isSurplus` relies on.
 *
 * Stop keys are decided by what the commit may see and not by what the key holds, so that a replay, which
 * finds later snippets in the index as well, decides the same.
 */
export function eligible(postings: readonly Posting[], query: RecallQuery): Posting[] | 'stop' {
  const past = postings.filter((posting) => isPast(posting, query));
  return past.length >= STOP_POSTINGS ? 'stop' : past.filter(({ eventTime }) => eventTime >= query.notBefore);
}

/** Postings kept a key, epoch and partition at most, whatever the clocks of the clients say. */
const MOST_POSTINGS = 4 * STOP_POSTINGS;

/**
 * True if no commit needs a posting beside those that its key already holds: each commit that may see it sees
 * STOP_POSTINGS others, of the same partition, epoch and no later time, and stops there. Of snippets that arrive
 * against the order of their times only the first MOST_POSTINGS are kept.
 *
 * Other partitions do not count: a commit's horizon may leave them out.
 */
export function isSurplus(posting: Posting, held: readonly Posting[]): boolean {
  const earlier = held.filter(
    ({ partition, offset, eventTime }) =>
      partition === posting.partition &&
      offset < posting.offset &&
      epochOf(eventTime) === epochOf(posting.eventTime),
  );
  return (
    earlier.length >= MOST_POSTINGS ||
    earlier.filter(({ eventTime }) => eventTime <= posting.eventTime).length >= STOP_POSTINGS
  );
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
