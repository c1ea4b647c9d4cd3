import { useId, type ReactNode } from 'react';
import type { Term } from '../definitions/glossary';
import { HowCounted } from './how-counted';

interface PanelProps {
  readonly title: string;
  readonly term?: Term;
  /** Controls or a link at the right of the title. */
  readonly aside?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A titled part of a page. */
export function Panel({ title, term, aside, wide = false, children }: PanelProps) {
  const id = useId();
  return (
    <section className={wide ? 'panel panel-wide' : 'panel'} aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        {term ? <HowCounted term={term} /> : null}
        {aside ? <div className="panel-aside">{aside}</div> : null}
      </header>
      {children}
    </section>
  );
}

/** One number with its name and how it is counted. */
export function Stat({
  label,
  term,
  value,
  detail,
}: {
  label: string;
  term: Term;
  value: string;
  detail?: ReactNode;
}) {
  return (
    <div className="stat">
      <dt>
        {label}
        <HowCounted term={term} />
      </dt>
      <dd>
        <span className="stat-value">{value}</span>
        {detail ? <span className="stat-detail">{detail}</span> : null}
      </dd>
    </div>
  );
}
