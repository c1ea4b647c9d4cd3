/** Periods and buckets of the pages, in days of the organisation's calendar: `YYYY-MM-DD`, both ends included. */
export const PERIODS = ['today', '7d', '30d', '90d', 'custom'] as const;
export type PeriodName = (typeof PERIODS)[number];
export const GRANULARITIES = ['day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export interface DayRange {
  readonly start: string;
  readonly end: string;
}

const DAY_MS = 86_400_000;
const LENGTH: Readonly<Record<Exclude<PeriodName, 'custom'>, number>> = {
  today: 1,
  '7d': 7,
  '30d': 30,
  '90d': 90,
};

/** A day as it is called in a time zone at this moment. */
export function dayIn(timeZone: string, at: Date): string {
  // The Swedish way to write a date is ISO 8601's.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);
}

/** The day so many days later; `days` may be negative. */
export function shifted(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The calendar days of a period that ends with `last`. */
export function lastDays(period: Exclude<PeriodName, 'custom'>, last: string): DayRange {
  return { start: shifted(last, 1 - LENGTH[period]), end: last };
}

/** Days in a range, both ends included. */
export function lengthOf({ start, end }: DayRange): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;
}

/** So that a trend has between a few and some forty buckets. */
export function granularityFor(range: DayRange): Granularity {
  const days = lengthOf(range);
  if (days <= 45) return 'day';
  return days <= 300 ? 'week' : 'month';
}

/** First day of the bucket that holds a day: itself, its Monday (ISO 8601) or the first of its month. */
export function bucketOf(day: string, granularity: Granularity): string {
  if (granularity === 'day') return day;
  if (granularity === 'month') return `${day.slice(0, 7)}-01`;
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return shifted(day, -sinceMonday);
}

/** All buckets of a range in order, whether something happened in them or not. */
export function bucketsOf(range: DayRange, granularity: Granularity): string[] {
  const buckets: string[] = [];
  for (let day = range.start; day <= range.end; day = shifted(day, 1)) {
    const bucket = bucketOf(day, granularity);
    if (bucket !== buckets.at(-1)) buckets.push(bucket);
  }
  return buckets;
}

/** The entries of a trend with empty ones where nothing happened: a chart that skips days lies about time. */
export function withEmptyBuckets<T extends { readonly date: string }>(
  entries: readonly T[],
  range: DayRange,
  granularity: Granularity,
  empty: (date: string) => T,
): T[] {
  const known = new Map(entries.map((entry) => [entry.date, entry]));
  return bucketsOf(range, granularity).map((date) => known.get(date) ?? empty(date));
}
