import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** The working tree that a file lies in. */
export interface WorkingTree {
  readonly root: string;
  /** Name of the repository in results: that of the folder that holds it, a linked working tree's too. */
  readonly name: string;
  /** `user.email` of the repository's own settings, where it has one. */
  readonly userEmail?: string;
}

/**
 * Finds the working tree around a path by looking for `.git` upwards. Reads files only: starting git takes longer than
 * a hook may.
 * @param path absolute; it need not exist
 */
export function findWorkingTree(path: string): WorkingTree | undefined {
  for (let root = dirname(resolve(path)); ; root = dirname(root)) {
    const gitDirectory = gitDirectoryOf(root);
    if (gitDirectory) {
      const common = commonDirectoryOf(gitDirectory);
      const userEmail = userEmailIn(join(common, 'config'));
      return { root, name: nameOf(root, common), ...(userEmail && { userEmail }) };
    }
    if (root === dirname(root)) return undefined;
  }
}

/** A path as git prints it: relative to the root, with `/`. */
export function pathInTree(root: string, path: string): string {
  return relative(root, resolve(path)).split(sep).join('/');
}

function gitDirectoryOf(root: string): string | undefined {
  const entry = join(root, '.git');
  const file = statSync(entry, { throwIfNoEntry: false });
  if (!file) return undefined;
  if (file.isDirectory()) return entry;
  // A linked working tree or a submodule: a file that names the folder.
  const target = /^gitdir: (.+)/.exec(readFileSync(entry, 'utf8'))?.[1];
  return target === undefined ? undefined : resolve(root, target.trim());
}

function commonDirectoryOf(gitDirectory: string): string {
  const pointer = join(gitDirectory, 'commondir');
  return existsSync(pointer) ? resolve(gitDirectory, readFileSync(pointer, 'utf8').trim()) : gitDirectory;
}

function nameOf(root: string, common: string): string {
  const holder = basename(common) === '.git' ? dirname(common) : root;
  return basename(holder).replace(/\.git$/, '') || 'repository';
}

/** The last `email` in a section `[user]`, as git has it; what the file includes is not followed. */
function userEmailIn(configPath: string): string | undefined {
  let config: string;
  try {
    config = readFileSync(configPath, 'utf8');
  } catch {
    return undefined;
  }
  let email: string | undefined;
  let section = '';
  for (const line of config.split('\n')) {
    section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim().toLowerCase() ?? section;
    const value = /^\s*email\s*=\s*"?([^"#;]+)/i.exec(line)?.[1]?.trim();
    if (section === 'user' && value) email = value;
  }
  return email;
}
