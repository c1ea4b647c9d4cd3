import type { SourceFile } from './sources';

/** A function, class or declaration with the comment above it. */
export interface Unit {
  readonly file: SourceFile;
  /** Its first line in the file, from 0. */
  readonly first: number;
  /** Without the indentation that all of them share. */
  readonly lines: readonly string[];
}

/** Larger blocks are cut into the blocks inside. */
const MAX_LINES = 60;
const MIN_LINES = 3;

const indentOf = (line: string): number => line.length - line.trimStart().length;
const isBlank = (line: string): boolean => line.trim() === '';
/** A line that begins a block, and one that ends it: how all the set's languages are laid out. */
const OPENS = /[{([]$/;
const CLOSES = /^[})\]]/;
const COMMENT = /^(\/\/|\/\*|\*)/;

/** Cuts a file into blocks that do not overlap, found by their indentation. */
export function unitsOf(file: SourceFile): Unit[] {
  return cut(file, file.text.split('\n'), 0, file.text.split('\n').length);
}

function cut(file: SourceFile, lines: readonly string[], from: number, to: number): Unit[] {
  const units: Unit[] = [];
  let line = from;
  while (line < to) {
    const end = OPENS.test(lines[line]!.trimEnd()) ? blockEnd(lines, line, to) : -1;
    if (end < 0) {
      line++;
      continue;
    }
    const first = withComment(lines, line, from);
    const length = end - first + 1;
    if (length > MAX_LINES) units.push(...cut(file, lines, line + 1, end));
    else if (length >= MIN_LINES) units.push({ file, first, lines: dedent(lines.slice(first, end + 1)) });
    line = end + 1;
  }
  return units;
}

/** The line that closes the block opened at `start`: the next that is indented no deeper. */
function blockEnd(lines: readonly string[], start: number, to: number): number {
  const indent = indentOf(lines[start]!);
  for (let line = start + 1; line < to; line++) {
    const text = lines[line]!;
    if (isBlank(text) || indentOf(text) > indent) continue;
    if (!CLOSES.test(text.trimStart())) return -1;
    // `} else {` goes on
    if (!OPENS.test(text.trimEnd())) return line;
  }
  return -1;
}

function withComment(lines: readonly string[], start: number, from: number): number {
  let first = start;
  while (first > from && COMMENT.test(lines[first - 1]!.trimStart())) first--;
  return first;
}

function dedent(lines: readonly string[]): string[] {
  const shared = Math.min(...lines.filter((line) => !isBlank(line)).map(indentOf));
  return lines.map((line) => (isBlank(line) ? '' : line.slice(shared).trimEnd()));
}
