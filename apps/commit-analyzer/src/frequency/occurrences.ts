import { encodeOccurrences } from '@lineprint/attribution';
import type { AnalysedFile } from '../analysis/file-analysis';

/** How often a line, or its shape, occurs in the repository before the commit and in the organisation's snippets. */
export interface LineFrequency {
  exact(h1: bigint): number;
  abstract(h2: bigint): number;
}

export interface Occurrences {
  readonly occurrences: string;
  /** Of the lines around them, which the repository has already. */
  readonly contextOccurrences: string;
}

/**
 * `occurrences` of each file of a commit: what `frequency` has counted, less what the commit itself adds, because
 * the snippets that its lines came from are counted too.
 *
 * @param files the commit's files
 */
export function countOccurrences(
  files: readonly Pick<AnalysedFile, 'prints' | 'context'>[],
  frequency: LineFrequency,
): Occurrences[] {
  const exact = new Map<bigint, number>();
  const abstract = new Map<bigint, number>();
  for (const { prints } of files) {
    for (const { h1, h2 } of prints) {
      exact.set(h1, (exact.get(h1) ?? 0) + 1);
      abstract.set(h2, (abstract.get(h2) ?? 0) + 1);
    }
  }
  return files.map(({ prints, context }) => ({
    occurrences: encodeOccurrences(
      prints.flatMap(({ h1, h2 }) => [
        Math.max(0, frequency.exact(h1) - exact.get(h1)!),
        Math.max(0, frequency.abstract(h2) - abstract.get(h2)!),
      ]),
    ),
    contextOccurrences: encodeOccurrences(
      context.lines.map(({ h1 }) => Math.max(0, frequency.exact(h1) - 1)),
    ),
  }));
}
