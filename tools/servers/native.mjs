/** Kafka, Redis and Postgres as plain processes on 127.0.0.1, with their data in a temporary folder. */
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chownSync,
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSupervised } from '../supervise.mjs';
import { answers, freePort, until } from './ports.mjs';
import { ensurePrograms, fetchKafka, onPath, postgresFolder } from './programs.mjs';

const run = promisify(execFile);

/** A server that does not answer within this is broken. A busy machine needs more than an idle one. */
const START_LIMIT_MS = 90_000;

/** A port can be taken between being chosen and being used. */
const ATTEMPTS = 3;

/**
 * @param {('kafka' | 'redis' | 'postgres')[]} wanted
 * @param {{dir?: string, prefix: string, log: (line: string) => void}} options `dir`: where the data folders are made;
 *   `prefix`: of the variables that give servers by URL
 * @returns {Promise<import('../servers.mjs').Started>}
 */
export async function startNative(wanted, { dir = tmpdir(), prefix, log }) {
  await ensurePrograms(wanted, { prefix, log });
  mkdirSync(dir, { recursive: true });
  const started = await Promise.allSettled(
    wanted.map((server) => startServer(server, prepare[server], { dir, log })),
  );
  const running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
  };
  const failed = started.find((result) => result.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const byName = Object.fromEntries(running.map((server) => [server.name, server]));
  return {
    urls: Object.fromEntries(running.map((server) => [server.name, server.url])),
    stop,
    pause: (name) => byName[name].pause(),
    resume: (name) => byName[name].resume(),
  };
}

const prepare = { kafka: prepareKafka, redis: prepareRedis, postgres: preparePostgres };

/**
 * @param {string} name of the server, for what is logged
 * @param {(folder: string, port: number, log: (line: string) => void) => object} prepareIt writes its settings into
 *   the folder and answers its URL and the command that starts it
 * @param {{dir?: string, log: (line: string) => void}} options
 */
export async function startServer(name, prepareIt, { dir = tmpdir(), log }) {
  for (let attempt = 1; ; attempt++) {
    const folder = mkdtempSync(join(dir, `lineprint-${name}-`));
    try {
      return await launch(name, prepareIt, folder, log);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      if (attempt === ATTEMPTS) throw error;
      log(`${error.message}\nTrying again with another port`);
    }
  }
}

async function launch(name, prepareIt, folder, log) {
  const port = await freePort();
  const { url, ...command } = await prepareIt(folder, port, log);
  // A file, not a pipe: a pipe that nobody empties for a while would hold the server up.
  const output = openSync(join(folder, 'output.log'), 'a+');
  try {
    const server = await startSupervised({ ...command, remove: folder, output });
    let over = false;
    void server.exited.then(() => (over = true));
    const ready = await until(async () => over || (await answers(port)), START_LIMIT_MS);
    if (!ready || over) {
      await server.stop();
      throw new Error(
        `${name} ${over ? 'ended at its start' : 'does not answer'} on port ${port}: ${lastWords(output)}`,
      );
    }
    log(`${name} on 127.0.0.1:${port} (pid ${server.pid})`);
    const resume = async () => {
      await server.resume();
      if (!(await until(() => answers(port), START_LIMIT_MS))) throw new Error(`${name} does not come back`);
    };
    return { name, url, stop: server.stop, pause: server.pause, resume };
  } finally {
    closeSync(output);
  }
}

/** The end of what a server printed; works also when the file's name is gone already. */
function lastWords(file) {
  const { size } = fstatSync(file);
  const words = Buffer.alloc(Math.min(size, 4000));
  readSync(file, words, 0, words.length, size - words.length);
  return words.toString('utf8').trim();
}

/**
 * @param {object} [more]
 * @param {string[]} [more.listeners] beside the plain one, e.g. `SSL://127.0.0.1:9093`
 * @param {Record<string, string | number>} [more.settings] of the broker
 * @param {string[]} [more.format] arguments for the formatting of its storage
 */
export async function prepareKafka(
  folder,
  port,
  log,
  { listeners = [], settings: more = {}, format = [] } = {},
) {
  const libraries = await fetchKafka(log);
  const controllerPort = await freePort();
  const advertised = [`PLAINTEXT://127.0.0.1:${port}`, ...listeners];
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: [...advertised, `CONTROLLER://127.0.0.1:${controllerPort}`].join(),
    'advertised.listeners': advertised.join(),
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': join(folder, 'data'),
    // one node: no second copy of anything
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 8,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    // a test's first consumer does not wait for a second one
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    // topics are made on purpose, with their partitions and retention
    'auto.create.topics.enable': false,
    ...more,
  };
  const file = join(folder, 'server.properties');
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  const java = (memory, ...args) => [
    `-Xmx${memory}`,
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-cp',
    join(libraries, '*'),
    ...args,
  ];
  // A cluster id is 16 bytes in URL-safe base64.
  const cluster = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
  await run('java', java('256m', 'kafka.tools.StorageTool', 'format', '-t', cluster, '-c', file, ...format));
  return {
    url: `kafka://127.0.0.1:${port}`,
    command: 'java',
    args: java('512m', 'kafka.Kafka', file),
    // its data goes with it: nothing to flush
    signal: 'SIGKILL',
  };
}

function prepareRedis(folder, port) {
  const args = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  return { url: `redis://127.0.0.1:${port}`, command: onPath('redis-server'), args };
}

async function preparePostgres(folder, port) {
  const bin = postgresFolder();
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  const password = randomBytes(12).toString('hex');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  // Postgres refuses to run as root.
  const owner = process.getuid?.() === 0 ? userIds('postgres') : {};
  if (owner.uid !== undefined)
    for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
  await run(
    join(bin, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'scram-sha-256',
      '--pwfile',
      passwordFile,
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { ...owner, cwd: folder },
  );
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    timezone: 'UTC',
    // the data is thrown away: durability would only cost time
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
  };
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    command: join(bin, 'postgres'),
    args: [
      '-D',
      data,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ],
    cwd: folder,
    ...owner,
    // immediate shutdown, which still gives its shared memory back
    signal: 'SIGQUIT',
  };
}

function userIds(user) {
  const id = (flag) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
