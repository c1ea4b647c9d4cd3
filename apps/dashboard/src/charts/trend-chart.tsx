import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts';
import { formatCompact, formatDay, formatLines, formatRatio, formatShortDay } from '../view/format';

export interface TrendEntry {
  readonly date: string;
  readonly ai: number;
  readonly human: number;
  /** Null where no line was added: a share of nothing is no zero. */
  readonly ratio: number | null;
}

const HEIGHT_PX = 248;
const axis = { stroke: 'var(--text-faint)', fontSize: 12, tickLine: false, axisLine: false } as const;
const days = {
  ...axis,
  tickFormatter: formatShortDay,
  interval: 'equidistantPreserveStart',
  minTickGap: 28,
} as const;
const margin = { top: 8, right: 8, bottom: 0, left: 0 };

/** Lines of each bucket, AI's below and human ones on top. */
export function LinesTrend({ entries }: { entries: readonly TrendEntry[] }) {
  return (
    <ResponsiveContainer width="100%" height={HEIGHT_PX}>
      <BarChart accessibilityLayer={false} data={[...entries]} margin={margin} barCategoryGap="18%">
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis dataKey="date" {...days} />
        <YAxis width={44} tickFormatter={formatCompact} {...axis} />
        <Tooltip cursor={{ fill: 'var(--hover)' }} content={<TrendTooltip />} isAnimationActive={false} />
        <Bar dataKey="ai" stackId="lines" fill="var(--kept)" isAnimationActive={false} maxBarSize={40} />
        <Bar
          dataKey="human"
          stackId="lines"
          fill="var(--human)"
          isAnimationActive={false}
          maxBarSize={40}
          radius={[3, 3, 0, 0]}
        />
      </BarChart>
    </ResponsiveContainer>
  );
}

/** The AI share of each bucket. */
export function ShareTrend({ entries }: { entries: readonly TrendEntry[] }) {
  return (
    <ResponsiveContainer width="100%" height={HEIGHT_PX}>
      <AreaChart accessibilityLayer={false} data={[...entries]} margin={margin}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis dataKey="date" {...days} />
        <YAxis
          width={44}
          domain={[0, 1]}
          ticks={[0, 0.25, 0.5, 0.75, 1]}
          tickFormatter={(ratio: number) => `${Math.round(100 * ratio)}%`}
          {...axis}
        />
        <Tooltip
          cursor={{ stroke: 'var(--line-strong)' }}
          content={<TrendTooltip />}
          isAnimationActive={false}
        />
        <Area
          dataKey="ratio"
          stroke="var(--kept)"
          strokeWidth={2}
          fill="var(--kept)"
          fillOpacity={0.12}
          connectNulls
          dot={{ r: 2.5, fill: 'var(--kept)', fillOpacity: 1, strokeWidth: 0 }}
          isAnimationActive={false}
        />
      </AreaChart>
    </ResponsiveContainer>
  );
}

/** Recharts hands over what is pointed at. */
function TrendTooltip({
  active,
  payload,
}: {
  active?: boolean;
  payload?: readonly { payload?: TrendEntry }[];
}) {
  const entry = payload?.[0]?.payload;
  if (!active || !entry) return null;
  return (
    <div className="chart-tooltip">
      <strong>{formatDay(entry.date)}</strong>
      <dl>
        <dt>AI, weighted</dt>
        <dd>{formatLines(entry.ai)}</dd>
        <dt>All lines</dt>
        <dd>{formatLines(entry.ai + entry.human)}</dd>
        <dt>AI share</dt>
        <dd>{entry.ratio === null ? '–' : formatRatio(entry.ratio)}</dd>
      </dl>
    </div>
  );
}
