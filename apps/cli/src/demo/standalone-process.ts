import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { childEnvironment, LineprintError } from '@lineprint/platform';

/** Fixed, so that two demos of one history print the same numbers: Bloom filters depend on the key a little. */
export const DEMO_LINE_KEY = Buffer.from('the demo keeps no secrets of yours').toString('base64');
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
  /** Where repositories lie whose lines it shows the text of, by name. */
  readonly repositories: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Starts Lineprint in one process on embedded adapters and waits until it listens: on the usual port, or on
 * any where that is taken.
 * @returns undefined when the signal was aborted meanwhile; nothing runs then
 * @throws LineprintError `standalone-failed` with its last words
 */
export async function startStandalone(options: StandaloneOptions): Promise<Standalone | undefined> {
  return start(options, (await isFree(PREFERRED_PORT)) ? PREFERRED_PORT : 0);
}

async function start(options: StandaloneOptions, port: number): Promise<Standalone | undefined> {
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
      LINEPRINT_LOCAL_REPOSITORIES: JSON.stringify(options.repositories),
      LINEPRINT_LOG_LEVEL: 'warn',
    }),
  });
  let words = '';
  const listen = (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(-4000);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await Promise.race([
    new Promise<string>((resolve) =>
      child.once('message', (message) => resolve((message as { url: string }).url)),
    ),
    exited,
    aborted(AbortSignal.any([options.signal, AbortSignal.timeout(START_LIMIT_MS)])),
  ]);
  const stop = () => stopChild(child, exited);
  if (url !== undefined) return { url, exited, stop };
  await stop();
  if (options.signal.aborted) return undefined;
  // Another process may have taken the port since it was looked at.
  if (port !== 0 && words.includes('EADDRINUSE')) return start(options, 0);
  throw new LineprintError('standalone-failed', `Lineprint did not start. Its last words:\n${words}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(timer);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
