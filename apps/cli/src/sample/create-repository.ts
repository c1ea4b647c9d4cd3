import { spawn } from 'node:child_process';
import { LineprintError } from '@lineprint/platform';

export interface NewCommit {
  readonly author: { readonly name: string; readonly email: string };
  /** Of author and committer, milliseconds since 1970. */
  readonly time: number;
  readonly message: string;
  /** Changed files with their whole new text; `oldPath` goes away. */
  readonly files: readonly {
    readonly path: string;
    readonly oldPath: string | undefined;
    readonly text: string;
  }[];
}

/** Nothing of the user's settings, hooks or signing keys may change the commits' ids. */
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
};

/** Makes a repository with one branch, `main`, checked out. Returns the commits' ids, oldest first. */
export async function createRepository(directory: string, commits: readonly NewCommit[]): Promise<string[]> {
  await git(directory, ['init', '--quiet', '--template=', '--object-format=sha1', '--initial-branch=main']);
  await git(directory, ['fast-import', '--quiet'], commits.map(importCommand).join(''));
  await git(directory, ['reset', '--quiet', '--hard', 'main']);
  return (await git(directory, ['rev-list', '--reverse', 'main'])).trim().split('\n');
}

function importCommand({ author, time, message, files }: NewCommit): string {
  const person = `${author.name} <${author.email}> ${Math.floor(time / 1000)} +0000`;
  const changes = files.flatMap(({ path, oldPath, text }) => [
    ...(oldPath === undefined ? [] : [`D ${oldPath}\n`]),
    `M 100644 inline ${path}\n${data(text)}`,
  ]);
  return `commit refs/heads/main\nauthor ${person}\ncommitter ${person}\n${data(message)}${changes.join('')}\n`;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

function git(directory: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-C', directory, ...args], { env: ENVIRONMENT });
    const output: Buffer[] = [];
    const problems: Buffer[] = [];
    const fail = (reason: string, cause?: unknown) =>
      reject(new LineprintError('sample-git-failed', `git ${args[0]} in ${directory}: ${reason}`, { cause }));
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => problems.push(chunk));
    child.on('error', (error) => fail('git cannot be started; is it installed?', error));
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output).toString('utf8'));
      else fail(Buffer.concat(problems).toString('utf8').trim());
    });
    // Git may have ended before it read everything; its exit code says so.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
