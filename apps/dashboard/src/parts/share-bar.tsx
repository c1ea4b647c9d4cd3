import { counted, formatRatio } from '../view/format';
import { kindParts, KINDS, type Counts } from '../view/kinds';

interface Part {
  readonly name: string;
  /** Ending of the CSS class that colours it. */
  readonly style: string;
  readonly value: number;
}

/** Parts of a whole as one bar. What it shows is said as text for screen readers. */
export function ShareBar({ parts, thin = false }: { parts: readonly Part[]; thin?: boolean }) {
  const whole = parts.reduce((sum, { value }) => sum + value, 0);
  const shown = parts.filter(({ value }) => value > 0);
  const words = shown.map(({ name, value }) => `${name} ${formatRatio(value / whole)}`).join(', ');
  return (
    <div
      className={thin ? 'share-bar share-bar-thin' : 'share-bar'}
      role="img"
      aria-label={words || 'No lines'}
    >
      {shown.map(({ name, style, value }) => (
        <span
          key={name}
          className={`fill fill-${style}`}
          style={{ flexGrow: value }}
          title={`${name}: ${counted(value, 'line')}`}
        />
      ))}
    </div>
  );
}

/** Kept, changed, human and unknown lines as one bar. */
export function KindBar({ counts, thin = false }: { counts: Counts; thin?: boolean }) {
  const parts = kindParts(counts).map(({ kind, lines }) => ({
    name: KINDS[kind].name,
    style: KINDS[kind].style,
    value: lines,
  }));
  return <ShareBar parts={parts} thin={thin} />;
}

/** What the colours of a bar stand for, with the numbers. */
export function ShareLegend({ parts }: { parts: readonly Part[] }) {
  const whole = parts.reduce((sum, { value }) => sum + value, 0);
  return (
    <ul className="legend">
      {parts.map(({ name, style, value }) => (
        <li key={name}>
          <span className={`swatch fill fill-${style}`} aria-hidden="true" />
          <span>{name}</span>
          <span className="legend-value">{formatRatio(whole === 0 ? 0 : value / whole)}</span>
        </li>
      ))}
    </ul>
  );
}
