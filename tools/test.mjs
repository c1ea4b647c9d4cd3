/**
 * `npm test`: everything a change must pass, against real Kafka, Redis and Postgres. The last line is
 * `N passed, N failed`.
 *
 *   npm test                              all of it
 *   npm test -- --tier unit --tier lint   some tiers
 *   npm test -- --match recall            only test files whose path matches
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, setUp } from './setup.mjs';
import { startServers, testEnvironment } from './servers.mjs';
import { startSupervised } from './supervise.mjs';

/** A tier that takes longer hangs, in milliseconds. */
const TIER_LIMIT_MS = 20 * 60_000;

const program = (...path) => join(root, 'node_modules', ...path);

/** What is checked without running tests: each counts as one test. */
const checks = {
  lint: [join(root, 'tools', 'lint.mjs')],
  format: [program('prettier', 'bin', 'prettier.cjs'), '--check', '--log-level=warn', '.'],
  graph: [join(root, 'tools', 'graph.mjs'), '--quiet'],
  // The unit tests are part of the build; these are not.
  types: [program('typescript', 'bin', 'tsc'), '-b', 'test'],
};

/** Jest's projects, in the order of what they cost. `servers`: needs them. */
const tiers = {
  unit: { servers: false },
  integration: { servers: true },
  chaos: { servers: true },
};

/** @typedef {{name: string, passed: number, failed: number, note?: string}} Outcome */

/** @param {Outcome[]} outcomes filled as they come, so that a later crash does not lose them */
async function main(outcomes) {
  const { values } = parseArgs({
    options: { tier: { type: 'string', multiple: true }, match: { type: 'string' } },
  });
  const known = [...Object.keys(checks), ...Object.keys(tiers)];
  const unknown = values.tier?.find((name) => !known.includes(name));
  if (unknown) throw new Error(`There is no tier ${unknown}; there are ${known.join(', ')}`);
  const wanted = values.tier ?? (values.match ? Object.keys(tiers) : known);

  await setUp();
  for (const name of wanted.filter((name) => name in checks)) outcomes.push(await check(name));
  await testTiers(
    wanted.filter((name) => name in tiers),
    values.match,
    outcomes,
  );
}

/** @returns {Promise<Outcome>} */
async function check(name) {
  console.log(`\n── ${name}`);
  const { code } = await run(checks[name]);
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}

async function testTiers(names, match, outcomes) {
  const full = names.filter((name) => hasTests(name, match));
  // A pattern may match in one tier only; one that matches nowhere is a mistake, as is a tier without tests.
  const empty = match && full.length > 0 ? [] : names.filter((name) => !full.includes(name));
  outcomes.push(...empty.map((name) => ({ name, passed: 0, failed: 1, note: 'no test' })));

  for (const name of full.filter((name) => !tiers[name].servers)) {
    outcomes.push(await testTier(name, match, process.env));
  }
  const onServers = full.filter((name) => tiers[name].servers);
  if (onServers.length === 0) return;
  console.log('\n── servers');
  const servers = await startServers({ kafka: true, redis: true, postgres: true, log: console.log });
  try {
    for (const name of onServers) {
      outcomes.push(await testTier(name, match, { ...process.env, ...testEnvironment(servers) }));
    }
  } finally {
    await servers.stop();
  }
}

function jest(name, match) {
  return [
    program('jest', 'bin', 'jest.js'),
    // A test that hangs has failed; one that is slow on a busy machine has not.
    '--testTimeout=60000',
    '--selectProjects',
    name,
    ...(match ? ['--testPathPatterns', match] : []),
  ];
}

function hasTests(name, match) {
  const args = [...jest(name, match), '--listTests', '--json'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return JSON.parse(stdout).length > 0;
}

/** @returns {Promise<Outcome>} */
async function testTier(name, match, env) {
  console.log(`\n── ${name}`);
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-test-'));
  const file = join(folder, 'results.json');
  try {
    const { code } = await run(
      [...jest(name, match), '--ci', '--maxWorkers=2', '--json', `--outputFile=${file}`],
      env,
    );
    return count(name, code, JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    return { name, passed: 0, failed: 1, note: `crashed: ${error.message}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A skipped test proves nothing and counts as failed; so does a file that could not be run.
 *
 * @returns {Outcome}
 */
function count(name, code, results) {
  const skipped = results.numPendingTests + results.numTodoTests;
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + skipped;
  return {
    name,
    passed: results.numPassedTests,
    // jest can also fail by what happens outside of its tests
    failed: code !== 0 && failed === 0 ? 1 : failed,
    note: skipped > 0 ? `${skipped} skipped` : undefined,
  };
}

/** Runs a Node script to its end with its output on ours; it ends when this process does. */
async function run([script, ...args], env = process.env) {
  const running = await startSupervised({
    command: process.execPath,
    args: [script, ...args],
    cwd: root,
    env,
    output: 1,
  });
  const limit = setTimeout(() => {
    console.log(`Stopped after ${TIER_LIMIT_MS / 60_000} minutes`);
    void running.stop();
  }, TIER_LIMIT_MS);
  const end = await running.exited;
  clearTimeout(limit);
  return end;
}

function report(outcomes) {
  console.log('\n── summary');
  for (const { name, passed, failed, note } of outcomes) {
    console.log(
      `${failed === 0 ? 'ok  ' : 'FAIL'} ${name}: ${passed} passed, ${failed} failed${note ? ` (${note})` : ''}`,
    );
  }
  const total = (key) => outcomes.reduce((sum, outcome) => sum + outcome[key], 0);
  process.exitCode = total('failed') === 0 ? 0 : 1;
  console.log(`${total('passed')} passed, ${total('failed')} failed`);
}

const outcomes = [];
main(outcomes)
  .catch((error) => {
    console.error(error.message);
    outcomes.push({ name: 'the run itself', passed: 0, failed: 1 });
  })
  .then(() => report(outcomes));
