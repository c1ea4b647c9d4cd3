/**
 * `npm run stack`: Kafka, Redis, Postgres and every service as its own process on 127.0.0.1, until Ctrl-C.
 * Servers are taken from LINEPRINT_KAFKA_URL, LINEPRINT_REDIS_URL and LINEPRINT_POSTGRES_URL if given.
 * `--database NAME` (default: lineprint) keeps stacks on the same servers apart.
 * With `--json` one line of JSON on stdout says where everything is.
 *
 * Lines on stdin make trouble on purpose; with `--json` each is answered by one line of JSON:
 *
 *   restart SERVICE                      ends it, if it still runs, and starts it on its port
 *   add SERVICE                          one more process of it, SERVICE-2, SERVICE-3 …
 *   stop SERVICE                         ends it in order
 *   pause|resume kafka|redis|postgres    kills a server that was started here; starts it at the same address
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { startServers } from './servers.mjs';
import { freePort, until } from './servers/ports.mjs';
import { root, setUp } from './setup.mjs';
import { startSupervised } from './supervise.mjs';

/** Order of the data's way; all start at once. */
export const serviceNames = [
  'ingest',
  'indexer',
  'commit-analyzer',
  'line-attributor',
  'rollup',
  'query-api',
];

/** A service that is not ready within this is broken, in milliseconds. */
const READY_LIMIT_MS = 120_000;

/**
 * @typedef {object} Service
 * @property {string} url `http://127.0.0.1:PORT`
 * @property {number} pid of the process that runs now
 * @property {(signal: NodeJS.Signals) => Promise<void>} kill sends a signal and waits for the end
 * @property {() => Promise<void>} start waits until it is ready
 * @property {() => Promise<void>} stop ends it in order
 * @property {() => Promise<void>} restart ends it if it runs, starts it on the same port, waits until it is ready
 *
 * @typedef {object} Stack
 * @property {Record<string, Service>} services
 * @property {string} orgId
 * @property {string} apiKey
 * @property {string} lineKey base64
 * @property {string} keyId
 * @property {string} databaseUrl
 * @property {string} kafkaUrl
 * @property {string} redisUrl
 * @property {(app: string) => Promise<string>} add starts one more process of a service and answers its name
 * @property {() => Promise<void>} stop ends the services, not the servers
 */

/**
 * Creates the database with one tenant and its keys, and starts every service.
 *
 * @param {object} options
 * @param {import('./servers.mjs').Servers} options.servers
 * @param {string} [options.database] name of the database, created if it is missing
 * @param {Record<string, string>} [options.env] more settings for every service
 * @param {(line: string) => void} [options.log]
 * @returns {Promise<Stack>}
 * @throws {Error} when a service ends or is not ready in time
 */
export async function startStack({ servers, database = 'lineprint', env = {}, log = () => {} }) {
  const databaseUrl = await createDatabase(servers.postgresUrl, database);
  const settings = {
    ...process.env,
    LINEPRINT_LOG_URL: servers.kafkaUrl,
    LINEPRINT_DATABASE_URL: databaseUrl,
    LINEPRINT_RECALL_URL: servers.redisUrl,
    LINEPRINT_HOST: '127.0.0.1',
    ...env,
  };
  const tenant = await createTenant(databaseUrl, settings);
  const services = {};
  const stop = async () => {
    await Promise.all(Object.values(services).map((service) => service.stop()));
  };
  try {
    for (const name of serviceNames) services[name] = await prepareService(name, name, settings, log);
    await Promise.all(Object.values(services).map((service) => service.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  const add = async (app) => {
    let count = 2;
    while (services[`${app}-${count}`]) count++;
    const name = `${app}-${count}`;
    services[name] = await prepareService(name, app, settings, log);
    await services[name].start();
    return name;
  };
  const { kafkaUrl, redisUrl } = servers;
  return { services, ...tenant, databaseUrl, kafkaUrl, redisUrl, add, stop };
}

/**
 * @param {string} adminUrl
 * @param {string} name created if it is missing
 * @returns {Promise<string>} its URL
 */
export async function createDatabase(adminUrl, name) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(adminUrl);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Applies the migrations as well. */
async function createTenant(databaseUrl, env) {
  const entry = join(root, 'apps', 'cli', 'dist', 'main.js');
  const args = [entry, 'admin', 'init', '--database', databaseUrl, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  const { orgId, apiKey, lineKey, keyId } = JSON.parse(stdout);
  return { orgId, apiKey, lineKey, keyId };
}

async function prepareService(name, app, settings, log) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let running;
  const service = { url, pid: 0, start, stop, kill, restart };

  async function start() {
    running = await startSupervised({
      command: process.execPath,
      args: [join(root, 'apps', app, 'dist', 'main.js')],
      cwd: root,
      env: { ...settings, LINEPRINT_PORT: String(port) },
      onOutput: prefixed(name, log),
    });
    service.pid = running.pid;
    let end;
    const own = running;
    void own.exited.then((exit) => {
      end = exit;
      log(`${name} | ended (${exit.signal ?? `exit code ${exit.code}`})`);
    });
    const ready = await until(() => end !== undefined || isReady(url), READY_LIMIT_MS);
    if (end) throw new Error(`${name} ended before it was ready`);
    if (!ready) throw new Error(`${name} is not ready after ${READY_LIMIT_MS / 1000} s`);
  }
  async function stop() {
    await running?.stop();
  }
  async function kill(signal) {
    process.kill(service.pid, signal);
    await running.exited;
  }
  async function restart() {
    await stop();
    await start();
  }
  return service;
}

async function isReady(url) {
  try {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Whole lines, each with the service's name in front. */
function prefixed(name, log) {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) log(`${name} | ${line}`);
  };
}

function describe(stack) {
  const { services, apiKey, lineKey, keyId, orgId, databaseUrl, kafkaUrl, redisUrl } = stack;
  const where = Object.fromEntries(
    Object.entries(services).map(([name, { url, pid }]) => [name, { url, pid }]),
  );
  return { services: where, apiKey, lineKey, keyId, orgId, databaseUrl, kafkaUrl, redisUrl };
}

function table(stack) {
  const rows = [
    ...Object.entries(stack.services).map(([name, { url, pid }]) => [name, `${url}  (pid ${pid})`]),
    ['Kafka', stack.kafkaUrl],
    ['Redis', stack.redisUrl],
    ['Postgres', stack.databaseUrl],
    ['API key', stack.apiKey ?? 'shown when the organisation was made'],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(16)} ${value}`).join('\n');
}

/** What the command line needs, to be pasted into another terminal. */
function variables({ services, apiKey }) {
  return [
    `export LINEPRINT_URL=${services.ingest.url}`,
    `export LINEPRINT_QUERY_URL=${services['query-api'].url}`,
    `export LINEPRINT_API_KEY=${apiKey ?? '…'}`,
  ].join('\n');
}

/** Carries out a line of stdin. @returns {Promise<object>} what there is to say of it */
async function obey([verb, name], stack, servers) {
  if (['pause', 'resume'].includes(verb) && servers[`${name}Url`]) {
    await servers[verb](name);
    return {};
  }
  if (!['restart', 'add', 'stop'].includes(verb) || !stack.services[name]) {
    throw new Error('Not understood. See the head of tools/stack.mjs');
  }
  const running = verb === 'add' ? await stack.add(name) : name;
  if (verb !== 'add') await stack.services[name][verb]();
  const { url, pid } = stack.services[running];
  return { name: running, url, pid };
}

async function main() {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, database: { type: 'string' } } });
  const log = (line) => console.error(line);
  await setUp({ log });
  const servers = await startServers({ kafka: true, redis: true, postgres: true, prefix: 'LINEPRINT_', log });
  const stack = await startStack({ servers, database: values.database, log }).catch(async (error) => {
    await servers.stop();
    throw error;
  });
  if (values.json) console.log(JSON.stringify(describe(stack)));
  else {
    console.log(
      `\n${table(stack)}\n\n${variables(stack)}\n\nServing until Ctrl-C; \`restart SERVICE\` restarts one.`,
    );
  }

  const lines = createInterface({ input: process.stdin });
  lines.on('line', async (line) => {
    const command = line.trim();
    let answer;
    try {
      answer = await obey(command.split(/\s+/), stack, servers);
    } catch (error) {
      answer = { error: error.message };
    }
    if (values.json) console.log(JSON.stringify({ command, ...answer }));
    else console.log(answer.error ?? `${command}: done`);
  });
  const end = async () => {
    lines.close();
    await stack.stop();
    await servers.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
  // A test that forked this and died.
  process.once('disconnect', end);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
