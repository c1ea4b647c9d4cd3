import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { childEnvironment, LineprintError } from '@lineprint/platform';
import { gitOutput, startGit } from './git-process';
import { type CommitRef, listNewCommits, presentCommits, type Repository } from './repository';

/** How many commits more are fetched at a time; then all. */
const STEPS = ['--deepen=100', '--deepen=1000', '--unshallow'];
const ZEROS = /^0+$/;
const ZERO_ID = '0'.repeat(40);
const isId = (name: string) => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(name);

export interface RangeOptions {
  /** What else is not new, e.g. the default branch: it bounds the first push of a branch, and a forced one. */
  readonly base?: string;
  /** Where a shallow clone gets what it lacks; nothing is fetched without it. */
  readonly remote?: string;
  /** Is told of each fetch. */
  readonly onFetch?: (args: readonly string[]) => void;
}

/**
 * The commits of a push as hosts tell of it: `A..B`, A all zeros for a new branch, B all zeros for a deleted one; `B`
 * alone is all its history. An id that is nowhere any more was force-pushed away: then only the base bounds the range. A
 * shallow clone is deepened until it has them all, and the parents with which they are compared.
 *
 * @throws LineprintError `history-missing` where that cannot be, `unknown-ref` for a name that is none, `range-invalid`
 */
export async function listPushedCommits(
  repository: Repository,
  range: string,
  options: RangeOptions = {},
): Promise<CommitRef[]> {
  const [from, to, ...rest] = range.includes('..') ? range.split('..') : [ZERO_ID, range];
  if (!from || !to || rest.length > 0) {
    throw new LineprintError('range-invalid', `"${range}" is no range: give A..B`);
  }
  if (ZEROS.test(to)) return [];
  const steps = options.remote === undefined ? [] : [...STEPS];
  for (;;) {
    const found = await listRange(repository, from, to, options.base);
    if (found.complete) return found.refs;
    // Not shallow, and yet A is nowhere: it was force-pushed away.
    if ((await shallowBoundary(repository)).length === 0) return found.refs;
    const step = steps.shift();
    if (step === undefined) throw historyMissing(range);
    const args = ['fetch', '--no-tags', '--no-recurse-submodules', step, options.remote!];
    options.onFetch?.(args);
    // The tip alone where the host gives commits by their ids, else what the clone follows.
    if (!(await fetch(repository, [...args, to])) && !(await fetch(repository, args))) {
      throw historyMissing(range);
    }
  }
}

async function listRange(
  repository: Repository,
  from: string,
  to: string,
  base: string | undefined,
): Promise<{ refs: CommitRef[]; complete: boolean }> {
  const tip = await commitOf(repository, to);
  const start = ZEROS.test(from) ? undefined : await commitOf(repository, from);
  const unknown = tip === undefined ? to : start === undefined && !isId(from) ? from : undefined;
  if (tip === undefined || unknown !== undefined) {
    throw new LineprintError(
      'unknown-ref',
      `"${from}..${to}": ${unknown} is not the name of a branch, tag or commit in this clone`,
    );
  }
  const bound = base === undefined ? undefined : await commitOf(repository, base);
  // On the base itself a new branch is all its history.
  const known = [start, bound === tip ? undefined : bound].filter((sha) => sha !== undefined);
  const refs = await listNewCommits(repository, [tip], known);
  const boundary = new Set(await shallowBoundary(repository));
  const isCut = refs.some(({ sha }) => boundary.has(sha));
  return { refs, complete: !isCut && (start !== undefined || ZEROS.test(from)) };
}

async function commitOf(repository: Repository, name: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const { stdout } = await gitOutput(startGit(repository, args));
  // A complete id is taken for a commit whether it is there or not.
  const [present] = await presentCommits(repository, [stdout.toString('latin1').trim()]);
  return present;
}

/** Commits whose parents a shallow clone does not have. */
async function shallowBoundary(repository: Repository): Promise<string[]> {
  const { stdout } = await gitOutput(startGit(repository, ['rev-parse', '--git-path', 'shallow']));
  const path = resolve(repository.gitDir, stdout.toString('utf8').trim());
  return (await readFile(path, 'latin1').catch(() => '')).split('\n').filter((line) => line !== '');
}

/** With the settings and credentials of whoever cloned. */
async function fetch(repository: Repository, args: readonly string[]): Promise<boolean> {
  const git = spawn(repository.git, ['--git-dir', repository.gitDir, ...args], {
    env: childEnvironment({ GIT_TERMINAL_PROMPT: '0' }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((ended) => {
    git.on('error', () => ended(false));
    git.on('close', (code) => ended(code === 0));
  });
}

function historyMissing(range: string): LineprintError {
  return new LineprintError(
    'history-missing',
    `The clone is shallow and lacks commits of ${range}, or their parents. Clone with the whole history: fetch-depth: 0 (GitHub, Gitea), GIT_DEPTH: 0 (GitLab), clone: depth: full (Bitbucket), git fetch --unshallow elsewhere`,
  );
}
