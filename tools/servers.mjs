/**
 * Real Kafka, Redis and Postgres for tests and for developing. By URL from the environment if given, else in
 * containers if an engine answers, else as plain processes. `node tools/servers.mjs` starts them, prints the
 * variables to export, and serves until Ctrl-C.
 */
import { fileURLToPath } from 'node:url';
import { engineAnswers, startContainers } from './servers/containers.mjs';
import { startNative } from './servers/native.mjs';

/** Variables with this in front name servers for tests, e.g. LINEPRINT_TEST_KAFKA_URL. */
export const TEST_PREFIX = 'LINEPRINT_TEST_';

/**
 * @typedef {object} Servers
 * @property {string} [kafkaUrl] `kafka://HOST:PORT`
 * @property {string} [redisUrl] `redis://HOST:PORT`
 * @property {string} [postgresUrl] a superuser's, on the database `postgres`
 * @property {string} kind where they come from: `environment`, `containers`, `native`, or two joined by `+`
 * @property {() => Promise<void>} stop ends what was started here and removes its data; safe to call twice
 * @property {(name: 'kafka' | 'redis' | 'postgres') => Promise<void>} pause kills one that was started here; Kafka and
 *   Postgres keep their data
 * @property {(name: 'kafka' | 'redis' | 'postgres') => Promise<void>} resume starts it again at the same address
 *
 * @typedef {object} Started what containers or plain processes give
 * @property {Record<string, string>} urls by name of the server
 * @property {() => Promise<void>} stop
 * @property {(name: string) => Promise<void>} pause
 * @property {(name: string) => Promise<void>} resume
 */

/**
 * Starts the wanted servers. What is started ends with this process, however that ends.
 *
 * @param {object} options
 * @param {boolean} [options.kafka]
 * @param {boolean} [options.redis]
 * @param {boolean} [options.postgres]
 * @param {string} [options.dir] where data folders are made; default: the system's temporary folder
 * @param {string} [options.prefix] of the variables that give servers by URL
 * @param {(line: string) => void} [options.log]
 * @returns {Promise<Servers>}
 * @throws {Error} that says what to install, or what a server printed when it failed to start
 */
export async function startServers({ kafka, redis, postgres, dir, prefix = TEST_PREFIX, log = () => {} }) {
  const names = Object.entries({ kafka, redis, postgres }).flatMap(([name, wanted]) =>
    wanted ? [name] : [],
  );
  const given = Object.fromEntries(
    names.flatMap((name) => {
      const url = process.env[variable(prefix, name)];
      return url ? [[name, url]] : [];
    }),
  );
  const rest = names.filter((name) => !(name in given));
  const started = await startRest(rest, { dir, prefix, log });
  const urls = { ...given, ...started.urls };
  const ours = (name) => {
    if (name in started.urls) return name;
    throw new Error(`${name} was not started here`);
  };
  const kinds = [...(Object.keys(given).length > 0 ? ['environment'] : []), ...started.kinds];
  return {
    kafkaUrl: urls.kafka,
    redisUrl: urls.redis,
    postgresUrl: urls.postgres,
    kind: kinds.join('+'),
    stop: started.stop,
    pause: (name) => started.pause(ours(name)),
    resume: (name) => started.resume(ours(name)),
  };
}

async function startRest(names, options) {
  if (names.length === 0) return { urls: {}, kinds: [], stop: async () => {} };
  if (engineAnswers()) return { ...(await startContainers(names, options)), kinds: ['containers'] };
  return { ...(await startNative(names, options)), kinds: ['native'] };
}

function variable(prefix, name) {
  return `${prefix}${name.toUpperCase()}_URL`;
}

/** The variables that hand servers on to tests. @param {Servers} servers @returns {Record<string, string>} */
export function testEnvironment({ kafkaUrl, redisUrl, postgresUrl }) {
  return {
    [variable(TEST_PREFIX, 'kafka')]: kafkaUrl,
    [variable(TEST_PREFIX, 'redis')]: redisUrl,
    [variable(TEST_PREFIX, 'postgres')]: postgresUrl,
  };
}

async function main() {
  const log = (line) => console.error(line);
  const servers = await startServers({ kafka: true, redis: true, postgres: true, log });
  for (const [name, url] of Object.entries(testEnvironment(servers))) console.log(`export ${name}=${url}`);
  log(`Serving (${servers.kind}) until Ctrl-C`);
  const alive = setInterval(() => {}, 60_000);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      clearInterval(alive);
      void servers.stop();
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
