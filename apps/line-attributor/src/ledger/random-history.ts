import {
  applyChange,
  type FileLineage,
  type FollowedCommit,
  linesIn,
  packFollowed,
  treeChange,
  type TreeLineage,
} from '@lineprint/attribution';
import type {
  AttributedFile,
  AttributionEvent,
  AttributionResult,
  CopiedRange,
  InheritedRange,
} from '@lineprint/contracts';
import type { FollowedCommitRow } from '@lineprint/persistence';

/** What the ledger is told of a commit, and what policies say of it. */
export interface HistoryCommit extends FollowedCommit {
  readonly committedAt: number;
  readonly projectId: string;
  /** Own lines of each file that are copies. */
  readonly copied: ReadonlyMap<string, readonly CopiedRange[]>;
}

type Tree = Map<string, FileLineage>;
type File = FollowedCommit['files'][number];
type Merged = NonNullable<FollowedCommit['merged']>[number];

export const PLACE = { orgId: 'acme', repository: 'shop' };
const START = Date.UTC(2026, 2, 7);
const HOUR_MS = 3_600_000;
const shaOf = (n: number) => (n + 1).toString(16).padStart(40, '0');

/** The trees of commits, where a parent that is not among them counts as empty. Parents come first. */
export function treesOf(commits: Iterable<HistoryCommit>): Map<string, TreeLineage> {
  const trees = new Map<string, Tree>();
  const empty: Tree = new Map();
  for (const commit of commits) {
    const parents = commit.parents.map((sha) => trees.get(sha) ?? empty);
    const tree = new Map(parents[0] ?? empty);
    applyChange(tree, treeChange(commit, parents));
    trees.set(commit.sha, tree);
  }
  return trees;
}

/** A history with branches, merges, several roots, renames, copies and moves of lines, parents first. */
export function randomHistory(count: number, below: (limit: number) => number): HistoryCommit[] {
  const commits: HistoryCommit[] = [];
  const trees = new Map<string, TreeLineage>();
  for (let n = 0; n < count; n++) {
    const last = commits.slice(-4);
    const recent = () => last[below(last.length)]!.sha;
    const kind = below(10);
    const parents = n === 0 || kind === 9 ? [] : kind < 6 ? [commits.at(-1)!.sha] : [recent()];
    if (kind >= 7 && kind < 9 && n > 2) {
      const other = recent();
      if (other !== parents[0]) parents.push(other);
    }
    const of = parents.map((sha) => trees.get(sha)!);
    const what =
      parents.length > 1
        ? { files: [], merged: merge(of, below) }
        : { files: change(of[0] ?? new Map(), n, below) };
    const draft = { sha: shaOf(n), parents, ...what };
    const tree = new Map(of[0] ?? []);
    applyChange(tree, treeChange(draft, of));
    trees.set(draft.sha, tree);
    commits.push({
      ...draft,
      // Clocks that run backwards now and then.
      committedAt: START + n * 30 * HOUR_MS - below(50) * HOUR_MS,
      projectId: n > count / 2 ? 'shop' : 'early',
      copied: copies(draft.sha, tree, trees, commits, below),
    });
  }
  return commits;
}

function change(tree: TreeLineage, n: number, below: (limit: number) => number): File[] {
  const paths = [...tree.keys()].sort();
  const files = new Map<string, File>();
  const untouched = () => {
    const path = paths[below(paths.length || 1)];
    const isTouched = [...files.values()].some((file) => file.path === path || file.oldPath === path);
    return path === undefined || isTouched ? undefined : path;
  };
  for (let i = 1 + below(3); i > 0; i--) {
    const path = untouched();
    const what = below(8);
    if (path === undefined || what === 0) {
      const edits = [0, 0, 0, 1 + below(12)];
      files.set(`new${n}.${i}`, { path: `new${n}.${i}`, status: 'added', edits, inherited: [] });
      continue;
    }
    const length = linesIn(tree.get(path)!);
    const edits = below(3) ? edit(length, below) : [];
    if (what === 1) files.set(path, { path, status: 'deleted', inherited: [] });
    else if (what === 2) {
      const status = below(3) ? 'renamed' : 'copied';
      const name = `${status}${n}.${i}`;
      files.set(name, { path: name, oldPath: path, status, edits, inherited: [] });
    } else if (what === 3) {
      const from = paths[below(paths.length)]!;
      const most = Math.min(4, linesIn(tree.get(from)!));
      if (most === 0) continue;
      const count = 1 + below(most);
      const fromLine = below(linesIn(tree.get(from)!) - count + 1);
      const inherited = [{ start: 1, count, fromFile: from, fromLine }];
      files.set(path, { path, status: 'modified', edits: [0, 0, 0, count + 2], inherited });
    } else files.set(path, { path, status: 'modified', edits: edit(length, below), inherited: [] });
  }
  return [...files.values()];
}

function edit(length: number, below: (limit: number) => number): number[] {
  const edits: number[] = [];
  let at = 0;
  let shift = 0;
  for (let i = 1 + below(3); i > 0 && at <= length; i--) {
    const oldStart = at + below(length - at + 1);
    const oldLines = below(Math.min(5, length - oldStart) + 1);
    const newLines = below(6);
    if (oldLines + newLines > 0) edits.push(oldStart, oldLines, oldStart + shift, newLines);
    at = oldStart + oldLines + 1;
    shift += newLines - oldLines;
  }
  return edits;
}

function merge(parents: readonly TreeLineage[], below: (limit: number) => number): Merged[] {
  const [first, second] = parents as [TreeLineage, TreeLineage];
  return [...new Set([...first.keys(), ...second.keys()])].sort().flatMap((path): Merged[] => {
    const ours = first.get(path);
    const theirs = second.get(path);
    const what = below(5);
    if (what === 0 && theirs) return [{ path, from: [{ parent: 1, edits: [] }] }];
    if (what === 1 && ours) return [{ path, from: [] }];
    if (what === 2 && ours) return [{ path, from: [{ parent: 0, edits: edit(linesIn(ours), below) }] }];
    if (what === 3 && ours && theirs) {
      // Ours, and below it the end of theirs.
      const [length, other] = [linesIn(ours), linesIn(theirs)];
      const count = below(other + 1);
      const edits = [length, 0, length, count];
      return [
        {
          path,
          from: [
            { parent: 0, edits },
            { parent: 1, edits: [0, other - count, 0, length] },
          ],
        },
      ];
    }
    return [];
  });
}

/** The lines of a commit's file that are its own. */
export function ownLines(sha: string, path: string, tree: TreeLineage): number[] {
  return (tree.get(path) ?? []).flatMap(({ origin, line, count }) =>
    origin?.commit === sha && origin.path === path ? Array.from({ length: count }, (_, i) => line + i) : [],
  );
}

function copies(
  sha: string,
  tree: TreeLineage,
  trees: ReadonlyMap<string, TreeLineage>,
  before: readonly HistoryCommit[],
  below: (limit: number) => number,
): Map<string, CopiedRange[]> {
  const copied = new Map<string, CopiedRange[]>();
  for (const path of tree.keys()) {
    const [start] = ownLines(sha, path, tree);
    const original = before.findLast((commit) => isOriginal(commit, path, trees));
    if (start === undefined || !original || below(3)) continue;
    const fromLine = ownLines(original.sha, path, trees.get(original.sha)!).find(isJudged);
    if (fromLine === undefined) continue;
    copied.set(path, [{ start, count: 1, how: 'copied', fromCommit: original.sha, fromLine }]);
  }
  return copied;
}

function isOriginal(
  { sha, copied }: HistoryCommit,
  path: string,
  trees: ReadonlyMap<string, TreeLineage>,
): boolean {
  return !copied.has(path) && ownLines(sha, path, trees.get(sha)!).length > 0;
}

/** Every fifth line is blank. */
const isJudged = (line: number) => line % 5 !== 4;

export function followedRow(commit: HistoryCommit): FollowedCommitRow {
  const { sha, parents, committedAt, projectId } = commit;
  return { ...PLACE, sha, parents, committedAt, projectId, followed: packFollowed(commit) };
}

const RESULTS = {
  P: { source: 'agent', model: 'granite', evidence: 'declared', confidence: 'HIGH' },
  M: { source: 'tab', evidence: 'estimated', confidence: 'LOW' },
  H: { source: null, evidence: 'none', confidence: 'UNIQUE' },
} as const;
export type Kind = keyof typeof RESULTS;

/** What a policy says of a line that a commit added; undefined of one that is blank. */
export function kindOf(policy: string, sha: string, path: string, line: number): Kind | undefined {
  if (!isJudged(line)) return undefined;
  const mixed = [...`${policy}${sha}${path}`].reduce(
    (sum, char) => (sum * 31 + char.charCodeAt(0)) % 9_973,
    7,
  );
  return (['P', 'M', 'H', 'H'] as const)[(mixed + line) % 4];
}

export function verdictOf(commit: HistoryCommit, tree: TreeLineage, policy: string): AttributionEvent {
  const { sha, parents, committedAt, projectId } = commit;
  return {
    policy,
    commit: {
      ...{
        tenant: PLACE.orgId,
        repository: PLACE.repository,
        sha,
        parents: [...parents],
        projectId,
        late: false,
      },
      ...{ authorName: 'Ada', authorEmail: 'ada@example.org', userId: userOf(sha) },
      ...{ authoredAt: committedAt, committedAt },
    },
    files: [...tree.keys()].sort().flatMap((path) => {
      const lines = ownLines(sha, path, tree);
      return lines.length > 0 ? [fileOf(commit, path, lines, movedLines(commit, path, lines), policy)] : [];
    }),
  };
}

export const userOf = (sha: string): string => (parseInt(sha.slice(-4), 16) % 2 ? 'ada' : 'bob');

/** Lines of a commit's file that came from elsewhere, and are not its own for that. */
function movedLines({ files }: HistoryCommit, path: string, own: readonly number[]): InheritedRange[] {
  const inherited = files.find((file) => file.path === path)?.inherited ?? [];
  return inherited.flatMap((range) =>
    own.includes(range.start) ? [] : [{ ...range, how: 'moved' as const }],
  );
}

function fileOf(
  { sha, copied }: HistoryCommit,
  path: string,
  lines: readonly number[],
  moved: readonly InheritedRange[],
  policy: string,
): AttributedFile {
  const copies = copied.get(path) ?? [];
  const isCopied = (line: number) => copies.some(({ start, count }) => line >= start && line < start + count);
  const movedCount = moved.reduce((sum, { count }) => sum + count, 0);
  const own = lines.filter((line) => !isCopied(line));
  const kinds = [...new Set(own.flatMap((line) => kindOf(policy, sha, path, line) ?? []))];
  const countOf = (kind: Kind) => own.filter((line) => kindOf(policy, sha, path, line) === kind).length;
  const results = kinds.map((kind): AttributionResult => ({
    ...{ codeId: null, similarity: null, bits: 0, suspect: 0 },
    ...RESULTS[kind],
    ...{
      preserved: kind === 'P' ? countOf('P') : 0,
      modified: kind === 'M' ? countOf('M') : 0,
      human: kind === 'H' ? countOf('H') : 0,
    },
  }));
  return {
    ...{ path, status: 'modified', language: 'text', deletedLines: 0, explanations: '' },
    addedLines: lines.length + movedCount,
    blankLines: own.filter((line) => !isJudged(line)).length,
    inheritedLines: lines.length - own.length + movedCount,
    inherited: [...copies, ...moved],
    results,
    lines: own.flatMap((start) => {
      const kind = kindOf(policy, sha, path, start);
      return kind ? [{ start, count: 1, kind, result: kinds.indexOf(kind) }] : [];
    }),
  };
}
