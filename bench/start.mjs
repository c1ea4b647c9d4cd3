/**
 * Lineprint in one process from the command to its first answer, on an empty directory and on one that is filled, beside
 * its database alone; and what processes hold when idle. docs/benchmarks.md defines the figures.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startServers } from '../tools/servers.mjs';
import { root } from '../tools/setup.mjs';
import { serviceNames, startStack } from '../tools/stack.mjs';
import { startSupervised } from '../tools/supervise.mjs';
import { descendants, processes } from './pipeline/processes.mjs';
import { round, table } from './table.mjs';

/** Memory is taken so long after the first answer. */
const IDLE_MS = 10_000;

/** Says that the first row is there, and what it cost. */
const SPENT = `const { user, system } = process.cpuUsage(); console.log((user + system) / 1e6);`;

/** The database alone, as a program: from its own start to the first row. */
const DATABASE = {
  /** A cluster made from nothing, as PGlite does without the ready-made one. */
  created: (directory) => `
    const { PGlite } = require('@electric-sql/pglite');
    PGlite.create({ dataDir: ${JSON.stringify(directory)}, relaxedDurability: true })
      .then(async (database) => { await database.query('SELECT 1'); ${SPENT} await database.close(); });`,
  /** As the product opens it: unpacks the ready-made cluster where there is none. */
  opened: (directory) => `
    const { openDatabase } = require('@lineprint/persistence');
    openDatabase(${JSON.stringify(`pglite:${directory}`)})
      .then(async (database) => { await database.query('SELECT 1'); ${SPENT} await database.close(); });`,
};

export async function measure({ runs: wanted = '5', standalone = false }) {
  if (!/^[1-9]\d*$/.test(wanted)) throw new Error(`--runs ${wanted} is not a number from 1.`);
  const runs = Number(wanted);
  const started = performance.now();
  const log = (line) => console.error(`${round((performance.now() - started) / 1000, 1)} s: ${line}`);
  const measured = { cold: [], warm: [], idle: [], created: [], fromTemplate: [], opened: [] };
  for (let run = 0; run < runs; run++) {
    const directory = await mkdtemp(join(tmpdir(), 'lineprint-bench-'));
    try {
      const cold = await startStandalone(join(directory, 'database'));
      measured.cold.push(cold);
      await cold.stop();
      const warm = await startStandalone(join(directory, 'database'), cold.apiKey);
      measured.warm.push(warm);
      await delay(IDLE_MS);
      measured.idle.push(residentMb(warm.pid));
      await warm.stop();
      measured.created.push(await secondsOf(DATABASE.created(join(directory, 'created'))));
      measured.fromTemplate.push(await secondsOf(DATABASE.opened(join(directory, 'alone'))));
      measured.opened.push(await secondsOf(DATABASE.opened(join(directory, 'alone'))));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    const newest = Object.entries(measured).map(
      ([name, values]) => `${name} ${values.at(-1).seconds ?? values.at(-1)}`,
    );
    log(`run ${run + 1}: ${newest.join(', ')}`);
  }
  return {
    runs,
    cold: medians(measured.cold),
    warm: medians(measured.warm),
    idleMb: median(measured.idle, 0),
    database: { fromTemplate: medians(measured.fromTemplate), opened: medians(measured.opened) },
    baseline: { created: medians(measured.created) },
    ...(!standalone && (await measureServices(runs, log))),
  };
}

/**
 * @param {string} database a directory
 * @param {string} [knownKey] the key that an earlier start printed; a first one prints it itself
 */
async function startStandalone(database, knownKey) {
  let said = '';
  let settle;
  const printed = new Promise((done) => (settle = done));
  const begin = performance.now();
  const running = await startSupervised({
    command: process.execPath,
    args: [join(root, 'apps', 'standalone', 'dist', 'main.js')],
    cwd: root,
    env: { PATH: process.env.PATH, LINEPRINT_DATABASE_URL: `pglite:${database}`, LINEPRINT_PORT: '0' },
    onOutput: (chunk) => {
      said += chunk;
      const apiKey = knownKey ?? /API key of organisation .*: (\S+)/.exec(said)?.[1];
      const url = /"url":"(http:[^"]+)"/.exec(said)?.[1];
      if (apiKey && url) settle({ apiKey, url });
    },
  });
  try {
    const where = await Promise.race([printed, running.exited.then(() => undefined)]);
    if (!where) throw new Error(`Lineprint did not start:\n${said.slice(-4000)}`);
    const { apiKey, url } = where;
    const answer = await fetch(`${url}/api/v1/projects`, { headers: { authorization: `Bearer ${apiKey}` } });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`The first answer was ${answer.status}: ${text}`);
    const seconds = (performance.now() - begin) / 1000;
    const cpuSeconds = ofTree(running.pid, 'seconds');
    return { seconds, cpuSeconds, apiKey, pid: running.pid, stop: running.stop };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** Seconds by the clock and of the processor until a program of its own has its first row, Node's start included. */
async function secondsOf(program) {
  const begin = performance.now();
  const child = spawn(process.execPath, ['-e', program], {
    cwd: join(root, 'apps', 'standalone'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let answer;
  child.stdout.once('data', (chunk) => {
    answer = { seconds: (performance.now() - begin) / 1000, cpuSeconds: Number(chunk) };
  });
  const code = await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  if (code !== 0 || !answer) throw new Error(`The database alone ended with ${code}.`);
  return answer;
}

/** Sum of a process and all that it has started; null where there is no /proc. */
function ofTree(pid, figure) {
  const all = processes();
  const own = descendants(all, pid);
  const sum = all.filter((one) => own.has(one.pid)).reduce((total, one) => total + one[figure], 0);
  return all.length === 0 ? null : sum;
}

const residentMb = (pid) => ofTree(pid, 'rssBytes') / 1e6;

/** What each of the six services holds when nothing is sent. */
async function measureServices(runs, log) {
  const servers = await startServers({ kafka: true, redis: true, postgres: true, prefix: 'LINEPRINT_', log });
  try {
    const taken = Object.fromEntries(serviceNames.map((name) => [name, []]));
    for (let run = 0; run < runs; run++) {
      const stack = await startStack({
        servers,
        database: `bench_${randomUUID().replaceAll('-', '')}`,
        env: { LINEPRINT_LOG_LEVEL: 'warn', LINEPRINT_ORG_ID: 'bench' },
      });
      try {
        await delay(IDLE_MS);
        for (const name of serviceNames) taken[name].push(residentMb(stack.services[name].pid));
      } finally {
        await stack.stop();
      }
      log(
        `services, run ${run + 1}: ${serviceNames.map((name) => `${name} ${round(taken[name].at(-1), 0)} MB`)}`,
      );
    }
    const idle = Object.entries(taken).map(([name, values]) => [name, median(values, 0)]);
    return { servicesIdleMb: Object.fromEntries(idle), servers: servers.kind };
  } finally {
    await servers.stop();
  }
}

function medians(starts) {
  const of = (figure) =>
    median(
      starts.map((start) => start[figure]),
      2,
    );
  return { seconds: of('seconds'), cpuSeconds: of('cpuSeconds') };
}

function median(values, decimals) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const value =
    sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
  return round(value, decimals);
}

export function render({ runs, cold, warm, idleMb, database, baseline, servicesIdleMb = {} }) {
  const starts = [
    ['an empty directory, to the first answer', cold],
    ['a filled directory, to the first answer', warm],
    ['the database alone, from the ready-made cluster', database.fromTemplate],
    ['the database alone, opened', database.opened],
    ['PGlite alone, from nothing', baseline.created],
  ].map(([name, { seconds, cpuSeconds }]) => [name, String(seconds), String(cpuSeconds)]);
  const idle = [['one process', idleMb], ...Object.entries(servicesIdleMb)];
  return [
    table([`median of ${runs}`, 's', 'processor s'], starts),
    table(
      ['idle', 'MB'],
      idle.map(([name, mb]) => [name, String(mb)]),
    ),
  ].join('\n\n');
}
