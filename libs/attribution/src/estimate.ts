import type { Candidate, CandidateFile, LineKind, Policy } from '@lineprint/contracts';
import { compareText } from './assignment';
import type { Snippet } from './snippet';

/** What a version 1 snippet (signature only, no prints) says about one hunk: never line-exact. */
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
 * The seed's ladder of similarities, with the hunk as unit: above `similarityHigh` all its free lines are
 * kept; above `similarityLow` that share of them is changed (the first ones: a signature does not say
 * which); above `similaritySuspect` they are flagged. Best similarity first, each hunk and snippet once.
 * `isFree(file, line)` says which lines nobody owns yet.
 */
export function estimateHunks(
  files: readonly CandidateFile[],
  candidates: readonly Candidate[],
  snippets: ReadonlyMap<string, Snippet>,
  isFree: (file: number, line: number) => boolean,
  thresholds: Policy['thresholds'],
): Estimate[] {
  const usedHunks = new Set<string>();
  const usedSnippets = new Set<string>();
  const estimates: Estimate[] = [];
  const ranked = [...candidates].sort(
    (a, b) =>
      (b.text ?? 0) - (a.text ?? 0) ||
      compareText(a.codeId, b.codeId) ||
      a.file - b.file ||
      (a.hunk ?? 0) - (b.hunk ?? 0),
  );
  for (const candidate of ranked) {
    const snippet = snippets.get(candidate.codeId);
    const hunk = candidate.hunk === undefined ? undefined : files[candidate.file]?.hunks[candidate.hunk];
    const similarity = candidate.text ?? 0;
    if (!snippet || snippet.prints || !hunk || similarity < thresholds.similaritySuspect) continue;
    const hunkKey = `${candidate.file}:${candidate.hunk}`;
    if (usedHunks.has(hunkKey) || usedSnippets.has(candidate.codeId)) continue;
    if (!isComparable(snippet.lineCount, hunk.last - hunk.first + 1)) continue;
    const free: number[] = [];
    for (let line = hunk.first; line <= hunk.last; line++) {
      if (isFree(candidate.file, line)) free.push(line);
    }
    if (free.length === 0) continue;
    usedHunks.add(hunkKey);
    usedSnippets.add(candidate.codeId);
    if (similarity > thresholds.similarityHigh) {
      estimates.push({ snippet, candidate, confidence: 'HIGH', kind: 'P', lines: free });
    } else if (similarity >= thresholds.similarityLow) {
      const lines = free.slice(0, Math.round(similarity * free.length));
      estimates.push({ snippet, candidate, confidence: 'LOW', kind: 'M', lines });
    } else {
      estimates.push({ snippet, candidate, confidence: 'SUSPECT', kind: 'H', lines: free });
    }
  }
  return estimates;
}

function isComparable(snippetLines: number, hunkLines: number): boolean {
  return Math.max(snippetLines, hunkLines) <= MAX_LENGTH_RATIO * Math.min(snippetLines, hunkLines);
}
