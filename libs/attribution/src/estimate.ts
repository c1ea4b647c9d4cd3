import type { Candidate, CandidateFile, LineKind, Policy } from '@lineprint/contracts';
import { compareText } from './assignment';
import type { Snippet } from './snippet';

/** What a version 1 snippet (signature only, no prints) says about lines of one hunk: never line-exact. */
export interface Estimate {
  readonly snippet: Snippet;
  readonly candidate: Candidate;
  readonly confidence: 'HIGH' | 'LOW' | 'SUSPECT';
  readonly kind: LineKind;
  /** Indices of the lines it is about. */
  readonly lines: readonly number[];
}

/** A hunk this many times longer or shorter than the snippet is not its copy, whatever the signature says. */
const MAX_LENGTH_RATIO = 3;

/**
 * The seed's tiers of similarity, with the hunk as unit: above `similarityHigh` a match is HIGH, above
 * `similarityLow` LOW, and from `similaritySuspect` on SUSPECT, which is flagged and not counted. How many of the
 * hunk's lines were kept and changed is what the seed's diff would count (`sharedLines`); which ones, a signature
 * does not say: the first. Best similarity first, then the newest snippet; each hunk and each snippet once.
 * @param numbersOf the attributable lines of each file that counts, in its numbers
 * @param candidates in any order; several of one snippet and file name different hunks
 * @param isFree which lines nobody owns yet
 */
export function estimateHunks(
  files: readonly CandidateFile[],
  numbersOf: readonly (Int32Array | undefined)[],
  candidates: readonly Candidate[],
  snippets: ReadonlyMap<string, Snippet>,
  isFree: (file: number, line: number) => boolean,
  thresholds: Policy['thresholds'],
): Estimate[] {
  /** How many of a hunk's free lines are spoken for, from the first. */
  const spokenFor = new Map<string, number>();
  const usedSnippets = new Set<string>();
  const estimates: Estimate[] = [];
  for (const { candidate, snippet, similarity } of rank(candidates, snippets)) {
    const numbers = numbersOf[candidate.file];
    const hunk = candidate.hunk === undefined ? undefined : files[candidate.file]?.hunks[candidate.hunk];
    if (!hunk || !numbers || usedSnippets.has(snippet.codeId)) continue;
    const hunkLines = numbers[hunk.last]! - numbers[hunk.first]! + 1;
    const alike = similarity / possibleSimilarity(snippet.lineCount, hunkLines);
    if (!isComparable(snippet.lineCount, hunkLines) || alike < thresholds.similaritySuspect) continue;
    const all: number[] = [];
    for (let line = hunk.first; line <= hunk.last; line++) {
      if (isFree(candidate.file, line)) all.push(line);
    }
    const hunkKey = `${candidate.file}:${candidate.hunk}`;
    const taken = spokenFor.get(hunkKey) ?? 0;
    const free = all.slice(taken);
    // A second suggestion stands in a hunk only where it has room: another copy of the first one has none.
    if (free.length === 0 || (taken > 0 && snippet.lineCount > free.length)) continue;
    usedSnippets.add(snippet.codeId);
    if (alike <= thresholds.similarityLow) {
      spokenFor.set(hunkKey, all.length);
      estimates.push({ snippet, candidate, confidence: 'SUSPECT', kind: 'H', lines: free });
      continue;
    }
    const confidence = alike > thresholds.similarityHigh ? 'HIGH' : 'LOW';
    const shared = sharedLines(similarity, snippet.lineCount, hunkLines);
    const kept = Math.round((shared.kept / hunkLines) * all.length);
    const ofSnippet = Math.round(((shared.kept + shared.changed) / hunkLines) * all.length);
    spokenFor.set(hunkKey, taken + ofSnippet);
    estimates.push({ snippet, candidate, confidence, kind: 'P', lines: free.slice(0, kept) });
    estimates.push({ snippet, candidate, confidence, kind: 'M', lines: free.slice(kept, ofSnippet) });
  }
  return estimates;
}

function rank(
  candidates: readonly Candidate[],
  snippets: ReadonlyMap<string, Snippet>,
): { candidate: Candidate; snippet: Snippet; similarity: number }[] {
  return candidates
    .flatMap((candidate) => {
      const snippet = snippets.get(candidate.codeId);
      return snippet && !snippet.prints ? [{ candidate, snippet, similarity: candidate.text ?? 0 }] : [];
    })
    .sort(
      (a, b) =>
        b.similarity - a.similarity ||
        b.snippet.createdAt - a.snippet.createdAt ||
        compareText(a.candidate.codeId, b.candidate.codeId) ||
        a.candidate.file - b.candidate.file ||
        (a.candidate.hunk ?? 0) - (b.candidate.hunk ?? 0),
    );
}

/**
 * Lines that a snippet and a hunk of `a` and `b` lines have in common if lines are shared as shingles are: of a
 * Jaccard similarity J that is J / (1 + J) of both together. The snippet's other lines were changed as far as the
 * hunk has room for them, and deleted beyond: those earn nothing. The hunk's other lines are somebody's own.
 *
 * On the benchmark's synthetic edits the ratio of a hunk is .04 (HIGH) and .08 (LOW) off, where a hunk of HIGH kept
 * as a whole is .10 off, and a share of J that is changed .44.
 */
function sharedLines(similarity: number, a: number, b: number): { kept: number; changed: number } {
  const shorter = Math.min(a, b);
  const kept = Math.min(shorter, (similarity / (1 + similarity)) * (a + b));
  return { kept, changed: shorter - kept };
}

/** A snippet and a hunk that are not equally long cannot be more alike than this, though one holds all of the other. */
function possibleSimilarity(snippetLines: number, hunkLines: number): number {
  return Math.min(snippetLines, hunkLines) / Math.max(snippetLines, hunkLines);
}

function isComparable(snippetLines: number, hunkLines: number): boolean {
  return Math.max(snippetLines, hunkLines) <= MAX_LENGTH_RATIO * Math.min(snippetLines, hunkLines);
}
