import type { DeclaredRange } from '@lineprint/contracts';

/** What a record says of lines `first` to `last` of a file at its commit, from 1, both included. */
export interface LineClaim {
  readonly first: number;
  readonly last: number;
  /** P written by an AI, M by an AI with a person's changes, H by a person. */
  readonly kind: DeclaredRange['kind'];
  readonly model?: string;
}

/** Claims of one commit's files, by path. */
export type LineClaims = ReadonlyMap<string, readonly LineClaim[]>;

/** As many as a commit may carry of one file (`MAX_FILE_LINES`; the contracts' schemas would double the SDK). */
const MAX_RANGES = 50_000;
const MAX_LINE = 2_147_483_647;
const MAX_MODEL = 128;
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/**
 * Claims as commits carry them: ascending, each line once. Of claims that overlap the one that begins first has the
 * lines, of those that begin together the one that was made first.
 */
export function declaredRanges(claims: readonly LineClaim[]): DeclaredRange[] {
  const ranges: DeclaredRange[] = [];
  let free = 1;
  for (const { first, last, kind, model } of claims.toSorted((a, b) => a.first - b.first)) {
    const from = Math.max(first, free);
    const to = Math.min(last, MAX_LINE);
    if (from > to) continue;
    free = to + 1;
    const range = { start: from - 1, count: to - from + 1 };
    if (kind === 'H') ranges.push({ ...range, kind });
    else ranges.push({ ...range, kind, source: 'agent', ...(model && { model }) });
  }
  return ranges.slice(0, MAX_RANGES);
}

/** A model's name as it can be stored, if it can. */
export function storableModel(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '' || UNSTORABLE.test(name)) return undefined;
  return name.slice(0, MAX_MODEL);
}
