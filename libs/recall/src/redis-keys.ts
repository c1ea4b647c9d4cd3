import { recallHash, recallLane } from '@lineprint/fingerprint';
import { ID_BYTES, KEY_BYTES } from './redis-scripts';

/** Of each lane, in keys and scripts. */
export const LANE_NAMES = ['l', 'c', 't', 'a'] as const;

export function packKeys(keys: readonly number[]): Buffer {
  const packed = Buffer.alloc(keys.length * KEY_BYTES);
  keys.forEach((key, i) => {
    packed.writeUInt8(recallLane(key), i * KEY_BYTES);
    packed.writeUIntBE(recallHash(key), i * KEY_BYTES + 1, KEY_BYTES - 1);
  });
  return packed;
}

export function packId(id: number): Buffer {
  const packed = Buffer.alloc(ID_BYTES);
  packed.writeUInt32BE(id);
  return packed;
}

export function unpackIds(packed: Buffer): number[] {
  const ids: number[] = [];
  for (let at = 0; at < packed.length; at += ID_BYTES) ids.push(packed.readUInt32BE(at));
  return ids;
}

/** Percent-encoding keeps braces out of the tenant: they would end the hash tag, and a colon the prefix. */
export function tenantPrefix(tenant: string): string {
  return `lp:{${encodeURIComponent(tenant)}}:`;
}
