/**
 * Writes the golden vectors of libs/fingerprint anew from `golden/inputs.json`. They may change only together with
 * LINE_PRINT_VERSION; those of the first clients' text scheme never.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './setup.mjs';

const library = join(root, 'libs', 'fingerprint');
execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', library]);
const { goldenVectors } = await import(join(library, 'dist', 'golden-vectors.js'));
const folder = join(library, 'src', 'golden');
const vectors = goldenVectors(JSON.parse(readFileSync(join(folder, 'inputs.json'), 'utf8')));
for (const [name, list] of Object.entries(vectors)) {
  const file = join(folder, `${name}.json`);
  const options = { ...(await resolveConfig(file)), filepath: file };
  writeFileSync(file, await format(JSON.stringify(list), options));
}
