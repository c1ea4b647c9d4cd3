import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { ConfigError } from '@lineprint/platform';
import { CompressionCodecs, CompressionTypes } from 'kafkajs';
import createSnappy from 'kafkajs-snappy';
import { compressFrame, decompressFrame } from 'lz4-napi';
import { headerBefore, holdsRecords, standInRecords } from './record-batch';
import { undecodableHeaders } from './undecodable';

export interface Codec {
  compress(bytes: Buffer): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

export type CodecName = 'gzip' | 'snappy' | 'lz4' | 'zstd';
export type Codecs = Readonly<Partial<Record<CodecName, Codec>>>;

/** A small message must not unpack to more than a process can hold. */
const LARGEST_UNPACKED = 256 * 1024 * 1024;

const NUMBERS: Readonly<Record<CodecName | 'none', number>> = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
};

type Packing = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  callback: (error: Error | null, result: Buffer) => void,
) => void;

/** In Node from 22.15 on; the types are those of the oldest Node that we support. */
const { zstdCompress, zstdDecompress } = zlib as { zstdCompress?: Packing; zstdDecompress?: Packing };

function packing(pack: Packing, unpack: Packing): Codec {
  const options = { maxOutputLength: LARGEST_UNPACKED };
  return {
    compress: (bytes) => promisify(pack)(bytes, options),
    decompress: (bytes) => promisify(unpack)(bytes, options),
  };
}

const snappy = createSnappy();

/** What this process can read and write. */
export const CODECS: Codecs = {
  gzip: packing(zlib.gzip, zlib.gunzip),
  snappy: {
    compress: async (bytes) => Buffer.from(await snappy.compress({ buffer: bytes })),
    decompress: async (bytes) => Buffer.from(await snappy.decompress(bytes)),
  },
  lz4: { compress: (bytes) => compressFrame(bytes), decompress: (bytes) => decompressFrame(bytes) },
  ...(zstdCompress && zstdDecompress ? { zstd: packing(zstdCompress, zstdDecompress) } : {}),
};

/**
 * Hands the codecs to kafkajs, for the whole process. Uncompressed batches go through here as well: what cannot
 * be read, for want of a codec or because it is damaged, becomes stand-in records at its offsets that say why.
 * Left to kafkajs it would end the consumer each time it is fetched, and the partition with it.
 */
export function registerCodecs(codecs: Codecs = CODECS): void {
  const registry: Record<number, () => unknown> = CompressionCodecs;
  const names = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[];
  for (const name of names) {
    const codec = name === 'none' ? PLAIN : codecs[name];
    registry[NUMBERS[name]] = () => ({
      compress: ({ buffer }: { buffer: Buffer }) => codec?.compress(buffer),
      decompress: (section: Buffer) => readSection(section, name, codec),
    });
  }
}

const PLAIN: Codec = {
  compress: (bytes) => Promise.resolve(bytes),
  decompress: (bytes) => Promise.resolve(bytes),
};

/** kafkajs's number of a codec to produce with. Throws ConfigError where this Node lacks it. */
export function compressionType(name: CodecName | 'none'): CompressionTypes {
  if (name !== 'none' && !CODECS[name]) {
    throw new ConfigError(
      `Node ${process.versions.node} has no ${name}: take gzip, snappy or lz4, or a newer Node`,
    );
  }
  return NUMBERS[name];
}

/** The records of a batch, unpacked. */
async function readSection(section: Buffer, name: string, codec: Codec | undefined): Promise<Buffer> {
  const header = headerBefore(section);
  if (!header) {
    if (codec) return codec.decompress(section);
    throw new Error(`A message in a format before Kafka 0.11 is compressed with ${name}`);
  }
  const standIn = (reason: string) => standInRecords(header, section, undecodableHeaders(reason));
  if (!header.intact) return standIn('the checksum of its batch differs: the batch is damaged');
  if (!codec) return standIn(`its batch is compressed with ${name}, which this process cannot read`);
  let records: Buffer;
  try {
    records = await codec.decompress(section);
  } catch (error) {
    return standIn(`its batch cannot be unpacked with ${name}: ${(error as Error).message}`);
  }
  return holdsRecords(records, header.count)
    ? records
    : standIn(`its batch does not hold the ${header.count} records that it says it has`);
}
