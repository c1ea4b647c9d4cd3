import type { Posting } from './recall-index';

/** Bytes before the codeId: time 6, partition 2, offset 6, all big-endian. */
const HEADER_BYTES = 14;
const TEXT_ID = 0;
const UUID_ID = 1;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** First and last byte, counted from 1 as Lua does, of the partition in a packed posting. */
export const LUA_PARTITION = [7, 8] as const;
/** Position, counted from 1 as Lua does, of the packed codeId in a packed posting. */
export const LUA_CODE_ID_START = HEADER_BYTES + 1;

/** A codeId as its tag and 16 bytes (lower-case UUID) or UTF-8 (anything else). */
export function packCodeId(codeId: string): Buffer {
  return UUID.test(codeId)
    ? Buffer.concat([Buffer.of(UUID_ID), Buffer.from(codeId.replaceAll('-', ''), 'hex')])
    : Buffer.concat([Buffer.of(TEXT_ID), Buffer.from(codeId, 'utf8')]);
}

/** A posting in 31 bytes if its codeId is a UUID. Throws RangeError for a time, partition or offset that is none. */
export function packPosting(posting: Posting): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUIntBE(posting.eventTime, 0, 6);
  header.writeUInt16BE(posting.partition, 6);
  header.writeUIntBE(posting.offset, 8, 6);
  return Buffer.concat([header, packCodeId(posting.codeId)]);
}

export function unpackPosting(packed: Buffer): Posting {
  return {
    codeId: unpackCodeId(packed),
    eventTime: packed.readUIntBE(0, 6),
    partition: packed.readUInt16BE(6),
    offset: packed.readUIntBE(8, 6),
  };
}

function unpackCodeId(packed: Buffer): string {
  const start = HEADER_BYTES + 1;
  if (packed[HEADER_BYTES] === TEXT_ID) return packed.toString('utf8', start);
  const hex = packed.toString('hex', start);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
