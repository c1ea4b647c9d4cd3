import { type Candidate, type CommitEvent, GROUPS, TOPICS } from '@lineprint/contracts';
import { recallKeys } from '@lineprint/fingerprint';
import { type Database, loadProgress, loadSnippetPrints, type StoredSnippet } from '@lineprint/persistence';
import { StoreError } from '@lineprint/platform';
import { type Coverage, holds, type Posting, type RecallIndex } from '@lineprint/recall';
import type { AstFile } from '@lineprint/syntax';
import type { AnalysedFile } from '../analysis/file-analysis';
import { recallCandidates, withSimilarity } from './candidate-recall';

/** A commit whose lines look for their origin. */
export interface RecalledCommit {
  readonly commit: CommitEvent;
  readonly files: readonly AnalysedFile[];
  /** By index of the file. */
  readonly asts: ReadonlyMap<number, AstFile>;
}

/**
 * The candidates of each commit of a batch, in the order of the commits: one look at the index and one at the
 * database for all of an organisation.
 *
 * @param before the index's coverage before the commits were found ready
 * @throws StoreError as `recalledPostings`
 */
export async function recallCommits(
  index: RecallIndex,
  database: Database,
  commits: readonly RecalledCommit[],
  before: Coverage,
): Promise<Candidate[][]> {
  const found = await recalledPostings(index, database, commits, before);
  const recalled = commits.map(({ commit, files }) =>
    recallCandidates(commit, files, found.get(commit.tenant)!),
  );
  const snippets = new Map<string, Map<string, StoredSnippet>>();
  for (const tenant of found.keys()) {
    const ids = commits.flatMap(({ commit }, i) =>
      commit.tenant === tenant ? recalled[i]!.map(({ codeId }) => codeId) : [],
    );
    const stored = await loadSnippetPrints(database, tenant, [...new Set(ids)]);
    snippets.set(tenant, new Map(stored.map((snippet) => [snippet.codeId, snippet])));
  }
  return commits.map(({ commit, files, asts }, i) =>
    withSimilarity(recalled[i]!, files, asts, snippets.get(commit.tenant)!),
  );
}

/**
 * The postings of every key of the commits, by organisation. Throws a transient `recall-incomplete` while the
 * index lacks what the indexer has written: a commit that is judged without it would seem written by hand.
 */
async function recalledPostings(
  index: RecallIndex,
  database: Database,
  commits: readonly RecalledCommit[],
  before: Coverage,
): Promise<Map<string, Map<string, Posting[]>>> {
  const written = await loadProgress(database, GROUPS.indexer, TOPICS.snippets);
  const found = new Map<string, Map<string, Posting[]>>();
  for (const tenant of new Set(commits.map(({ commit }) => commit.tenant))) {
    const keys = new Set<string>();
    for (const { commit, files, asts } of commits) {
      if (commit.tenant !== tenant) continue;
      addAstKeys(files, asts);
      for (const file of files) for (const key of file.keys.keys()) keys.add(key);
    }
    found.set(tenant, await index.postings(tenant, [...keys]));
  }
  // Asked after the postings: they may have been lost between two of the answers.
  const after = await index.coverage();
  const complete = commits.every(({ commit }) => holds(after, commit.snippetHorizon, written));
  if (!complete || after.run !== before.run) {
    throw new StoreError(
      'recall-incomplete',
      'The recall index has lost snippets; the indexer fills it from the database. Commits wait for that',
    );
  }
  return found;
}

function addAstKeys(files: readonly AnalysedFile[], asts: ReadonlyMap<number, AstFile>): void {
  for (const [index, ast] of asts) {
    const keys = files[index]!.keys;
    for (const chunk of ast.chunks) {
      for (const { key, weight } of recallKeys({ prints: [], astBands: chunk.bands }, 'commit'))
        keys.set(key, weight);
    }
  }
}
