import type { InheritedRange, LineKind, LineRange } from '@lineprint/contracts';
import type { SampleTruth } from './build-sample';

/** What becomes of an added line: its kind, or `I` where it is inherited. */
export type LineAnswer = LineKind | 'I';

/** The verdict on one file of one commit. */
export interface AttributedLines {
  readonly sha: string;
  readonly path: string;
  readonly lines: readonly LineRange[];
  readonly inherited: readonly Pick<InheritedRange, 'start' | 'count'>[];
}

export interface WrongLine {
  readonly sha: string;
  readonly path: string;
  /** From 0 in the new file. */
  readonly line: number;
  /** Null for a line that the commit does not add. */
  readonly expected: LineAnswer | null;
  /** Null for an added line without a verdict. */
  readonly got: LineAnswer | null;
}

/**
 * Compares verdicts with the sample's right answers, line by line. `lines` counts the answers; a verdict on
 * a line that the commit does not add is reported as wrong beside them.
 */
export function scoreSample(
  truth: SampleTruth,
  attributed: Iterable<AttributedLines>,
): { lines: number; right: number; wrong: WrongLine[] } {
  const verdicts = new Map<string, LineAnswer>();
  const keyOf = (sha: string, path: string, line: number) => `${sha} ${line} ${path}`;
  const wrong: WrongLine[] = [];
  for (const { sha, path, lines, inherited } of attributed) {
    const expected = new Set(
      truth
        .get(sha)
        ?.get(path)
        ?.map(({ line }) => line),
    );
    for (const range of [...lines, ...inherited.map((range) => ({ ...range, kind: 'I' as const }))]) {
      for (let line = range.start; line < range.start + range.count; line++) {
        verdicts.set(keyOf(sha, path, line), range.kind);
        if (!expected.has(line)) wrong.push({ sha, path, line, expected: null, got: range.kind });
      }
    }
  }
  let lines = 0;
  let right = 0;
  for (const [sha, files] of truth) {
    for (const [path, answers] of files) {
      for (const { line, kind } of answers) {
        lines++;
        const got = verdicts.get(keyOf(sha, path, line)) ?? null;
        if (got === kind) right++;
        else wrong.push({ sha, path, line, expected: kind, got });
      }
    }
  }
  return { lines, right, wrong };
}
