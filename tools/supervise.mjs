/**
 * Ties a process to the life of the one that started it. A small Node process stands between the two and
 * watches the channel to its parent: when that closes, for whatever reason (stop, Ctrl-C, crash, kill -9),
 * it ends the child and removes the child's data. Nothing outlives a killed test run.
 */
import { fork, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** How long a child may take to end after its signal before it is killed, in milliseconds. */
const GRACE_MS = 10_000;

/**
 * @typedef {object} Supervised
 * @property {number} pid of the process itself, not of its supervisor
 * @property {Promise<{code: number | null, signal: string | null}>} exited settles when the process has ended
 * @property {() => Promise<void>} stop ends the process and waits until it and its data are gone
 * @property {() => Promise<void>} pause kills the process and keeps its data
 * @property {() => Promise<void>} resume starts it again after `pause`, with another pid
 */

/**
 * Starts a process that cannot outlive this one.
 *
 * @param {object} spec
 * @param {string} spec.command
 * @param {string[]} spec.args
 * @param {Record<string, string | undefined>} [spec.env] the whole environment; default: this process's
 * @param {string} [spec.cwd]
 * @param {number} [spec.uid] user to run as (only root may choose)
 * @param {number} [spec.gid]
 * @param {NodeJS.Signals} [spec.signal] what ends it; default SIGTERM
 * @param {string} [spec.remove] folder to remove when the process has ended
 * @param {number | 'pipe'} [spec.output] file descriptor for stdout and stderr; 'pipe' hands them to `onOutput`
 * @param {(chunk: Buffer) => void} [spec.onOutput]
 * @returns {Promise<Supervised>}
 * @throws {Error} when the command cannot be started
 */
export function startSupervised({ output = 'pipe', onOutput = () => {}, ...spec }) {
  return new Promise((resolve, reject) => {
    const supervisor = fork(fileURLToPath(import.meta.url), [], {
      // its own group: Ctrl-C reaches the parent only, which ends the rest in order
      detached: true,
      execArgv: [],
      stdio: ['ignore', output, output, 'ipc'],
    });
    supervisor.stdout?.on('data', onOutput);
    supervisor.stderr?.on('data', onOutput);
    let settle;
    const exited = new Promise((done) => (settle = done));
    const gone = new Promise((done) => supervisor.once('exit', done));
    const stop = async () => {
      if (supervisor.connected) supervisor.send({ stop: true });
      await gone;
    };
    let answered = () => {};
    const ask = async (message) => {
      const answer = new Promise((done) => (answered = done));
      supervisor.send(message);
      await Promise.race([answer, gone]);
    };
    const supervised = {
      pid: 0,
      exited,
      stop,
      pause: () => ask({ pause: true }),
      resume: () => ask({ resume: true }),
    };
    supervisor.once('exit', () => settle({ code: null, signal: 'SIGKILL' }));
    supervisor.on('message', (message) => {
      if (message.pid) {
        supervised.pid = message.pid;
        resolve(supervised);
      }
      if (message.failed) reject(new Error(`Cannot start ${spec.command}: ${message.failed}`));
      if (message.exited) settle(message.exited);
      answered();
    });
    supervisor.once('error', reject);
    supervisor.send({ start: { env: process.env, ...spec } });
  });
}

/** The supervisor's side: one child, ended when the channel closes. */
function supervise() {
  let child;
  let spec;
  let isPaused = false;
  const finish = (message) => {
    if (spec?.remove) rmSync(spec.remove, { recursive: true, force: true, maxRetries: 5 });
    if (process.connected) process.send(message, () => process.exit(0));
    else process.exit(0);
  };
  const start = () => {
    child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      uid: spec.uid,
      gid: spec.gid,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('spawn', () => process.send?.({ pid: child.pid }));
    child.once('error', (error) => finish({ failed: error.message }));
    child.once('exit', (code, signal) => {
      if (isPaused) process.send?.({ paused: true });
      else finish({ exited: { code, signal } });
    });
  };
  const stop = () => {
    if (!child) process.exit(0);
    // While it is paused there is nobody to wait for.
    if (isPaused) return finish({ exited: { code: null, signal: 'SIGKILL' } });
    child.kill(spec.signal ?? 'SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  process.on('message', (message) => {
    if (message.stop) return stop();
    if (message.pause) {
      isPaused = true;
      return child.kill('SIGKILL');
    }
    isPaused = false;
    if (message.start) spec = message.start;
    return start();
  });
  process.once('disconnect', stop);
  // Only the channel decides; a signal to the group must not orphan the child.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
}

if (process.argv[1] === fileURLToPath(import.meta.url)) supervise();
