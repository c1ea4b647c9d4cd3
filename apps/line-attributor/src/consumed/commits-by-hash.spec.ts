import { CommitsByHash } from './commits-by-hash';

function sorted(commits: Iterable<number>): number[] {
  return [...commits].sort((a, b) => a - b);
}

describe('commits by hash', () => {
  it('are those that were added and not taken away, as a map of lists has them', () => {
    const index = new CommitsByHash();
    const lists = new Map<number, number[]>();
    let state = 1;
    const below = (end: number) => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % end;
    // Few chains at first, hashes over the whole range, some of them many times.
    const hashes = Array.from({ length: 700 }, () => below(2 ** 32));
    for (let step = 0; step < 20_000; step++) {
      const hash = hashes[below(hashes.length)]!;
      const commit = below(30);
      const list = lists.get(hash) ?? [];
      if (below(4) === 0) {
        index.remove(hash, commit);
        lists.set(
          hash,
          list.filter((other) => other !== commit),
        );
      } else {
        index.add(hash, commit);
        lists.set(hash, [...list, commit]);
      }
    }
    for (const hash of hashes) expect(sorted(index.get(hash))).toEqual(sorted(lists.get(hash) ?? []));
    expect(index.get(hashes[0]! ^ 1)).toEqual([]);
  });

  it('take no more than 40 bytes each', () => {
    const index = new CommitsByHash();
    for (let i = 0; i < 100_000; i++) index.add(Math.imul(i, 2_654_435_761) >>> 0, i);
    expect(index.bytes).toBeLessThan(100_000 * 40);
  });
});
