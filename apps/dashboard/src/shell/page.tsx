import { useEffect, useRef, type ReactNode } from 'react';

interface PageProps {
  readonly title: string;
  /** What stands above the title: the way here. */
  readonly trail?: ReactNode;
  readonly subtitle?: ReactNode;
  readonly controls?: ReactNode;
  readonly children: ReactNode;
}

/** A page's frame. Going to another page moves the focus to its title, so that a screen reader says where one is. */
export function Page({ title, trail, subtitle, controls, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.title;
    document.title = `${title} · Lineprint`;
    // Not on the first page: there, reading starts at the top.
    if (before !== 'Lineprint') heading.current?.focus();
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-title">
          {trail ? <nav aria-label="Path">{trail}</nav> : null}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {subtitle ? <p className="page-subtitle">{subtitle}</p> : null}
        </div>
        {controls ? <div className="page-controls">{controls}</div> : null}
      </header>
      {children}
    </div>
  );
}
