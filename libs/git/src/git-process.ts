import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { childEnvironment, LineprintError } from '@lineprint/platform';

/** How git is started for one repository. */
export interface GitLocation {
  /** The executable: a name looked up on the caller's PATH, then in USUAL_PLACES; or an absolute path. */
  readonly git: string;
  /** Absolute path of the git directory (`.git`, or a bare repository itself). */
  readonly gitDir: string;
}

/** Where git is installed on Linux and macOS: schedulers and desktops start programs with a short PATH. */
const USUAL_PLACES = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'];

/**
 * Nothing of the user's settings may change what is read, nothing may ask or page, and an object that
 * a partial clone lacks must never be fetched: no transport is allowed at all. Git sees nothing else of the
 * caller's environment but its PATH.
 */
const ENVIRONMENT = {
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_PAGER: 'cat',
};

const SETTINGS = {
  'safe.directory': '*',
  // The empty tree: newer versions otherwise read a bare repository's attributes from HEAD.
  'attr.tree': '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  'core.attributesFile': '/dev/null',
  'core.quotePath': 'false',
  'core.fsmonitor': 'false',
  'diff.noprefix': 'false',
  'diff.mnemonicPrefix': 'false',
  'diff.suppressBlankEmpty': 'false',
  'diff.orderFile': '',
  'diff.renameLimit': '1000',
  'i18n.logOutputEncoding': 'UTF-8',
  'log.showSignature': 'false',
};
const SETTING_ARGUMENTS = Object.entries(SETTINGS).flatMap(([key, value]) => ['-c', `${key}=${value}`]);

const KEPT_STDERR_BYTES = 8192;

/** A running git: its streams, and how it ended. */
export interface GitChild {
  readonly process: ChildProcessWithoutNullStreams;
  /** Resolves when git has ended; rejects if it could not be started. */
  readonly ended: Promise<GitEnd>;
}

export interface GitEnd {
  readonly ok: boolean;
  /** The last thing git said on stderr, or by which signal it ended. */
  readonly message: string;
}

/**
 * Starts git. No attributes are read from a working tree (`--bare`) or from the index (a file that does
 * not exist), so that the same commit gives the same diff in every clone.
 */
export function startGit(
  location: GitLocation,
  args: readonly string[],
  settings: Record<string, string> = {},
): GitChild {
  const { git, gitDir } = location;
  const environment = {
    ...ENVIRONMENT,
    GIT_INDEX_FILE: join(gitDir, 'lineprint-reads-no-index'),
    ...settings,
  };
  return start(git, gitDir, ['--bare', `--git-dir=${gitDir}`, ...SETTING_ARGUMENTS, ...args], environment);
}

/** Starts git in a directory that may or may not belong to a repository. */
export function startGitIn(git: string, directory: string, args: readonly string[]): GitChild {
  return start(git, directory, [...SETTING_ARGUMENTS, ...args], ENVIRONMENT);
}

function start(git: string, cwd: string, args: string[], env: Record<string, string>): GitChild {
  // Its own group: Ctrl-C must not make a commit look unreadable. It ends with its pipes.
  const search = [childEnvironment({})['PATH'] ?? [], USUAL_PLACES].flat().join(delimiter);
  const process = spawn(git, args, { cwd, env: { PATH: search, ...env }, stdio: 'pipe', detached: true });
  // A git that died closes the pipe while we write; `ended` tells why.
  process.stdin.on('error', () => undefined);
  const stderr: Buffer[] = [];
  let kept = 0;
  process.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk);
    kept += chunk.length;
    while (stderr.length > 1 && kept > KEPT_STDERR_BYTES) kept -= stderr.shift()!.length;
  });
  const ended = new Promise<GitEnd>((resolve, reject) => {
    process.on('error', (cause) => {
      const message = `git could not be started (${cause.message}): install git, 2.30 or newer`;
      reject(new LineprintError('git-missing', message, { cause }));
    });
    process.on('close', (code, signal) => {
      const said = Buffer.concat(stderr).toString('utf8').trim().split('\n').at(-1) ?? '';
      resolve({
        ok: code === 0,
        message: said || (signal ? `git was ended by ${signal}` : `exit code ${code}`),
      });
    });
  });
  // Whoever started git awaits `ended` in time; until then a failed start is no unhandled rejection.
  ended.catch(() => undefined);
  return { process, ended };
}

/** Runs git to its end. Gives stdout whole, so only for output that is known to be small (names, ids). */
export async function gitOutput(child: GitChild): Promise<{ end: GitEnd; stdout: Buffer }> {
  child.process.stdin.end();
  const chunks: Buffer[] = [];
  child.process.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const end = await child.ended;
  return { end, stdout: Buffer.concat(chunks) };
}
