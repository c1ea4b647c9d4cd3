import { gunzip, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import type { Headers } from './log';
import { undecodableHeaders } from './undecodable';

/** Compression runs in the thread pool: the event loop only hands bytes over. */
const compress = promisify(gzip);
const decompress = promisify(gunzip);

const PLAIN = 0;
const GZIP = 1;
/** A value must not unpack to more than a process can hold. */
const LARGEST_UNPACKED = 256 * 1024 * 1024;
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

/** Value and headers of a stored record; one that cannot be decoded keeps its stored bytes, marked as such. */
export async function decodeRecord(stored: {
  readonly value: Uint8Array;
  readonly headers: Headers;
}): Promise<{ value: Uint8Array; headers: Headers }> {
  const { value, headers } = stored;
  try {
    return { value: await decodeValue(value), headers };
  } catch (error) {
    return { value, headers: { ...headers, ...undecodableHeaders((error as Error).message) } };
  }
}

async function decodeValue(stored: Uint8Array): Promise<Uint8Array> {
  const body = stored.subarray(1);
  switch (stored[0]) {
    case PLAIN:
      return body;
    case GZIP:
      return decompress(body, { maxOutputLength: LARGEST_UNPACKED });
    default:
      throw new Error(`its value has codec ${stored[0]}, which this version does not know`);
  }
}

/** Bytes of the value once decoded; gzip says so in its last four bytes. */
export function decodedLength(stored: Uint8Array): number {
  if (stored[0] !== GZIP || stored.length < 5) return stored.length;
  return new DataView(stored.buffer, stored.byteOffset, stored.length).getUint32(stored.length - 4, true);
}
