import type { TreeCursor } from 'tree-sitter';
import type { AstChunk, AstSignature, LineRange } from './ast-file';
import { signatureOf, tokenHash } from './ast-shingles';
import { lineStarts } from './pieces';

/** Shorter functions look alike in unrelated code (docs/engine.md). */
const MIN_FUNCTION_LINES = 3;
/** A longer function is hardly one snippet, and to walk it would cost more than the change is worth. */
const MAX_FUNCTION_LINES = 200;

/** Lines of a window and the distance between two: a snippet of that many lines is half in one, at least. */
const WINDOWS = [
  { lines: 20, stride: 10 },
  { lines: 8, stride: 4 },
  { lines: 3, stride: 2 },
] as const;
/** Windows of one length in one piece; the distance grows so that they still cover all of it. */
const MAX_WINDOWS = 64;

/** Brackets, separators and quotes follow from the node types; operators and keywords do not. */
const PUNCTUATION = /^[()[\]{},;"'`]+$/;

/** What a node type means to the walk; one for each type id of a grammar, made when it is first seen. */
interface NodeClass {
  readonly hash: number;
  readonly isToken: boolean;
  readonly isComment: boolean;
  readonly isFunction: boolean;
}

/** The node types of one grammar. Reading a type's name costs far more than its id, so it is read once. */
export class NodeClasses {
  private readonly byId: NodeClass[] = [];
  private readonly functions: ReadonlySet<string>;

  constructor(functions: readonly string[]) {
    this.functions = new Set(functions);
  }

  of(cursor: TreeCursor): NodeClass {
    return (this.byId[cursor.nodeTypeId] ??= this.classify(cursor.nodeType, cursor.nodeIsNamed));
  }

  private classify(type: string, isNamed: boolean): NodeClass {
    return {
      hash: tokenHash(isNamed ? type : `'${type}`),
      isToken: isNamed || !PUNCTUATION.test(type),
      isComment: isNamed && type.includes('comment'),
      isFunction: isNamed && this.functions.has(type),
    };
  }
}

/** Characters of a text, end exclusive. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface FunctionSpan extends LineRange {
  /** Index of its first token. */
  readonly from: number;
  /** Character where it ends. */
  readonly end: number;
}

/** Tokens in order of their place, each with the character it starts at. */
interface Walk {
  readonly tokens: readonly number[];
  readonly starts: readonly number[];
  readonly functions: readonly FunctionSpan[];
}

/** Signature of a whole text; undefined if it is too short for one. */
export function wholeSignature(
  cursor: TreeCursor,
  classes: NodeClasses,
  maxDepth: number,
): AstSignature | undefined {
  const { tokens } = walk(cursor, classes, [{ start: 0, end: Infinity }], maxDepth);
  return signatureOf(tokens, 0, tokens.length);
}

/**
 * Chunks of the added lines, in this order: each range; each function that has some of them, of
 * MIN_FUNCTION_LINES to MAX_FUNCTION_LINES lines; windows over the ranges that are longer. No two chunks have the
 * same tokens, unless they are ranges. Chunks too short for a signature are left out.
 */
export function chunksOf(
  cursor: TreeCursor,
  classes: NodeClasses,
  content: string,
  ranges: readonly LineRange[],
  maxDepth: number,
): AstChunk[] {
  const lines = lineStarts(content);
  const startOf = (line: number): number => lines[line] ?? content.length;
  const spans = ranges.map(({ first, last }) => ({ start: startOf(first), end: startOf(last + 1) }));
  const { tokens, starts, functions } = walk(cursor, classes, spans, maxDepth);
  const chunks: AstChunk[] = [];
  const seen = new Set<string>();
  const addChunk = (kind: AstChunk['kind'], { first, last }: LineRange, from: number, to: number): void => {
    const same = `${from} ${to}`;
    if (kind !== 'hunk' && seen.has(same)) return;
    seen.add(same);
    const signed = signatureOf(tokens, from, to);
    if (signed !== undefined) chunks.push({ first, last, kind, ...signed });
  };
  const addLines = (kind: AstChunk['kind'], range: LineRange): void => {
    const from = firstAtOrAfter(starts, startOf(range.first));
    addChunk(kind, range, from, firstAtOrAfter(starts, startOf(range.last + 1)));
  };
  for (const range of ranges) addLines('hunk', range);
  for (const found of functions) {
    addChunk('function', found, found.from, firstAtOrAfter(starts, found.end));
  }
  for (const window of windowsOf(ranges)) addLines('window', window);
  return chunks;
}

/** Windows over the ranges, longest first. */
export function windowsOf(ranges: readonly LineRange[]): LineRange[] {
  return WINDOWS.flatMap(({ lines, stride }) => {
    const longer = ranges.filter(({ first, last }) => last - first + 1 > lines);
    const total = longer.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    const step = Math.max(stride, Math.ceil(total / MAX_WINDOWS));
    return longer.flatMap(({ first, last }) => {
      const windows: LineRange[] = [];
      for (let start = first; start + lines <= last + 1; start += step) {
        windows.push({ first: start, last: start + lines - 1 });
      }
      return windows;
    });
  });
}

/**
 * Collects the tokens of subtrees that touch the spans (in order) or a function that does, down to
 * `maxDepth`. A cursor and no recursion: hostile files nest 100,000 levels deep.
 */
function walk(cursor: TreeCursor, classes: NodeClasses, spans: readonly Span[], maxDepth: number): Walk {
  const tokens: number[] = [];
  const starts: number[] = [];
  const functions: FunctionSpan[] = [];
  let depth = 0;
  let functionEnd = 0;

  /** Takes the node in; true if its children matter too. */
  const enter = (): boolean => {
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    const touches = touchesAny(spans, start, end);
    if (!touches && start >= functionEnd) return false;
    const node = classes.of(cursor);
    if (node.isComment) return false;
    if (node.isFunction && touches) {
      const first = cursor.startPosition.row;
      const last = cursor.endPosition.row;
      const lines = last - first + 1;
      if (lines >= MIN_FUNCTION_LINES && lines <= MAX_FUNCTION_LINES) {
        functions.push({ first, last, from: tokens.length, end });
        functionEnd = Math.max(functionEnd, end);
      }
    }
    // The root says nothing: every text has one.
    if (node.isToken && depth > 0) {
      tokens.push(node.hash);
      starts.push(start);
    }
    return depth < maxDepth;
  };

  for (;;) {
    if (enter() && cursor.gotoFirstChild()) {
      depth++;
      continue;
    }
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return { tokens, starts, functions };
      depth--;
    }
  }
}

/** Whether `start` to `end` shares characters with a span; spans are in order and do not overlap. */
function touchesAny(spans: readonly Span[], start: number, end: number): boolean {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spans[middle]!.end > start) high = middle;
    else low = middle + 1;
  }
  const span = spans[low];
  return span !== undefined && span.start < end;
}

/** Index of the first of the ascending `starts` that is at or after a character. */
function firstAtOrAfter(starts: readonly number[], character: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! >= character) high = middle;
    else low = middle + 1;
  }
  return low;
}
