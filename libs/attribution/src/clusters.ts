import type { Policy } from '@lineprint/contracts';
import { CONTEXT_BITS, type MatchedLine } from './alignment';
import { UNKNOWN, type FileLines, type SnippetLines } from './lines';

/** Matched lines that stand together, and whether their evidence is enough to count. */
export interface Cluster {
  readonly lines: readonly MatchedLine[];
  /** Evidence of the lines and of the agreeing lines around them. */
  readonly bits: number;
  readonly verdict: 'counted' | 'suspect';
}

// docs/engine.md, section 4.

/** At most this many unmatched lines of the file inside a cluster. */
const FILE_GAP = 4;
/** How far the snippet may jump ahead or back between two lines of a cluster. */
const SNIPPET_GAP = 6;
const SNIPPET_BACK = 1;
/** Neighbouring lines are not independent: each after the first counts this much. */
const NEXT_LINE_SHARE = 0.8;
/** What being in the snippet's own file is worth, in bits. */
export const SAME_PATH_BITS = 8;
/** Whatever path and context say, a cluster needs this much of its own. */
const FLOOR_BITS = 14;
/** Enough where the snippet's own file has them between the same two neighbours: a completion of one line. */
const IN_PLACE_BITS = 4;
/**
 * In another file than the snippet's, this much must come from kept lines: code of one language and team has
 * the same shape all over. On the benchmark it costs no match.
 */
const KEPT_BITS_ELSEWHERE = 20;
/** A weaker cluster counts this near (lines) to one that stands by itself. */
const NEAR_LINES = 40;

/** Splits the matches of one snippet in one file (in file order) into clusters, and judges each. */
export function judgeClusters(
  matches: readonly MatchedLine[],
  snippet: SnippetLines,
  file: FileLines,
  samePath: boolean,
  thresholds: Policy['thresholds'],
): Cluster[] {
  const groups = splitIntoGroups(matches).map((lines) => {
    const own = lines.reduce((sum, line, k) => sum + line.bits * (k === 0 ? 1 : NEXT_LINE_SHARE), 0);
    const context = agreeingContextBits(lines, snippet, file);
    const bits = own + context;
    const needed = thresholds.minBits - (samePath ? SAME_PATH_BITS : 0);
    const inPlace = samePath && context === 2 * CONTEXT_BITS;
    const kept = lines.reduce((sum, line) => sum + (line.kind === 'kept' ? line.bits : 0), 0);
    const primary =
      bits >= needed &&
      own >= (inPlace ? IN_PLACE_BITS : FLOOR_BITS) &&
      (samePath || kept >= KEPT_BITS_ELSEWHERE);
    return { lines, own, bits, first: lines[0]!.fileLine, last: lines.at(-1)!.fileLine, primary };
  });
  const primaries = groups.filter((group) => group.primary);
  const clusters: Cluster[] = [];
  for (const { lines, own, bits, first, last, primary } of groups) {
    const isNear = () =>
      primaries.some((other) => Math.max(first - other.last, other.first - last) <= NEAR_LINES);
    if (primary || (own >= FLOOR_BITS && isNear())) clusters.push({ lines, bits, verdict: 'counted' });
    else if (own >= thresholds.suspectBits) clusters.push({ lines, bits, verdict: 'suspect' });
  }
  return clusters;
}

/** Bits that the lines around a cluster add, because they are those around the snippet at acceptance. */
function agreeingContextBits(lines: readonly MatchedLine[], snippet: SnippetLines, file: FileLines): number {
  const before = snippet.before !== UNKNOWN && file.before[lines[0]!.fileLine] === snippet.before;
  const after = snippet.after !== UNKNOWN && file.after[lines.at(-1)!.fileLine] === snippet.after;
  return (before ? CONTEXT_BITS : 0) + (after ? CONTEXT_BITS : 0);
}

function splitIntoGroups(matches: readonly MatchedLine[]): MatchedLine[][] {
  const groups: MatchedLine[][] = [];
  let last: MatchedLine | undefined;
  for (const match of matches) {
    const ahead = last ? match.fileLine - last.fileLine : 0;
    const jump = last ? match.snippetLine - last.snippetLine : 0;
    const together =
      last && ahead <= FILE_GAP + 1 && jump >= -SNIPPET_BACK && jump <= SNIPPET_GAP + 1 + ahead;
    if (together) groups.at(-1)!.push(match);
    else groups.push([match]);
    last = match;
  }
  return groups;
}
