import { eligible, type RecallQuery } from './eligibility';
import type { Posting } from './recall-index';

/** Candidates below this summed weight are not worth an alignment. */
export const MIN_SCORE = 4;

export interface WeightedKey {
  /** Recall key `<lane>:<hex>`. */
  readonly key: string;
  readonly weight: number;
}

export interface RankedCandidate {
  readonly codeId: string;
  /** Sum of the weights of the keys it shares with the change. */
  readonly score: number;
  /** Lanes of those keys (`h1`, `text`, …), sorted. */
  readonly lanes: string[];
}

/**
 * Ranks snippets by the keys they share with a change: each key counts once (with its greatest weight where
 * it is listed twice), stop keys not at all, sums below MIN_SCORE are dropped. Best first, then by codeId.
 * The answer depends on neither the order of `keys` nor that of the postings: keys are summed in sorted
 * order, since a sum of floats depends on its order.
 */
export function rankCandidates(
  keys: readonly WeightedKey[],
  postings: ReadonlyMap<string, readonly Posting[]>,
  query: RecallQuery,
  limit: number,
): RankedCandidate[] {
  const weights = new Map<string, number>();
  for (const { key, weight } of keys) {
    if (postings.has(key)) weights.set(key, Math.max(weight, weights.get(key) ?? weight));
  }
  const found = new Map<string, { score: number; lanes: Set<string> }>();
  for (const [key, weight] of [...weights].sort(([a], [b]) => compareText(a, b))) {
    const visible = eligible(postings.get(key) ?? [], query);
    if (visible === 'stop') continue;
    const lane = key.slice(0, key.indexOf(':'));
    for (const codeId of new Set(visible.map((posting) => posting.codeId))) {
      const candidate = found.get(codeId) ?? { score: 0, lanes: new Set() };
      candidate.score += weight;
      candidate.lanes.add(lane);
      found.set(codeId, candidate);
    }
  }
  return [...found]
    .filter(([, { score }]) => score >= MIN_SCORE)
    .map(([codeId, { score, lanes }]) => ({ codeId, score, lanes: [...lanes].sort(compareText) }))
    .sort((a, b) => b.score - a.score || compareText(a.codeId, b.codeId))
    .slice(0, limit);
}

/** Code-unit order: the same in every locale. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
