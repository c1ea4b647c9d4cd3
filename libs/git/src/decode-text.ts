import { isUtf8 } from 'node:buffer';

const NEWLINE = 10;
/** Git takes a file for binary that has a NUL this near to its beginning. */
const BINARY_PROBE_BYTES = 8000;

/** Whether git takes a file with these bytes for binary. */
export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

/** One line of a file as text: UTF-8, or Latin-1 where it is none; unlike U+FFFD that keeps different bytes different. */
export function decodeLine(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1');
}

/** A file as text. Each line by itself, so that a hunk, which has only some of them, says the same. */
export function decodeText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const lines: string[] = [];
  for (let from = 0; from <= bytes.length;) {
    const end = bytes.indexOf(NEWLINE, from);
    const to = end < 0 ? bytes.length : end;
    lines.push(decodeLine(bytes.subarray(from, to)));
    from = to + 1;
  }
  return lines.join('\n');
}
