import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SAMPLE_MS = 500;

interface ProcessSize {
  readonly pid: number;
  readonly parent: number;
  readonly rssKb: number;
}

/** Follows the resident memory of this process and everything it started; keeps the highest sum. */
export class MemoryPeak {
  private peakKb = 0;
  private readonly timer: NodeJS.Timeout;
  private sampling = false;

  constructor() {
    this.timer = setInterval(() => void this.sample(), SAMPLE_MS);
    this.timer.unref();
  }

  /** @returns the peak so far, megabytes (10^6 bytes) */
  async stop(): Promise<number> {
    clearInterval(this.timer);
    await this.sample();
    return Math.round((this.peakKb * 1024) / 1e5) / 10;
  }

  private async sample(): Promise<void> {
    if (this.sampling) return;
    this.sampling = true;
    try {
      this.peakKb = Math.max(this.peakKb, treeSize(await processSizes(), process.pid));
    } finally {
      this.sampling = false;
    }
  }
}

/** Resident memory of a process and its descendants, KiB. */
export function treeSize(processes: readonly ProcessSize[], root: number): number {
  const children = new Map<number, ProcessSize[]>();
  for (const entry of processes) children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry]);
  let sum = processes.find(({ pid }) => pid === root)?.rssKb ?? 0;
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    for (const child of children.get(pid) ?? []) {
      sum += child.rssKb;
      open.push(child.pid);
    }
  }
  return sum;
}

async function processSizes(): Promise<ProcessSize[]> {
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss=']);
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .map(([pid, parent, rssKb]) => ({ pid: pid!, parent: parent!, rssKb: rssKb! }));
  }
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const sizes = await Promise.all(
    pids.map(async (pid): Promise<ProcessSize[]> => {
      try {
        const status = await readFile(`/proc/${pid}/status`, 'utf8');
        const field = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);
        return [{ pid: Number(pid), parent: field('PPid'), rssKb: field('VmRSS') }];
      } catch {
        // Ended meanwhile.
        return [];
      }
    }),
  );
  return sizes.flat();
}
