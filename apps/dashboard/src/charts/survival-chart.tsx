import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { counted, formatRatio } from '../view/format';
import { curveName, type CurveRow } from '../view/survival';

const HEIGHT_PX = 232;
const axis = { stroke: 'var(--text-faint)', fontSize: 12, tickLine: false, axisLine: false } as const;

/** Colour and dashes of the curves in order: told apart without colour as well. */
const LOOKS = [
  { stroke: 'var(--kept)', strokeDasharray: '' },
  { stroke: 'var(--human)', strokeDasharray: '6 4' },
  { stroke: 'var(--changed)', strokeDasharray: '2 3' },
  { stroke: 'var(--text-faint)', strokeDasharray: '10 3 2 3' },
];

/** Share of lines that still stand, by their age in days. */
export function SurvivalChart({ rows, keys }: { rows: readonly CurveRow[]; keys: readonly string[] }) {
  return (
    <ResponsiveContainer width="100%" height={HEIGHT_PX}>
      <LineChart
        accessibilityLayer={false}
        data={[...rows]}
        margin={{ top: 8, right: 12, bottom: 4, left: 0 }}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="age"
          type="number"
          domain={[0, 'dataMax']}
          tickFormatter={(age: number) => `${age} d`}
          minTickGap={32}
          {...axis}
        />
        <YAxis
          width={44}
          domain={[0, 1]}
          ticks={[0, 0.25, 0.5, 0.75, 1]}
          tickFormatter={(alive: number) => `${Math.round(100 * alive)}%`}
          {...axis}
        />
        <Tooltip
          cursor={{ stroke: 'var(--line-strong)' }}
          content={<SurvivalTooltip />}
          isAnimationActive={false}
        />
        {keys.map((key, index) => (
          <Line
            key={key}
            dataKey={key}
            type="stepAfter"
            dot={false}
            strokeWidth={2}
            isAnimationActive={false}
            {...LOOKS[index % LOOKS.length]}
          />
        ))}
      </LineChart>
    </ResponsiveContainer>
  );
}

interface Pointed {
  readonly dataKey?: string | number;
  readonly value?: number;
  readonly payload?: CurveRow;
}

function SurvivalTooltip({ active, payload }: { active?: boolean; payload?: readonly Pointed[] }) {
  const age = payload?.[0]?.payload?.age;
  if (!active || age === undefined) return null;
  return (
    <div className="chart-tooltip">
      <strong>After {counted(age, 'day')}</strong>
      <dl>
        {payload?.map(({ dataKey, value }) => (
          <div key={dataKey}>
            <dt>{curveName(String(dataKey))}</dt>
            <dd>{value === undefined ? '–' : formatRatio(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
