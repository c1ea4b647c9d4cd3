import type { LineRange } from './ast-file';

/**
 * Longest text that is parsed at once, UTF-16 units: some 400 lines. Recovery from errors is quadratic in
 * tree-sitter; at this length the worst of twenty hostile inputs in nineteen languages took 5 seconds.
 */
export const PIECE_UNITS = 16 * 1024;

/** Whole lines of a file. Only a line that is longer by itself makes a piece of more than PIECE_UNITS. */
export interface Piece extends LineRange {
  readonly text: string;
}

/**
 * Cuts a text into pieces, in the second half of each before the line with the least indentation, rather where
 * a blank line stands above it: between functions, where there are any.
 */
export function cutPieces(content: string): Piece[] {
  const starts = lineStarts(content);
  const lines = starts.length;
  const startOf = (line: number): number => starts[line] ?? content.length;
  const pieces: Piece[] = [];
  for (let first = 0, end = 1; first < lines; first = end++) {
    while (end < lines && startOf(end + 1) - startOf(first) <= PIECE_UNITS) end++;
    if (end < lines) end = bestCut(content, startOf, first, end);
    pieces.push({ first, last: end - 1, text: content.slice(startOf(first), startOf(end)) });
  }
  return pieces;
}

/** Where each line starts. Lines end at `\n` only, as git counts them. */
export function lineStarts(content: string): number[] {
  const starts = [0];
  for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The line after `first` and not after `end` that the next piece had best begin with; the later of equals. */
function bestCut(content: string, startOf: (line: number) => number, first: number, end: number): number {
  const middle = startOf(first) + PIECE_UNITS / 2;
  let best = end;
  let least = Infinity;
  for (let line = end; line > first && startOf(line) >= middle; line--) {
    const indentation = indentationOf(content, startOf(line), startOf(line + 1));
    if (indentation === undefined) continue;
    const isBelowBlank = indentationOf(content, startOf(line - 1), startOf(line)) === undefined;
    const cost = 2 * indentation + (isBelowBlank ? 0 : 1);
    if (cost < least) {
      least = cost;
      best = line;
    }
  }
  return best;
}

/** Leading white space of a line, undefined where there is nothing else. */
function indentationOf(content: string, start: number, end: number): number | undefined {
  let at = start;
  while (at < end && /\s/.test(content[at]!)) at++;
  return at < end ? at - start : undefined;
}
