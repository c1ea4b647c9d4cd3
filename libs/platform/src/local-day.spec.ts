import { localDay } from './local-day';

const dayOf = (time: string, zone: string) => localDay(Date.parse(time), zone);

describe('the local day', () => {
  it('is the day of UTC in UTC', () => {
    expect(dayOf('2026-02-28T23:59:59.999Z', 'UTC')).toBe('2026-02-28');
    expect(dayOf('2026-03-01T00:00:00Z', 'UTC')).toBe('2026-03-01');
  });

  it('begins at midnight of the zone, also one that is off by half an hour', () => {
    expect(dayOf('2026-03-01T18:29:59.999Z', 'Asia/Kolkata')).toBe('2026-03-01');
    expect(dayOf('2026-03-01T18:30:00Z', 'Asia/Kolkata')).toBe('2026-03-02');
    expect(dayOf('2026-03-01T09:59:59.999Z', 'Pacific/Kiritimati')).toBe('2026-03-01');
    expect(dayOf('2026-03-01T10:00:00Z', 'Pacific/Kiritimati')).toBe('2026-03-02');
  });

  it('follows the clocks when they change', () => {
    expect(dayOf('2026-03-08T04:59:59Z', 'America/New_York')).toBe('2026-03-07');
    expect(dayOf('2026-03-09T03:59:59Z', 'America/New_York')).toBe('2026-03-08');
    expect(dayOf('2026-11-01T03:59:59Z', 'America/New_York')).toBe('2026-10-31');
    expect(dayOf('2026-11-02T04:59:59Z', 'America/New_York')).toBe('2026-11-01');
  });

  it('has four digits for the year, whichever it is', () => {
    expect(localDay(0, 'America/New_York')).toBe('1969-12-31');
    expect(localDay(253_402_300_799_999, 'UTC')).toBe('9999-12-31');
  });

  it('refuses a zone that does not exist', () => {
    expect(() => localDay(0, 'Atlantis/Capital')).toThrow(RangeError);
  });
});
