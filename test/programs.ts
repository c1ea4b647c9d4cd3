import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '@lineprint/persistence';

const root = join(__dirname, '..');
const builtMain = (app: string) => join(root, 'apps', app, 'dist', 'main.js');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of ours as a user starts it: its own process group, as in a terminal. */
export class Program {
  private readonly child: ChildProcess;
  private readonly said = { stdout: '', stderr: '' };
  /** Settles when the program has ended and everything it said was read. */
  readonly ended: Promise<Ended>;

  constructor(app: 'cli' | 'standalone', args: readonly string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [builtMain(app), ...args], {
      env: { ...environment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of ['stdout', 'stderr'] as const) {
      this.child[stream]?.setEncoding('utf8').on('data', (text: string) => (this.said[stream] += text));
    }
    this.ended = once(this.child, 'close').then(([code]) => ({ code: code as number | null, ...this.said }));
  }

  /** Waits until the program has said something, on either stream. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.said.stdout) ?? pattern.exec(this.said.stderr);
      if (match) return match;
      if (this.hasEnded) throw new Error(`It ended without saying ${pattern}, but:\n${this.said.stderr}`);
      await delay(10);
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** As Ctrl-C does: everything in the program's process group gets it. */
  interrupt(): void {
    process.kill(-this.pid, 'SIGINT');
  }

  /** As when the reader of a pipe ends. */
  closeOutput(): void {
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
  }

  /** Only this process, as `kill` does. */
  async kill(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** Runs the command line to its end. */
export function lineprint(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Program('cli', args, env).ended;
}

/** The same, and its stdout. @throws Error with what it said when it does not exit with 0 */
export async function lineprintOutput(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { code, stdout, stderr } = await lineprint(args, env);
  if (code !== 0) throw new Error(`lineprint ${args[0]} ended with ${code}. It said:\n${stderr}`);
  return stdout;
}

/** One key for every server of a test: two can only agree about prints that were made alike. */
export const LINE_KEY = Buffer.alloc(32, 1);

/** Lineprint in one process, on embedded adapters in a directory that outlives it. */
export class StandaloneServer {
  private program: Program;
  url = '';

  private constructor(private readonly env: Record<string, string>) {
    this.program = new Program('standalone', [], env);
  }

  static async start(directory: string, apiKey: string): Promise<StandaloneServer> {
    const database = `pglite:${join(directory, 'database')}`;
    // An empty one, which a test process makes sooner than a new one.
    await (await openDatabase(database)).close();
    const server = new StandaloneServer({
      LINEPRINT_DATABASE_URL: database,
      LINEPRINT_PORT: '0',
      LINEPRINT_BOOTSTRAP_API_KEY: apiKey,
      LINEPRINT_BOOTSTRAP_LINE_KEY: LINE_KEY.toString('base64'),
      LINEPRINT_LOG_LEVEL: 'info',
    });
    await server.ready();
    return server;
  }

  get pid(): number {
    return this.program.pid;
  }

  /** Kills it as `kill -9` does and starts it again on the same data and port. */
  async crash(): Promise<void> {
    await this.program.kill('SIGKILL');
    this.program = new Program('standalone', [], { ...this.env, LINEPRINT_PORT: new URL(this.url).port });
    await this.ready();
  }

  async stop(): Promise<Ended> {
    return this.program.kill('SIGTERM');
  }

  private async ready(): Promise<void> {
    this.url = (await this.program.says(/"url":"(http:[^"]+)"/))[1]!;
  }
}

/** Processes that have the text among their arguments or in their environment. */
export function processesWith(text: string): string[] {
  if (process.platform !== 'linux') {
    const all = execFileSync('ps', ['axEww', '-o', 'command'], { encoding: 'utf8' });
    return all.split('\n').filter((line) => line.includes(text));
  }
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return ['cmdline', 'environ'].some((file) =>
        readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(text),
      );
    } catch {
      // It ended meanwhile, or is another user's.
      return false;
    }
  });
}

/** Ours without settings of Lineprint: a developer's own must not change what is tested. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LINEPRINT_')));
}
