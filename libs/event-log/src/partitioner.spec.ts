import { Partitioners } from 'kafkajs';
import { murmur2, partitionFor } from './partitioner';

// Hashes of Kafka's own UtilsTest (org.apache.kafka.common.utils), which other clients repeat.
const golden: readonly (readonly [string, number])[] = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
];

describe('the partitioner', () => {
  it.each(golden)('hashes %s as Kafka does', (key, hash) => {
    expect(murmur2(Buffer.from(key))).toBe(hash);
  });

  it('chooses the partition that kafkajs’s default partitioner chooses, for every key length and alphabet', () => {
    const partitions = 12;
    const metadata = Array.from({ length: partitions }, (_, partitionId) => ({
      partitionId,
      partitionErrorCode: 0,
      leader: 1,
      replicas: [1],
      isr: [1],
    }));
    const choose = Partitioners.DefaultPartitioner();
    for (let i = 0; i < 500; i++) {
      const key = `${'tenant/проект-🚀'.slice(0, i % 17)}${i}`;
      const expected = choose({ topic: 't', partitionMetadata: metadata, message: { key, value: null } });
      expect(partitionFor(key, partitions)).toBe(expected);
    }
  });

  it('hashes a view into a larger buffer by its own bytes', () => {
    const buffer = Buffer.from('xxfoobar');
    expect(murmur2(buffer.subarray(2))).toBe(-790332482);
  });
});
