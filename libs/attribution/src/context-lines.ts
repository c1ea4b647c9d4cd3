import { AttributionError } from './attribution-error';

/** A non-blank line around the attributable ones: the commit found it there, or moved it. */
export interface ContextLine {
  /** Number in the new file, from 0. */
  readonly line: number;
  readonly h1: bigint;
}

/** H1 of a `ContextLine` that stands for all that was left out in its place. */
export const LEFT_OUT = 0n;

/** A line number (uint32) and its H1 (uint64), little-endian. */
const LINE_BYTES = 12;

export function encodeContextLines(lines: readonly ContextLine[]): string {
  const bytes = Buffer.alloc(lines.length * LINE_BYTES);
  lines.forEach(({ line, h1 }, i) => {
    bytes.writeUInt32LE(line, i * LINE_BYTES);
    bytes.writeBigUInt64LE(h1, i * LINE_BYTES + 4);
  });
  return bytes.toString('base64');
}

/** @throws AttributionError `candidates-malformed` where the bytes are no whole number of lines */
export function decodeContextLines(base64: string): ContextLine[] {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % LINE_BYTES !== 0) {
    throw new AttributionError('candidates-malformed', `${bytes.length} bytes are no whole context lines`);
  }
  return Array.from({ length: bytes.length / LINE_BYTES }, (_, i) => ({
    line: bytes.readUInt32LE(i * LINE_BYTES),
    h1: bytes.readBigUInt64LE(i * LINE_BYTES + 4),
  }));
}
