/** Castagnoli's polynomial, bits reversed. */
const POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++)
    remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1;
  return remainder;
});

/** CRC-32C of the bytes, unsigned: what a Kafka record batch carries and kafkajs does not check. */
export function crc32c(bytes: Uint8Array): number {
  let remainder = 0xffff_ffff;
  for (let i = 0; i < bytes.length; i++) {
    remainder = TABLE[(remainder ^ bytes[i]!) & 0xff]! ^ (remainder >>> 8);
  }
  return (remainder ^ 0xffff_ffff) >>> 0;
}
