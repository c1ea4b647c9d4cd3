import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { branchName, commitId, defaultBranchName } from './branch-names';
import type { GitLocation } from './git-process';

let directory: string;
let repository: GitLocation;
let sha: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'lineprint-branches-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=Ada', '-c', 'user.email=ada@acme.dev', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '-q', '--initial-branch=team/main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  sha = git('rev-parse', 'HEAD');
  git('tag', 'v1');
  git('update-ref', 'refs/remotes/origin/team/next', sha);
  repository = { git: 'git', gitDir: join(directory, '.git') };
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('the branch that a name stands for', () => {
  it.each([
    ['HEAD', 'team/main'],
    ['team/main', 'team/main'],
    ['origin/team/next', 'team/next'],
  ])('is of %s %s', async (name, branch) => {
    expect(await branchName(repository, name)).toBe(branch);
  });

  it('is none of a tag, a commit, or what is not there', async () => {
    for (const name of ['v1', sha, 'nowhere', '--all']) {
      expect(await branchName(repository, name)).toBeUndefined();
    }
  });
});

describe('the default branch', () => {
  it('is the one given where there is no remote', async () => {
    expect(await defaultBranchName(repository, 'upstream', 'team/main')).toBe('team/main');
  });
});

describe('the id of a commit', () => {
  it('is that of what a name stands for', async () => {
    expect(await commitId(repository, 'v1')).toBe(sha);
    expect(await commitId(repository, 'nowhere')).toBeUndefined();
  });
});
