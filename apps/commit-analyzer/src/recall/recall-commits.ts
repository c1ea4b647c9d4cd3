import { type Candidate, type CommitEvent, GROUPS, TOPICS } from '@lineprint/contracts';
import { recallKeys } from '@lineprint/fingerprint';
import {
  type Database,
  loadProgress,
  loadRecalledSnippets,
  type StoredSnippet,
} from '@lineprint/persistence';
import { StoreError } from '@lineprint/platform';
import { type Coverage, holds, type RecallIndex } from '@lineprint/recall';
import type { AstFile } from '@lineprint/syntax';
import type { AnalysedFile } from '../analysis/file-analysis';
import {
  type RankedSnippet,
  recallCandidates,
  type RecalledSnippet,
  recallQuery,
  withSimilarity,
} from './candidate-recall';

/** A commit whose lines look for their origin. */
export interface RecalledCommit {
  readonly commit: CommitEvent;
  readonly files: readonly AnalysedFile[];
  /** By index of the file. */
  readonly asts: ReadonlyMap<number, AstFile>;
}

/**
 * The candidates of each commit of a batch, in the order of the commits. Throws a transient `recall-incomplete`
 * while the index lacks what the indexer has written: a commit that is judged without it would seem written by
 * hand.
 *
 * @param before the index's coverage before the commits were found ready
 */
export async function recallCommits(
  index: RecallIndex,
  database: Database,
  commits: readonly RecalledCommit[],
  before: Coverage,
): Promise<Candidate[][]> {
  const written = await loadProgress(database, GROUPS.indexer, TOPICS.snippets);
  const ranked = await Promise.all(
    commits.map(async ({ commit, files, asts }) => {
      addAstKeys(files, asts);
      const keys = new Set(files.flatMap((file) => [...file.keys.keys()]));
      const postings = await index.postings(before, commit.tenant, keys, recallQuery(commit));
      return recallCandidates(commit, files, postings);
    }),
  );
  // Asked after the postings: they may have been lost between two of the answers.
  const after = await index.coverage();
  const complete = commits.every(({ commit }) => holds(after, commit.snippetHorizon, written));
  if (!complete || after.run !== before.run || after.generation !== before.generation) {
    throw new StoreError(
      'recall-incomplete',
      'The recall index has lost snippets; the indexer fills it from the database. Commits wait for that',
    );
  }
  const snippets = await loadSnippets(database, commits, ranked);
  return commits.map(({ commit, files, asts }, i) => {
    const stored = snippets.get(commit.tenant)!;
    const recalled = ranked[i]!.flatMap(({ id, file, score }): RecalledSnippet[] => {
      const snippet = stored.get(id);
      // Deleted since it was indexed.
      return snippet ? [{ codeId: snippet.codeId, file, score }] : [];
    });
    const byCodeId = new Map([...stored.values()].map((snippet) => [snippet.codeId, snippet]));
    return withSimilarity(recalled, files, asts, byCodeId);
  });
}

/** One look at the database for all of an organisation's commits. */
async function loadSnippets(
  database: Database,
  commits: readonly RecalledCommit[],
  ranked: readonly (readonly RankedSnippet[])[],
): Promise<Map<string, Map<number, StoredSnippet>>> {
  const snippets = new Map<string, Map<number, StoredSnippet>>();
  for (const tenant of new Set(commits.map(({ commit }) => commit.tenant))) {
    const ids = ranked.flatMap((list, i) =>
      commits[i]!.commit.tenant === tenant ? list.map(({ id }) => id) : [],
    );
    snippets.set(tenant, await loadRecalledSnippets(database, tenant, ids));
  }
  return snippets;
}

function addAstKeys(files: readonly AnalysedFile[], asts: ReadonlyMap<number, AstFile>): void {
  for (const [index, ast] of asts) {
    const keys = files[index]!.keys;
    for (const chunk of ast.chunks) {
      for (const { key, weight } of recallKeys({ prints: [], astBands: chunk.bands })) keys.set(key, weight);
    }
  }
}
