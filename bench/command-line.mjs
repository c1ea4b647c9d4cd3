/** The command line as a user runs it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../tools/setup.mjs';

/**
 * Stdout of a command; its stderr is ours.
 *
 * @param {string[]} args
 * @param {Record<string, string>} env beside this process's
 * @returns {Promise<string>}
 * @throws {Error} when it does not end well
 */
export async function runCommand(args, env) {
  const child = spawn(process.execPath, [join(root, 'apps/cli/dist/main.js'), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  if (code !== 0) throw new Error(`lineprint ${args[0]} ended with ${code}.`);
  return Buffer.concat(chunks).toString('utf8');
}
