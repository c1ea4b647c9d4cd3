import { UNKNOWN, type FileLines, type SnippetLines } from './lines';

/** One more place in which a line stands takes this share of its evidence (docs/engine.md). */
const STEEPNESS = 0.5;

/** A recalled snippet and where it was accepted. */
export interface Occurrence {
  readonly lines: SnippetLines;
  /** Snippets of one place repeat each other and count once: the keyed path, or else the session. */
  readonly place: string;
}

/**
 * Discounts the lines of the files by the number of places whose snippets have them: a line that was
 * accepted in many files says little about which of them it came from, or that it was copied at all.
 */
export function discountFrequentLines(files: readonly FileLines[], snippets: readonly Occurrence[]): void {
  const exact = placesOf(snippets, (lines) => lines.exact);
  const abstract = placesOf(snippets, (lines) => lines.abstract);
  const discount = (places: Set<string> | undefined) =>
    1 / (1 + STEEPNESS * Math.max(0, (places?.size ?? 0) - 1));
  for (const file of files) {
    for (let j = 0; j < file.length; j++) {
      file.abstractWeight[j]! *= discount(abstract.get(file.abstract[j]!));
      file.weight[j]! *= discount(exact.get(file.exact[j]!));
    }
  }
}

function placesOf(
  snippets: readonly Occurrence[],
  idsOf: (lines: SnippetLines) => Int32Array,
): Map<number, Set<string>> {
  const places = new Map<number, Set<string>>();
  for (const { lines, place } of snippets) {
    for (const id of idsOf(lines)) {
      if (id === UNKNOWN) continue;
      const known = places.get(id);
      if (known) known.add(place);
      else places.set(id, new Set([place]));
    }
  }
  return places;
}
