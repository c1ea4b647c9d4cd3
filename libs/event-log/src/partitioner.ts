const SEED = 0x9747b28c;
const M = 0x5bd1e995;

/** Kafka's murmur2 (seed 0x9747b28c): a signed 32-bit hash of the bytes. */
export function murmur2(bytes: Uint8Array): number {
  const length = bytes.length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  let hash = SEED ^ length;
  let position = 0;
  for (; position + 4 <= length; position += 4) {
    let word = Math.imul(view.getInt32(position, true), M);
    word = Math.imul(word ^ (word >>> 24), M);
    hash = Math.imul(hash, M) ^ word;
  }
  if (position < length) {
    let tail = 0;
    for (let i = length - 1; i >= position; i--) tail = (tail << 8) | bytes[i]!;
    hash = Math.imul(hash ^ tail, M);
  }
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
}

/** The partition (0 to `partitions` - 1) of a key, as Kafka's default partitioner chooses it in every client. */
export function partitionFor(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key, 'utf8')) & 0x7fff_ffff) % partitions;
}
