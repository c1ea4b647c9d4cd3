import type { CodeGenStats } from '@lineprint/contracts';

/** A row of a session's report: how completions stood some time after they were accepted. */
export type SurvivalTotals = NonNullable<NonNullable<CodeGenStats['tab']>['survival']>[number];

/** When it is looked whether an accepted completion still stands, in seconds after its acceptance. */
export const SURVIVAL_CHECK_SECONDS: readonly SurvivalTotals['afterSeconds'][] = [15, 30, 120, 300, 600];

/** One change of a text: from `offset` on, `removed` characters gave way to `text`. */
export interface TextChange {
  readonly offset: number;
  readonly removed: number;
  readonly text: string;
}

/** What became of a completion, 0 to 1: the share of it that needs no edit to be found in the text around its place. */
export interface Survival {
  readonly wordSimilarity: number;
  readonly charSimilarity: number;
  /** Its distance in words is at most half of its words. */
  readonly stillInCode: boolean;
}

/** The distance in characters takes time by the square: longer completions are measured by their beginning. */
const MAX_CHARACTERS = 2000;
const WORD = /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
/** Text around a completion that is looked at however short that is, in characters. */
const MIN_MARGIN = 100;

export function applyChange(text: string, { offset, removed, text: added }: TextChange): string {
  return text.slice(0, offset) + added + text.slice(offset + removed);
}

/**
 * Where a position of a text is after a change of it, as an editor moves its marks: text that is put at the position
 * pushes it on, and where the text around it goes, the place remains.
 */
export function shiftOffset(position: number, { offset, removed, text }: TextChange): number {
  if (offset > position) return position;
  return Math.max(offset, position - removed) + (offset + removed <= position ? text.length : 0);
}

/** The part of a text in which a completion is looked for: as long as what is measured of it, and more on both sides. */
export function survivalWindow(text: string, position: number, completionLength: number): string {
  const length = Math.min(completionLength, MAX_CHARACTERS);
  const margin = Math.max(MIN_MARGIN, Math.ceil(length / 2));
  return text.slice(Math.max(0, position - margin), position + length + margin);
}

/**
 * Compares a completion with the text around its place.
 * @returns nothing for a completion without a word
 */
export function survivalOf(completion: string, window: string): Survival | undefined {
  const begin = completion.slice(0, MAX_CHARACTERS);
  const words = begin.match(WORD);
  if (!words) return undefined;
  const wordSimilarity = 1 - distanceWithin(words, window.match(WORD) ?? []) / words.length;
  return {
    wordSimilarity,
    charSimilarity: 1 - distanceWithin(begin, window) / begin.length,
    stillInCode: wordSimilarity >= 0.5,
  };
}

/** The fewest insertions, removals and replacements that make of a sequence some part of another one, whichever. */
function distanceWithin(sequence: ArrayLike<string>, within: ArrayLike<string>): number {
  // Of the first `i` elements of `sequence`, against the best part of `within` that ends where the loop is.
  const costs = Uint32Array.from({ length: sequence.length + 1 }, (_, i) => i);
  let best = sequence.length;
  for (let end = 0; end < within.length; end++) {
    let diagonal = 0;
    for (let i = 1; i <= sequence.length; i++) {
      const before = costs[i]!;
      const replaced = diagonal + (sequence[i - 1] === within[end] ? 0 : 1);
      costs[i] = Math.min(replaced, before + 1, costs[i - 1]! + 1);
      diagonal = before;
    }
    best = Math.min(best, costs[sequence.length]!);
  }
  return best;
}
