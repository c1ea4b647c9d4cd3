/** Finds the programs that the native servers need; on Debian, as root, installs the missing ones. */
import { execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Kafka wants at least this. */
const JAVA_MAJOR = 17;

/** @param {string} program @returns {string | undefined} its path */
export function onPath(program) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return [...folders, '/usr/sbin', '/sbin']
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}

/** @returns {string | undefined} the folder of initdb and postgres, the newest version first */
export function postgresFolder() {
  const versions = '/usr/lib/postgresql';
  const debian = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, 'bin'))
    : [];
  const path = onPath('initdb');
  return [...debian, ...(path ? [dirname(path)] : [])].find((folder) => existsSync(join(folder, 'postgres')));
}

/** @returns {string | undefined} the path of Chromium, or of Chrome */
export function chromiumPath() {
  return ['chromium', 'chromium-browser', 'google-chrome'].map(onPath).find((path) => path !== undefined);
}

function javaIsRecent() {
  // e.g. `openjdk version "17.0.15" 2025-04-15`
  const version = /version "(\d+)/.exec(spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr ?? '');
  return version !== null && Number(version[1]) >= JAVA_MAJOR;
}

/** What each server needs: how to tell that it is there, Debian's package, and what to say if it is not. */
const needs = {
  kafka: [
    { found: javaIsRecent, packages: ['default-jre-headless'], name: `Java ${JAVA_MAJOR} or newer` },
    {
      found: () => kafkaLibraries() !== undefined || onPath('mvn') !== undefined,
      packages: ['maven'],
      name: 'Maven (mvn)',
    },
  ],
  redis: [
    { found: () => onPath('redis-server') !== undefined, packages: ['redis-server'], name: 'redis-server' },
  ],
  postgres: [
    {
      found: () => postgresFolder() !== undefined,
      packages: ['postgresql'],
      name: 'PostgreSQL (initdb, postgres)',
    },
  ],
  // started by the tests themselves
  prometheus: [
    {
      found: () => ['prometheus', 'promtool'].every((program) => onPath(program) !== undefined),
      packages: ['prometheus'],
      name: 'Prometheus (prometheus, promtool)',
    },
  ],
  // for the dashboard's tests
  chromium: [{ found: () => chromiumPath() !== undefined, packages: ['chromium'], name: 'Chromium' }],
};

/** Those that may be somewhere else, by URL or in containers. */
const byUrl = ['kafka', 'redis', 'postgres'];

/**
 * Makes sure that the programs of the wanted servers are here.
 *
 * @param {('kafka' | 'redis' | 'postgres' | 'prometheus' | 'chromium')[]} servers
 * @param {{prefix: string, log: (line: string) => void}} options `prefix`: of the variables that give servers by URL
 * @throws {Error} that names what to install and which variables give servers by URL instead
 */
export async function ensurePrograms(servers, { prefix, log }) {
  const missing = () => servers.flatMap((server) => needs[server]).filter((need) => !need.found());
  const absent = missing();
  if (absent.length > 0 && process.getuid?.() === 0 && onPath('apt-get')) {
    await installPackages([...new Set(absent.flatMap((need) => need.packages))], log);
  }
  const still = missing();
  if (still.length === 0) return;
  const elsewhere = servers.filter((server) => byUrl.includes(server));
  throw new Error(
    [
      `The tests run against real servers, and ${still.map((need) => need.name).join(', ')} cannot be found. One of:`,
      `  - install them (Debian, Ubuntu: apt-get install ${still.flatMap((need) => need.packages).join(' ')})`,
      ...(elsewhere.length === 0
        ? []
        : [
            `  - start a container engine (Docker or Podman), which runs them`,
            `  - name servers by URL: ${elsewhere.map((s) => `${prefix}${s.toUpperCase()}_URL`).join(', ')}`,
          ]),
    ].join('\n'),
  );
}

async function installPackages(packages, log) {
  log(`Installing ${packages.join(', ')} with apt-get`);
  // The packages start services of their own when they are configured; this tells them not to.
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !existsSync(policy);
  if (ours) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  };
  const lock = ['-o', 'DPkg::Lock::Timeout=600', '-q', '-y'];
  try {
    await run('apt-get', [...lock, 'update'], options);
    await run('apt-get', [...lock, 'install', '--no-install-recommends', ...packages], options);
  } catch (error) {
    log(`apt-get failed: ${String(error.stderr || error.message).trim()}`);
  } finally {
    if (ours) rmSync(policy, { force: true });
  }
}

const pom = join(root, 'tools', 'kafka', 'pom.xml');

/** @returns {string} the folder that keeps Kafka's jars between runs */
function kafkaFolder() {
  const version = /<kafka\.version>([^<]+)</.exec(readFileSync(pom, 'utf8'))?.[1];
  const modules = join(root, 'node_modules');
  const cache = existsSync(modules)
    ? join(modules, '.cache', 'lineprint')
    : join(homedir(), '.cache', 'lineprint');
  return join(cache, `kafka-${version}`);
}

/** @returns {string | undefined} the folder of Kafka's jars, if they were fetched before */
function kafkaLibraries() {
  const folder = kafkaFolder();
  return existsSync(folder) ? folder : undefined;
}

/**
 * Fetches Kafka's jars (about 44 MB) through Maven unless they are here.
 *
 * @param {(line: string) => void} log
 * @returns {Promise<string>} the folder of the jars
 */
export async function fetchKafka(log) {
  const folder = kafkaFolder();
  if (existsSync(folder)) return folder;
  log('Fetching Apache Kafka through Maven');
  mkdirSync(dirname(folder), { recursive: true });
  // Filled beside and then renamed: whoever sees the folder sees all of it, also when two runs fetch at once.
  const filling = mkdtempSync(`${folder}-filling-`);
  try {
    await run(
      'mvn',
      ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${filling}`],
      {
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    renameSync(filling, folder);
  } catch (error) {
    if (!existsSync(folder)) throw new Error(`Maven could not fetch Kafka: ${error.stdout || error.message}`);
  } finally {
    rmSync(filling, { recursive: true, force: true });
  }
  return folder;
}
