import { HttpProblem } from './errors';

/** How large what a JSON text says is, whatever its length: an empty object takes two bytes there and sixty in memory. */
export interface JsonStructure {
  /** Values, at most: of objects also those of members. */
  readonly values: number;
  /** Lists and objects one in another. */
  readonly depth: number;
}

/** Nothing that is sent nests half as deep, and what walks a value one call in another would run out of stack. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Counts what `JSON.parse` would make of a text, without making it. A text that is not JSON has some structure, too.
 *
 * @param text UTF-8
 */
export function jsonStructure(text: Buffer): JsonStructure {
  let values = 1;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) {
      at = endOfString(text, at + 1);
    } else if (byte === COMMA) {
      values++;
    } else if (byte === 0x5b || byte === 0x7b) {
      values++;
      if (++depth > deepest) deepest = depth;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--;
    }
  }
  return { values, depth: deepest };
}

/**
 * Whether a text is small enough to be parsed: what it says has to be in memory at once.
 *
 * @param text UTF-8
 * @param values the most that it may hold
 */
export function isJsonWithin(text: Buffer, values: number): boolean {
  const structure = jsonStructure(text);
  return structure.values <= values && structure.depth <= MAX_DEPTH;
}

/** The answer to a body that is not. */
export function bodyTooComplex(values: number): HttpProblem {
  return new HttpProblem(
    413,
    'body-too-complex',
    'Content Too Large',
    `The body holds more than ${values} values, or nests deeper than ${MAX_DEPTH}. Send it in smaller batches.`,
    { headers: { 'retry-after': '1' } },
  );
}

/** Where a string's last quote is; the text's end where it has none. */
function endOfString(text: Buffer, from: number): number {
  for (let at = text.indexOf(QUOTE, from); at >= 0; at = text.indexOf(QUOTE, at + 1)) {
    let first = at;
    while (first > from && text[first - 1] === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}
