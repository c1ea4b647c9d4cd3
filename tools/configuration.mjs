/**
 * `node tools/configuration.mjs`: writes the tables of docs/configuration.md from libs/platform, between their marks. With
 * `--check` it writes nothing and fails where the page is not what it would write.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import prettier from 'prettier';
import { root, setUp } from './setup.mjs';

const MARKS = /(<!-- settings: (\w+) -->\n)[^]*?(<!-- end -->)/g;

function tableOf(settings) {
  const rows = settings.map(
    ({ variable, byDefault, meaning }) => `| \`${variable}\` | ${byDefault} | ${meaning} |\n`,
  );
  return ['\n| variable | default | meaning |\n| --- | --- | --- |\n', ...rows, '\n'].join('');
}

async function main() {
  await setUp();
  const { SETTING_DESCRIPTIONS } = await import('@lineprint/platform');
  const file = join(root, 'docs', 'configuration.md');
  const before = readFileSync(file, 'utf8');
  const missing = new Set(Object.keys(SETTING_DESCRIPTIONS));
  const text = before.replace(MARKS, (_, begin, name, end) => {
    if (!missing.delete(name)) throw new Error(`docs/configuration.md has no place, or two, for ${name}`);
    return `${begin}${tableOf(SETTING_DESCRIPTIONS[name])}${end}`;
  });
  if (missing.size > 0) throw new Error(`docs/configuration.md has no table of ${[...missing].join(', ')}`);
  const formatted = await prettier.format(text, { ...(await prettier.resolveConfig(file)), filepath: file });
  if (!process.argv.includes('--check')) writeFileSync(file, formatted);
  else if (before !== formatted) {
    throw new Error(
      'docs/configuration.md is not what the settings say. Run `node tools/configuration.mjs`.',
    );
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
