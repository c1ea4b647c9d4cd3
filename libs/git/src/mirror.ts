import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GIT_AI_REF } from '@lineprint/capture';
import { LineprintError } from '@lineprint/platform';
import { type GitChild, gitOutput, startGit, startGitIn } from './git-process';
import type { Remote } from './remote';
import type { Repository } from './repository';

export interface MirrorOptions {
  /** Absolute or relative to the working directory; made where it is not there. */
  readonly path: string;
  readonly remote: Remote;
  /** `user:password` or a token for HTTPS, the path of a private key for SSH. */
  readonly credential?: string;
  /** Certificate authorities (PEM) to trust instead of git's own. */
  readonly caFile?: string;
  /** Host keys (`known_hosts`) to trust with SSH instead of those of this process's user. */
  readonly knownHostsFile?: string;
  readonly timeoutMs: number;
  /** Largest mirror, bytes on disk. */
  readonly maxBytes: number;
  /** Ends what runs. */
  readonly signal?: AbortSignal;
}

/** What a remote has. */
export interface RemoteBranches {
  /** Null where its HEAD names no branch. */
  readonly defaultBranch: string | null;
  /** Commit ids by branch. */
  readonly branches: ReadonlyMap<string, string>;
  /** Whether it has git-ai's notes. */
  readonly hasNotes: boolean;
}

/** Where the mirror of a connected repository lies. */
export function mirrorPath(directory: string, hookId: string): string {
  return join(directory, `${hookId}.git`);
}

const WATCH_MS = 500;
const HEADS = 'refs/heads/';

/**
 * A bare copy of a remote's branches, and of git-ai's notes on their commits. Nothing is ever checked out, no submodule is followed, no hook or setting of a
 * user is read, and only the remote's own protocol is allowed. Objects are never pruned: what was fetched once can be
 * told from what is new, also after a force push. One process at a time may use a mirror.
 */
export class Mirror {
  private readonly path: string;

  constructor(private readonly options: MirrorOptions) {
    this.path = resolve(options.path);
  }

  /** Asks which branches there are, without fetching. @throws LineprintError `git-remote` (transient), `git-timeout` */
  async remoteBranches(): Promise<RemoteBranches> {
    await this.create();
    const text = await this.run([
      'ls-remote',
      '--symref',
      '--',
      this.options.remote.url,
      'HEAD',
      `${HEADS}*`,
      GIT_AI_REF,
    ]);
    const branches = new Map<string, string>();
    let defaultBranch: string | null = null;
    let hasNotes = false;
    for (const line of text.toString('utf8').split('\n')) {
      const [value = '', name = ''] = line.split('\t');
      if (name === 'HEAD' && value.startsWith(`ref: ${HEADS}`))
        defaultBranch = value.slice(`ref: ${HEADS}`.length);
      else if (name.startsWith(HEADS)) branches.set(name.slice(HEADS.length), value);
      else if (name === GIT_AI_REF) hasNotes = true;
    }
    return { defaultBranch, branches, hasNotes };
  }

  /**
   * Fetches branches, and git-ai's notes where the remote has them.
   * @returns the mirror, and the commits that the branches name now; without those that are gone since they were asked for
   * @throws LineprintError `git-remote`, `git-timeout` (transient), `mirror-too-large`
   */
  async fetch(
    branches: readonly string[],
    { hasNotes }: Pick<RemoteBranches, 'hasNotes'>,
  ): Promise<{ repository: Repository; tips: Map<string, string> }> {
    await this.create();
    // By a hash: `a` may be gone and `a/b` be there, or differ in upper and lower case only.
    const locals = new Map(branches.map((branch) => [branch, `refs/lineprint/${hashOf(branch)}`]));
    const refspecs = [
      ...[...locals].map(([branch, local]) => `+${HEADS}${branch}:${local}`),
      ...(hasNotes ? [`+${GIT_AI_REF}:${GIT_AI_REF}`] : []),
    ];
    await this.run(
      [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        '--no-show-forced-updates',
        '--stdin',
        '--end-of-options',
        this.options.remote.url,
      ],
      refspecs.map((refspec) => `${refspec}\n`).join(''),
    );
    const listing = await this.run(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/lineprint/']);
    const ids = new Map(
      listing
        .toString('latin1')
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    );
    const tips = new Map(
      [...locals].flatMap(([branch, local]): [string, string][] => {
        const id = ids.get(local);
        return id === undefined ? [] : [[branch, id]];
      }),
    );
    return { repository: this.repository([...tips.values()][0] ?? ''), tips };
  }

  private repository(head: string): Repository {
    return { git: 'git', path: this.path, gitDir: this.path, head };
  }

  private async create(): Promise<void> {
    const found = await stat(join(this.path, 'HEAD')).catch(() => undefined);
    if (found) return this.dropUnfinished();
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const made = await gitOutput(startGitIn('git', this.path, ['init', '--quiet', '--bare', '--template=']));
    if (!made.end.ok) {
      throw new LineprintError('mirror-unwritable', `A mirror could not be made: ${made.end.message}`);
    }
  }

  private async run(args: readonly string[], input = ''): Promise<Buffer> {
    const { timeoutMs, maxBytes, signal } = this.options;
    const child = startGit(
      this.repository(''),
      [
        '-c',
        'gc.auto=0',
        '-c',
        'maintenance.auto=false',
        '-c',
        'http.followRedirects=false',
        '-c',
        'fetch.unpackLimit=1',
        // No other address that the host may name.
        '-c',
        'transfer.bundleURI=false',
        '-c',
        'fetch.uriProtocols=',
        ...args,
      ],
      this.settings(),
    );
    child.process.stdin.write(input);
    let stopped: LineprintError | undefined;
    const stop = (error: LineprintError) => {
      stopped ??= error;
      endGroup(child);
    };
    const aborted = () =>
      stop(new LineprintError('git-aborted', 'The fetch was given up', { transient: true }));
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted) aborted();
    const timeout = setTimeout(() => {
      const message = `git took longer than ${timeoutMs} ms: raise LINEPRINT_GIT_FETCH_TIMEOUT_MS if the repository is so large`;
      stop(new LineprintError('git-timeout', message, { transient: true }));
    }, timeoutMs);
    const watch = setInterval(() => {
      bytesOf(this.path).then(
        (bytes) => {
          if (bytes > maxBytes) {
            stop(
              new LineprintError(
                'mirror-too-large',
                `The mirror is larger than ${maxBytes} bytes: raise LINEPRINT_GIT_MIRROR_LIMIT, or send its commits from CI`,
              ),
            );
          }
        },
        () => undefined,
      );
    }, WATCH_MS);
    try {
      const { end, stdout } = await gitOutput(child);
      if (stopped) throw stopped;
      if (!end.ok) {
        throw new LineprintError('git-remote', `git ${args[0]}: ${end.message}`, { transient: true });
      }
      if ((await bytesOf(this.path)) > maxBytes) {
        throw new LineprintError('mirror-too-large', `The mirror is larger than ${maxBytes} bytes`);
      }
      return stdout;
    } finally {
      clearTimeout(timeout);
      clearInterval(watch);
      signal?.removeEventListener('abort', aborted);
    }
  }

  /** Packs that a git which was ended had not finished, and the locks that it held: nobody else is at work here. */
  private async dropUnfinished(): Promise<void> {
    for (const { parentPath, name } of await readdir(this.path, { withFileTypes: true, recursive: true })) {
      if (name.startsWith('tmp_') || name.endsWith('.lock'))
        await rm(join(parentPath, name), { force: true });
    }
  }

  /** Credentials go by the environment: arguments and addresses are seen by others and get into logs. */
  private settings(): Record<string, string> {
    const { remote, credential, caFile, knownHostsFile } = this.options;
    const protocol = { GIT_ALLOW_PROTOCOL: remote.protocol };
    if (remote.protocol === 'ssh') {
      return { ...protocol, GIT_SSH_COMMAND: sshCommand(credential, knownHostsFile) };
    }
    return {
      ...protocol,
      ...(caFile === undefined ? {} : { GIT_SSL_CAINFO: resolve(caFile) }),
      GIT_HTTP_LOW_SPEED_LIMIT: '1',
      GIT_HTTP_LOW_SPEED_TIME: '60',
      ...(credential === undefined ? {} : authorization(new URL(remote.url).origin, credential)),
    };
  }
}

/** For this origin only, so that no other gets it. */
function authorization(origin: string, credential: string): Record<string, string> {
  // Every host takes a token as the password of this user, or of any.
  const pair = credential.includes(':') ? credential : `x-access-token:${credential}`;
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(pair).toString('base64')}`,
  };
}

/** With no key but the given one: others of this process's user are not for whoever connects a repository. */
function sshCommand(keyFile = 'none', knownHostsFile?: string): string {
  const options = [
    'BatchMode=yes',
    'ConnectTimeout=20',
    'IdentitiesOnly=yes',
    `IdentityFile=${inOption(keyFile)}`,
    'StrictHostKeyChecking=yes',
    ...(knownHostsFile === undefined
      ? []
      : [`UserKnownHostsFile=${inOption(resolve(knownHostsFile))}`, 'GlobalKnownHostsFile=none']),
  ];
  return ['ssh -F none', ...options.map((option) => `-o ${quoted(option)}`)].join(' ');
}

/** A path in an option of ssh, which would cut it at blanks and replace what follows a percent sign. */
function inOption(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function hashOf(branch: string): string {
  return createHash('sha256').update(branch).digest('hex').slice(0, 32);
}

/** Git and what it started: it has a process group of its own. */
function endGroup({ process: { pid } }: GitChild): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

async function bytesOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) =>
        stat(join(parentPath, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
