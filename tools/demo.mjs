/** `npm run demo`: sets up, then hands everything (arguments, terminal, signals, exit code) to `lineprint demo`. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { root, setUp } from './setup.mjs';

async function main() {
  await setUp();
  const entry = join(root, 'apps', 'cli', 'dist', 'main.js');
  // npm runs scripts in the workspace's folder; a path such as `--repo .` means the folder that it was called in.
  const cwd = process.env.npm_lifecycle_event === 'demo' ? process.env.INIT_CWD : undefined;
  const child = spawn(process.execPath, [entry, 'demo', ...process.argv.slice(2)], { stdio: 'inherit', cwd });
  // Ctrl-C in a terminal reaches the child by itself; a signal sent to this process alone is handed on.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
