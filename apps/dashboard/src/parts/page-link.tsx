import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { addressOf, carried, useParameters, type Parameters } from '../view/address';

interface PageLinkProps {
  readonly page: string;
  readonly parameters?: Parameters;
  readonly className?: string;
  readonly children: ReactNode;
  readonly title?: string | undefined;
  /** Whether it leads to where one is. */
  readonly current?: boolean;
}

/** A link to another page, under the same policy. */
export function PageLink({ page, parameters = {}, current: here = false, children, ...rest }: PageLinkProps) {
  const current = useParameters();
  return (
    <Link
      href={addressOf(page, { ...carried(current), ...parameters })}
      {...rest}
      {...(here ? { 'aria-current': 'page' as const } : {})}
    >
      {children}
    </Link>
  );
}
