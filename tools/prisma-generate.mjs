// Generates the Prisma client into libs/persistence/src/generated, unless it is up to date.
//
// `prisma generate` needs no engine for the `prisma-client` generator, but looks for the schema engine and
// would download it. PRISMA_SCHEMA_ENGINE_BINARY, set for this one command, stops that. It must never be
// exported: with it, `prisma migrate deploy` prints success and applies nothing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const schema = join(root, 'prisma/schema.prisma');
const output = join(root, 'libs/persistence/src/generated/prisma');
const stamp = join(output, '.inputs');

const prismaPackage = createRequire(import.meta.url).resolve('prisma/package.json');
const inputs = createHash('sha256')
  .update(readFileSync(schema))
  .update(readFileSync(prismaPackage))
  .digest('hex');

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) process.exit(0);

const { status, error } = spawnSync(
  process.execPath,
  [join(dirname(prismaPackage), 'build/index.js'), 'generate', '--schema', schema, '--no-hints'],
  {
    cwd: root,
    // stdout belongs to whoever calls this: `npm run demo -- --json` prints one object there.
    stdio: ['ignore', 2, 2],
    env: {
      ...process.env,
      // Any executable that exits at once with 0.
      PRISMA_SCHEMA_ENGINE_BINARY: ['/bin/true', '/usr/bin/true'].find(existsSync),
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  },
);
if (error) throw error;
if (status !== 0) process.exit(status ?? 1);
writeFileSync(stamp, inputs);
