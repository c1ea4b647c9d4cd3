import { MIN_FROZEN } from './frozen-postings';
import { LanePostings } from './lane-postings';

/** Hashes of all sizes, some of which have several snippets: the small ones as bottom-k leaves them. */
const hashOf = (i: number): number => {
  const spread = (i * 2_654_435_761) % 2 ** 40;
  return i % 3 === 0 ? spread % 2 ** 15 : spread;
};
const sorted = (ids: readonly number[] | undefined) => [...(ids ?? [])].sort((a, b) => a - b);

describe('postings in memory', () => {
  const lane = new LanePostings();
  const expected = new Map<number, number[]>();
  const count = 5 * MIN_FROZEN + 1000;

  beforeAll(() => {
    for (let id = 0; id < count; id++) {
      const hash = hashOf(id);
      lane.add(hash, id);
      const held = expected.get(hash);
      if (held) held.push(id);
      else expected.set(hash, [id]);
    }
  });

  it('are found when they are new, frozen, and merged', () => {
    const wrong = [...expected].filter(([hash, ids]) => sorted(lane.find(hash)).join() !== ids.join());
    expect(wrong).toEqual([]);
    expect([...expected.values()].filter((ids) => ids.length > 1).length).toBeGreaterThan(1000);
  });

  it('are not found under a hash that differs in one bit', () => {
    const wrong: number[] = [];
    for (let id = 0; id < count; id += 1009) {
      for (let bit = 0; bit < 40; bit++) {
        const bits = Math.floor(hashOf(id) / 2 ** bit) % 2 === 0 ? 2 ** bit : -(2 ** bit);
        const other = hashOf(id) + bits;
        if (sorted(lane.find(other)).join() !== sorted(expected.get(other)).join()) wrong.push(other);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('are removed wherever they are, and stay away when parts are merged', () => {
    const gone = new Set<number>();
    for (let id = 0; id < count; id += 331) {
      lane.remove(hashOf(id), id);
      gone.add(id);
    }
    for (let id = count; id < count + 2 * MIN_FROZEN; id++) lane.add(2 ** 39 + id, id);
    for (const id of gone) {
      const left = expected.get(hashOf(id))!.filter((other) => !gone.has(other));
      expect(sorted(lane.find(hashOf(id)))).toEqual(left);
    }
    expect(lane.find(2 ** 39 + count)).toEqual([count]);
  });

  it('have ids of 3 bytes until there are longer ones', () => {
    const longer = new LanePostings();
    const ids = [0xff_fffe, 0xff_ffff, 0x100_0000, 0xffff_fffe];
    for (let id = 0; id < MIN_FROZEN; id++) longer.add(1000 + id, id);
    for (const id of ids) longer.add(7, id);
    for (let id = 0; id < 2 * MIN_FROZEN; id++) longer.add(500_000 + id, id);
    expect(sorted(longer.find(7))).toEqual(ids);
    longer.remove(7, 0xff_ffff);
    expect(sorted(longer.find(7))).toEqual(ids.filter((id) => id !== 0xff_ffff));
    expect([longer.find(1000), longer.find(500_001)]).toEqual([[0], [1]]);
  });
});
