import type { FileLines, LineRange } from '../api/queries';
import type { Counts, Kind } from './kinds';

/** One line of a file as the view shows it. */
export interface FileRow {
  /** From 1, as editors count. */
  readonly number: number;
  readonly kind: Kind;
  /** Null for a line that no range covers. */
  readonly range: LineRange | null;
  /** Whether it is the first line of a block of one origin, beside which it is said who and when. */
  readonly begins: boolean;
  readonly text: string | null;
}

/** The lines of a file in order, from ranges (numbered from 0) and the text where there is one. */
export function fileRows(ranges: readonly LineRange[], text: readonly string[] | null): FileRow[] {
  const end = ranges.reduce((last, { start, count }) => Math.max(last, start + count), text?.length ?? 0);
  const rangeOf = new Array<LineRange | null>(end).fill(null);
  for (const range of ranges) rangeOf.fill(range, range.start, range.start + range.count);
  let before: string | null = null;
  return rangeOf.map((range, index) => {
    const block = blockOf(range);
    const begins = block !== null && block !== before;
    // A blank line inside a block does not end it.
    if (block !== null) before = block;
    return {
      number: index + 1,
      kind: range?.kind ?? 'blank',
      range,
      begins,
      text: text?.[index] ?? null,
    };
  });
}

/** What lines have in common that stand in one block; null for blank ones. */
function blockOf(range: LineRange | null): string | null {
  if (range === null || range.kind === 'blank') return null;
  return `${range.kind} ${range.origin?.commit ?? ''} ${range.codeId ?? ''}`;
}

/** How many lines of each kind there are. */
export function rowCounts(rows: readonly FileRow[]): Required<Counts> & { excluded: number; blank: number } {
  const of = (kind: Kind) => rows.filter((row) => row.kind === kind).length;
  return {
    preserved: of('P'),
    modified: of('M'),
    human: of('H'),
    unknown: of('unknown'),
    excluded: of('excluded'),
    blank: of('blank'),
  };
}

/** By which rule a line was given to a snippet, in words that follow "The line is". */
const RULES: Readonly<Record<string, string>> = {
  line: 'equal to',
  statement: 'the same statement, wrapped differently, as',
  shape: 'of the same shape, with other names, as',
  similar: 'similar to',
  reflow: 'a part, spread over several lines, of',
  surroundings: 'placed, by the lines around it, at',
};

/** The same rules as a word or two, for tables. */
const RULE_NAMES: Readonly<Record<string, string>> = {
  line: 'equal',
  statement: 'wrapped anew',
  shape: 'renamed',
  similar: 'changed',
  reflow: 'spread anew',
  surroundings: 'by its place',
};

export function ruleName(rule: string): string {
  return RULE_NAMES[rule] ?? rule;
}

/** How the origin of a line is known, as a sentence. `number` counts from 1. */
export function evidenceSentence(row: FileRow): string {
  const { range, kind, number } = row;
  if (kind === 'blank') return 'A blank line has no author and is counted nowhere.';
  if (kind === 'excluded') return 'The file does not count: lock, generated, vendored or minified.';
  if (range === null || kind === 'unknown') {
    return 'The line was there before the part of the history that Lineprint knows.';
  }
  if (kind === 'H') {
    return range.confidence === 'SUSPECT'
      ? 'A person’s line. It resembles an AI edit, too weakly to count as one.'
      : 'A person’s line: no earlier AI edit is its origin.';
  }
  if (range.evidence === 'declared') return 'The commit itself names an AI as its author.';
  if (range.evidence === 'estimated')
    return 'The whole hunk resembles an edit of an old client that sends no lines.';
  const why = explanationOf(range, number - 1);
  if (!why) return 'The line aligns to an earlier AI edit.';
  return `The line is ${RULES[why.rule] ?? why.rule} line ${why.snippetLine + 1} of an AI edit: ${formatBits(why.bits)} of evidence.`;
}

/** Why a file is shown without its text, as the API names it, in words that say what would help. */
const MISSING_TEXT: Readonly<Record<NonNullable<FileLines['textMissing']>, string>> = {
  scope: 'This key may read where lines come from, but not the code: that needs the scope “code”.',
  repository: 'Lineprint has no copy of this repository to read from: it was pushed, and is not connected.',
  missing: 'Lineprint’s copy of the repository does not have this commit yet.',
  'too-large': 'The file is larger than 5 MB.',
  binary: 'The file is not text.',
  timeout: 'Git did not answer in time. Try again later.',
  differs: 'The copy of the repository has another file at this commit than the one that was analysed.',
};

export function missingTextWords(reason: FileLines['textMissing']): string {
  return reason === null ? 'The text is not available here.' : MISSING_TEXT[reason];
}

/** Why a line was given to its snippet; `line` counts from 0. */
export function explanationOf(range: LineRange, line: number): LineRange['explanations'][number] | undefined {
  return range.explanations.find((explanation) => explanation.line === line);
}

export function formatBits(bits: number): string {
  return `${bits >= 10 ? Math.round(bits) : bits.toFixed(1)} bits`;
}
