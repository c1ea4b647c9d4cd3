import { crc32c } from './crc32c';
import type { Headers } from './log';

/** Of a record batch (format 2): from its first offset to the number of its records. */
const HEADER_BYTES = 61;
const LENGTH_AT = 8;
const MAGIC_AT = 16;
const CRC_AT = 17;
/** What the checksum covers starts here. */
const ATTRIBUTES_AT = 21;
const LAST_OFFSET_DELTA_AT = 23;
const COUNT_AT = 57;
/** Header bytes that the length field counts. */
const COUNTED_HEADER_BYTES = HEADER_BYTES - LENGTH_AT - 4;
const MAGIC = 2;
/** More records than any batch has: the header itself is damaged. */
const LARGEST_COUNT = 1_000_000;

/** What a batch's header says of the records that follow it. */
export interface BatchHeader {
  readonly count: number;
  /** Of the last record, against the batch's first offset. */
  readonly lastOffsetDelta: number;
  /** Whether header and records are as they were written. */
  readonly intact: boolean;
}

/**
 * The header of the record batch whose records section is `section`. A codec of kafkajs gets only that section,
 * but as a view of the whole answer, so the header lies right before it. Undefined where there is none (the
 * message sets of Kafka before 0.11).
 */
export function headerBefore(section: Buffer): BatchHeader | undefined {
  const start = section.byteOffset - HEADER_BYTES;
  if (start < 0) return undefined;
  const batch = Buffer.from(section.buffer, start, HEADER_BYTES + section.length);
  if (batch.readInt8(MAGIC_AT) !== MAGIC) return undefined;
  if (batch.readInt32BE(LENGTH_AT) !== COUNTED_HEADER_BYTES + section.length) return undefined;
  return {
    count: batch.readInt32BE(COUNT_AT),
    lastOffsetDelta: batch.readInt32BE(LAST_OFFSET_DELTA_AT),
    intact: batch.readUInt32BE(CRC_AT) === crc32c(batch.subarray(ATTRIBUTES_AT)),
  };
}

/** Whether the bytes are exactly `count` records, each with its length in front. */
export function holdsRecords(bytes: Uint8Array, count: number): boolean {
  let position = 0;
  for (let i = 0; i < count; i++) {
    let encoded = 0;
    let shift = 0;
    let byte: number;
    do {
      if (position >= bytes.length || shift > 28) return false;
      byte = bytes[position]!;
      position += 1;
      encoded |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte >= 0x80);
    const length = (encoded >>> 1) ^ -(encoded & 1);
    if (length <= 0 || length > bytes.length - position) return false;
    position += length;
  }
  return position === bytes.length;
}

/**
 * The records section of a batch that cannot be read: as many records as its header counts, at its offsets,
 * without keys, all with these headers; the first carries `value`.
 * @throws Error when the header cannot be true either
 */
export function standInRecords(header: BatchHeader, value: Buffer, headers: Headers): Buffer {
  const { count, lastOffsetDelta } = header;
  if (count < 0 || count > LARGEST_COUNT || lastOffsetDelta < count - 1 || lastOffsetDelta > LARGEST_COUNT) {
    throw new Error(`A record batch says that it has ${count} records up to offset +${lastOffsetDelta}`);
  }
  const headerBytes = Buffer.concat(
    Object.entries(headers).flatMap(([name, text]) => [sized(Buffer.from(name)), sized(Buffer.from(text))]),
  );
  const records = Array.from({ length: count }, (_, i) =>
    sized(
      Buffer.concat([
        // Attributes and the difference to the batch's first timestamp.
        Buffer.of(0, 0),
        variableInt(i === count - 1 ? lastOffsetDelta : i),
        variableInt(-1),
        i === 0 ? sized(value) : variableInt(-1),
        variableInt(Object.keys(headers).length),
        headerBytes,
      ]),
    ),
  );
  return Buffer.concat(records);
}

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([variableInt(bytes.length), bytes]);
}

/** A signed integer of 32 bits in Kafka's variable-length form. */
function variableInt(value: number): Buffer {
  const bytes: number[] = [];
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return Buffer.from([...bytes, rest]);
}
