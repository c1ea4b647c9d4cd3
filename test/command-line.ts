import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { generateApiKey } from '@lineprint/persistence';

const root = join(__dirname, '..');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built `lineprint` with its state in `directory`. */
export async function lineprint(args: readonly string[], directory: string): Promise<Finished> {
  const child = spawn(process.execPath, [join(root, 'apps/cli/dist/main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LINEPRINT_STATE_DIRECTORY: directory },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** The same, and its stdout. @throws Error with what it said when it does not exit with 0 */
export async function lineprintOutput(args: readonly string[], directory: string): Promise<string> {
  const { code, stdout, stderr } = await lineprint(args, directory);
  if (code !== 0) throw new Error(`lineprint ${args[0]} ended with ${code}. It said:\n${stderr}`);
  return stdout;
}

export interface Embedded {
  readonly url: string;
  readonly apiKey: string;
  stop(): Promise<void>;
}

/** Starts the built standalone on embedded adapters with its data in `directory`. */
export async function startEmbedded(directory: string, lineKey: string): Promise<Embedded> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const apiKey = generateApiKey();
  const child = spawn(process.execPath, [join(root, 'apps/standalone/dist/main.js')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      LINEPRINT_DATABASE_URL: `pglite:${join(directory, 'database')}`,
      LINEPRINT_PORT: String(port),
      LINEPRINT_BOOTSTRAP_API_KEY: apiKey,
      LINEPRINT_BOOTSTRAP_LINE_KEY: lineKey,
      LINEPRINT_LOG_LEVEL: 'warn',
    },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)));
  const ended = once(child, 'exit');
  await untilReady(url, () => {
    if (child.exitCode !== null) throw new Error(`The standalone ended. It said:\n${said}`);
  });
  return {
    url,
    apiKey,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilReady(url: string, check: () => void): Promise<void> {
  for (;;) {
    check();
    const ready = await fetch(`${url}/health/ready`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
