/** Follows every line of a repository's history through the product's own reader and lineage, without servers. */
import { changedLines, HistoryLineage, inheritedLines } from '@lineprint/attribution';
import { lineEdits } from '@lineprint/contracts';
import { analyseText, deriveLineKey, languageOf } from '@lineprint/fingerprint';
import { listCommits, openRepository, readCommits } from '@lineprint/git';

/** What moved is found by keyed prints; any key finds the same. */
const KEY = deriveLineKey(new Uint8Array(32), 'lk_bench');

/**
 * Calls `visit` for each commit of HEAD's history, parents first, with the tree after it. The tree changes with the
 * next call.
 *
 * All files are followed, also those that do not count; a file whose content the clone lacks is left out.
 *
 * @param {string} path of a git repository
 * @param {object} options
 * @param {boolean} options.inherit follow moved and newly formatted lines to where they were written
 * @param {(commit: import('@lineprint/git').CommitContent, tree: import('@lineprint/attribution').TreeLineage) => void}
 *   visit
 * @returns {Promise<{ commits: number, skipped: number }>}
 */
export async function followHistory(path, { inherit }, visit) {
  const repository = await openRepository(path);
  const refs = await listCommits(repository);
  const history = new HistoryLineage(refs);
  const options = { exclude: () => undefined, missing: 'leave-out' };
  const shas = refs.map(({ sha }) => sha);
  let skipped = 0;
  for await (const item of readCommits(repository, shas, options)) {
    if (item.kind === 'skipped') {
      skipped += 1;
      continue;
    }
    const { commit } = item;
    const inherited = inherit && commit.parents.length === 1 ? inheritedIn(commit) : [];
    const files = commit.files.map((file, i) => ({
      path: file.path,
      oldPath: file.oldPath,
      status: file.status,
      edits: file.binary || file.excluded !== undefined ? undefined : lineEdits(file.hunks),
      inherited: inherited[i] ?? [],
    }));
    visit(commit, history.add({ sha: commit.sha, parents: commit.parents, files, merged: commit.merged }));
  }
  return { commits: refs.length - skipped, skipped };
}

function inheritedIn({ files }) {
  return inheritedLines(
    files.map((file) => {
      const whole =
        file.content === undefined ? undefined : analyseText(file.content, languageOf(file.path), KEY);
      return changedLines(file, KEY, whole);
    }),
  );
}
