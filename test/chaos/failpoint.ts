import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What makes a process of ours obey `armFailpoint`: settings for the stack's services. */
export function failpointEnvironment(folder: string): Record<string, string> {
  return {
    LINEPRINT_TEST_FAILPOINTS: folder,
    NODE_OPTIONS: `--require ${join(__dirname, 'failpoints.js')}`,
  };
}

export interface Failpoint {
  /** As `failpoints.js` names it, e.g. `append, before`. */
  readonly point: string;
  /** Which passage from now on, from 1. */
  readonly passage: number;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
}

/** A process that is to send itself a signal. */
export interface ArmedFailpoint {
  hasStruck(): boolean;
  /** Takes the order back. */
  disarm(): void;
}

/** Has the process send itself the signal at the point. */
export function armFailpoint(folder: string, pid: number, failpoint: Failpoint): ArmedFailpoint {
  const order = join(folder, `${pid}.json`);
  // Renamed, so that the process never reads half of it.
  writeFileSync(`${order}.new`, JSON.stringify(failpoint));
  renameSync(`${order}.new`, order);
  return {
    hasStruck: () => existsSync(join(folder, `${pid}.fired`)),
    disarm: () => rmSync(order, { force: true }),
  };
}

/** Asks until the answer is yes. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}
