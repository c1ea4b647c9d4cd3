/** `node tools/asyncapi.mjs`: writes docs/asyncapi.json, the description of the topics, from libs/contracts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import prettier from 'prettier';
import { root, setUp } from './setup.mjs';

async function main() {
  await setUp();
  const { asyncApiDocument } = await import('@lineprint/contracts');
  const file = join(root, 'docs', 'asyncapi.json');
  const options = await prettier.resolveConfig(file);
  const text = await prettier.format(JSON.stringify(asyncApiDocument()), { ...options, parser: 'json' });
  writeFileSync(file, text);
  console.log(`Wrote ${file}`);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
