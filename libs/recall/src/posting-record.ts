import type { Posting } from './recall-index';

/**
 * A snippet's record in the directory of an index, big-endian: time 6 bytes, partition 2, offset 6, and of its
 * line keys the share that is indexed, 1 to 255. Its id is its place. A record of zeros is none.
 */
export const RECORD_BYTES = 15;

/** Throws RangeError for a time, partition or offset that is none. */
export function writeRecord(target: Buffer, at: number, posting: Posting): void {
  target.writeUIntBE(posting.eventTime, at, 6);
  target.writeUInt16BE(posting.partition, at + 6);
  target.writeUIntBE(posting.offset, at + 8, 6);
  target.writeUInt8(Math.max(1, Math.round(255 / posting.sampling)), at + 14);
}

export function readRecord(source: Buffer, at: number, id: number): Posting | undefined {
  const share = source.readUInt8(at + 14);
  if (share === 0) return undefined;
  return {
    id,
    eventTime: source.readUIntBE(at, 6),
    partition: source.readUInt16BE(at + 6),
    offset: source.readUIntBE(at + 8, 6),
    sampling: 255 / share,
  };
}
