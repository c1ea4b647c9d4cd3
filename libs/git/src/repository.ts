import { stat } from 'node:fs/promises';
import { LineprintError } from '@lineprint/platform';
import { gitOutput, startGit, startGitIn, type GitLocation } from './git-process';

export interface Repository extends GitLocation {
  /** The path that was asked for. */
  readonly path: string;
  /** The commit that HEAD names. */
  readonly head: string;
}

export interface CommitRef {
  readonly sha: string;
  /** First parent first; empty for a root commit, two or more for a merge. */
  readonly parents: readonly string[];
}

/**
 * Opens a local repository, bare or with a working tree.
 * @param options.git another git executable (absolute path) than the one installed in the usual places
 * @throws LineprintError `git-missing`, `not-a-repository`, `no-commits`
 */
export async function openRepository(path: string, options: { git?: string } = {}): Promise<Repository> {
  const git = options.git ?? 'git';
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) {
    throw new LineprintError(
      'not-a-repository',
      `${path} is not a directory: give the path of a git repository`,
    );
  }
  const located = await gitOutput(startGitIn(git, path, ['rev-parse', '--absolute-git-dir']));
  if (!located.end.ok) {
    throw new LineprintError('not-a-repository', `${path} is not a git repository: ${located.end.message}`);
  }
  const gitDir = located.stdout.toString('utf8').replace(/\n$/, '');
  const head = await gitOutput(
    startGit({ git, gitDir }, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
  );
  if (!head.end.ok) {
    throw new LineprintError(
      'no-commits',
      `${path} has no commits on HEAD: commit something, or check out a branch`,
    );
  }
  return { git, path, gitDir, head: head.stdout.toString('utf8').trim() };
}

/**
 * Commits oldest first, parents before children, merges included.
 * @param options.ref what to start from (a branch, tag or id), HEAD by default
 * @param options.range `A..B`, instead of `ref`
 * @param options.max only the newest so many (still oldest first)
 * @throws LineprintError `unknown-ref` when git does not know the ref, or cannot walk its history
 */
export async function listCommits(
  repository: Repository,
  options: { ref?: string; range?: string; max?: number } = {},
): Promise<CommitRef[]> {
  const wanted = options.range ?? options.ref ?? 'HEAD';
  // Also guarded by --end-of-options; a control character or leading dash is never a ref.
  if (!/^[^-\p{Cc}\s][^\p{Cc}\s]*$/u.test(wanted)) {
    throw new LineprintError('unknown-ref', `"${wanted}" is not the name of a branch, tag, commit or range`);
  }
  const max = options.max === undefined ? [] : [`--max-count=${Math.max(0, Math.floor(options.max))}`];
  const { end, stdout } = await gitOutput(
    startGit(repository, [
      'rev-list',
      '--topo-order',
      '--reverse',
      '--parents',
      ...max,
      '--end-of-options',
      wanted,
      '--',
    ]),
  );
  if (!end.ok) {
    throw new LineprintError('unknown-ref', `git cannot list the commits of "${wanted}": ${end.message}`);
  }
  return commitRefs(stdout);
}

/**
 * Commits that `tips` reach and `known` do not, oldest first, parents before children, merges included. Ids of `known`
 * that the clone does not have are left out: after a force push nobody may have them any more.
 *
 * @param options.walk false for the tips alone, in the order given
 * @param options.max only the newest so many
 * @throws LineprintError `unknown-ref` when the clone lacks a tip or what it leads to
 */
export async function listNewCommits(
  repository: GitLocation,
  tips: readonly string[],
  known: readonly string[] = [],
  options: { walk?: boolean; max?: number } = {},
): Promise<CommitRef[]> {
  if (tips.length === 0) return [];
  const present = await presentCommits(repository, known);
  const order = options.walk === false ? ['--no-walk=unsorted'] : ['--topo-order', '--reverse'];
  const max = options.max === undefined ? [] : [`--max-count=${options.max}`];
  const child = startGit(repository, ['rev-list', ...order, ...max, '--parents', '--stdin']);
  child.process.stdin.write([...tips, ...present.map((id) => `^${id}`), ''].join('\n'));
  const { end, stdout } = await gitOutput(child);
  if (!end.ok) {
    throw new LineprintError('unknown-ref', `git cannot list the commits of ${tips[0]}: ${end.message}`);
  }
  return commitRefs(stdout);
}

/** Those of the ids that are commits here. */
export async function presentCommits(repository: GitLocation, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const child = startGit(repository, ['cat-file', '--batch-check=%(objectname) %(objecttype)']);
  child.process.stdin.write(ids.map((id) => `${id}\n`).join(''));
  const { stdout } = await gitOutput(child);
  return stdout
    .toString('latin1')
    .split('\n')
    .flatMap((line) => /^([0-9a-f]+) commit$/.exec(line)?.[1] ?? []);
}

/** What the refs under a prefix such as `refs/remotes/origin/` name. */
export async function refTips(repository: GitLocation, prefix: string): Promise<string[]> {
  const { stdout } = await gitOutput(
    startGit(repository, ['for-each-ref', '--format=%(objectname)', '--end-of-options', prefix]),
  );
  return stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
}

function commitRefs(listing: Buffer): CommitRef[] {
  return listing
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [sha, ...parents] = line.split(' ');
      return { sha: sha!, parents };
    });
}
