import type { ConsumedLines, OriginalLine } from '@lineprint/attribution';
import { SNIPPET_TTL_MS } from '@lineprint/contracts';
import { type Ancestors, CommitGraph } from './commit-graph';
import type { JudgedCommit } from './judged-commit';

/** Beyond a snippet's life: clocks of committers differ, and what they used was accepted a little later. */
const SLACK_MS = 86_400_000;

/**
 * So much older than a commit an ancestor may be before it is not looked at any more, nor what is behind it: the
 * snippets that it used no longer count.
 */
export const HISTORY_MS = SNIPPET_TTL_MS + SLACK_MS;

/** The judged commits of one repository that its next commits may descend from. */
export class RepositoryHistory {
  /** Position of the newest commit. */
  last = 0;
  /** Sum of the revisions of all commits of the repository. */
  revisions = 0;
  private lineCount = 0;
  private readonly bySha = new Map<string, JudgedCommit>();
  private readonly graph = new CommitGraph();
  private readonly usersOf = new Map<string, JudgedCommit[]>();
  private readonly removersOf = new Map<number, JudgedCommit[]>();
  private readonly addersOf = new Map<number, JudgedCommit[]>();
  private readonly copiersOf = new Map<number, JudgedCommit[]>();

  /** @param since milliseconds since 1970: older commits may be missing */
  constructor(readonly since: number) {}

  /** Commits, uses and lines: what its memory grows with. */
  get size(): number {
    return this.bySha.size + this.lineCount;
  }

  get(sha: string): JudgedCommit | undefined {
    return this.bySha.get(sha);
  }

  /** A commit that is there already stays as it is, unless its revision is lower. */
  add(commit: JudgedCommit): void {
    this.last = Math.max(this.last, commit.position);
    const known = this.bySha.get(commit.sha);
    if (known) {
      if (known.revision >= commit.revision) return;
      this.remove(known);
    }
    this.bySha.set(commit.sha, commit);
    this.graph.set(commit);
    for (const codeId of new Set(commit.uses.map((use) => use.codeId))) append(this.usersOf, codeId, commit);
    for (const hash of commit.removed) append(this.removersOf, hash, commit);
    for (const place of commit.added) append(this.addersOf, place, commit);
    for (const place of commit.copied) append(this.copiersOf, place, commit);
    this.lineCount += linesOf(commit);
  }

  private remove(commit: JudgedCommit): void {
    for (const { codeId } of commit.uses) drop(this.usersOf, codeId, commit);
    for (const hash of commit.removed) drop(this.removersOf, hash, commit);
    for (const place of commit.added) drop(this.addersOf, place, commit);
    for (const place of commit.copied) drop(this.copiersOf, place, commit);
    this.lineCount -= linesOf(commit);
  }

  /**
   * Which lines of the snippets a commit cannot use, because a line that an ancestor took from them still counts. It
   * no longer does where the commit adds an equal line that a commit between the two has removed: what comes back, as
   * a revert of a revert brings it, is whose it was.
   *
   * @param commit its `position` bounds what is looked at, so that a commit that comes again meets the same history
   * @param codeIds the commit's candidate snippets
   * @param added hashes of the lines that the commit adds
   */
  consumedBefore(
    commit: Pick<JudgedCommit, 'position' | 'parents' | 'committedAt'>,
    codeIds: readonly string[],
    added: () => ReadonlySet<number>,
  ): ConsumedLines {
    const consumed = new Map<string, Set<number>>();
    if (!codeIds.some((codeId) => this.usersOf.has(codeId))) return consumed;
    const ancestors = this.ancestors(commit);
    const isReturned = returnedLines(ancestors, this.removersOf);
    for (const codeId of new Set(codeIds)) {
      for (const user of this.usersOf.get(codeId) ?? []) {
        if (!ancestors.has(user)) continue;
        for (const use of user.uses) {
          if (use.codeId !== codeId || (added().has(use.hash) && isReturned(user, use.hash))) continue;
          const lines = consumed.get(codeId);
          if (lines) lines.add(use.snippetLine);
          else consumed.set(codeId, new Set([use.snippetLine]));
        }
      }
    }
    return consumed;
  }

  /**
   * Tells where other lines of history have added a line to its file first, oldest in the log first, less what the
   * commit's ancestors have copied already. A commit without parents begins a line of history, and copies nothing.
   *
   * @param commit as for `consumedBefore`
   */
  originalsBefore(
    commit: Pick<JudgedCommit, 'position' | 'parents' | 'committedAt'>,
  ): (place: number) => readonly OriginalLine[] {
    if (commit.parents.length === 0) return () => [];
    let ancestors: Ancestors | undefined;
    const isInReach = ({ position, committedAt }: JudgedCommit) =>
      position < commit.position && committedAt >= commit.committedAt - HISTORY_MS;
    return (place) => {
      const adders = (this.addersOf.get(place) ?? []).filter(isInReach);
      if (adders.length === 0) return [];
      const known = (ancestors ??= this.ancestors(commit));
      const elsewhere = new Set(
        adders.filter((adder) => !known.has(adder)).sort((a, b) => a.position - b.position),
      );
      const copied = (this.copiersOf.get(place) ?? []).filter((copier) => known.has(copier)).length;
      return [...elsewhere].flatMap((adder) => linesAt(adder, place)).slice(copied);
    };
  }

  private ancestors({
    position,
    parents,
    committedAt,
  }: Pick<JudgedCommit, 'position' | 'parents' | 'committedAt'>): Ancestors {
    return this.graph.ancestorsOf(
      parents,
      (commit) => commit.position < position && commit.committedAt >= committedAt - HISTORY_MS,
    );
  }
}

/** The lines that a commit adds at a place. */
function linesAt({ sha, added, addedNumbers }: JudgedCommit, place: number): OriginalLine[] {
  const lines: OriginalLine[] = [];
  for (let i = added.indexOf(place); i >= 0; i = added.indexOf(place, i + 1)) {
    lines.push({ fromCommit: sha, fromLine: addedNumbers[i] });
  }
  return lines;
}

function linesOf({ uses, removed, added, copied }: JudgedCommit): number {
  return uses.length + removed.length + added.length + copied.length;
}

/** Tells whether one of the ancestors that descend from a commit has removed a line with the hash. */
function returnedLines(
  ancestors: Ancestors,
  removersOf: ReadonlyMap<number, readonly JudgedCommit[]>,
): (user: JudgedCommit, hash: number) => boolean {
  const descendantsOf = new Map<JudgedCommit, ReadonlySet<JudgedCommit>>();
  return (user, hash) => {
    const removers = (removersOf.get(hash) ?? []).filter((remover) => ancestors.has(remover));
    if (removers.length === 0) return false;
    let descendants = descendantsOf.get(user);
    if (!descendants) descendantsOf.set(user, (descendants = descendantsAmong(ancestors, user)));
    return removers.some((remover) => descendants.has(remover));
  };
}

function descendantsAmong({ inOrder }: Ancestors, of: JudgedCommit): Set<JudgedCommit> {
  const reached = new Set([of.sha]);
  const descendants = new Set<JudgedCommit>();
  for (const commit of inOrder) {
    if (!commit.parents.some((sha) => reached.has(sha))) continue;
    reached.add(commit.sha);
    descendants.add(commit);
  }
  return descendants;
}

function append<K>(lists: Map<K, JudgedCommit[]>, key: K, commit: JudgedCommit): void {
  const list = lists.get(key);
  if (list) list.push(commit);
  else lists.set(key, [commit]);
}

function drop<K>(lists: Map<K, JudgedCommit[]>, key: K, commit: JudgedCommit): void {
  lists.set(
    key,
    (lists.get(key) ?? []).filter((other) => other !== commit),
  );
}
