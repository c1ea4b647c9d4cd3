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
  /** One more process of a service: its name and pid. Resolves when it has joined its groups. */
  add(service: ServiceName): Promise<{ name: string; pid: number }>;
  /** Ends a process in order: a service's, or one that `add` has named. */
  end(name: string): Promise<void>;
  /** Kills the broker; what it has written stays. */
  pauseKafka(): Promise<void>;
  /** Starts it again at the same address. */
  resumeKafka(): Promise<void>;
  /** All that the services have logged until now, each line with the service's name in front. */
  logs(): string;
  stop(): Promise<void>;
}

const root = join(__dirname, '..');

interface Answer {
  readonly command: string;
  readonly name?: string;
  readonly pid?: number;
  readonly error?: string;
}

/**
 * Starts every service as its own process on the Postgres that LINEPRINT_TEST_POSTGRES_URL names, with a Kafka and a
 * Redis of its own: groups, topics and the index's coverage are an installation's, and two would take from each other.
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
        LINEPRINT_KAFKA_URL: '',
        LINEPRINT_REDIS_URL: '',
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
  stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(stack, 'exit');
  const lines = createInterface({ input: stdout });
  const first = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  if (!first) throw new Error(`The stack ended. It said:\n${said.slice(-20_000)}`);
  const addresses = JSON.parse(first[0] as string) as StackAddresses;

  // Commands run side by side; each is answered when it is done.
  const waiting: { readonly command: string; readonly settle: (answer: Answer) => void }[] = [];
  lines.on('line', (line) => {
    const answer = JSON.parse(line) as Answer;
    const at = waiting.findIndex(({ command }) => command === answer.command);
    waiting.splice(at, 1)[0]?.settle(answer);
  });
  const order = async (command: string): Promise<Answer> => {
    const answered = new Promise<Answer>((settle) => waiting.push({ command, settle }));
    stdin.write(`${command}\n`);
    const answer = await Promise.race([answered, ended.then(() => ({ command, error: 'The stack ended' }))]);
    if (answer.error) throw new Error(`${command}: ${answer.error}. The stack said:\n${said.slice(-20_000)}`);
    return answer;
  };

  return {
    ...addresses,
    kill: (service) => void process.kill(addresses.services[service].pid, 'SIGKILL'),
    async restart(service) {
      addresses.services[service].pid = (await order(`restart ${service}`)).pid!;
    },
    async add(service) {
      const { name, pid } = await order(`add ${service}`);
      return { name: name!, pid: pid! };
    },
    end: async (name) => void (await order(`stop ${name}`)),
    pauseKafka: async () => void (await order('pause kafka')),
    resumeKafka: async () => void (await order('resume kafka')),
    logs: () => said,
    async stop() {
      stack.kill('SIGTERM');
      await ended;
    },
  };
}
