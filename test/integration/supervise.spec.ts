import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const superviseUrl = pathToFileURL(join(__dirname, '..', '..', 'tools', 'supervise.mjs')).href;

/** A process that supervises another which would run for an hour; `then` is what it does once that runs. */
async function supervising(folder: string, then: string) {
  const script = `
    import { startSupervised } from '${superviseUrl}';
    const hour = ['-e', 'setTimeout(() => {}, 3_600_000)'];
    const running = await startSupervised({ command: process.execPath, args: hour, remove: '${folder}' });
    console.log(running.pid);
    ${then}
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pid] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
  return { parent, pid: Number(pid) };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function gone(pid: number, folder: string): Promise<boolean> {
  while (isAlive(pid) || existsSync(folder)) await delay(50);
  return true;
}

test.each([
  ['is killed with SIGKILL', 'setInterval(() => {}, 1000);', 'SIGKILL'],
  ['is interrupted', 'setInterval(() => {}, 1000);', 'SIGINT'],
  ['crashes', "throw new Error('as the test wants');", undefined],
  ['stops it', 'await running.stop();', undefined],
] as const)('a supervised process and its data are gone when its parent %s', async (_, then, signal) => {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-supervise-'));
  const { parent, pid } = await supervising(folder, then);
  if (signal) parent.kill(signal);
  expect(await gone(pid, folder)).toBe(true);
});
