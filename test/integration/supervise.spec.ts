import { spawn } from 'node:child_process';
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
  const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
  const said = async (): Promise<string> => (await lines.next()).value as string;
  return { parent, pid: Number(await said()), said };
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
  ['stops it while it is paused', 'await running.pause(); await running.stop();', undefined],
  [
    'stops it after a pause',
    'await running.pause(); await running.resume(); await running.stop();',
    undefined,
  ],
  ['crashes while it is paused', "await running.pause(); throw new Error('as the test wants');", undefined],
] as const)('a supervised process and its data are gone when its parent %s', async (_, then, signal) => {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-supervise-'));
  const { parent, pid } = await supervising(folder, then);
  if (signal) parent.kill(signal);
  expect(await gone(pid, folder)).toBe(true);
});

test('a process that is paused is gone while its data stays, and another one goes on with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-supervise-'));
  const { parent, pid, said } = await supervising(
    folder,
    'await running.pause(); console.log(); await running.resume(); console.log(running.pid);',
  );
  await said();
  expect([isAlive(pid), existsSync(folder)]).toEqual([false, true]);
  const second = Number(await said());
  expect([second === pid, isAlive(second), existsSync(folder)]).toEqual([false, true, true]);
  parent.kill('SIGKILL');
  expect(await gone(second, folder)).toBe(true);
});
