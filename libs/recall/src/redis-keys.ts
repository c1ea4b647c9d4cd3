import { ID_BYTES, KEY_BYTES } from './redis-scripts';

/** Of each lane, in keys and scripts. */
export const LANE_NAMES = ['l', 'c', 't', 'a'] as const;

/** Of each key its lane and hash, one after the other. */
export function packKeys(keys: readonly number[]): Buffer {
  const packed = Buffer.alloc(keys.length * KEY_BYTES);
  keys.forEach((key, i) => packed.writeUIntBE(key, i * KEY_BYTES, KEY_BYTES));
  return packed;
}

export function packId(id: number): Buffer {
  const packed = Buffer.alloc(ID_BYTES);
  packed.writeUInt32BE(id);
  return packed;
}

/** Percent-encoding keeps braces out of the tenant: they would end the hash tag, and a colon the prefix. */
export function tenantPrefix(tenant: string): string {
  return `lp:{${encodeURIComponent(tenant)}}:`;
}
