import { BloomFilter } from './bloom-filter';

const hashOf = (i: number): number => (i * 2_654_435_761) % 2 ** 40;

describe('a Bloom filter', () => {
  it('says yes to all that was added, also when more comes than was expected', () => {
    const filter = new BloomFilter(1000);
    for (let i = 0; i < 50_000; i++) filter.add(hashOf(i));
    for (let i = 0; i < 50_000; i++) expect(filter.has(hashOf(i))).toBe(true);
  });

  it('says yes to about one in a hundred others, at ten bits a hash', () => {
    const filter = new BloomFilter(100_000);
    for (let i = 0; i < 100_000; i++) filter.add(hashOf(i));
    let wrong = 0;
    for (let i = 100_000; i < 200_000; i++) if (filter.has(hashOf(i))) wrong++;
    expect(wrong).toBeLessThan(2000);
    expect(filter.bytes).toBeLessThan(126_000);
  });
});
