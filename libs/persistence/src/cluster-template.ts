import { PGlite } from '@electric-sql/pglite';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Where the files of an empty cluster lie packed, as this version of PGlite makes them: to unpack them takes a third of
 * the processor time. tools/setup.mjs puts them there; `src` and `dist` lie equally deep.
 */
function templateFile(): string {
  // Its manifest is no export; this file lies in dist/fs.
  const manifest = join(dirname(require.resolve('@electric-sql/pglite/nodefs')), '../../package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return join(__dirname, '..', 'dist', `cluster-${version}.tar.gz`);
}

/** Makes the template, unless it is there. */
export async function writeClusterTemplate(): Promise<void> {
  const file = templateFile();
  if (existsSync(file)) return;
  const pglite = await PGlite.create();
  const packed = await pglite.dumpDataDir('gzip');
  await pglite.close();
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, Buffer.from(await packed.arrayBuffer()));
  await rename(unfinished, file);
}

/** The template, or undefined where nobody made it: PGlite then makes a cluster by itself. */
export async function clusterTemplate(): Promise<Blob | undefined> {
  const file = templateFile();
  return existsSync(file) ? new Blob([await readFile(file)], { type: 'application/x-gzip' }) : undefined;
}
