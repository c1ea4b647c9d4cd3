import { mkdirSync, readFileSync, rmSync, statSync, utimes, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A holder touches its lock this often … */
const BEAT_MS = 2000;
/** … so one that was not touched for so long belongs to a process that is gone or was suspended. */
const STALE_MS = 30_000;

/** One sender at a time: two would send, and count, everything twice. */
export class SenderLock {
  private readonly beat: NodeJS.Timeout;

  private constructor(private readonly path: string) {
    this.beat = setInterval(() => {
      const now = new Date();
      // Somebody may have taken it for stale and removed it.
      utimes(path, now, now, () => undefined);
    }, BEAT_MS);
    this.beat.unref();
  }

  /** @returns nothing when another process holds it */
  static take(path: string): SenderLock | undefined {
    if (create(path)) return new SenderLock(path);
    if (isHeld(path)) return undefined;
    // Two that find a dead process's lock at once must not take it from each other.
    const takeover = `${path}.takeover`;
    if (!create(takeover)) {
      if (!isHeld(takeover)) rmSync(takeover, { force: true });
      return undefined;
    }
    try {
      if (isHeld(path)) return undefined;
      rmSync(path, { force: true });
      return create(path) ? new SenderLock(path) : undefined;
    } finally {
      rmSync(takeover, { force: true });
    }
  }

  release(): void {
    clearInterval(this.beat);
    rmSync(this.path, { force: true });
  }
}

/** Whether a living process is sending. */
export function isHeld(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file || Date.now() - file.mtimeMs > STALE_MS) return false;
  try {
    process.kill(Number(readFileSync(path, 'utf8')) || process.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function create(path: string): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
