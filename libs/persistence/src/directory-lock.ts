import { ConfigError } from '@lineprint/platform';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** Locks held by this process: after a crash in a container, the next process may well have the same pid. */
const held = new Set<string>();

/**
 * What tells a process from a later one with the same pid: its start in ticks since boot, field 22 of
 * /proc/<pid>/stat; empty where there is no /proc. Undefined if the process does not exist.
 */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
  }
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command, in parentheses, may hold blanks: the fields after it start with the third.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

async function isAlive(owner: string): Promise<boolean> {
  const [pid, start] = owner.trim().split(' ');
  if (!Number.isInteger(Number(pid))) return false;
  const running = await startOf(Number(pid));
  return running !== undefined && (running === '' || start === undefined || running === start);
}

async function ownerOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Takes the lock file `<directory>.lock`, which holds this process' pid and start. The file of a process that
 * no longer runs is taken over. Throws a ConfigError while its owner lives.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const file = `${directory}.lock`;
  const inUse = (owner: string) =>
    new ConfigError(
      `The database in ${directory} is in use by process ${owner.split(' ')[0]}: stop it, or choose another directory`,
    );
  const me = `${process.pid} ${(await startOf(process.pid)) ?? ''}`.trim();
  if (held.has(file)) throw inUse(me);
  held.add(file);
  const mine = `${file}.${process.pid}`;
  try {
    // Written aside and linked, so that nobody ever reads a lock without its owner.
    await writeFile(mine, me);
    for (;;) {
      try {
        await link(mine, file);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const owner = await ownerOf(file);
      if (owner === undefined) continue;
      if (owner !== me && (await isAlive(owner))) throw inUse(owner);
      await takeAway(file, owner, `${mine}.stale`);
    }
  } catch (error) {
    held.delete(file);
    throw error;
  } finally {
    await rm(mine, { force: true });
  }
  return {
    async release() {
      if (!held.delete(file)) return;
      await rm(file, { force: true });
    },
  };
}

/** Removes the lock of a dead owner; if another process was faster, its new lock is put back. */
async function takeAway(file: string, owner: string, aside: string): Promise<void> {
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await ownerOf(aside)) !== owner) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}
