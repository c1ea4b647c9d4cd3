import type { MatchedLine } from './alignment';
import { CONTEXT_BITS } from './alignment';
import { comparePairings, type Pairing } from './assignment';
import { isPlaced } from './clusters';
import type { FileLines, SnippetLines } from './lines';

/** Lines of one snippet that stand in a file as they stood in the snippet, old and new ones. */
export interface PlacedRun {
  readonly pairing: Pairing;
  /** Evidence of the run, in bits. */
  readonly bits: number;
  /** Its attributable lines. */
  readonly lines: readonly MatchedLine[];
}

// docs/engine.md, section 5; docs/decisions/0015 says what each number is worth.

/** A line that the parent has already helps to place the snippet, but less: it did not come now. */
const OLD_LINE_SHARE = 0.5;
/** What an adjacent line that is AI's already adds, in bits. */
const ADJACENT_BITS = 6;
const MIN_BITS = 8.5;

/**
 * Places snippets on whole files: an edit that was committed in parts leaves lines behind whose own evidence is too
 * weak, but which stand among lines of the same snippet that an earlier commit brought. Only for snippets of the same
 * file that are fresh and say where they were accepted.
 *
 * @param needsOrigin whether an attributable line has none yet, or could be kept where it now counts as changed
 * @param isAi whether it counts as AI's already
 * @returns the runs with at least one line that needs an origin, strongest first; they may overlap
 */
export function placeOnWholeFiles(
  pairings: readonly Pairing[],
  needsOrigin: (file: number, line: number) => boolean,
  isAi: (file: number, line: number) => boolean,
): PlacedRun[] {
  return pairings
    .filter(({ samePath, snippetLines }) => samePath && isPlaced(snippetLines))
    .flatMap((pairing) => placeSnippet(pairing, needsOrigin, isAi))
    .sort(
      (a, b) =>
        b.bits - a.bits ||
        comparePairings(a.pairing, b.pairing) ||
        a.lines[0]!.fileLine - b.lines[0]!.fileLine,
    );
}

function placeSnippet(
  pairing: Pairing,
  needsOrigin: (file: number, line: number) => boolean,
  isAi: (file: number, line: number) => boolean,
): PlacedRun[] {
  const { file, fileLines, snippetLines } = pairing;
  const { own, place, weight } = fileLines.surroundings;
  const runs: PlacedRun[] = [];
  /** By where the snippet begins in the file: the end, in the snippet, of the last run found there. */
  const walkedTo = new Map<number, number>();
  for (let i = 0; i < snippetLines.length; i++) {
    for (const line of fileLines.exactAt.get(snippetLines.exact[i]!) ?? []) {
      if (!needsOrigin(file, line)) continue;
      const shift = place[line]! - i;
      if ((walkedTo.get(shift) ?? -1) >= i) continue;
      const agrees = (k: number) => agreesAt(snippetLines, fileLines, k, shift);
      let first = i;
      while (agrees(first - 1)) first--;
      let last = i;
      while (agrees(last + 1)) last++;
      walkedTo.set(shift, last);
      if (first === last) continue;
      let bits = 0;
      const lines: MatchedLine[] = [];
      for (let k = first; k <= last; k++) {
        if (k < 0 || k >= snippetLines.length) {
          bits += CONTEXT_BITS;
          continue;
        }
        const fileLine = own[k + shift]!;
        const lineBits = weight[k + shift]!;
        bits += fileLine >= 0 ? lineBits : lineBits * OLD_LINE_SHARE;
        if (fileLine >= 0) {
          lines.push({ fileLine, snippetLine: k, snippetLast: k, rule: 'surroundings', bits: lineBits });
        }
      }
      for (const beside of [own[first + shift - 1], own[last + shift + 1]]) {
        if (beside !== undefined && beside >= 0 && isAi(file, beside)) bits += ADJACENT_BITS;
      }
      if (bits >= MIN_BITS) runs.push({ pairing, bits, lines });
    }
  }
  return runs;
}

/** Whether the snippet's line `k`, or its neighbour at -1 and at its end, is the file's line at `k + shift`. */
function agreesAt(snippet: SnippetLines, file: FileLines, k: number, shift: number): boolean {
  const id = k === -1 ? snippet.before : k === snippet.length ? snippet.after : (snippet.exact[k] ?? -1);
  return id >= 0 && file.surroundings.exact[k + shift] === id;
}
