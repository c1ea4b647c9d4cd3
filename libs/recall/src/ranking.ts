import { eligible } from './eligibility';
import type { Posting, RecallQuery } from './recall-index';

/** Candidates below this score are not worth an alignment. */
export const MIN_SCORE = 4;

export interface RankedCandidate {
  /** The snippet's number in its organisation. */
  readonly id: number;
  /** Sum of the weights of the keys it shares with the change. */
  readonly score: number;
}

/**
 * Ranks snippets by the keys they share with a change: stop keys do not count, scores below MIN_SCORE are
 * dropped. Best first, of equal ones the newest, then by position in the log. The answer depends neither on the
 * order of `keys` nor on that of the postings: keys are summed in ascending order, since a sum of floats depends
 * on its order. A long snippet is indexed under a sample of its lines; to weigh a hit on those by what it stands
 * for found no more, and gave a quarter more candidates (docs/decisions/0012).
 *
 * @param keys what a hit on each key of the change is worth
 */
export function rankCandidates(
  keys: ReadonlyMap<number, number>,
  postings: ReadonlyMap<number, readonly Posting[]>,
  query: RecallQuery,
  limit: number,
): RankedCandidate[] {
  const found = new Map<number, { posting: Posting; score: number }>();
  for (const key of [...keys.keys()].filter((key) => postings.has(key)).sort((a, b) => a - b)) {
    const visible = eligible(postings.get(key)!, query);
    if (visible === 'stop') continue;
    const weight = keys.get(key)!;
    for (const posting of visible) {
      const candidate = found.get(posting.id);
      if (candidate) candidate.score += weight;
      else found.set(posting.id, { posting, score: weight });
    }
  }
  return [...found.values()]
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score || newestFirst(a.posting, b.posting))
    .slice(0, limit)
    .map(({ posting, score }) => ({ id: posting.id, score }));
}

function newestFirst(a: Posting, b: Posting): number {
  return b.eventTime - a.eventTime || a.partition - b.partition || a.offset - b.offset;
}
