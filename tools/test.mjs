/**
 * `npm test`: everything a change must pass, against real Kafka, Redis and Postgres. The last line is
 * `N passed, N failed`.
 *
 *   npm test                              all of it
 *   npm test -- --tier unit --tier lint   some tiers
 *   npm test -- --match recall            only test files whose path matches
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { root, setUp } from './setup.mjs';
import { startServers, TEST_PREFIX, testEnvironment } from './servers.mjs';
import { ensurePrograms } from './servers/programs.mjs';
import { stageEnvironment, startStage } from './stage.mjs';
import { startSupervised } from './supervise.mjs';

/** Tests that take longer hang, in milliseconds. */
const RUN_LIMIT_MS = 40 * 60_000;

/** One more than two cores: tests against servers mostly wait. */
const WORKERS = 3;

/** So many of the slowest test files are named. */
const SLOWEST = 10;

const program = (...path) => join(root, 'node_modules', ...path);

/** What is checked without running tests: each counts as one test. */
const checks = {
  lint: [join(root, 'tools', 'lint.mjs')],
  format: [program('prettier', 'bin', 'prettier.cjs'), '--check', '--log-level=warn', '.'],
  graph: [join(root, 'tools', 'graph.mjs'), '--quiet'],
  openapi: [join(root, 'tools', 'openapi.mjs'), '--check'],
  configuration: [join(root, 'tools', 'configuration.mjs'), '--check'],
  capacity: [join(root, 'bench', 'run.mjs'), 'capacity', '--check', '--json'],
  licences: [join(root, 'tools', 'licences.mjs'), '--check'],
  // The unit tests are part of the build; these are not.
  types: [program('typescript', 'bin', 'tsc'), '-b', 'test'],
};

/** Jest's projects. `servers`: needs real ones; `stage`: needs the demo and a browser. */
const tiers = {
  unit: { servers: false, stage: false },
  integration: { servers: true, stage: false },
  chaos: { servers: true, stage: false },
  browser: { servers: false, stage: true },
};

const known = [...Object.keys(checks), ...Object.keys(tiers)];

/**
 * @typedef {{name: string, passed: number, failed: number, note?: string}} Outcome
 * @typedef {{path: string, seconds: number}} TimedFile
 * @typedef {{outcomes: Outcome[], files: TimedFile[]}} Run
 */

/** @param {Run} run filled as results come, so that a later crash does not lose them */
async function main(run) {
  const { values } = parseArgs({
    options: { tier: { type: 'string', multiple: true }, match: { type: 'string' } },
  });
  const unknown = values.tier?.find((name) => !known.includes(name));
  if (unknown) throw new Error(`There is no tier ${unknown}; there are ${known.join(', ')}`);
  const wanted = values.tier ?? (values.match ? Object.keys(tiers) : known);
  const isWanted = (name) => wanted.includes(name);

  await setUp();
  // Side by side: a check keeps one core busy, and the tests wait for much of their time.
  const ended = await Promise.allSettled([
    checkAll(Object.keys(checks).filter(isWanted), run),
    testAll(Object.keys(tiers).filter(isWanted), values.match, run),
  ]);
  const crash = ended.find(({ status }) => status === 'rejected');
  if (crash) throw crash.reason;
}

async function checkAll(names, { outcomes }) {
  for (const name of names) outcomes.push(await check(name));
}

/** @returns {Promise<Outcome>} */
async function check(name) {
  return inFolder(async (folder) => {
    const file = join(folder, 'output.txt');
    const output = openSync(file, 'w');
    const { code } = await runScript(checks[name], { output });
    closeSync(output);
    // Not before it is whole: the tests write to the same terminal.
    console.log(`\n── ${name}\n${readFileSync(file, 'utf8')}`);
    return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
  });
}

/** Lends a folder that is removed afterwards. */
async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-test-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function testAll(names, match, run) {
  if (names.length === 0) return;
  const found = new Set(listTests(names, match).map(tierOf));
  const full = names.filter((name) => found.has(name));
  // A pattern may match in one tier only; one that matches nowhere is a mistake, as is a tier without tests.
  const empty = match && full.length > 0 ? [] : names.filter((name) => !found.has(name));
  run.outcomes.push(...empty.map((name) => ({ name, passed: 0, failed: 1, note: 'no test' })));
  if (full.length === 0) return;
  const ending = [];
  try {
    const env = { ...process.env };
    if (full.some((name) => tiers[name].servers)) {
      console.log('\n── servers');
      await ensurePrograms(['prometheus'], { prefix: TEST_PREFIX, log: console.log });
      const servers = await startServers({ kafka: true, redis: true, postgres: true, log: console.log });
      ending.push(servers.stop);
      Object.assign(env, testEnvironment(servers));
    }
    if (full.some((name) => tiers[name].stage)) {
      console.log('\n── stage');
      const stage = await startStage({ log: console.log });
      ending.push(stage.stop);
      Object.assign(env, stageEnvironment(stage));
    }
    await testTiers(full, match, env, run);
  } finally {
    for (const stop of ending) await stop();
  }
}

function jest(names, match) {
  return [
    program('jest', 'bin', 'jest.js'),
    // A test that hangs has failed; one that is slow on a busy machine has not.
    '--testTimeout=60000',
    '--selectProjects',
    ...names,
    ...(match ? ['--testPathPatterns', match] : []),
  ];
}

function listTests(names, match) {
  const args = [...jest(names, match), '--listTests', '--json'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return JSON.parse(stdout);
}

/** As jest.config.js sorts files into its projects. */
function tierOf(file) {
  const [top, folder] = relative(root, file).split(sep);
  return top === 'test' && folder in tiers ? folder : 'unit';
}

/** The tiers' files in one run, so that no worker is idle while another one finishes the last file of a tier. */
async function testTiers(names, match, env, run) {
  console.log(`\n── ${names.join(', ')}`);
  try {
    await inFolder((folder) => runJest(names, match, env, join(folder, 'results.json'), run));
  } catch (error) {
    run.outcomes.push({ name: names.join(', '), passed: 0, failed: 1, note: `crashed: ${error.message}` });
  }
}

async function runJest(names, match, env, file, { outcomes, files }) {
  const args = [...jest(names, match), '--ci', `--maxWorkers=${WORKERS}`, '--json', `--outputFile=${file}`];
  const { code } = await runScript(args, { env, output: 1 });
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const counted = names.map((name) =>
    count(
      name,
      testResults.filter((result) => tierOf(result.name) === name),
    ),
  );
  outcomes.push(...counted);
  // jest can also fail by what happens outside of its tests
  if (code !== 0 && counted.every(({ failed }) => failed === 0)) {
    outcomes.push({ name: 'jest', passed: 0, failed: 1, note: `exit code ${code}` });
  }
  for (const { name, startTime, endTime } of testResults) {
    files.push({ path: relative(root, name), seconds: (endTime - startTime) / 1000 });
  }
}

/**
 * A skipped test proves nothing and counts as failed; so does a file that could not be run.
 *
 * @returns {Outcome}
 */
function count(name, files) {
  const having = (tests, wanted) => tests.filter(({ status }) => status === wanted).length;
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const passed = having(tests, 'passed');
  const failed = having(tests, 'failed');
  const skipped = tests.length - passed - failed;
  const broken = files.filter(
    ({ status, assertionResults }) => status === 'failed' && having(assertionResults, 'failed') === 0,
  ).length;
  return {
    name,
    passed,
    failed: failed + skipped + broken,
    note: skipped > 0 ? `${skipped} skipped` : undefined,
  };
}

/**
 * Runs a Node script to its end; it ends when this process does.
 *
 * @param {string[]} command the script and its arguments
 * @param {object} options of startSupervised: where its output goes, and its environment
 */
async function runScript([script, ...args], options) {
  const running = await startSupervised({
    command: process.execPath,
    args: [script, ...args],
    cwd: root,
    ...options,
  });
  const limit = setTimeout(() => {
    console.log(`Stopped after ${RUN_LIMIT_MS / 60_000} minutes`);
    void running.stop();
  }, RUN_LIMIT_MS);
  const end = await running.exited;
  clearTimeout(limit);
  return end;
}

/** @param {Run} run */
function report({ outcomes, files }) {
  if (files.length > 0) console.log('\n── slowest files');
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  for (const { path, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(6)} s  ${path}`);

  console.log('\n── summary');
  const inOrder = outcomes.toSorted((a, b) => known.indexOf(a.name) - known.indexOf(b.name));
  for (const { name, passed, failed, note } of inOrder) {
    console.log(
      `${failed === 0 ? 'ok  ' : 'FAIL'} ${name}: ${passed} passed, ${failed} failed${note ? ` (${note})` : ''}`,
    );
  }
  const total = (key) => outcomes.reduce((sum, outcome) => sum + outcome[key], 0);
  process.exitCode = total('failed') === 0 ? 0 : 1;
  console.log(`${total('passed')} passed, ${total('failed')} failed`);
}

const run = { outcomes: [], files: [] };
main(run)
  .catch((error) => {
    console.error(error.message);
    run.outcomes.push({ name: 'the run itself', passed: 0, failed: 1 });
  })
  .then(() => report(run));
