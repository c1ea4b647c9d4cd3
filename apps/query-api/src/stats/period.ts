import { localDay } from '@lineprint/platform';

/** Calendar days `YYYY-MM-DD`, both included. */
export interface Period {
  readonly start: string;
  readonly end: string;
}

const DAY_MS = 86_400_000;

/**
 * The last `days` days, today included. Days are counted on the calendar, not in hours: across a change of
 * the clocks 24 hours ago may be the same day or the day before yesterday.
 */
export function lastDays(days: number, today: string): Period {
  const start = new Date(Date.parse(`${today}T00:00:00Z`) - (days - 1) * DAY_MS);
  return { start: start.toISOString().slice(0, 10), end: today };
}

/**
 * The day that an ISO date or date-time names. A date, or a date-time without an offset, is the
 * organisation's own; one with an offset is an instant, seen in the organisation's time zone.
 */
export function dayOf(dateOrDateTime: string, timeZone: string): string {
  const hasOffset = /T.*(Z|[+-]\d\d:\d\d)$/.test(dateOrDateTime);
  return hasOffset ? localDay(Date.parse(dateOrDateTime), timeZone) : dateOrDateTime.slice(0, 10);
}
