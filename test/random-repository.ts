import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A repository whose history goes on at random: edits, new files, renames, deletions, and branches that are merged. */
export class RandomRepository {
  private written = 0;

  /**
   * @param path of its working tree, which has `main` checked out
   * @param git runs git there, and answers what it prints
   * @param below a random number from 0 to below the limit
   */
  constructor(
    private readonly path: string,
    private readonly git: (...args: string[]) => string,
    private readonly below: (limit: number) => number,
  ) {}

  begin(): void {
    for (const name of ['a.ts', 'b.ts', 'c.ts']) this.write(name, this.newLines(30));
    this.commit();
  }

  /** One change, and a merge with its two commits where it is that. @param number of its own */
  goOn(number: number): void {
    const { below } = this;
    const names = this.files();
    const name = names[below(names.length)]!;
    const what = below(10);
    if (what === 0) this.write(`new${number}.ts`, this.newLines(5 + below(20)));
    else if (what === 1) this.git('mv', name, `renamed${number}.ts`);
    else if (what === 2 && names.length > 3) this.git('rm', '-q', name);
    else if (what <= 4) this.merge(`side${number}`, name, names[below(names.length)]!);
    else this.edit(name);
    this.commit();
  }

  files(): string[] {
    return this.git('ls-files').split('\n').filter(Boolean);
  }

  edit(name: string): void {
    const lines = this.linesOf(name);
    lines.splice(this.below(lines.length + 1), this.below(4), ...this.newLines(1 + this.below(4)));
    this.write(name, lines);
  }

  commit(): void {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', `commit ${this.written}`);
  }

  /** A branch with an edit of its own, merged with whatever comes of it. */
  private merge(branch: string, theirs: string, ours: string): void {
    this.git('checkout', '-q', '-b', branch);
    this.edit(theirs);
    this.commit();
    this.git('checkout', '-q', 'main');
    this.edit(ours);
    this.commit();
    try {
      this.git('merge', '-q', '--no-ff', '--no-edit', branch);
    } catch {
      const conflicting = this.git('diff', '--name-only', '--diff-filter=U').split('\n').filter(Boolean);
      for (const each of conflicting) {
        const lines = this.linesOf(each).filter((line) => !/^[<=>]{7}/.test(line));
        this.write(each, [...lines, ...this.newLines(1)]);
      }
    }
  }

  private newLines(count: number): string[] {
    return Array.from({ length: count }, () => `line ${++this.written} of ${this.below(1e6)}`);
  }

  private linesOf(name: string): string[] {
    return readFileSync(join(this.path, name), 'utf8').split('\n').slice(0, -1);
  }

  private write(name: string, lines: readonly string[]): void {
    writeFileSync(join(this.path, name), lines.map((line) => `${line}\n`).join(''));
  }
}

/** The commit of each line of a file, as `git blame` has it. */
export function blamedCommits(git: (...args: string[]) => string, commit: string, name: string): string[] {
  const lines = git('blame', '--porcelain', commit, '--', name).matchAll(/^([0-9a-f]{40}) \d+ \d+/gm);
  return [...lines].map(([, sha]) => sha!);
}
