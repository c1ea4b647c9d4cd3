import { useLocation } from 'wouter';
import { Segmented } from '../parts/segmented';
import { addressOf, useParameters } from '../view/address';
import {
  GRANULARITIES,
  granularityFor,
  lastDays,
  PERIODS,
  type DayRange,
  type Granularity,
  type PeriodName,
} from '../view/period';
import { useOrganisationClock } from './organisation-clock';

export interface ChosenPeriod {
  readonly name: PeriodName;
  readonly range: DayRange;
  readonly granularity: Granularity;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The period that the address names; by default the last 30 days, in buckets that suit its length. */
export function usePeriod(): ChosenPeriod {
  const { lastDay } = useOrganisationClock();
  const { period, start, end, granularity } = useParameters();
  const name = PERIODS.find((known) => known === period) ?? '30d';
  const range = name === 'custom' ? customRange(start, end, lastDay) : lastDays(name, lastDay);
  const chosen = GRANULARITIES.find((known) => known === granularity);
  return { name, range, granularity: chosen ?? granularityFor(range) };
}

function customRange(start = '', end = '', lastDay: string): DayRange {
  const fallback = lastDays('30d', lastDay);
  const range = { start: DAY.test(start) ? start : fallback.start, end: DAY.test(end) ? end : fallback.end };
  return range.start <= range.end ? range : { start: range.end, end: range.start };
}

const PERIOD_TEXT: Readonly<Record<PeriodName, string>> = {
  today: 'Today',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  custom: 'Custom',
};
const GRANULARITY_TEXT: Readonly<Record<Granularity, string>> = {
  day: 'Days',
  week: 'Weeks',
  month: 'Months',
};

/**
 * Chooses the page's period; the choice is in the address, so that it can be sent to someone. `granular`: whether the
 * page has a trend.
 */
export function PeriodPicker({ granular = true }: { granular?: boolean }) {
  const [page, navigate] = useLocation();
  const parameters = useParameters();
  const { stopped } = useOrganisationClock();
  const { name, range, granularity } = usePeriod();
  const choose = (changes: Record<string, string | undefined>) =>
    navigate(addressOf(page, { ...parameters, ...changes }), { replace: true });
  const choosePeriod = (period: PeriodName) =>
    choose(
      period === 'custom'
        ? { period, ...range, granularity: undefined }
        : { period, start: undefined, end: undefined, granularity: undefined },
    );
  return (
    <div className="period-picker">
      <Segmented
        label="Period"
        name="period"
        value={name}
        onChange={choosePeriod}
        options={PERIODS.map((value) => ({
          value,
          text: value === 'today' && stopped ? 'Last day' : PERIOD_TEXT[value],
        }))}
      />
      {name === 'custom' ? (
        <div className="dates">
          <label>
            <span className="visually-hidden">First day</span>
            <input
              type="date"
              value={range.start}
              max={range.end}
              onChange={({ target }) => target.value && choose({ start: target.value })}
            />
          </label>
          <span aria-hidden="true">–</span>
          <label>
            <span className="visually-hidden">Last day</span>
            <input
              type="date"
              value={range.end}
              min={range.start}
              onChange={({ target }) => target.value && choose({ end: target.value })}
            />
          </label>
        </div>
      ) : null}
      {granular ? (
        <Segmented
          label="Buckets of the trend"
          name="granularity"
          value={granularity}
          onChange={(value) => choose({ granularity: value })}
          options={GRANULARITIES.map((value) => ({ value, text: GRANULARITY_TEXT[value] }))}
        />
      ) : null}
    </div>
  );
}
