import { lazy, Suspense, type ComponentProps } from 'react';

// The chart library is larger than the rest of the page: numbers come first, charts when they are here.
const lines = lazy(() => import('./trend-chart').then((module) => ({ default: module.LinesTrend })));
const share = lazy(() => import('./trend-chart').then((module) => ({ default: module.ShareTrend })));
const survival = lazy(() => import('./survival-chart').then((module) => ({ default: module.SurvivalChart })));

const Space = () => <div className="chart-space" />;

/** The picture is for the eye; `label` says what it shows, and a table beside it has the figures. */
export function TrendPicture({
  mode,
  label,
  entries,
}: ComponentProps<typeof lines> & { mode: 'lines' | 'share'; label: string }) {
  const Chart = mode === 'lines' ? lines : share;
  return (
    <figure className="chart" role="img" aria-label={label}>
      <Suspense fallback={<Space />}>
        <Chart entries={entries} />
      </Suspense>
    </figure>
  );
}

export function SurvivalPicture({ label, ...rest }: ComponentProps<typeof survival> & { label: string }) {
  const Chart = survival;
  return (
    <figure className="chart" role="img" aria-label={label}>
      <Suspense fallback={<Space />}>
        <Chart {...rest} />
      </Suspense>
    </figure>
  );
}
