import {
  bytesToWords,
  type Candidate,
  CLOCK_SKEW_MS,
  type CommitEvent,
  SNIPPET_TTL_MS,
} from '@lineprint/contracts';
import { estimateJaccard } from '@lineprint/fingerprint';
import { type Posting, rankCandidates, type RankedCandidate, type RecallQuery } from '@lineprint/recall';
import type { StoredSnippet } from '@lineprint/persistence';
import type { AstFile } from '@lineprint/syntax';
import type { AnalysedFile } from '../analysis/file-analysis';

/**
 * Candidates of one file: few for a small change, rising with its added lines, which many small edits may have made
 * (docs/engine.md). What a candidate costs rises with them, too: beyond so many lines times candidates the large ones
 * have to do with fewer.
 */
const MIN_CANDIDATES = 25;
const LINES_TIMES_CANDIDATES = 1_000_000;
const CANDIDATES_OF_LARGE = 150;

function candidateLimit(lines: number): number {
  const affordable = Math.max(CANDIDATES_OF_LARGE, Math.floor(LINES_TIMES_CANDIDATES / lines));
  return Math.min(MIN_CANDIDATES + Math.ceil(lines / 2), affordable);
}

export interface RecalledSnippet {
  readonly codeId: string;
  /** Index of the file that recalled it. */
  readonly file: number;
  readonly score: number;
}

/** The same by its number in the organisation, as the index knows it. */
export interface RankedSnippet extends RankedCandidate {
  readonly file: number;
}

/** What of the index the commit may see. */
export function recallQuery({ committedAt, snippetHorizon, firstHorizon }: CommitEvent): RecallQuery {
  return {
    notAfter: committedAt + CLOCK_SKEW_MS,
    notBefore: committedAt - SNIPPET_TTL_MS,
    horizon: firstHorizon ?? snippetHorizon,
    // A clock that is ahead says nothing of what arrived after the commit: that may well have been made after it.
    ...(firstHorizon ? { late: { notAfter: committedAt, horizon: snippetHorizon } } : {}),
  };
}

/**
 * The snippets that may be an origin of the commit's lines: strongest first within each file.
 *
 * @param postings what the index has of the files' keys in the window of `recallQuery`
 */
export function recallCandidates(
  commit: CommitEvent,
  files: readonly AnalysedFile[],
  postings: ReadonlyMap<number, readonly Posting[]>,
): RankedSnippet[] {
  const query = recallQuery(commit);
  return files.flatMap((file, index) => {
    if (file.attributable === 0) return [];
    return rankCandidates(file.keys, postings, query, candidateLimit(file.attributable)).map((candidate) => ({
      ...candidate,
      file: index,
    }));
  });
}

/**
 * Hunks of one file that a snippet without prints may be in: one suggestion is often accepted several times, and
 * each acceptance is a snippet of its own.
 */
const MAX_HUNKS = 8;

/** Adds the reported MinHash similarity of each candidate's best hunk or chunk, lane by lane; without prints, of each of its best hunks. */
export function withSimilarity(
  recalled: readonly RecalledSnippet[],
  files: readonly AnalysedFile[],
  asts: ReadonlyMap<number, AstFile>,
  snippets: ReadonlyMap<string, StoredSnippet>,
): Candidate[] {
  const signatures = new Map<string, { text: Uint32Array; ast: Uint32Array | null }>();
  return recalled.flatMap((candidate) => {
    const snippet = snippets.get(candidate.codeId);
    // Deleted since it was indexed.
    if (!snippet) return [];
    let signature = signatures.get(candidate.codeId);
    if (!signature) {
      signature = {
        text: bytesToWords(snippet.signature),
        ast: snippet.astSignature ? bytesToWords(snippet.astSignature) : null,
      };
      signatures.set(candidate.codeId, signature);
    }
    const texts = bestTexts(files[candidate.file]!, signature.text, snippet.linePrints ? 1 : MAX_HUNKS);
    const ast = signature.ast ? bestAst(asts.get(candidate.file), signature.ast) : undefined;
    return texts.map((text) => ({ ...candidate, ...text, ...(ast === undefined ? {} : { ast }) }));
  });
}

/** The most similar hunks, at least one entry: an empty one where no hunk has a signature. */
function bestTexts(
  file: AnalysedFile,
  signature: Uint32Array,
  count: number,
): { text?: number; hunk?: number }[] {
  const hunks = file.hunkSignatures.flatMap((ways, hunk) => {
    const values = ways.map((way) => estimateJaccard(way, signature));
    return values.length > 0 ? [{ text: Math.max(...values), hunk }] : [];
  });
  const best = hunks.sort((a, b) => b.text - a.text || a.hunk - b.hunk).slice(0, count);
  return best.length > 0 ? best.filter(({ text }, i) => i === 0 || text > 0) : [{}];
}

function bestAst(file: AstFile | undefined, signature: Uint32Array): number | undefined {
  const values = file?.chunks.map((chunk) => estimateJaccard(chunk.signature, signature)) ?? [];
  return values.length > 0 ? Math.max(...values) : undefined;
}
