import { dayOf, lastDays } from './period';

describe('period', () => {
  it('counts the last 7 days on the calendar with today as one of them, over a change of year', () => {
    expect(lastDays(7, '2027-01-03')).toEqual({ start: '2026-12-28', end: '2027-01-03' });
    expect(lastDays(1, '2026-02-28')).toEqual({ start: '2026-02-28', end: '2026-02-28' });
  });

  it('counts 30 calendar days over the days of 23 and 25 hours', () => {
    expect(lastDays(30, '2026-04-10').start).toBe('2026-03-12');
    expect(lastDays(30, '2026-11-10').start).toBe('2026-10-12');
  });

  it('takes a date, or a time without an offset, as the organisation’s own', () => {
    expect(dayOf('2026-03-29', 'Europe/Berlin')).toBe('2026-03-29');
    expect(dayOf('2026-03-29T23:59:59', 'Pacific/Auckland')).toBe('2026-03-29');
  });

  it('sees an instant in the organisation’s time zone, summer time included', () => {
    expect(dayOf('2026-03-28T23:30:00Z', 'Europe/Berlin')).toBe('2026-03-29');
    expect(dayOf('2026-03-29T22:30:00Z', 'Europe/Berlin')).toBe('2026-03-30');
    expect(dayOf('2026-03-28T22:30:00Z', 'Europe/Berlin')).toBe('2026-03-28');
    expect(dayOf('2026-03-29T01:00:00+02:00', 'America/New_York')).toBe('2026-03-28');
  });
});
