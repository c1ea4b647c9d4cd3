import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { childEnvironment, LineprintError } from '@lineprint/platform';

/** Fixed, so that two demos of one history print the same numbers: Bloom filters depend on the key a little. */
const DEMO_LINE_KEY = Buffer.from('the demo keeps no secrets of yours').toString('base64');
const PREFERRED_PORT = 7310;
const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 15_000;

export interface Standalone {
  readonly url: string;
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

export interface StandaloneOptions {
  readonly directory: string;
  readonly apiKey: string;
  readonly orgId: string;
  /** Aborted: it is not waited for any longer, and still to be stopped. */
  readonly signal: AbortSignal;
}

/** Starts Lineprint in one process on embedded adapters and waits until it is ready. */
export async function startStandalone(options: StandaloneOptions): Promise<Standalone> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const entry = createRequire(__filename).resolve('@lineprint/standalone/dist/main.js');
  const child = spawn(process.execPath, [entry], {
    // Its own group: Ctrl-C reaches this process only, which ends the rest in order. The channel ends it
    // when this process dies.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: childEnvironment({
      LINEPRINT_DATABASE_URL: `pglite:${join(options.directory, 'database')}`,
      LINEPRINT_LOG_URL: 'embedded:',
      LINEPRINT_RECALL_URL: 'memory:',
      LINEPRINT_HOST: '127.0.0.1',
      LINEPRINT_PORT: String(port),
      LINEPRINT_ORG_ID: options.orgId,
      LINEPRINT_BOOTSTRAP_API_KEY: options.apiKey,
      LINEPRINT_BOOTSTRAP_LINE_KEY: DEMO_LINE_KEY,
      LINEPRINT_LOG_LEVEL: 'warn',
    }),
  });
  let words = '';
  const listen = (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(-4000);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => stopChild(child, exited);
  const deadline = Date.now() + START_LIMIT_MS;
  while (!options.signal.aborted && !(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      await stop();
      throw new LineprintError('standalone-failed', `Lineprint did not start. Its last words:\n${words}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, exited, stop };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(timer);
}

/** The usual port, or any free one where that is taken. */
async function freePort(): Promise<number> {
  for (const port of [PREFERRED_PORT, 0]) {
    const taken = await new Promise<number | undefined>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(undefined));
      server.listen(port, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
      });
    });
    if (taken !== undefined) return taken;
  }
  throw new LineprintError('no-free-port', 'No port is free on 127.0.0.1.');
}
