import type { OriginRange } from './diff.queries';
import type { FlippedRange, Origin } from './diff.schema';

/** The ranges of a file's lines that are something else under the other policy, in the order of the file. */
export function flippedRanges(from: readonly OriginRange[], to: readonly OriginRange[]): FlippedRange[] {
  const edges = [...from, ...to].flatMap(({ start, count }) => [start, start + count]);
  const starts = [...new Set(edges)].sort((a, b) => a - b);
  const flipped: FlippedRange[] = [];
  const [fromAt, toAt] = [finder(from), finder(to)];
  // Between two edges nothing changes on either side.
  starts.slice(0, -1).forEach((start, index) => {
    const [before, after] = [fromAt(start), toAt(start)];
    if (isSame(before, after)) return;
    const count = starts[index + 1]! - start;
    const last = flipped.at(-1);
    const goesOn =
      last && last.start + last.count === start && isSame(last.from, before) && isSame(last.to, after);
    if (goesOn) last.count += count;
    else flipped.push({ start, count, from: before, to: after });
  });
  return flipped;
}

/** Looks up lines in ascending order. */
function finder(ranges: readonly OriginRange[]): (line: number) => Origin {
  let next = 0;
  return (line) => {
    while (next < ranges.length && ranges[next]!.start + ranges[next]!.count <= line) next++;
    const range = ranges[next];
    if (!range || range.start > line) return null;
    const { kind, confidence, evidence, source } = range;
    return { kind, confidence, evidence, source };
  };
}

function isSame(a: Origin, b: Origin): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.kind === b.kind && a.confidence === b.confidence && a.evidence === b.evidence && a.source === b.source
  );
}
