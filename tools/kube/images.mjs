/** Images built by buildah, and processes that run from them. Needs root and Debian. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup.mjs';
import { startSupervised } from '../supervise.mjs';
import { env, home, run, runToEnd } from './programs.mjs';

/** Instead of node:24-bookworm-slim, which needs a registry of images. */
export const BASE = 'localhost/node:24-bookworm-slim';

const storage = ['--root', join(home, 'images', 'storage'), '--runroot', join(home, 'images', 'run')];

/** No container engine, no user namespaces: a step runs under chroot, with this machine's network. */
const settings = { ...env, BUILDAH_ISOLATION: 'chroot', BUILDAH_OPTIONS: storage.join(' ') };

/** A service ends within what the chart gives it, on a machine that is not too busy. */
const END_LIMIT_MS = 120_000;

/** @param {string[]} args of buildah @returns {Promise<string>} what it printed */
export const buildah = async (...args) =>
  (await run('buildah', [...storage, ...args], { env: settings })).stdout.trim();

/** As `buildah`, for what puts things in order. */
const tidy = (...args) => runToEnd('buildah', [...storage, ...args], { env: settings });

export const imageOf = (service) => `localhost/lineprint/${service}`;

/** Makes the base image unless it is there. */
export async function makeBase() {
  const names = await buildah('images', '--format', '{{.Name}}:{{.Tag}}');
  if (names.split('\n').includes(BASE)) return;
  await run(join(root, 'tools', 'kube', 'base-image.sh'), [BASE], { env: settings });
}

/** npm's own settings of this machine, e.g. a registry: they reach the build as a secret and no image. */
async function secrets() {
  const { stdout } = await run('npm', ['config', 'get', 'userconfig'], { cwd: home });
  const file = stdout.trim();
  return existsSync(file) ? ['--secret', `id=npmrc,src=${file}`] : [];
}

/**
 * @param {string} folder with a Dockerfile
 * @param {string} name of the image
 * @param {string[]} [more] arguments
 */
export async function build(folder, name, ...more) {
  const base = ['--build-arg', `NODE_IMAGE=${BASE}`];
  await buildah('build', '--layers', ...(await secrets()), ...base, ...more, '--tag', name, folder);
}

/** Removes every image and container but the base image. */
export async function removeAll() {
  await tidy('rm', '--all');
  const { stdout } = await tidy('images', '--all', '--format', '{{.ID}} {{.Name}}:{{.Tag}}');
  const ours = stdout.split('\n').filter((line) => line !== '' && !line.endsWith(BASE));
  if (ours.length > 0) await tidy('rmi', '--force', ...ours.map((line) => line.split(' ')[0]));
}

/**
 * @typedef {object} Container
 * @property {string} tree folder of this machine where its files are to be seen
 * @property {(options: object) => Promise<Running>} start runs the image's entry point
 * @property {() => Promise<void>} remove
 *
 * @typedef {object} Running
 * @property {number} pid of PID 1, as this machine counts
 * @property {() => number[]} processes PID 1 and those below it
 * @property {() => string} output what it has printed
 * @property {Promise<number | null>} exited its exit code
 * @property {() => Promise<number | null>} stop as a kubelet does: SIGTERM, and SIGKILL when it takes too long
 */

/** @param {string} image @returns {Promise<Container>} */
export async function containerOf(image) {
  const name = await buildah('from', image);
  const tree = await buildah('mount', name);
  const {
    OCIv1: { config },
  } = JSON.parse(await buildah('inspect', '--type', 'image', image));
  const start = (options = {}) => startProcess(tree, config, options);
  return { tree, start, remove: () => tidy('rm', name) };
}

/**
 * @param {object} options
 * @param {string[]} [options.args] of the entry point
 * @param {string[]} [options.entrypoint] instead of the image's
 * @param {Record<string, string>} [options.env] beside the image's
 * @param {string[]} [options.volumes] folders that can be written to
 */
async function startProcess(
  tree,
  config,
  { args = [], entrypoint = config.Entrypoint ?? [], env: more = {}, volumes = [] },
) {
  const variables = [...(config.Env ?? []), ...Object.entries(more).map(([key, value]) => `${key}=${value}`)];
  let printed = '';
  const supervised = await startSupervised({
    command: join(root, 'tools', 'kube', 'container.sh'),
    args: [tree, config.User ?? '0:0', config.WorkingDir || '/', ...variables, ...entrypoint, ...args],
    env: { PATH: process.env.PATH, VOLUMES: volumes.join(':') },
    onOutput: (chunk) => (printed += chunk.toString('utf8')),
  });
  const exited = supervised.exited.then(({ code }) => code);
  const first = () => childrenOf(childrenOf(supervised.pid)[0])[0];
  let isOver = false;
  void exited.then(() => (isOver = true));
  const stop = async () => {
    if (isOver) return exited;
    process.kill(supervised.pid, 'SIGTERM');
    const limit = setTimeout(() => first() && process.kill(first(), 'SIGKILL'), END_LIMIT_MS);
    const code = await exited;
    clearTimeout(limit);
    return code;
  };
  return {
    get pid() {
      return first();
    },
    processes: () => familyOf(first()),
    output: () => printed,
    exited,
    stop,
  };
}

/** @param {number | undefined} pid @returns {number[]} none when it has ended */
function childrenOf(pid) {
  const file = `/proc/${pid}/task`;
  if (pid === undefined || !existsSync(file)) return [];
  return readdirSync(file).flatMap((task) => {
    try {
      return readFileSync(join(file, task, 'children'), 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number);
    } catch {
      return [];
    }
  });
}

const familyOf = (pid) => (pid === undefined ? [] : [pid, ...childrenOf(pid).flatMap(familyOf)]);

/** @param {number} pid @param {string} field of /proc/PID/status */
export function statusOf(pid, field) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? '';
}

/** @param {number[]} pids @returns {number} resident memory in MB */
export const residentOf = (pids) =>
  pids.reduce((sum, pid) => sum + Number.parseInt(statusOf(pid, 'VmRSS') || '0', 10), 0) / 1024;
