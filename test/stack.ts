import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type ServiceName =
  'ingest' | 'indexer' | 'commit-analyzer' | 'line-attributor' | 'rollup' | 'query-api';

/** Where everything of a running stack is, as `tools/stack.mjs --json` prints it. */
export interface StackAddresses {
  /** By service: `http://127.0.0.1:PORT` and the process that runs now. */
  readonly services: Record<ServiceName, { url: string; pid: number }>;
  readonly orgId: string;
  readonly apiKey: string;
  /** Base64. */
  readonly lineKey: string;
  readonly keyId: string;
  readonly databaseUrl: string;
  readonly kafkaUrl: string;
  readonly redisUrl: string;
}

export interface RunningStack extends StackAddresses {
  /** Kills one service as `kill -9` does: no handler of it runs. */
  kill(service: ServiceName): void;
  /** Starts a service again on its port, ended or not, and waits until it is ready. */
  restart(service: ServiceName): Promise<void>;
  stop(): Promise<void>;
}

const root = join(__dirname, '..');

/**
 * Starts every service as its own process on the servers that LINEPRINT_TEST_KAFKA_URL, …_REDIS_URL and
 * …_POSTGRES_URL name.
 *
 * @param options.database one that no other test uses: created if missing
 * @param options.env more settings for every service, e.g. LINEPRINT_ORG_ID
 * @throws Error with the end of what the services said, when one does not get ready
 */
export async function startStack(options: {
  database: string;
  env?: Record<string, string>;
}): Promise<RunningStack> {
  const { env } = process;
  const stack = spawn(
    process.execPath,
    [join(root, 'tools', 'stack.mjs'), '--json', '--database', options.database],
    {
      cwd: root,
      env: {
        ...env,
        LINEPRINT_KAFKA_URL: env['LINEPRINT_TEST_KAFKA_URL'],
        LINEPRINT_REDIS_URL: env['LINEPRINT_TEST_REDIS_URL'],
        LINEPRINT_POSTGRES_URL: env['LINEPRINT_TEST_POSTGRES_URL'],
        ...options.env,
      },
      // the channel ends the stack when this process dies
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    },
  );
  const { stdin, stdout, stderr } = stack;
  if (!stdin || !stdout || !stderr) throw new Error('The stack was started without pipes');
  let said = '';
  stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-20_000)));
  const ended = once(stack, 'exit');
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => {
    const line = await answers.next();
    if (line.done) throw new Error(`The stack ended. It said:\n${said}`);
    return JSON.parse(line.value);
  };

  const addresses = (await answer()) as StackAddresses;
  return {
    ...addresses,
    kill: (service) => void process.kill(addresses.services[service].pid, 'SIGKILL'),
    async restart(service) {
      stdin.write(`restart ${service}\n`);
      const { pid, error } = (await answer()) as { pid: number; error?: string };
      if (error) throw new Error(`${error}. It said:\n${said}`);
      addresses.services[service].pid = pid;
    },
    async stop() {
      stack.kill('SIGTERM');
      await ended;
    },
  };
}
