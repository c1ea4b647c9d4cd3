import type { LineRange, SourceFile } from './ast-file';
import { grammarOf } from './grammars';
import { cutPieces, PIECE_UNITS } from './pieces';

/** Text of one commit that is parsed, UTF-16 units; what comes after it is left to the text lanes. */
export const MAX_COMMIT_UNITS = 1024 * 1024;

/** Added lines of a piece of a file, counted from the piece's first line. */
export interface PlannedPiece {
  /** Line of the file at which the piece begins. */
  readonly first: number;
  readonly ranges: readonly LineRange[];
  /** Undefined where the piece is too large to be parsed. */
  readonly text: string | undefined;
}

/**
 * The pieces of each file that have added lines, in order; undefined where the language is not parsed. What is
 * parsed depends on the files alone, not on the time it takes.
 */
export function planPieces(files: readonly SourceFile[]): (PlannedPiece[] | undefined)[] {
  let unitsLeft = MAX_COMMIT_UNITS;
  return files.map(({ language, content, ranges }) => {
    if (grammarOf(language) === undefined) return undefined;
    return touchedPieces(content, ranges).map((piece) => {
      const units = piece.text.length;
      if (units > PIECE_UNITS || units > unitsLeft) return { ...piece, text: undefined };
      unitsLeft -= units;
      return piece;
    });
  });
}

function touchedPieces(
  content: string,
  ranges: readonly LineRange[],
): (PlannedPiece & { readonly text: string })[] {
  if (ranges.length === 0) return [];
  let next = 0;
  return cutPieces(content).flatMap((piece) => {
    const inside: LineRange[] = [];
    while (next < ranges.length && ranges[next]!.first <= piece.last) {
      const range = ranges[next]!;
      const first = Math.max(range.first, piece.first) - piece.first;
      inside.push({ first, last: Math.min(range.last, piece.last) - piece.first });
      // The next piece has the rest of it.
      if (range.last > piece.last) break;
      next++;
    }
    return inside.length === 0 ? [] : [{ first: piece.first, ranges: inside, text: piece.text }];
  });
}
