import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** How far a backfill has come: every commit up to `lastSha` was acknowledged. */
export interface BackfillState {
  readonly repository: string;
  readonly url: string;
  readonly lastSha: string;
  /** How many commits the server took; fewer than were read where git lacks an object. */
  readonly accepted: number;
}

/**
 * Where the state of a repository's backfill is kept: beside the working directory's other Lineprint data.
 * With the line key in its name, because a new installation at an old address has none of the commits.
 */
export function statePath(
  directory: string,
  repository: string,
  { url, keyId }: { url: string; keyId: string },
): string {
  const name = createHash('sha256')
    .update(`${url}\u0000${keyId}\u0000${repository}`)
    .digest('hex')
    .slice(0, 16);
  return join(directory, `backfill-${name}.json`);
}

export async function loadState(path: string): Promise<BackfillState | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as BackfillState;
  } catch {
    // Missing or cut off by a crash: starting over is safe, commits count once.
    return undefined;
  }
}

/** Replaces the file in one step, so that a crash leaves the old or the new state. */
export async function saveState(path: string, state: BackfillState): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify(state));
  await rename(`${path}.new`, path);
}

export async function clearState(path: string): Promise<void> {
  await rm(path, { force: true });
}
