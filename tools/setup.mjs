/**
 * Makes a checkout ready: installs packages if the lock file changed, generates the database client, builds.
 * Everything it and its commands print goes to stderr, so that a caller's stdout stays its own.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The workspace's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Set, to the checkout, in what runs under a set-up that has just been made: a second one would only cost time. */
const SET_UP = 'LINEPRINT_SET_UP';

/** The oldest Node that works; the same as `engines` in package.json. */
const OLDEST_NODE = [20, 19];

/**
 * Safe to call again: what is up to date is left alone.
 *
 * @param {{log?: (line: string) => void}} [options]
 * @throws {Error} with one line that says what to do
 */
export async function setUp({ log = (line) => console.error(line) } = {}) {
  if (process.env[SET_UP] === root) return;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    throw new Error(
      `Lineprint needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. See https://nodejs.org`,
    );
  }
  install(log);
  const generate = join(root, 'tools', 'prisma-generate.mjs');
  if (existsSync(generate)) command('Generating the database client', process.execPath, [generate]);
  command('Building', process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b']);
  command('Preparing the embedded database', process.execPath, [join(root, 'tools', 'cluster-template.mjs')]);
  command('Bundling the client SDK', process.execPath, [join(root, 'tools', 'capture-sdk.mjs'), '--quiet']);
  command('Building the dashboard', process.execPath, [join(root, 'tools', 'dashboard.mjs'), '--quiet']);
  process.env[SET_UP] = root;
}

function install(log) {
  const modules = join(root, 'node_modules');
  // The lock file that the installed packages were installed from, by its hash.
  const stamp = join(modules, '.lineprint-lock');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  log('Installing packages (some are compiled: a few minutes the first time)');
  // Tests and the build need the development packages, whatever NODE_ENV says.
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  command('Installing packages', npm, ['ci', '--loglevel=error', '--include=dev'], {
    ...headersOfThisNode(),
    ...process.env,
  });
  writeFileSync(stamp, lock);
}

/** Node comes with the headers that native code needs; without a hint node-gyp downloads them from nodejs.org. */
function headersOfThisNode() {
  const folder = dirname(dirname(process.execPath));
  const file = join(folder, 'include', 'node', 'node_version.h');
  if (!existsSync(file)) return {};
  const text = readFileSync(file, 'utf8');
  const version = ['MAJOR', 'MINOR', 'PATCH'].map(
    (part) => new RegExp(`^#define NODE_${part}_VERSION (\\d+)`, 'm').exec(text)?.[1],
  );
  return version.join('.') === process.versions.node ? { npm_config_nodedir: folder } : {};
}

function command(what, program, args, env = process.env) {
  const { status, error } = spawnSync(program, args, {
    cwd: root,
    env,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: program.endsWith('.cmd'),
  });
  if (status !== 0) throw new Error(`${what} failed: ${error?.message ?? `${program} ${args.join(' ')}`}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  setUp().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
