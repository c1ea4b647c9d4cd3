import type { TreeCursor } from 'tree-sitter';
import type { AstChunk, AstSignature, LineRange } from './ast-file';
import { signatureOf, tokenHash } from './ast-shingles';

/** Shorter functions look alike in unrelated code (docs/engine.md). */
const MIN_FUNCTION_LINES = 3;
/** A longer function is hardly one snippet, and to walk it would cost more than the change is worth. */
const MAX_FUNCTION_LINES = 200;

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
 * Chunks of the added lines: each range, and each function that has some of them, of MIN_FUNCTION_LINES to
 * MAX_FUNCTION_LINES lines, unless it is what a range is. Chunks too short for a signature are left out.
 */
export function chunksOf(
  cursor: TreeCursor,
  classes: NodeClasses,
  content: string,
  ranges: readonly LineRange[],
  maxDepth: number,
): AstChunk[] {
  const spans = spansOf(content, ranges);
  const { tokens, starts, functions } = walk(cursor, classes, spans, maxDepth);
  const chunks: AstChunk[] = [];
  const seen = new Set<string>();
  const addChunk = (kind: AstChunk['kind'], lines: LineRange, from: number, to: number): void => {
    const same = `${from} ${to}`;
    if (kind === 'function' && seen.has(same)) return;
    seen.add(same);
    const signed = signatureOf(tokens, from, to);
    if (signed !== undefined) chunks.push({ first: lines.first, last: lines.last, kind, ...signed });
  };
  ranges.forEach((range, i) => {
    addChunk('hunk', range, firstAtOrAfter(starts, spans[i]!.start), firstAtOrAfter(starts, spans[i]!.end));
  });
  for (const found of functions) addChunk('function', found, found.from, firstAtOrAfter(starts, found.end));
  return chunks;
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

/** Characters of each range of lines. Lines end at `\n` only, as git counts them. */
function spansOf(content: string, ranges: readonly LineRange[]): Span[] {
  const lineStarts = [0];
  for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  const startOf = (line: number): number => lineStarts[line] ?? content.length;
  return ranges.map(({ first, last }) => ({ start: startOf(first), end: startOf(last + 1) }));
}
