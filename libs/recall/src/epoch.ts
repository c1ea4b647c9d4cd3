import type { RecallQuery } from './recall-index';

/** Postings are kept by epochs of 30 days, so that old ones go all at once. */
export const EPOCH_MS = 30 * 86_400_000;

export function epochOf(eventTime: number): number {
  return Math.floor(eventTime / EPOCH_MS);
}

/** The epochs that a query touches: four, as a rule, for 90 days. */
export function epochsOf({ notBefore, notAfter }: Pick<RecallQuery, 'notBefore' | 'notAfter'>): number[] {
  const first = epochOf(notBefore);
  return Array.from({ length: Math.max(0, epochOf(notAfter) - first + 1) }, (_, i) => first + i);
}
