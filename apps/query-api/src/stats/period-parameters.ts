import { localDay } from '@lineprint/platform';
import { z } from 'zod';
import { invalidParameters } from '../parameters';
import type { TenantView } from '../tenant-view';
import { dayOf, lastDays, type Period } from './period';

const periods = ['today', '7d', '30d', 'custom'] as const;
const DAYS = { today: 1, '7d': 7, '30d': 30 } as const;

const isoDate = z.iso.date().or(z.iso.datetime({ offset: true, local: true }));
const day = z
  .string()
  .refine((text) => isoDate.safeParse(text).success, 'send an ISO 8601 date or date-time, such as 2026-06-01')
  .optional();

/** The query parameters of endpoints that answer for some days; `checkPeriod` says how they go together. */
export const periodParameters = {
  period: z.enum(periods, `send one of ${periods.join(', ')}`).meta({
    description: 'Whole days in the organisation’s time zone, today included.',
  }),
  start_date: day.meta({ description: 'First day, for period=custom. ISO 8601 date or date-time.' }),
  end_date: day.meta({ description: 'Last day (included), for period=custom.' }),
};

interface AskedPeriod {
  readonly period: (typeof periods)[number];
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

/** @param wrong is told each parameter that does not go with the others, and what to do about it */
export function checkPeriod(query: AskedPeriod, wrong: (path: string, message: string) => void): void {
  for (const path of ['start_date', 'end_date'] as const) {
    if (query.period === 'custom' && query[path] === undefined) wrong(path, 'send it for period=custom');
    if (query.period !== 'custom' && query[path] !== undefined) {
      wrong(path, `leave it out for period=${query.period}, or send period=custom`);
    }
  }
}

/**
 * The organisation's days that were asked for.
 * @param now milliseconds since 1970
 * @throws HttpProblem 400 when the last day is before the first
 */
export function periodOf(query: AskedPeriod, { timeZone }: TenantView, now: number): Period {
  const { period, start_date, end_date } = query;
  if (period !== 'custom') return lastDays(DAYS[period], localDay(now, timeZone));
  // checkPeriod has seen to both.
  const chosen = { start: dayOf(start_date!, timeZone), end: dayOf(end_date!, timeZone) };
  if (chosen.start > chosen.end) {
    throw invalidParameters([{ path: 'end_date', detail: 'send a day that is not before start_date' }]);
  }
  return chosen;
}
