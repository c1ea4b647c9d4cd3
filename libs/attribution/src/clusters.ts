import type { Policy } from '@lineprint/contracts';
import { CONTEXT_BITS, isKept, type MatchedLine } from './alignment';
import { NONE, type FileLines, type SnippetLines } from './lines';

/** Matched lines that stand together, and whether their evidence is enough to count. */
export interface Cluster {
  readonly lines: readonly MatchedLine[];
  /** Evidence of the lines and of the agreeing lines around them. */
  readonly bits: number;
  readonly verdict: 'counted' | 'suspect';
}

// docs/engine.md, section 4; docs/decisions/0015 says what each number is worth.

/** At most this many unmatched lines of the file inside a cluster. */
const FILE_GAP = 4;
/** How far the snippet may jump ahead or back between two lines of a cluster. */
const SNIPPET_GAP = 6;
const SNIPPET_BACK = 1;
/** Neighbouring lines are not independent: each after the first counts this much. */
const NEXT_LINE_SHARE = 0.78;
/** What being in the snippet's own file is worth where two claims compete, in bits. */
export const SAME_PATH_BITS = 8;
/** A neighbour of the snippet may stand this many lines away: somebody put a comment between. */
const CONTEXT_REACH = 5;
/** … if it says this much. */
const FAR_CONTEXT_BITS = 2;
/** Whatever path and context say, a cluster needs this much of its own. */
const FLOOR_BITS = 8;
/** Enough where the snippet's own file has it between the same two neighbours: a completion of one line. */
const IN_PLACE_BITS = 0.1;
/** … if those say this much themselves: between two brackets is everywhere. Else this much of its own. */
const NEIGHBOUR_BITS = 2;
const BETWEEN_BRACKETS_BITS = 2;
/** In another file than the snippet's, this much must come from kept lines: code of one team has one shape all over. */
const KEPT_BITS_ELSEWHERE = 20;
/** … but this much, where one of its neighbours is beside it and most of the snippet is there, … */
const KEPT_BITS_BESIDE_NEIGHBOUR = 8;
const MOST_OF_IT = 0.5;
/** … which then needs this much more than in its own file. */
const ONE_NEIGHBOUR_BITS = 8;
/** A snippet that names no neighbours is intact from this share of its lines. */
const INTACT_SHARE = 0.5;
/** A weaker cluster counts this near (lines) to one that stands by itself. */
const NEAR_LINES = 40;
const NEAR_BITS = 6;

/** What of a pairing decides how much evidence a cluster needs. */
export interface Placement {
  readonly snippetLines: SnippetLines;
  readonly fileLines: FileLines;
  /** The snippet was accepted after the file's previous commit. */
  readonly isFresh: boolean;
  /** … and in this file. */
  readonly samePath: boolean;
}

/** Splits the matches of one snippet in one file (in file order) into clusters, and judges each. */
export function judgeClusters(
  matches: readonly MatchedLine[],
  placement: Placement,
  thresholds: Policy['thresholds'],
): Cluster[] {
  const { snippetLines: snippet, fileLines: file, samePath } = placement;
  const groups = splitIntoGroups(matches).map((lines) => {
    const own = lines.reduce((sum, line, k) => sum + line.bits * (k === 0 ? 1 : NEXT_LINE_SHARE), 0);
    const context = agreeingContext(lines, snippet, file);
    const bits = own + context.count * CONTEXT_BITS;
    const needed = neededEvidence(lines, context.count, placement, thresholds);
    const primary =
      samePath && context.count === 2
        ? own >= (context.bits >= NEIGHBOUR_BITS ? IN_PLACE_BITS : BETWEEN_BRACKETS_BITS)
        : own >= FLOOR_BITS && bits >= needed.bits && keptBits(lines) >= needed.kept;
    return { lines, own, bits, first: lines[0]!.fileLine, last: lines.at(-1)!.fileLine, primary };
  });
  const primaries = groups.filter((group) => group.primary);
  const clusters: Cluster[] = [];
  for (const { lines, own, bits, first, last, primary } of groups) {
    const isNear = () =>
      primaries.some((other) => Math.max(first - other.last, other.first - last) <= NEAR_LINES);
    if (primary || (own >= NEAR_BITS && isNear())) clusters.push({ lines, bits, verdict: 'counted' });
    else if (own >= thresholds.suspectBits) clusters.push({ lines, bits, verdict: 'suspect' });
  }
  return clusters;
}

function keptBits(lines: readonly MatchedLine[]): number {
  return lines.reduce((sum, line) => sum + (isKept(line.rule) ? line.bits : 0), 0);
}

/** Whether a snippet says where it was accepted: one without neighbours claims to be a whole file. */
export function isPlaced(snippet: SnippetLines): boolean {
  return snippet.before !== NONE || snippet.after !== NONE;
}

/** Bits that a cluster needs to stand by itself, and how many of them from kept lines. */
function neededEvidence(
  lines: readonly MatchedLine[],
  neighbours: number,
  { snippetLines: snippet, fileLines: file, isFresh, samePath }: Placement,
  thresholds: Policy['thresholds'],
): { bits: number; kept: number } {
  const { minBits, minBitsElsewhere, minBitsUnplaced } = thresholds;
  const kept = samePath ? 0 : KEPT_BITS_ELSEWHERE;
  if (!isPlaced(snippet) && !isIntact(lines, snippet) && !isWholeFile(lines, file, samePath)) {
    return { bits: minBitsUnplaced, kept };
  }
  if (samePath) return { bits: minBits, kept };
  // It stands where it was accepted, though the file has another name: moved, or named from another folder.
  if (isFresh && neighbours === 2) return { bits: minBits, kept: 0 };
  if (isFresh && neighbours === 1 && lines.length >= MOST_OF_IT * snippet.length) {
    return { bits: minBits + ONE_NEIGHBOUR_BITS, kept: KEPT_BITS_BESIDE_NEIGHBOUR };
  }
  return { bits: minBitsElsewhere, kept };
}

/** Nothing of the lines was changed, and little of the snippet is missing: no near-copy looks like that. */
function isIntact(lines: readonly MatchedLine[], snippet: SnippetLines): boolean {
  return lines.length >= INTACT_SHARE * snippet.length && lines.every((line) => isKept(line.rule));
}

/** All of a file, or in a file of its name that the commit wrote all of. */
function isWholeFile(lines: readonly MatchedLine[], file: FileLines, samePath: boolean): boolean {
  const begins = file.before[lines[0]!.fileLine] === NONE;
  const ends = file.after[lines.at(-1)!.fileLine] === NONE;
  return (begins && ends) || (samePath && file.isNew);
}

/** How many of the two lines around the snippet are around the cluster, and what they say themselves, in bits. */
function agreeingContext(
  lines: readonly MatchedLine[],
  snippet: SnippetLines,
  file: FileLines,
): { count: number; bits: number } {
  const { exact, weight, place } = file.surroundings;
  const look = (from: number, step: 1 | -1, neighbour: number) => {
    if (neighbour < 0) return undefined;
    for (let x = from + step; x !== from + step * (CONTEXT_REACH + 1); x += step) {
      if (exact[x] === neighbour)
        return x === from + step || weight[x]! >= FAR_CONTEXT_BITS ? weight[x] : undefined;
    }
    return undefined;
  };
  const before = look(place[lines[0]!.fileLine]!, -1, snippet.before);
  const after = look(place[lines.at(-1)!.fileLine]!, 1, snippet.after);
  return {
    count: Number(before !== undefined) + Number(after !== undefined),
    bits: (before ?? 0) + (after ?? 0),
  };
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
