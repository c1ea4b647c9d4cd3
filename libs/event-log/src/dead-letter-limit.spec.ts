import { DEFAULT_DEAD_LETTER_LIMITS, DeadLetterLimit } from './dead-letter-limit';

const outcomes = (length: number, isLetter: (index: number) => boolean) =>
  Array.from({ length }, (_, i) => isLetter(i));

describe('the limit of dead letters', () => {
  it('lets twenty pass whatever their share, and no more without good records between them', () => {
    const limit = new DeadLetterLimit(DEFAULT_DEAD_LETTER_LIMITS);
    const all = outcomes(30, () => true);
    expect(limit.admitted(all)).toBe(20);
    limit.passed(all.slice(0, 20));
    expect(limit.admitted([true])).toBe(0);
    expect(limit.admitted([false, false, true])).toBe(2);
  });

  it('lets one in twenty pass for ever', () => {
    const limit = new DeadLetterLimit(DEFAULT_DEAD_LETTER_LIMITS);
    const tidy = outcomes(5_000, (i) => i % 20 === 19);
    expect(limit.admitted(tidy)).toBe(5_000);
  });

  it('stops a topic in which one in ten is bad once they are more than twenty', () => {
    const limit = new DeadLetterLimit(DEFAULT_DEAD_LETTER_LIMITS);
    expect(limit.admitted(outcomes(5_000, (i) => i % 10 === 9))).toBe(209);
  });

  it('forgets what is behind the window', () => {
    const limit = new DeadLetterLimit({ window: 4, least: 1, ratio: 0 });
    limit.passed([true, false, false]);
    expect(limit.admitted([true])).toBe(0);
    limit.passed([false, false]);
    expect(limit.admitted([true])).toBe(1);
    expect(limit.state).toEqual({ letters: 0, records: 4 });
  });

  it('counts batch by batch what it counts at once', () => {
    const next = outcomes(400, (i) => (i * 7919) % 7 === 0);
    const limits = { window: 50, least: 3, ratio: 0.1 };
    const admitted = new DeadLetterLimit(limits).admitted(next);
    const limit = new DeadLetterLimit(limits);
    let passed = 0;
    for (let at = 0; at < next.length; at += 7) {
      const batch = next.slice(at, at + 7);
      const here = limit.admitted(batch);
      limit.passed(batch.slice(0, here));
      passed += here;
      if (here < batch.length) break;
    }
    expect(admitted).toBeLessThan(400);
    expect(passed).toBe(admitted);
  });
});
