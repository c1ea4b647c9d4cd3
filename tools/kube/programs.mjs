/** Programs that the checks of the deployment run: compiled or installed once, into a folder of their own. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../setup.mjs';
import { interruption, provide, Unavailable } from './report.mjs';

/** Where they are kept from one run to the next. */
export const home =
  process.env.LINEPRINT_KUBE_HOME ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'lineprint-kube');

export const env = {
  ...process.env,
  PATH: [join(home, 'bin'), process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter),
};

const execute = promisify(execFile);

/**
 * @param {string} program
 * @param {string[]} args
 * @param {object} [options]
 * @returns {Promise<{stdout: string, stderr: string}>}
 */
export const run = (program, args, options = {}) =>
  execute(program, args, { env, maxBuffer: 256 * 1024 * 1024, signal: interruption.signal, ...options });

/**
 * @param {string[]} programs as control-plane.sh names them
 */
const compile = (programs) =>
  run(join(root, 'tools', 'kube', 'control-plane.sh'), ['build', ...programs], {
    env: { ...env, KUBE_HOME: home },
  });

/** As `run`, for what puts things in order: an interruption does not end it. */
export const runToEnd = (program, args, options = {}) =>
  run(program, args, { ...options, signal: undefined });

/** @param {string} name @returns {boolean} whether a program of this name is to be found */
export const has = (name) => env.PATH.split(delimiter).some((folder) => existsSync(join(folder, name)));

/** @param {string[]} names @throws {Unavailable} that says which is missing */
export function need(...names) {
  const missing = names.filter((name) => !has(name));
  if (missing.length > 0) throw new Unavailable(`needs ${missing.join(', ')}`);
}

/** Programs by the name that control-plane.sh builds them under; Kubernetes' scheduler is the last of its three. */
const BUILT = { kubernetes: 'kube-scheduler' };

/** @param {string[]} programs */
export async function provideCompiled(...programs) {
  const missing = programs.filter((name) => !has(BUILT[name] ?? name));
  if (missing.length === 0) return;
  need('go');
  await provide(`${missing.join(', ')}: compiled`, () => compile(missing));
}

/** Debian's packages, by the programs in them. */
export async function provideInstalled(packages) {
  const missing = packages.filter((name) => !has(name));
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !has('apt-get')) throw new Unavailable(`needs ${missing.join(', ')}`);
  await provide(`${missing.join(', ')}: installed`, async () => {
    const quiet = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } };
    await run('apt-get', ['-qq', 'update'], quiet);
    await run('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', ...missing], quiet);
  });
}
