/**
 * `node tools/openapi.mjs`: writes docs/openapi.json, the description of the HTTP API, from the controllers of the
 * standalone, which has those of every service, and from it the types of libs/api-client. With `--check` it writes
 * nothing and fails where a file is not what it would write.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { NestFactory } from '@nestjs/core';
import openapiTypescript, { astToString } from 'openapi-typescript';
import prettier from 'prettier';
import { root, setUp } from './setup.mjs';

/** Of the controllers as they are built; nothing of the application is started, no database opened. */
async function describeApi() {
  const { createLogger, loadConfig, PlatformModule } = await import('@lineprint/platform');
  const { StandaloneModule } = await import('@lineprint/standalone');
  const { openApiDocument } = await import('@lineprint/query-api');
  class DescribedModule {}
  const platform = PlatformModule.forRoot('standalone', loadConfig({}), createLogger('standalone', 'silent'));
  const app = await NestFactory.create(
    { module: DescribedModule, imports: [platform, StandaloneModule] },
    { preview: true, logger: false },
  );
  return openApiDocument(app);
}

async function main() {
  await setUp();
  const document = await describeApi();
  const files = {
    'docs/openapi.json': JSON.stringify(document),
    'libs/api-client/src/schema.ts':
      '/* Made by tools/openapi.mjs from docs/openapi.json. */\n' +
      astToString(await openapiTypescript(document, { alphabetize: true })),
  };
  const isCheck = process.argv.includes('--check');
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, name);
    const formatted = await prettier.format(text, {
      ...(await prettier.resolveConfig(file)),
      filepath: file,
    });
    if (!isCheck) {
      writeFileSync(file, formatted);
      console.log(`Wrote ${relative(root, file)}`);
    } else if (readFileSync(file, 'utf8') !== formatted) {
      throw new Error(`${name} is not what the controllers say. Run \`node tools/openapi.mjs\`.`);
    }
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
