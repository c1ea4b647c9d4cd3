import type { Posting } from './recall-index';

/**
 * A snippet's record in the directory of an index, big-endian: time 6 bytes, partition 2, and 6 of its offset + 1.
 * Its id is its place. A record of zeros is none.
 */
export const RECORD_BYTES = 14;
const WORD = 2 ** 32;

/** Throws RangeError for a time, partition or offset that is none. */
export function writeRecord(target: Buffer, at: number, posting: Posting): void {
  target.writeUIntBE(posting.eventTime, at, 6);
  target.writeUInt16BE(posting.partition, at + 6);
  target.writeUIntBE(posting.offset + 1, at + 8, 6);
}

export function readRecord(source: Buffer, at: number, id: number): Posting | undefined {
  // Two words are read faster than six bytes.
  const next = source.readUInt16BE(at + 8) * WORD + source.readUInt32BE(at + 10);
  if (next === 0) return undefined;
  return {
    id,
    eventTime: source.readUInt16BE(at) * WORD + source.readUInt32BE(at + 2),
    partition: source.readUInt16BE(at + 6),
    offset: next - 1,
  };
}
