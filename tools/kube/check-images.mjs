/**
 * Every image as it is built and as it runs: without root, on a read-only tree, as the chart starts it; and the demo through
 * the services started from images against Kafka, Redis and Postgres.
 */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { startServers } from '../servers.mjs';
import { freePort } from '../servers/ports.mjs';
import { root } from '../setup.mjs';
import { createDatabase, serviceNames } from '../stack.mjs';
import {
  build,
  buildah,
  containerOf,
  imageOf,
  makeBase,
  removeAll,
  residentOf,
  statusOf,
} from './images.mjs';
import { home, need, provideInstalled, run } from './programs.mjs';
import { check as count, expect, provide, Unavailable, until } from './report.mjs';

const require = createRequire(import.meta.url);

/** Beside the services: what jobs and people run, and all in one process. */
const images = [...serviceNames, 'cli', 'standalone'];

/** Where pods mount volumes that can be written to. */
const VOLUMES = {
  ingest: ['/var/lib/lineprint/mirrors'],
  'query-api': ['/var/lib/lineprint/mirrors'],
  standalone: ['/var/lib/lineprint'],
};

/** A command that takes longer hangs. */
const COMMAND_LIMIT_MS = 15 * 60_000;

/** Space for the build stage, the images and what is compiled. */
const NEEDED_BYTES = 12e9;

/** @param {{keep: boolean}} options `keep`: leave images and layers, so that the next run is faster */
export async function checkImages({ keep }) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Unavailable('needs root on Linux');
  await provideInstalled(['buildah', 'debootstrap']);
  need('npm', 'unshare', 'setpriv');
  mkdirSync(home, { recursive: true });
  const { bavail, bsize } = statfsSync(home);
  if (bavail * bsize < NEEDED_BYTES) throw new Unavailable(`needs ${NEEDED_BYTES / 1e9} GB of disk`);
  await provide('base image', makeBase);
  await provide('a container starts', canStart);
  try {
    await buildAll();
    await runAll();
  } finally {
    if (!keep) await removeAll();
  }
}

/** The machinery works, and registries answer: what a build then fails by is ours. */
async function canStart() {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-image-'));
  const image = imageOf('probe');
  try {
    const steps = [
      'ARG NODE_IMAGE',
      'FROM ${NODE_IMAGE}',
      'RUN apt-get update && apt-get install -y --no-install-recommends tini',
      'RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm view zod version',
      'USER 1000:1000',
    ];
    writeFileSync(join(folder, 'Dockerfile'), `${steps.join('\n')}\n`);
    await build(folder, image, '--no-cache');
    const container = await containerOf(image);
    const running = await container.start({ entrypoint: ['/usr/bin/tini', '--', 'node', '-p', '1 + 1'] });
    const code = await running.exited;
    await container.remove();
    expect(
      code === 0 && running.output().trim() === '2',
      `a container ends with ${code}: ${running.output()}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A registry that stopped answering is no defect of the build. */
async function check(name, work) {
  await count(name, async () => {
    try {
      await work();
    } catch (error) {
      await canStart().catch(({ message }) => {
        throw new Unavailable(`images cannot be built or started any more: ${message}`);
      });
      throw error;
    }
  });
}

async function buildAll() {
  for (const service of images) {
    await check(`${service}: image is built`, async () => {
      const one = () => build(root, imageOf(service), '--build-arg', `SERVICE=${service}`);
      // Once more: steps that were done are kept, and networks have moments.
      await one().catch(one);
    });
  }
}

async function runAll() {
  const running = {};
  const containers = [];
  const container = async (service) => {
    const made = await containerOf(imageOf(service));
    containers.push(made);
    return made;
  };
  const servers = await provide('Kafka, Redis and Postgres', () =>
    startServers({ kafka: true, redis: true, postgres: true }),
  );
  try {
    const databaseUrl = await createDatabase(servers.postgresUrl, 'images');
    const { DEMO_LINE_KEY } = require('../../apps/cli/dist/demo/standalone-process.js');
    const settings = {
      // Verdicts depend on the key a little.
      LINEPRINT_BOOTSTRAP_LINE_KEY: DEMO_LINE_KEY,
      LINEPRINT_HOST: '127.0.0.1',
      LINEPRINT_DATABASE_URL: databaseUrl,
      LINEPRINT_LOG_URL: servers.kafkaUrl,
      LINEPRINT_RECALL_URL: servers.redisUrl,
      LINEPRINT_GIT_MIRRORS: '/var/lib/lineprint/mirrors',
    };
    const cli = await container('cli');
    const command = (...args) => outputOf(cli, args, settings);
    let apiKey;
    await check('cli: makes the schema and the topics', async () => {
      ({ apiKey } = JSON.parse(await command('admin', 'init', '--json')));
      await command('admin', 'topics');
      // As a second pod of the same job, or an upgrade.
      await command('admin', 'init', '--json');
    });
    for (const service of serviceNames) {
      const made = await container(service);
      await check(`${service}: starts, answers its probes`, async () => {
        running[service] = await startService(made, service, settings);
      });
    }
    for (const [service, one] of Object.entries(running)) await describeImage(service, one);
    await check('the demo through the images', async () => {
      const { ingest, 'query-api': queryApi } = running;
      const where = ['--url', ingest?.url, '--query-url', queryApi?.url];
      const sample = JSON.parse(await command('sample', '--json', ...where, '--api-key', apiKey));
      expectSame(sample, await demo());
    });
    await check('services end in order when they are told to', () => endAll(running));
    const standalone = await container('standalone');
    await check('standalone: starts, answers its probes, ends', async () => {
      running.standalone = await startService(standalone, 'standalone', { LINEPRINT_HOST: '127.0.0.1' });
      await describeImage('standalone', running.standalone);
      await endAll({ standalone: running.standalone });
    });
  } finally {
    await Promise.all(Object.values(running).map((one) => one.stop()));
    for (const one of containers) await one.remove();
    await servers.stop();
  }
}

/** @returns {Promise<string>} what a command of an image printed */
async function outputOf(container, args, env) {
  const running = await container.start({ args, env });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    void running.stop();
  }, COMMAND_LIMIT_MS);
  const code = await running.exited;
  clearTimeout(limit);
  expect(!isLate, `${args.join(' ')} does not end: ${running.output()}`);
  expect(code === 0, `${args.join(' ')} ended with ${code}: ${running.output()}`);
  // Words for people come on stderr, before or between.
  const lines = running.output().trim().split('\n');
  return lines.findLast((line) => line.startsWith('{')) ?? lines.join('\n');
}

/** @returns {Promise<object>} the process with its `url`, ready, when it has no more rights than it should */
async function startService(container, service, settings) {
  const tree = join(container.tree, 'srv', 'lineprint');
  const owned = foreign(tree);
  expect(owned.length === 0, `the user may write to ${owned.slice(0, 3).join(', ')}`);
  expect(
    JSON.parse(readFileSync(join(tree, 'sbom.json'), 'utf8')).components.length > 0,
    'no bill of packages',
  );
  const port = String(await freePort());
  const env = { ...settings, LINEPRINT_PORT: port };
  const started = await container.start({ env, volumes: VOLUMES[service] ?? [] });
  const url = `http://127.0.0.1:${port}`;
  let code;
  void started.exited.then((end) => (code = end));
  try {
    await until('not ready', async () => {
      expect(code === undefined, `it ended with ${code}: ${started.output()}`);
      return isOk(`${url}/health/ready`);
    });
    for (const path of ['/health/live', '/metrics']) {
      expect((await isOk(`${url}${path}`)) === true, `${path} does not answer`);
    }
    expectUnprivileged(started.pid);
  } catch (error) {
    await started.stop();
    throw error;
  }
  return { ...started, url };
}

async function isOk(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(30_000) });
    const text = await answer.text();
    return answer.ok || text;
  } catch (error) {
    return error.message;
  }
}

/** Files below a folder that are not root's alone. */
function foreign(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const status = lstatSync(file);
      return !status.isSymbolicLink() && (status.uid !== 0 || (status.mode & 0o022) !== 0);
    });
}

function expectUnprivileged(pid) {
  const user = statusOf(pid, 'Uid').split('\t')[0];
  expect(user !== '0' && user !== '', 'it runs as root');
  expect(/^0+$/.test(statusOf(pid, 'CapEff')), 'it has capabilities');
  expect(statusOf(pid, 'NoNewPrivs') === '1', 'it may become more than it is');
  const [, , options] = readFileSync(`/proc/${pid}/mounts`, 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, place]) => place === '/')
    .at(-1)
    .slice(1);
  expect(options.split(',').includes('ro'), 'its tree can be written to');
}

async function describeImage(service, { processes }) {
  const size = await buildah('images', '--format', '{{.Size}}', imageOf(service));
  const idle = residentOf(processes()).toFixed(0);
  console.log(`     ${service.padEnd(16)} image ${size.padStart(7)}, idle ${idle.padStart(4)} MB`);
}

/** @returns {Promise<object>} what `npm run demo -- --once --json` prints */
async function demo() {
  const { stdout } = await run(process.execPath, [join(root, 'tools', 'demo.mjs'), '--once', '--json'], {
    cwd: root,
    timeout: COMMAND_LIMIT_MS,
  });
  return JSON.parse(stdout);
}

/** All that the sample says of lines, commits and people, and how many are right. */
function expectSame({ truth: { lines, right }, ...summary }, whole) {
  const found = { ...summary, truth: { lines, right } };
  const differing = Object.keys(found).filter((key) => !isDeepStrictEqual(found[key], whole[key]));
  const words = differing.map(
    (key) => `${key}: ${JSON.stringify(found[key])}, the demo: ${JSON.stringify(whole[key])}`,
  );
  expect(differing.length === 0, words.join('\n'));
}

async function endAll(running) {
  const ends = await Promise.all(
    Object.entries(running).map(async ([name, one]) => [name, await one.stop()]),
  );
  const wrong = ends.filter(([, code]) => code !== 0).map(([name, code]) => `${name} ended with ${code}`);
  expect(wrong.length === 0, wrong.join('\n'));
}
