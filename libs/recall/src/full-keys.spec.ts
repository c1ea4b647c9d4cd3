import { FullKeys } from './full-keys';
import type { Coverage, RecallEntry } from './recall-index';

const at = (changes: Partial<Coverage> = {}): Coverage => ({
  generation: 1,
  run: 'a',
  next: new Map(),
  ...changes,
});
const entry = (eventTime: number, offset: number): RecallEntry => ({
  id: 1,
  eventTime,
  partition: 0,
  offset,
  keys: [],
});

describe('full keys', () => {
  it('have no need of what comes later in log and time', () => {
    const full = new FullKeys();
    full.add(at(), 'slot', 7, entry(100, 5));
    expect(full.has(at(), 'slot', 7, entry(100, 6))).toBe(true);
    expect(full.has(at(), 'slot', 7, entry(99, 6))).toBe(false);
    expect(full.has(at(), 'slot', 7, entry(100, 5))).toBe(false);
    expect(full.has(at(), 'slot', 8, entry(100, 6))).toBe(false);
    expect(full.has(at(), 'other', 7, entry(100, 6))).toBe(false);
  });

  it.each([at({ generation: 2 }), at({ run: 'b' })])('have room again in another index', (other) => {
    const full = new FullKeys();
    full.add(at(), 'slot', 7, entry(100, 5));
    expect(full.has(other, 'slot', 7, entry(100, 6))).toBe(false);
    expect(full.has(at(), 'slot', 7, entry(100, 6))).toBe(false);
  });
});
