import { CausalWait } from './causal-wait';

const record = { topic: 'commits', partition: 1, offset: 7 };

describe('the causal wait', () => {
  it('lets a commit go once the indexer has passed every stamped offset', () => {
    const wait = new CausalWait(1000);
    const progress = new Map([
      [0, 5],
      [1, 9],
    ]);
    expect(wait.judge(record, [5, 9], progress, 0)).toBe('go');
    expect(wait.judge(record, [5, 10], progress, 0)).toBe('wait');
  });

  it('takes a partition without progress for one that is not read yet, and an empty one as covered', () => {
    const wait = new CausalWait(1000);
    expect(wait.judge(record, [1], new Map(), 0)).toBe('wait');
    expect(wait.judge(record, [0, 0], new Map(), 0)).toBe('go');
  });

  it('calls a commit late after the limit and starts anew for the next one', () => {
    const wait = new CausalWait(1000);
    expect(wait.judge(record, [1], new Map(), 100)).toBe('wait');
    expect(wait.judge(record, [1], new Map(), 1099)).toBe('wait');
    expect(wait.judge(record, [1], new Map(), 1100)).toBe('late');
    expect(wait.judge({ ...record, offset: 8 }, [1], new Map(), 1101)).toBe('wait');
  });

  it('waits for an indexer that comes nearer, however far it is behind', () => {
    const wait = new CausalWait(1000);
    expect(wait.judge(record, [0, 5], new Map(), 0)).toBe('wait');
    for (const [passed, now] of [
      [1, 900],
      [2, 1800],
      [3, 2700],
    ] as const) {
      expect(wait.judge(record, [0, 5], new Map([[1, passed]]), now)).toBe('wait');
    }
    expect(wait.judge(record, [0, 5], new Map([[1, 3]]), 3600)).toBe('wait');
    expect(wait.judge(record, [0, 5], new Map([[1, 3]]), 3700)).toBe('late');
  });

  it('does not count the time in which it could not ask: the indexer had no store either', () => {
    const wait = new CausalWait(120_000);
    expect(wait.judge(record, [1], new Map(), 0)).toBe('wait');
    expect(wait.judge(record, [1], new Map(), 3_600_000)).toBe('wait');
    expect(wait.judge(record, [1], new Map([[0, 1]]), 3_600_050)).toBe('go');
  });

  it('does not stretch the wait without end when the clock runs backwards', () => {
    const wait = new CausalWait(1000);
    expect(wait.judge(record, [1], new Map(), 5000)).toBe('wait');
    expect(wait.judge(record, [1], new Map(), 10)).toBe('wait');
    expect(wait.judge(record, [1], new Map(), 1010)).toBe('late');
  });
});
