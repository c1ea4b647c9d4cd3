import type { Counts } from './kinds';

export interface TotalCounts extends Counts {
  readonly lines: number;
  /** Weighted AI lines of all; 0 of none. */
  readonly ratio: number;
}

/** The sum of counts with its weighted share of AI. */
export function totalCounts(all: readonly Counts[]): TotalCounts {
  const sum = (key: 'preserved' | 'modified' | 'human') =>
    all.reduce((total, counts) => total + counts[key], 0);
  const [preserved, modified, human] = [sum('preserved'), sum('modified'), sum('human')];
  const lines = preserved + modified + human;
  return { preserved, modified, human, lines, ratio: lines === 0 ? 0 : (preserved + 0.5 * modified) / lines };
}
