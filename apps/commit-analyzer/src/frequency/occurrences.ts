import { encodeOccurrences } from '@lineprint/attribution';
import type { LinePrint } from '@lineprint/fingerprint';

/** How often a line, or its shape, occurs in the repository before the commit and in the organisation's snippets. */
export interface LineFrequency {
  exact(h1: bigint): number;
  abstract(h2: bigint): number;
}

/**
 * `occurrences` of each file of a commit: what `frequency` has counted, less what the commit itself adds, because
 * the snippets that its lines came from are counted too.
 *
 * @param files the prints of each file's attributable lines
 */
export function countOccurrences(
  files: readonly { readonly prints: readonly LinePrint[] }[],
  frequency: LineFrequency,
): string[] {
  const exact = new Map<bigint, number>();
  const abstract = new Map<bigint, number>();
  for (const { prints } of files) {
    for (const { h1, h2 } of prints) {
      exact.set(h1, (exact.get(h1) ?? 0) + 1);
      abstract.set(h2, (abstract.get(h2) ?? 0) + 1);
    }
  }
  return files.map(({ prints }) =>
    encodeOccurrences(
      prints.flatMap(({ h1, h2 }) => [
        Math.max(0, frequency.exact(h1) - exact.get(h1)!),
        Math.max(0, frequency.abstract(h2) - abstract.get(h2)!),
      ]),
    ),
  );
}
