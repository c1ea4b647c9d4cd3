import {
  changedLines,
  type FollowedFile,
  HistoryLineage,
  inheritedLines,
  type TreeLineage,
} from '@lineprint/attribution';
import { type InheritedRange, lineEdits } from '@lineprint/contracts';
import { analyseText, deriveLineKey, languageOf } from '@lineprint/fingerprint';
import { type CommitContent, listCommits, openRepository, readCommits } from '@lineprint/git';

/** Which of a commit's added lines go back to where they stood in its parent. */
export interface InheritanceRule {
  /**
   * Called for every commit, parents first.
   * @param parent the tree of the first parent
   * @returns ranges for each of the commit's files; none for a file that the list does not reach
   */
  inherited(commit: CommitContent, parent: TreeLineage): readonly (readonly InheritedRange[])[];
}

/** Every added line is the commit's own, as `git blame` has it when nothing is said of moves. */
export const noMoves: InheritanceRule = { inherited: () => [] };

/** What moved is found by keyed prints; any key finds the same. */
const KEY = deriveLineKey(new Uint8Array(32), 'lk_bench');

/** What commit-analyzer calls inherited: lines that moved or were formatted anew, but no copies. */
export const productMoves: InheritanceRule = {
  inherited({ files, parents }) {
    if (parents.length !== 1) return [];
    return inheritedLines(
      files.map((file) => {
        const whole =
          file.content === undefined ? undefined : analyseText(file.content, languageOf(file.path), KEY);
        return changedLines(file, KEY, whole);
      }),
    );
  },
};

/**
 * Follows every line of HEAD's history through the product's own reader and lineage, without servers. All files are
 * followed, also those that do not count; a file whose content the clone lacks is left out.
 *
 * @param path of a git repository
 * @param rules each gives a lineage of its own
 * @param visit called for each commit, parents first, with the tree after it by each of the rules; the trees change
 *   with the next call
 */
export async function followHistory(
  path: string,
  rules: readonly InheritanceRule[],
  visit: (commit: CommitContent, ...trees: TreeLineage[]) => void,
): Promise<{ commits: number; skipped: number }> {
  const repository = await openRepository(path);
  const refs = await listCommits(repository);
  const histories = rules.map(() => new HistoryLineage(refs));
  const shas = refs.map(({ sha }) => sha);
  let skipped = 0;
  for await (const item of readCommits(repository, shas, {
    exclude: () => undefined,
    missing: 'leave-out',
  })) {
    if (item.kind === 'skipped') {
      skipped += 1;
      continue;
    }
    const { commit } = item;
    const { sha, parents, merged } = commit;
    const files: FollowedFile[] = commit.files.map((file) => ({
      ...file,
      edits: file.binary || file.excluded !== undefined ? undefined : lineEdits(file.hunks),
      inherited: [],
    }));
    const trees = histories.map((history, rule) => {
      const inherited = rules[rule]!.inherited(commit, history.tree(parents[0]));
      const followed = files.map((file, i) => ({ ...file, inherited: inherited[i] ?? [] }));
      return history.add({ sha, parents, files: followed, merged });
    });
    visit(commit, ...trees);
  }
  return { commits: refs.length - skipped, skipped };
}
