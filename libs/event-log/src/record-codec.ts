import { gunzip, gzip } from 'node:zlib';
import { promisify } from 'node:util';

/** Compression runs in the thread pool: the event loop only hands bytes over. */
const compress = promisify(gzip);
const decompress = promisify(gunzip);

const PLAIN = 0;
const GZIP = 1;
/** Shorter values gain nothing. */
const SMALLEST_COMPRESSED = 1024;

/** A value as the table keeps it: one byte that names the codec, then the plain or compressed bytes. */
export async function encodeValue(value: Uint8Array): Promise<Uint8Array> {
  if (value.length > SMALLEST_COMPRESSED) {
    const packed = await compress(value, { level: 1 });
    if (packed.length < value.length) return Buffer.concat([Buffer.of(GZIP), packed]);
  }
  return Buffer.concat([Buffer.of(PLAIN), value]);
}

export async function decodeValue(stored: Uint8Array): Promise<Uint8Array> {
  const body = stored.subarray(1);
  switch (stored[0]) {
    case PLAIN:
      return body;
    case GZIP:
      return decompress(body);
    default:
      throw new Error(`A record's value has codec ${stored[0]}, which this version does not know`);
  }
}

/** Bytes of the value once decoded; gzip says so in its last four bytes. */
export function decodedLength(stored: Uint8Array): number {
  if (stored[0] !== GZIP) return stored.length - 1;
  return new DataView(stored.buffer, stored.byteOffset, stored.length).getUint32(stored.length - 4, true);
}
