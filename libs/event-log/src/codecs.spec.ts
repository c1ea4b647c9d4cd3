import { CompressionCodecs, CompressionTypes } from 'kafkajs';
import { CODECS, type Codec, compressionType, registerCodecs } from './codecs';
import { crc32c } from './crc32c';
import { holdsRecords } from './record-batch';

const registry = CompressionCodecs as Record<number, () => { decompress(section: Buffer): Promise<Buffer> }>;

/** Two records of a batch, each with its length in front: offsets +0 and +1, keys and headers empty, a value. */
const RECORDS = Buffer.from([0x10, 0, 0, 0, 1, 4, 0x68, 0x69, 0, 0x10, 0, 0, 2, 1, 4, 0x68, 0x6f, 0]);

/** The section of a record batch as kafkajs hands it to a codec: a view behind the batch's header. */
function sectionOf(packed: Buffer, change: (batch: Buffer) => void = () => undefined, count = 2): Buffer {
  const batch = Buffer.alloc(61 + packed.length);
  batch.writeInt32BE(49 + packed.length, 8);
  batch.writeInt8(2, 16);
  batch.writeInt32BE(count - 1, 23);
  batch.writeInt32BE(count, 57);
  packed.copy(batch, 61);
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  change(batch);
  // Somewhere in the middle of an answer, as it comes from the broker.
  const answer = Buffer.concat([Buffer.alloc(100), batch, Buffer.alloc(10)]);
  return answer.subarray(161, 161 + packed.length);
}

const read = (type: number, section: Buffer) => registry[type]!().decompress(section);

describe('the codecs of record batches', () => {
  beforeEach(() => registerCodecs());

  it.each(Object.entries(CODECS))('read what they have written: %s', async (name, codec: Codec) => {
    const section = sectionOf(await codec.compress(RECORDS));
    const type = compressionType(name as keyof typeof CODECS);
    expect(await read(type, section)).toEqual(RECORDS);
  });

  it('hand uncompressed records on as they are', async () => {
    expect(await read(CompressionTypes.None, sectionOf(RECORDS))).toEqual(RECORDS);
  });

  it('read Snappy in the frames that Java’s clients write', async () => {
    const blocks = await Promise.all(
      [RECORDS.subarray(0, 9), RECORDS.subarray(9)].map((part) => CODECS.snappy!.compress(part)),
    );
    const framed = Buffer.concat([
      Buffer.from([130, 83, 78, 65, 80, 80, 89, 0, 0, 0, 0, 1, 0, 0, 0, 1]),
      ...blocks.flatMap((block) => {
        const length = Buffer.alloc(4);
        length.writeUInt32BE(block.length);
        return [length, block];
      }),
    ]);
    expect(await read(CompressionTypes.Snappy, sectionOf(framed))).toEqual(RECORDS);
  });

  const damages: [string, () => Promise<Buffer>, string][] = [
    [
      'a batch whose checksum differs',
      async () => sectionOf(RECORDS, (batch) => (batch[70] = 9)),
      'checksum',
    ],
    [
      'a batch that does not unpack',
      async () => sectionOf(Buffer.from('not compressed at all')),
      'cannot be unpacked with lz4',
    ],
    [
      'a batch that holds something else',
      async () => sectionOf(await CODECS.lz4!.compress(Buffer.from('no records'))),
      'does not hold the 2 records',
    ],
  ];
  it.each(damages)('put stand-ins in the place of %s', async (_, make, reason) => {
    const section = await make();
    const type = reason === 'checksum' ? CompressionTypes.None : CompressionTypes.LZ4;
    const records = await read(type, section);
    expect(holdsRecords(records, 2)).toBe(true);
    expect(records.toString()).toContain(reason);
    // What could not be read is in the first of them.
    expect(records.includes(section)).toBe(true);
  });

  it('put stand-ins in the place of a batch whose codec this process lacks', async () => {
    const { zstd: _, ...others } = CODECS;
    registerCodecs(others);
    const records = await read(CompressionTypes.ZSTD, sectionOf(Buffer.from('zstd')));
    expect(holdsRecords(records, 2)).toBe(true);
    expect(records.toString()).toContain('compressed with zstd, which this process cannot read');
  });

  it('refuse a batch whose header cannot be true rather than make up a million records', async () => {
    const section = sectionOf(RECORDS, (batch) => batch.writeInt32BE(0x7fff_ffff, 57));
    await expect(read(CompressionTypes.None, section)).rejects.toThrow(/2147483647 records/);
  });

  it('that this Node lacks are a wrong configuration', () => {
    const produce = () => compressionType('zstd');
    if (CODECS.zstd) expect(produce()).toBe(CompressionTypes.ZSTD);
    else expect(produce).toThrow(expect.objectContaining({ code: 'config-invalid' }));
  });
});

describe('CRC-32C', () => {
  it('is that of RFC 3720', () => {
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
    expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
  });
});

describe('records in a row', () => {
  it('are as many as are said, and nothing is left over', () => {
    expect(holdsRecords(RECORDS, 2)).toBe(true);
    expect(holdsRecords(RECORDS, 1)).toBe(false);
    expect(holdsRecords(RECORDS, 3)).toBe(false);
    expect(holdsRecords(RECORDS.subarray(0, 17), 2)).toBe(false);
    expect(holdsRecords(Buffer.alloc(0), 0)).toBe(true);
    expect(holdsRecords(Buffer.alloc(20, 0xff), 1)).toBe(false);
  });
});
