import { ApiError } from '@lineprint/api-client';
import type { ReactNode } from 'react';

/** Shown until numbers arrive; its height is about theirs, so that little moves when they do. */
export function Loading({ rows = 3, what }: { rows?: number; what: string }) {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">Loading {what}</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className="skeleton" />
      ))}
    </div>
  );
}

/** Nothing to show, and what would change that. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children ? <div className="empty-text">{children}</div> : null}
    </div>
  );
}

/** What went wrong in the API's own words, which say what to do. */
export function Failed({ error, retry }: { error: Error; retry?: (() => void) | undefined }) {
  const { title, detail } = wordsOf(error);
  return (
    <div className="failed" role="alert">
      <p className="empty-title">{title}</p>
      <p className="empty-text">{detail}</p>
      {retry ? (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

function wordsOf(error: Error): { title: string; detail: string } {
  if (!(error instanceof ApiError)) {
    return {
      title: 'No answer',
      detail: 'Lineprint does not answer. Check that it is running and try again.',
    };
  }
  return { title: error.problem?.title ?? 'This could not be loaded', detail: error.message };
}

interface Answer<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** One of loading, failed and there. `children` is called with the answer only. */
export function Answered<T>({
  answer,
  what,
  rows,
  children,
}: {
  answer: Answer<T>;
  what: string;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  if (answer.data !== undefined) return <>{children(answer.data)}</>;
  if (answer.error) return <Failed error={answer.error} retry={() => void answer.refetch()} />;
  return <Loading what={what} {...(rows === undefined ? {} : { rows })} />;
}
