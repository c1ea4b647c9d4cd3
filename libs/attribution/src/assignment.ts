import type { Policy } from '@lineprint/contracts';
import { alignSnippet } from './alignment';
import { judgeClusters, SAME_PATH_BITS, type Cluster, type Placement } from './clusters';
import type { Snippet } from './snippet';

/** A snippet that could be the origin of lines of one file. */
export interface Pairing extends Placement {
  readonly snippet: Snippet;
  /** Index of the file in the commit. */
  readonly file: number;
}

/** Lines of one file that go to one snippet. */
export interface Assigned {
  readonly pairing: Pairing;
  readonly cluster: Cluster;
}

interface Claim {
  readonly pairing: Pairing;
  readonly clusters: readonly Cluster[];
  /** Evidence of what counts, with path and context: decides who is first. */
  readonly strength: number;
}

/**
 * Gives each line of the commit to one snippet at most, and uses each snippet line once: the strongest
 * claim takes its lines, and a claim that lost lines by it is aligned again on what is left. Equally
 * strong claims go by path, then newest, then ids, so that the order of `pairings` does not matter.
 * Marks `taken` in the lines of what is `counted`; `suspects` are too weak to count and take nothing,
 * strongest first.
 */
export function assignLines(
  pairings: readonly Pairing[],
  thresholds: Policy['thresholds'],
): { counted: Assigned[]; suspects: Assigned[] } {
  const counted: Assigned[] = [];
  const weak: Claim[] = [];
  const claims = pairings.map((pairing) => makeClaim(pairing, thresholds));
  // Weakest first, so that the strongest is popped.
  const open = claims.sort((a, b) => compareClaims(b, a));
  for (let claim = open.pop(); claim; claim = open.pop()) {
    if (!claim.clusters.every((cluster) => isFree(claim!.pairing, cluster))) {
      insert(open, makeClaim(claim.pairing, thresholds));
      continue;
    }
    for (const cluster of claim.clusters) {
      const { pairing } = claim;
      if (cluster.verdict === 'counted') {
        take(pairing, cluster);
        counted.push({ pairing, cluster });
      } else {
        weak.push({ pairing, clusters: [cluster], strength: cluster.bits });
      }
    }
  }
  const suspects = weak
    .sort(compareClaims)
    .flatMap(({ pairing, clusters }) => clusters.map((cluster) => ({ pairing, cluster })));
  return { counted, suspects };
}

/** Whether neither the file's nor the snippet's lines of the cluster have gone to another. */
export function isFree(pairing: Pairing, cluster: Cluster): boolean {
  const { fileLines, snippetLines } = pairing;
  return cluster.lines.every(
    (line) => !fileLines.taken[line.fileLine] && !snippetLines.taken[line.snippetLine],
  );
}

export function take(pairing: Pairing, cluster: Cluster): void {
  for (const line of cluster.lines) {
    pairing.fileLines.taken[line.fileLine] = 1;
    pairing.snippetLines.taken.fill(1, line.snippetLine, line.snippetLast + 1);
  }
}

function makeClaim(pairing: Pairing, thresholds: Policy['thresholds']): Claim {
  const { snippetLines, fileLines, samePath } = pairing;
  const matches = alignSnippet(snippetLines, fileLines, thresholds.lineSimilarity);
  const clusters = judgeClusters(matches, pairing, thresholds);
  let strength = 0;
  for (const { verdict, bits } of clusters) if (verdict === 'counted') strength += bits;
  if (strength > 0 && samePath) strength += SAME_PATH_BITS;
  return { pairing, clusters, strength };
}

/** Negative where `a` goes first. */
function compareClaims(a: Claim, b: Claim): number {
  const p = a.pairing;
  const q = b.pairing;
  return b.strength - a.strength || Number(q.samePath) - Number(p.samePath) || comparePairings(p, q);
}

/** Newest snippet first, then an order of its own. */
export function comparePairings(a: Pairing, b: Pairing): number {
  return (
    b.snippet.createdAt - a.snippet.createdAt ||
    compareText(a.snippet.codeId, b.snippet.codeId) ||
    a.file - b.file
  );
}

/** By code unit, the same in every locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Keeps `open` sorted, weakest first. */
function insert(open: Claim[], claim: Claim): void {
  let low = 0;
  let high = open.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareClaims(open[middle]!, claim) > 0) low = middle + 1;
    else high = middle;
  }
  open.splice(low, 0, claim);
}
