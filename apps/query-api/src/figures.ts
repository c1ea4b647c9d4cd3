/** The seed's weight of a line that came from AI and was changed. */
export const MODIFIED_WEIGHT = 0.5;

/** Preserved lines count whole, modified ones half. */
export function weightedLines(preserved: number, modified: number): number {
  return preserved + MODIFIED_WEIGHT * modified;
}

/** A share from 0 to 1 with three decimals, as the tables keep it; 0 where there is nothing to share. */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1000) / 1000;
}
