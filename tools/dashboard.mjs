/**
 * Builds the dashboard into apps/dashboard/dist/site, unless the site there was made of the same sources:
 * `node tools/dashboard.mjs` says what it did, with `--quiet` only what went wrong.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = join(root, 'apps', 'dashboard');

// query-api serves it.
const siteDirectory = join(project, 'dist', 'site');
const stamp = join(project, 'dist', 'site-sources');

const sources = [
  fileURLToPath(import.meta.url),
  join(project, 'src'),
  join(project, 'public'),
  join(project, 'index.html'),
  join(project, 'vite.config.mjs'),
  join(root, 'libs', 'api-client', 'src'),
  join(root, 'package-lock.json'),
];

/** One hash of all that the site is made of, by path and content. */
function sourcesHash() {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of filesIn(source)) {
      hash
        .update(`${relative(root, file)}\0`)
        .update(readFileSync(file))
        .update('\0');
    }
  }
  return hash.digest('hex');
}

function filesIn(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((entry) => filesIn(join(path, entry)));
}

function build(log) {
  const hash = sourcesHash();
  const built = existsSync(stamp) && existsSync(join(siteDirectory, 'index.html'));
  if (built && readFileSync(stamp, 'utf8') === hash) {
    log('The dashboard is up to date.');
    return;
  }
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const config = join(project, 'vite.config.mjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vite, 'build', '--config', config, '--logLevel', 'warn'],
    // Vite takes the development build of React when NODE_ENV says so.
    { cwd: root, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  );
  if (status !== 0) throw new Error(`Vite could not build the dashboard:\n${stdout}${stderr}`);
  compress();
  writeFileSync(stamp, hash);
  log(`Built ${relative(root, siteDirectory)}`);
}

/** Beside each script and style sheet: whoever serves them must not do it again and again. */
function compress() {
  for (const file of filesIn(siteDirectory)) {
    if (/\.(js|css)$/.test(file)) writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
  }
}

try {
  build(process.argv.includes('--quiet') ? () => {} : console.log);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
