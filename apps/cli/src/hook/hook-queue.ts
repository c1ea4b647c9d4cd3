import { link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookDirectory } from './hook-directory';

/** What a hook wrote down. */
export type HookEntry =
  | { readonly kind: 'commit'; readonly sha: string }
  /** `known` is what the remote has; zeros for a new branch. */
  | { readonly kind: 'push'; readonly sha: string; readonly known: string; readonly remote: string };

/** Files that are kept while the server is out of reach; what older ones tell comes with a push or from CI. */
const MAX_FILES = 10_000;
const ZEROS = /^0+$/;
const ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** The entries of a file, without those that name no commit (a deleted branch, a line that was cut off). */
export function parseEntries(text: string): HookEntry[] {
  return text.split('\n').flatMap((line): HookEntry[] => {
    const [kind, sha = '', known = '', ...remote] = line.split(' ');
    if (!ID.test(sha) || ZEROS.test(sha)) return [];
    if (kind === 'commit') return [{ kind, sha }];
    return kind === 'push' && ID.test(known) ? [{ kind, sha, known, remote: remote.join(' ') }] : [];
  });
}

/** Files that wait to be sent, oldest first. */
export async function waitingFiles({ queuePath }: HookDirectory): Promise<string[]> {
  const names = await readdir(queuePath).catch(() => []);
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(queuePath, name);
      return { path, at: (await stat(path, { bigint: true })).mtimeNs };
    }),
  );
  return files.sort((a, b) => Number(a.at - b.at)).map(({ path }) => path);
}

/**
 * Sends what the hooks wrote down, until nothing is left; returns at once where another process does. What `send`
 * throws is thrown, and what it was given waits for the next time.
 */
export async function drainQueue(
  directory: HookDirectory,
  send: (entries: HookEntry[]) => Promise<void>,
): Promise<void> {
  // A hook that writes between our last look and the end of the lock starts nobody: so once more after it.
  while ((await waitingFiles(directory)).length > 0 && (await lock(directory.lockPath))) {
    try {
      for (;;) {
        const files = await waitingFiles(directory);
        const tooMany = files.splice(0, Math.max(0, files.length - MAX_FILES));
        const texts = await Promise.all(files.map((path) => readFile(path, 'utf8')));
        if (files.length === 0) break;
        await send(parseEntries(texts.join('')));
        await Promise.all([...tooMany, ...files].map((path) => rm(path)));
      }
    } finally {
      await rm(directory.lockPath, { force: true });
    }
  }
}

async function lock(path: string): Promise<boolean> {
  const own = `${path}.${process.pid}`;
  // The name appears with its content, so that nobody finds a lock without a holder.
  await writeFile(own, String(process.pid));
  try {
    for (;;) {
      try {
        await link(own, path);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = Number(await readFile(path, 'utf8').catch(() => '0'));
      // Whoever started this process wrote its id already, so that the next hook starts no other.
      if (holder === process.pid) return true;
      if (isAlive(holder)) return false;
      await rm(path, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
