/**
 * Packs the extension: `node integrations/vscode-extension/package.mjs` writes dist/lineprint-VERSION.vsix here and
 * prints its path and size. `code --install-extension FILE` installs it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSdk, bundleProgram, sdkDirectory } from '../../tools/capture-sdk.mjs';
import { vsix } from './vsix.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');

/** @returns {Promise<string>} path of the package */
export async function buildPackage() {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-b', here], {
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error('The extension could not be built.');
  await buildSdk();
  const manifestText = readFileSync(join(here, 'package.json'));
  const manifest = JSON.parse(manifestText);
  const code = await bundleProgram(join(here, 'dist/compiled/extension.js'), { externals: ['vscode'] });
  const file = join(here, 'dist', `${manifest.name}-${manifest.version}.vsix`);
  mkdirSync(join(here, 'dist'), { recursive: true });
  writeFileSync(
    file,
    vsix(manifest, {
      'package.json': manifestText,
      'extension.js': Buffer.from(code),
      'send.cjs': readFileSync(join(sdkDirectory, 'send.cjs')),
      'README.md': readFileSync(join(here, 'README.md')),
      'LICENSE.txt': readFileSync(join(root, 'LICENSE')),
    }),
  );
  return file;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = await buildPackage();
  console.log(`${relative(process.cwd(), file)} ${readFileSync(file).length} bytes`);
}
