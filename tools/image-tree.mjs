/**
 * The files that a service needs to run, and no others: `node tools/image-tree.mjs SERVICE FOLDER` copies them to FOLDER, as
 * they lie here, with a list of the packages they come from (CycloneDX) in FOLDER/sbom.json, and prints as JSON how many
 * they are. Needs the build. SERVICE is a folder of apps/.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nodeFileTrace } from '@vercel/nft';
import { root } from './setup.mjs';

const require = createRequire(import.meta.url);

/** What is found by a path that is only known as it runs. */
const UNTRACED = {
  syntax: () => [
    join(root, 'libs/syntax/dist/parser-process.js'),
    ...require('@lineprint/syntax').grammarModules.map((name) => require.resolve(name)),
  ],
  persistence: () => filesIn(join(root, 'prisma/migrations')),
  pglite: () => [
    ...filesIn(dirname(require.resolve('@electric-sql/pglite'))).filter((file) =>
      /[/\\]\w+\.(wasm|data)$/.test(file),
    ),
    ...filesIn(join(root, 'libs/persistence/dist')).filter((file) => file.endsWith('.tar.gz')),
  ],
  dashboard: () => filesIn(join(root, 'apps/dashboard/dist/site')),
};

/** Packages bring what is compiled for other platforms. */
function isOfThisPlatform(file) {
  const platform = /\/prebuilds\/([^/]+)\//.exec(file)?.[1];
  return platform === undefined || platform === `${process.platform}-${process.arch}`;
}

function filesIn(folder) {
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];
}

/**
 * @param {string} service a folder of apps/
 * @returns {Promise<string[]>} paths of files from the workspace's folder
 */
export async function filesOf(service) {
  const entry = join(root, 'apps', service, 'dist', 'main.js');
  if (!existsSync(entry)) throw new Error(`There is no built service ${service}: ${entry}`);
  const options = { base: root, processCwd: root };
  const { fileList } = await nodeFileTrace([entry], options);
  const uses = (project) => [...fileList].some((file) => file.startsWith(`libs/${project}/`));
  const more = [
    ...(uses('syntax') ? UNTRACED.syntax() : []),
    ...(uses('persistence') ? UNTRACED.persistence() : []),
    ...(service === 'standalone' ? UNTRACED.pglite() : []),
    ...(['query-api', 'standalone'].includes(service) ? UNTRACED.dashboard() : []),
  ];
  const traced = await nodeFileTrace([entry, ...more.filter((file) => /\.[cm]?js$/.test(file))], options);
  const needed = [...traced.fileList].filter((file) => !file.endsWith('.map') && isOfThisPlatform(file));
  return [...new Set([...needed, ...more.map((file) => relative(root, file))])].sort();
}

/** The packages that files lie in, as npm's bill of the lock file describes them. */
function bill(files) {
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'],
    { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr || stdout}`);
  const document = JSON.parse(stdout);
  const packages = new Set(files.map(packageFolder).filter(Boolean).map(nameAndVersion));
  const components = document.components.filter(({ name, version, group }) =>
    packages.has(`${group ? `${group}/` : ''}${name}@${version}`),
  );
  const kept = new Set([document.metadata.component, ...components].map((part) => part['bom-ref']));
  const dependencies = document.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((name) => kept.has(name)) }));
  return { ...document, components, dependencies };
}

/** `node_modules/a/node_modules/@b/c` of a file in it. */
function packageFolder(file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function nameAndVersion(folder) {
  const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return `${name}@${version}`;
}

/**
 * @param {string} service
 * @param {string} folder
 */
export async function writeImageTree(service, folder) {
  const files = await filesOf(service);
  let bytes = 0;
  for (const file of files) {
    const from = join(root, file);
    const to = join(folder, file);
    mkdirSync(dirname(to), { recursive: true });
    const status = lstatSync(from);
    // Links between workspaces stay links: what they lead to is among the files.
    if (status.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else copyFileSync(from, to);
    bytes += status.size;
  }
  const document = bill(files);
  writeFileSync(join(folder, 'sbom.json'), `${JSON.stringify(document, null, 2)}\n`);
  return {
    service,
    files: files.length,
    megabytes: Number((bytes / 1e6).toFixed(1)),
    packages: document.components.length,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [service, folder] = process.argv.slice(2);
  if (!service || !folder)
    throw new Error('Give a service and a folder: node tools/image-tree.mjs ingest /srv/app');
  console.log(JSON.stringify(await writeImageTree(service, folder)));
}
