import { gitOutput, startGit, type GitLocation } from './git-process';

const HEADS = 'refs/heads/';
const REMOTES = 'refs/remotes/';

/** The branch that a name such as `HEAD`, `main` or `origin/main` stands for; undefined for a commit or a tag. */
export async function branchName(repository: GitLocation, name: string): Promise<string | undefined> {
  // Without --verify, git 2.39 prints --end-of-options as well.
  const args = ['rev-parse', '--verify', '--quiet', '--symbolic-full-name', '--end-of-options', name];
  const full = await outputOf(repository, args);
  if (full.startsWith(HEADS)) return full.slice(HEADS.length);
  return full.startsWith(REMOTES) ? full.slice(REMOTES.length).split('/').slice(1).join('/') : undefined;
}

/** The default branch of a remote, as the clone was told; of a repository without that remote `fallback`. */
export async function defaultBranchName(
  repository: GitLocation,
  remote: string,
  fallback?: string,
): Promise<string | undefined> {
  const prefix = `${REMOTES}${remote}/`;
  const head = await outputOf(repository, ['symbolic-ref', '--quiet', `${prefix}HEAD`]);
  if (head.startsWith(prefix)) return head.slice(prefix.length);
  const url = await outputOf(repository, ['config', '--get', `remote.${remote}.url`]);
  return url === '' ? fallback : undefined;
}

/** The id of the commit that a name stands for; undefined for none. */
export async function commitId(repository: GitLocation, name: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  return (await outputOf(repository, args)) || undefined;
}

async function outputOf(repository: GitLocation, args: readonly string[]): Promise<string> {
  const { end, stdout } = await gitOutput(startGit(repository, [...args]));
  return end.ok ? stdout.toString('utf8').trim() : '';
}
