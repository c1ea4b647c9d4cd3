import type { ConsumedLines, OriginalLine } from '@lineprint/attribution';
import { SNIPPET_TTL_MS } from '@lineprint/contracts';
import { type Ancestors, CommitGraph } from './commit-graph';
import { CommitsByHash } from './commits-by-hash';
import type { JudgedCommit } from './judged-commit';

/** Beyond a snippet's life: clocks of committers differ, and what they used was accepted a little later. */
const SLACK_MS = 86_400_000;

/**
 * So much older than a commit an ancestor may be before it is not looked at any more, nor what is behind it: the
 * snippets that it used no longer count.
 */
export const HISTORY_MS = SNIPPET_TTL_MS + SLACK_MS;

/** Memory, about: of a commit with its place in the graph, and of one use of a snippet. */
const COMMIT_BYTES = 1_500;
const USE_BYTES = 100;

/** The judged commits of one repository that its next commits may descend from. */
export class RepositoryHistory {
  /** Position of the newest commit. */
  last = 0;
  /** Sum of the revisions of all commits of the repository. */
  revisions = 0;
  private commitBytes = 0;
  private readonly bySha = new Map<string, JudgedCommit>();
  private readonly graph = new CommitGraph();
  private readonly usersOf = new Map<string, JudgedCommit[]>();
  private readonly removers = new CommitsByHash();
  private readonly adders = new CommitsByHash();
  private readonly copiers = new CommitsByHash();

  /** @param since milliseconds since 1970: older commits may be missing */
  constructor(readonly since: number) {}

  /** Memory that it takes, about. */
  get bytes(): number {
    return this.commitBytes + this.removers.bytes + this.adders.bytes + this.copiers.bytes;
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
    const number = this.graph.numberOf(commit.sha);
    for (const codeId of new Set(commit.uses.map((use) => use.codeId))) append(this.usersOf, codeId, commit);
    for (const hash of commit.removed) this.removers.add(hash, number);
    for (const place of commit.added) this.adders.add(place, number);
    for (const place of commit.copied) this.copiers.add(place, number);
    this.commitBytes += bytesOf(commit);
  }

  private remove(commit: JudgedCommit): void {
    const number = this.graph.numberOf(commit.sha);
    for (const { codeId } of commit.uses) drop(this.usersOf, codeId, commit);
    for (const hash of commit.removed) this.removers.remove(hash, number);
    for (const place of commit.added) this.adders.remove(place, number);
    for (const place of commit.copied) this.copiers.remove(place, number);
    this.commitBytes -= bytesOf(commit);
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
    const isReturned = returnedLines(ancestors, (hash) => this.commitsOf(this.removers, hash));
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
      const adders = this.commitsOf(this.adders, place).filter(isInReach);
      if (adders.length === 0) return [];
      const known = (ancestors ??= this.ancestors(commit));
      const elsewhere = new Set(
        adders.filter((adder) => !known.has(adder)).sort((a, b) => a.position - b.position),
      );
      const copied = this.commitsOf(this.copiers, place).filter((copier) => known.has(copier)).length;
      return [...elsewhere].flatMap((adder) => linesAt(adder, place)).slice(copied);
    };
  }

  private commitsOf(index: CommitsByHash, hash: number): JudgedCommit[] {
    return index.get(hash).map((number) => this.graph.at(number));
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

function bytesOf({ uses, removed, added, addedNumbers, copied }: JudgedCommit): number {
  const lines = removed.byteLength + added.byteLength + addedNumbers.byteLength + copied.byteLength;
  return COMMIT_BYTES + lines + uses.length * USE_BYTES;
}

/** Tells whether one of the ancestors that descend from a commit has removed a line with the hash. */
function returnedLines(
  ancestors: Ancestors,
  removersOf: (hash: number) => readonly JudgedCommit[],
): (user: JudgedCommit, hash: number) => boolean {
  const descendantsOf = new Map<JudgedCommit, ReadonlySet<JudgedCommit>>();
  return (user, hash) => {
    const removers = removersOf(hash).filter((remover) => ancestors.has(remover));
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

function append(lists: Map<string, JudgedCommit[]>, key: string, commit: JudgedCommit): void {
  const list = lists.get(key);
  if (list) list.push(commit);
  else lists.set(key, [commit]);
}

function drop(lists: Map<string, JudgedCommit[]>, key: string, commit: JudgedCommit): void {
  lists.set(
    key,
    (lists.get(key) ?? []).filter((other) => other !== commit),
  );
}
