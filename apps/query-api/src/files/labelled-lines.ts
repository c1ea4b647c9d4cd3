import type { FileLineage, LineOrigin } from '@lineprint/attribution';
import type { AttributedFile } from '@lineprint/contracts';
import type { AttributedRange } from '../commits/attributed-lines';

/** What a policy's verdict says of one file of a commit. */
export interface JudgedFile {
  readonly excluded: string | null;
  readonly inherited: AttributedFile['inherited'];
  /** Ascending. */
  readonly ranges: readonly AttributedRange[];
}

export const lineKinds = ['P', 'M', 'H', 'blank', 'excluded', 'unknown'] as const;

/** Neighbouring lines of one kind that one commit has added as neighbours. */
export interface LabelledLines {
  /** Number of the first one in the file, from 0. */
  readonly start: number;
  readonly count: number;
  readonly kind: (typeof lineKinds)[number];
  /** The first one's, in the commit that added it; undefined where the lines are older than what is known. */
  readonly origin: (LineOrigin & { readonly line: number }) | undefined;
  /** The commit of another line of history that has added them first: its verdict is what counts. */
  readonly copiedFrom: string | undefined;
  /** Of `P`, `M` and `H`, cut to these lines, whose numbers its explanations have. */
  readonly range: AttributedRange | undefined;
}

/** Finds what was said of a file that a commit added lines to. */
export type Verdicts = (commit: string, path: string) => JudgedFile | undefined;

/** A part of a commit's file, and what its verdict says of it. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly kind: LabelledLines['kind'];
  readonly range?: AttributedRange;
  readonly copiedFrom?: string;
}

/**
 * What a policy says of the lines of a file: of each what the verdict on the commit that added it says of it there. Lines
 * that no verdict was asked for, or that it leaves out, are `unknown`.
 */
export function labelledLines(lineage: FileLineage, verdicts: Verdicts): LabelledLines[] {
  const labelled: LabelledLines[] = [];
  let at = 0;
  for (const { origin, line, count } of lineage) {
    for (const part of origin ? partsOf(origin, line, line + count, verdicts) : []) {
      const start = at + part.start - line;
      labelled.push({
        start,
        count: part.end - part.start,
        kind: part.kind,
        origin: { ...origin!, line: part.start },
        copiedFrom: part.copiedFrom,
        range: part.range && { ...part.range, ...moved(part.range, start) },
      });
    }
    if (!origin) {
      labelled.push({ start: at, count, kind: 'unknown', origin, copiedFrom: undefined, range: undefined });
    }
    at += count;
  }
  return labelled;
}

/** The lines from `start` to before `end` of the file that a commit added them to. */
function partsOf({ commit, path }: LineOrigin, start: number, end: number, verdicts: Verdicts): Part[] {
  const file = verdicts(commit, path);
  if (!file) return [{ start, end, kind: 'unknown' }];
  if (file.excluded !== null) return [{ start, end, kind: 'excluded' }];
  const own = judgedParts(file, start, end);
  const inherited = file.inherited.flatMap((range): Part[] => {
    const from = Math.max(start, range.start);
    const to = Math.min(end, range.start + range.count);
    if (from >= to) return [];
    const original = range.how === 'copied' ? verdicts(range.fromCommit, path) : undefined;
    if (range.how !== 'copied' || range.fromLine === undefined || !original) {
      return [{ start: from, end: to, kind: 'unknown' }];
    }
    const distance = range.start - range.fromLine;
    const { fromCommit: copiedFrom } = range;
    return withGaps(
      judgedParts(original, from - distance, to - distance),
      from - distance,
      to - distance,
      'unknown',
    ).map((part) => ({ ...part, start: part.start + distance, end: part.end + distance, copiedFrom }));
  });
  // What is neither judged nor inherited is blank.
  return withGaps(
    [...own, ...inherited].sort((a, b) => a.start - b.start),
    start,
    end,
    'blank',
  );
}

function judgedParts({ ranges }: JudgedFile, start: number, end: number): Part[] {
  return ranges.flatMap((range): Part[] => {
    const from = Math.max(start, range.start);
    const to = Math.min(end, range.start + range.count);
    if (from >= to) return [];
    return [{ start: from, end: to, kind: range.kind, range: cut(range, from, to) }];
  });
}

function cut(range: AttributedRange, from: number, to: number): AttributedRange {
  const explanations = range.explanations.filter(({ line }) => line >= from && line < to);
  return { ...range, start: from, count: to - from, explanations };
}

function moved({ start, explanations }: AttributedRange, to: number) {
  return {
    start: to,
    explanations: explanations.map((why) => ({ ...why, line: why.line - start + to })),
  };
}

/** The parts, ascending, with what is between them. */
function withGaps(parts: readonly Part[], start: number, end: number, kind: Part['kind']): Part[] {
  const all: Part[] = [];
  let at = start;
  for (const part of parts) {
    if (part.start > at) all.push({ start: at, end: part.start, kind });
    all.push(part);
    at = part.end;
  }
  if (at < end) all.push({ start: at, end, kind });
  return all;
}
