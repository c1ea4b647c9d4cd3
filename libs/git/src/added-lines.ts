import { LineprintError } from '@lineprint/platform';
import { streamCommits, type CommitParser } from './commit-stream';
import { unquotePath } from './quoted-path';
import type { Repository } from './repository';

const NUMSTAT_ARGUMENTS = [
  '--always',
  '--root',
  '-r',
  '--raw',
  '--numstat',
  '-M50%',
  '--diff-algorithm=myers',
  '--no-ext-diff',
  '--no-textconv',
  '--format=tformat:%H %P',
];

export interface AddedLines {
  /** Ordinary commits that git could read; merges count neither here nor in `added`. */
  commits: number;
  added: number;
  skipped: { sha: string; reason: string }[];
}

/**
 * Git's own count (`--numstat`) of the lines that commits add, as a check of `readCommits` that shares
 * none of its patch parsing.
 * @param counts whether the lines of a path count, in a commit
 */
export async function gitAddedLines(
  repository: Repository,
  shas: Iterable<string> | AsyncIterable<string>,
  counts: (path: string, sha: string) => boolean,
): Promise<AddedLines> {
  const total: AddedLines = { commits: 0, added: 0, skipped: [] };
  for await (const item of streamCommits(repository, NUMSTAT_ARGUMENTS, shas, () => new NumstatParser())) {
    if ('reason' in item) {
      total.skipped.push({ sha: item.sha, reason: item.reason });
    } else if (!item.value.merge) {
      total.commits++;
      for (const [path, added] of item.value.added) if (counts(path, item.sha)) total.added += added;
    }
  }
  return total;
}

interface Numstat {
  merge: boolean;
  /** Added lines by new path; binary files have 0. */
  added: Map<string, number>;
}

/** Reads raw lines for the exact paths (numstat abbreviates renames), and the counts in the same order. */
class NumstatParser implements CommitParser<Numstat> {
  private head: string | undefined;
  private paths: string[] = [];
  private counts: number[] = [];

  line(bytes: Buffer): void {
    const text = bytes.toString('latin1');
    if (this.head === undefined) this.head = text;
    else if (text.startsWith(':')) this.paths.push(unquotePath(text.split('\t').at(-1)!));
    else if (text !== '') this.counts.push(Number(text.split('\t')[0]!.replace('-', '0')));
  }

  take(): Numstat {
    const { head, paths, counts } = this;
    this.head = undefined;
    this.paths = [];
    this.counts = [];
    if (head === undefined)
      throw new LineprintError('object-missing', 'the commit object is missing or damaged');
    if (paths.length !== counts.length)
      throw new LineprintError('git-output', 'unexpected output of git --numstat');
    const added = new Map(paths.map((path, index) => [path, counts[index]!]));
    return { merge: head.split(' ').length > 2, added };
  }
}
