import { LINE_PRINT_VERSION, type LinePrint } from './line-print';

// Version byte; number of prints; for each print: 2 · (lines since the print before) + (h3 differs from h1),
// h1, h2, [h3], bloom as little-endian 64-bit words, number of tokens in a byte. Counts are LEB128.

export type LinePrintFormatCode =
  | 'line_prints_version'
  | 'line_prints_truncated'
  | 'line_prints_malformed'
  | 'line_prints_order'
  | 'line_prints_base64';

/** Bytes that are no line prints, or prints that cannot be packed. */
export class LinePrintFormatError extends Error {
  override readonly name = 'LinePrintFormatError';

  constructor(
    readonly code: LinePrintFormatCode,
    message: string,
  ) {
    super(message);
  }
}

const WORD_BYTES = 8;
/** Smallest print: distance, h1, h2, bloom, tokens. */
const MIN_PRINT_BYTES = 1 + 3 * WORD_BYTES + 1;
const MAX_LINE = 2 ** 31 - 1;

const countBytes = (value: number): number => (value < 0x80 ? 1 : 1 + countBytes(Math.floor(value / 0x80)));

/**
 * Packs prints, about 26 bytes each.
 *
 * @param prints in ascending order of their lines
 * @throws LinePrintFormatError `line_prints_order` when they are not
 */
export function encodeLinePrints(prints: readonly LinePrint[]): Uint8Array {
  let size = 1 + countBytes(prints.length);
  let previous = -1;
  const distances = prints.map((print) => {
    const distance = print.line - previous;
    if (!(distance > 0) || !Number.isInteger(print.line) || print.line > MAX_LINE) {
      throw new LinePrintFormatError(
        'line_prints_order',
        `line ${print.line} cannot follow line ${previous}`,
      );
    }
    previous = print.line;
    const differs = print.h3 !== print.h1 ? 1 : 0;
    size += countBytes(distance * 2 + differs) + (3 + differs) * WORD_BYTES + 1;
    return distance * 2 + differs;
  });
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  const putCount = (value: number) => {
    for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes[at++] = (value % 0x80) | 0x80;
    bytes[at++] = value;
  };
  const putWord = (word: bigint) => {
    view.setBigUint64(at, word, true);
    at += WORD_BYTES;
  };
  bytes[at++] = LINE_PRINT_VERSION;
  putCount(prints.length);
  prints.forEach((print, index) => {
    putCount(distances[index]!);
    putWord(print.h1);
    putWord(print.h2);
    if (print.h3 !== print.h1) putWord(print.h3);
    putWord(print.bloom);
    bytes[at++] = Math.min(255, print.tokens);
  });
  return bytes;
}

/**
 * Unpacks what `encodeLinePrints` packed.
 *
 * @throws LinePrintFormatError when the bytes are of another version, end early, or are no prints at all
 */
export function decodeLinePrints(bytes: Uint8Array): LinePrint[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const prints: LinePrint[] = [];
  visitPrints(bytes, (line, at, words) => {
    const h1 = view.getBigUint64(at, true);
    const h2 = view.getBigUint64(at + WORD_BYTES, true);
    const h3 = words === 4 ? view.getBigUint64(at + 2 * WORD_BYTES, true) : h1;
    const bloom = view.getBigUint64(at + (words - 1) * WORD_BYTES, true);
    prints.push({ line, h1, h2, h3, bloom, tokens: bytes[at + words * WORD_BYTES]! });
  });
  return prints;
}

/**
 * Checks packed prints and shows where each is.
 *
 * @param visit gets the print's line, where its words begin, and how many they are: h1, h2, h3 where it differs, bloom
 * @throws LinePrintFormatError as `decodeLinePrints`
 */
function visitPrints(bytes: Uint8Array, visit: (line: number, at: number, words: number) => void): void {
  let at = 1;
  const need = (size: number) => {
    if (at + size > bytes.length) {
      throw new LinePrintFormatError(
        'line_prints_truncated',
        `line prints end early, at byte ${bytes.length}`,
      );
    }
  };
  const takeCount = (): number => {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 35; scale *= 0x80) {
      need(1);
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new LinePrintFormatError('line_prints_malformed', `no count at byte ${at}`);
  };
  if (bytes.length === 0) throw new LinePrintFormatError('line_prints_truncated', 'line prints are empty');
  if (bytes[0] !== LINE_PRINT_VERSION) {
    throw new LinePrintFormatError(
      'line_prints_version',
      `line prints of version ${bytes[0]}; version ${LINE_PRINT_VERSION} is understood`,
    );
  }
  const count = takeCount();
  // Checked before anything is allocated: the count is a stranger's.
  need(count * MIN_PRINT_BYTES);
  let line = -1;
  for (let i = 0; i < count; i++) {
    const distance = takeCount();
    line += Math.floor(distance / 2);
    if (distance < 2 || line > MAX_LINE) {
      throw new LinePrintFormatError('line_prints_malformed', `print ${i} has no line`);
    }
    const words = 3 + (distance % 2);
    need(words * WORD_BYTES + 1);
    visit(line, at, words);
    at += words * WORD_BYTES + 1;
  }
  if (at !== bytes.length) {
    throw new LinePrintFormatError(
      'line_prints_malformed',
      `${bytes.length - at} bytes behind the last print`,
    );
  }
}

/** Stored prints; null where they are of another version, and so match nothing of this one. */
export function decodeCurrentLinePrints(bytes: Uint8Array): LinePrint[] | null {
  return bytes[0] === LINE_PRINT_VERSION ? decodeLinePrints(bytes) : null;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Int16Array(128).fill(-1);
for (let value = 0; value < 64; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

/** `encodeLinePrints` in base64; the same in Node, an editor and a browser. */
export function linePrintsToBase64(prints: readonly LinePrint[]): string {
  const bytes = encodeLinePrints(prints);
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const group = [18, 12, 6, 0].map((shift) => ALPHABET[(bits >>> shift) & 63]).join('');
    const left = bytes.length - at;
    groups.push(left >= 3 ? group : group.slice(0, left + 1).padEnd(4, '='));
  }
  return groups.join('');
}

/**
 * `decodeLinePrints` of base64.
 *
 * @throws LinePrintFormatError also when the text is not base64 (`line_prints_base64`)
 */
export function linePrintsFromBase64(text: string): LinePrint[] {
  return decodeLinePrints(bytesFromBase64(text));
}

/**
 * The lines of the prints alone, for a fraction of the time.
 *
 * @throws LinePrintFormatError as `linePrintsFromBase64`
 */
export function printedLinesFromBase64(text: string): Int32Array {
  const lines: number[] = [];
  visitPrints(bytesFromBase64(text), (line) => lines.push(line));
  return Int32Array.from(lines);
}

function bytesFromBase64(text: string): Uint8Array {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.length - padding;
  if (text.length % 4 !== 0) {
    throw new LinePrintFormatError('line_prints_base64', 'the length of base64 is a multiple of 4');
  }
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let at = 0;
  for (let i = 0; i < digits; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? -1;
    if (value < 0) throw new LinePrintFormatError('line_prints_base64', `no base64 digit at ${i}`);
    bits = ((bits << 6) | value) & 0xff_ffff;
    const pending = (i & 3) * 2;
    if (pending > 0) bytes[at++] = bits >>> (6 - pending);
  }
  return bytes;
}
