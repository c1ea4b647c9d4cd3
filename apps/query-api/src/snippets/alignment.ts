import { describeEvidence } from '@lineprint/attribution';
import { decodeCurrentLinePrints } from '@lineprint/fingerprint';
import type { AttributedRange } from '../commits/attributed-lines';
import type { AlignedLine, AlignedMatch, AlignmentAnswer } from './snippets.schema';

/** A snippet as it is aligned with a file. */
export interface AlignedSnippet {
  readonly line_count: number;
  readonly line_prints: Uint8Array | null;
}

/**
 * What became of each line of a snippet in a file that a commit changed.
 * @param ranges of the file's lines, those alone that came from the snippet
 */
export function alignSnippet(
  snippet: AlignedSnippet,
  ranges: readonly AttributedRange[],
): Pick<AlignmentAnswer, 'lines' | 'words'> {
  const matches = new Map<number, AlignedMatch[]>();
  for (const { kind, explanations } of ranges) {
    for (const { line: newLine, snippetLine, rule, bits } of explanations) {
      matches.set(snippetLine, [...(matches.get(snippetLine) ?? []), { newLine, rule, bits, kind }]);
    }
  }
  const tokens = tokensByLine(snippet);
  const lines = Array.from({ length: snippet.line_count }, (_, line): AlignedLine => {
    const [matched = null, ...others] = (matches.get(line) ?? []).sort((a, b) => a.newLine - b.newLine);
    return { line, tokens: tokens && (tokens.get(line) ?? 0), matched, others };
  });
  return { lines, words: wordsOf(lines, ranges) };
}

function wordsOf(lines: readonly AlignedLine[], [first]: readonly AttributedRange[]): string {
  return describeEvidence({
    evidence: first?.evidence ?? 'none',
    confidence: first?.confidence ?? 'UNIQUE',
    explanations: lines.flatMap(({ matched }) => matched ?? []),
    goneLines: lines.filter(({ matched, tokens }) => matched === null && tokens !== 0).length,
  });
}

/** How many tokens each line that is not blank has. */
function tokensByLine({ line_prints }: AlignedSnippet): Map<number, number> | null {
  const prints = line_prints && decodeCurrentLinePrints(line_prints);
  return prints && new Map(prints.map(({ line, tokens }) => [line, tokens]));
}
