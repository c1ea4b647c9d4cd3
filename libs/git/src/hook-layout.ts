import { spawn } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';
import { childEnvironment, LineprintError } from '@lineprint/platform';

/** Where a repository's hooks are, as its own and its user's settings say. */
export interface HookLayout {
  /** Of the working tree that was asked for. */
  readonly topLevel: string;
  /** The git directory that all working trees share. */
  readonly commonDir: string;
  /** The folder that people put hooks into; with husky not the one that git reads. */
  readonly hooksDirectory: string;
  /** Husky runs the hooks by `sh -e`, executable or not, and keeps them in the repository. */
  readonly husky: boolean;
}

/**
 * @throws LineprintError `not-a-repository` also for a bare one: nobody commits in it; `git-missing`
 */
export async function hookLayout(path: string): Promise<HookLayout> {
  const topLevel = await revParse(path, ['--show-toplevel']);
  const commonDir = resolve(topLevel, await revParse(topLevel, ['--git-common-dir']));
  const active = resolve(topLevel, await revParse(topLevel, ['--git-path', 'hooks']));
  // From version 9 on, git reads `.husky/_`, which each install of husky writes anew.
  const husky = basename(active) === '_' && basename(dirname(active)) === '.husky';
  return { topLevel, commonDir, hooksDirectory: husky ? dirname(active) : active, husky };
}

/** With the user's own settings: `core.hooksPath` may be theirs. */
async function revParse(directory: string, args: readonly string[]): Promise<string> {
  const git = spawn('git', ['-C', directory, 'rev-parse', ...args], {
    env: childEnvironment({ LC_ALL: 'C' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let message = '';
  git.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  git.stderr.setEncoding('utf8').on('data', (text: string) => (message += text));
  const code = await new Promise<number | null>((ended, failed) => {
    git.on('error', (cause) =>
      failed(new LineprintError('git-missing', 'git could not be started: install it', { cause })),
    );
    git.on('close', ended);
  });
  if (code !== 0) {
    throw new LineprintError(
      'not-a-repository',
      `${directory} has no working tree of a git repository: ${message.trim()}`,
    );
  }
  return output.replace(/\n$/, '');
}
