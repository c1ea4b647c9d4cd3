import type { JudgedCommit } from './judged-commit';

/** The ancestors of one commit. */
export interface Ancestors {
  has(commit: Pick<JudgedCommit, 'sha'>): boolean;
  /** Parents before their children. */
  readonly inOrder: readonly JudgedCommit[];
}

/**
 * Which of a repository's judged commits descend from which. It is asked for nearly every commit, along thousands of
 * others, so commits are numbers here.
 */
export class CommitGraph {
  private readonly numbers = new Map<string, number>();
  /** By number; a parent that has not been judged is missing. */
  private readonly commits: (JudgedCommit | undefined)[] = [];
  private readonly parents: (readonly number[])[] = [];

  /** Adds a commit, or puts it in the place of an earlier revision. */
  set(commit: JudgedCommit): void {
    const number = this.numberOf(commit.sha);
    this.commits[number] = commit;
    this.parents[number] = commit.parents.map((sha) => this.numberOf(sha));
  }

  /** The commit that was set under a number. */
  at(number: number): JudgedCommit {
    return this.commits[number]!;
  }

  /**
   * The ancestors that can be reached through commits which are in reach themselves.
   *
   * @param isInReach says no for a commit that is not looked at, nor what is behind it
   */
  ancestorsOf(parents: readonly string[], isInReach: (commit: JudgedCommit) => boolean): Ancestors {
    const seen = new Uint8Array(this.commits.length);
    const inOrder: JudgedCommit[] = [];
    /** The way to where the walk is, and of each commit on it how many parents have been tried. */
    const path: number[] = [];
    const tried: number[] = [];
    const enter = (number: number | undefined) => {
      if (number === undefined || seen[number] === 1) return;
      const commit = this.commits[number];
      if (!commit || !isInReach(commit)) return;
      seen[number] = 1;
      path.push(number);
      tried.push(0);
    };
    for (const sha of parents) {
      enter(this.numbers.get(sha));
      while (path.length > 0) {
        const top = path.length - 1;
        const number = path[top]!;
        const parent = this.parents[number]![tried[top]!];
        if (parent === undefined) {
          inOrder.push(this.commits[number]!);
          path.pop();
          tried.pop();
        } else {
          tried[top]!++;
          enter(parent);
        }
      }
    }
    const { numbers } = this;
    return { inOrder, has: ({ sha }) => seen[numbers.get(sha) ?? seen.length] === 1 };
  }

  /** The number that a commit has here; a new one for one that is not known yet. */
  numberOf(sha: string): number {
    let number = this.numbers.get(sha);
    if (number === undefined) {
      this.numbers.set(sha, (number = this.commits.length));
      this.commits.push(undefined);
      this.parents.push([]);
    }
    return number;
  }
}
