import { RECALL_HASH_BITS, recallLane } from '@lineprint/fingerprint';
import { ID_BYTES, KEY_BYTES } from './redis-scripts';

const HASHES = 2 ** RECALL_HASH_BITS;
const LANE_NAMES = ['l', 'c', 't', 'a'] as const;

/** Lane and epoch as the scripts name them. */
export function epochName(key: number, epoch: number): string {
  return `${LANE_NAMES[recallLane(key)]}:${epoch}`;
}

export function hashOf(key: number): number {
  return key % HASHES;
}

export function packKeys(keys: readonly number[]): Buffer {
  const packed = Buffer.alloc(keys.length * KEY_BYTES);
  keys.forEach((key, i) => {
    packed.writeUInt8(recallLane(key), i * KEY_BYTES);
    packed.writeUIntBE(hashOf(key), i * KEY_BYTES + 1, KEY_BYTES - 1);
  });
  return packed;
}

export function packId(id: number): Buffer {
  const packed = Buffer.alloc(ID_BYTES);
  packed.writeUInt32BE(id);
  return packed;
}

export function unpackIds(packed: Buffer): number[] {
  return Array.from({ length: packed.length / ID_BYTES }, (_, i) => packed.readUInt32BE(i * ID_BYTES));
}

/** Percent-encoding keeps braces out of the tenant: they would end the hash tag, and a colon the prefix. */
export function tenantPrefix(tenant: string): string {
  return `lp:{${encodeURIComponent(tenant)}}:`;
}
