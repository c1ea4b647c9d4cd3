import { bucketsOf, dayIn, granularityFor, lastDays, lengthOf, shifted, withEmptyBuckets } from './period';

describe('periods', () => {
  it('end with the last day and hold it', () => {
    expect(lastDays('7d', '2026-03-17')).toEqual({ start: '2026-03-11', end: '2026-03-17' });
    expect(lastDays('today', '2026-03-17')).toEqual({ start: '2026-03-17', end: '2026-03-17' });
    for (const [period, days] of [
      ['today', 1],
      ['7d', 7],
      ['30d', 30],
      ['90d', 90],
    ] as const) {
      expect(lengthOf(lastDays(period, '2026-11-02'))).toBe(days);
    }
  });

  it('have whole days where clocks are changed, and leap days', () => {
    expect(shifted('2026-03-28', 2)).toBe('2026-03-30');
    expect(shifted('2028-02-28', 1)).toBe('2028-02-29');
    expect(shifted('2026-01-01', -1)).toBe('2025-12-31');
  });

  it('are in the organisation’s time zone', () => {
    const at = new Date('2026-03-17T23:30:00Z');
    expect(dayIn('Europe/Berlin', at)).toBe('2026-03-18');
    expect(dayIn('America/New_York', at)).toBe('2026-03-17');
  });
});

describe('buckets', () => {
  it('of weeks begin on Mondays, the first one before the period if need be', () => {
    expect(bucketsOf({ start: '2026-12-30', end: '2027-01-05' }, 'week')).toEqual([
      '2026-12-28',
      '2027-01-04',
    ]);
  });

  it('of months begin on their first day', () => {
    expect(bucketsOf({ start: '2026-12-30', end: '2027-01-01' }, 'month')).toEqual([
      '2026-12-01',
      '2027-01-01',
    ]);
  });

  it('are few enough to be told apart', () => {
    for (const days of [1, 7, 30, 45, 90, 300, 366, 1500]) {
      const range = { start: shifted('2026-11-30', 1 - days), end: '2026-11-30' };
      expect(bucketsOf(range, granularityFor(range)).length).toBeLessThanOrEqual(50);
    }
  });

  it('are there when nothing happened in them', () => {
    const filled = withEmptyBuckets(
      [{ date: '2026-03-02', lines: 7 }],
      { start: '2026-03-01', end: '2026-03-03' },
      'day',
      (date) => ({ date, lines: 0 }),
    );
    expect(filled.map(({ lines }) => lines)).toEqual([0, 7, 0]);
  });
});
