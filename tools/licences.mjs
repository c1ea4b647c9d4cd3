/**
 * `node tools/licences.mjs`: writes docs/licences.md, every package that runs in production with its version and licence,
 * from the lock file. Fails on one whose licence is not known or obliges those who pass Lineprint on to more than a notice.
 * With `--check` it writes nothing and fails where the page is not what it would write. Nothing is asked of the network.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import prettier from 'prettier';
import { root } from './setup.mjs';

/** All ask for no more than a notice; of a choice (`OR`) one will do. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/** Packages whose lock entry names none, by what their LICENSE says. */
const NAMED_ELSEWHERE = { busboy: 'MIT', streamsearch: 'MIT' };

function isAllowed(licence) {
  const words = licence.replaceAll(/[()]/g, ' ').trim();
  if (words.includes(' OR ')) return words.split(' OR ').some(isAllowed);
  return words.split(/ AND /i).every((one) => ALLOWED.has(one.trim()));
}

function productionPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  for (const [path, { version, license, dev, devOptional, link }] of Object.entries(packages)) {
    const name = path.split('node_modules/').at(-1);
    // The workspace's own have no `node_modules/` in their path, or are links there.
    if (!path.includes('node_modules/') || dev || devOptional || link) continue;
    found.set(`${name} ${version}`, { name, version, licence: license ?? NAMED_ELSEWHERE[name] ?? '' });
  }
  return [...found.values()].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

async function main() {
  const packages = productionPackages();
  const refused = packages.filter(({ licence }) => !isAllowed(licence));
  if (refused.length > 0) {
    const list = refused.map(
      ({ name, version, licence }) => `${name} ${version}: ${licence || 'none named'}`,
    );
    throw new Error(`These may not be passed on with Lineprint:\n${list.join('\n')}`);
  }
  const counts = new Map();
  for (const { licence } of packages) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const sums = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const text = [
    '# Licences of what runs in production',
    '',
    'Made by `node tools/licences.mjs` from the lock file, which refuses a package whose licence asks for more than a notice.',
    'Some are for other platforms and are not installed everywhere. Lineprint itself is Apache-2.0.',
    '',
    `${packages.length} packages: ${sums.map(([licence, count]) => `${count} ${licence}`).join(', ')}.`,
    '',
    '| package | version | licence |',
    '| --- | --- | --- |',
    ...packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`),
    '',
  ].join('\n');
  const file = join(root, 'docs', 'licences.md');
  const options = { ...(await prettier.resolveConfig(file)), filepath: file };
  const formatted = await prettier.format(text, options);
  if (!process.argv.includes('--check')) writeFileSync(file, formatted);
  else if (readFileSync(file, 'utf8') !== formatted) {
    throw new Error('docs/licences.md is not what the lock file says. Run `node tools/licences.mjs`.');
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
