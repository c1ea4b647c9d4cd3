import { decodeExplanations, describeEvidence } from '@lineprint/attribution';
import type { LineKind } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import type { CommitLinesAnswer } from './commits.schema';
import type { FileRow, ResultRow } from './commits.queries';

/** A range of attributable lines, and what it came from. */
export type AttributedRange = CommitLinesAnswer['lines'][number] & { readonly kind: LineKind };

/**
 * A file's line ranges as a verdict stores them, each with the result that it points to.
 * @param results those of the file
 * @throws LineprintError `result-missing`
 */
export function attributedLines(
  file: Pick<FileRow, 'file_path' | 'lines' | 'explanations'>,
  results: readonly ResultRow[],
): AttributedRange[] {
  const own = results.filter(({ copied_from }) => copied_from === '');
  const byOrdinal = new Map(own.map((result) => [result.ordinal, result]));
  const explanations = decodeExplanations(Buffer.from(file.explanations).toString('base64'));
  let explained = 0;
  const ranges = file.lines.map((range) => {
    const result = byOrdinal.get(range.result);
    // Both are written in one transaction. Calling the lines human here would hide that it went wrong.
    if (!result)
      throw new LineprintError('result-missing', `${file.file_path} has no result ${range.result}`);
    const why =
      result.evidence === 'matched' ? explanations.slice(explained, (explained += range.count)) : [];
    return { range, result, why };
  });
  const words = new Map(
    own.map((result) => {
      const { evidence, confidence } = result;
      const why = ranges.flatMap((range) => (range.result === result ? range.why : []));
      return [result, describeEvidence({ evidence, confidence, explanations: why })];
    }),
  );
  return ranges.map(({ range: { start, count, kind }, result, why }) => ({
    start,
    count,
    kind,
    evidence: result.evidence,
    confidence: result.confidence,
    codeId: result.matched_code_id,
    source: result.match_source,
    model: result.model,
    words: words.get(result)!,
    explanations: why.map((explanation, i) => ({ line: start + i, ...explanation })),
  }));
}
