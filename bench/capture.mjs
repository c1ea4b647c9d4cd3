/**
 * What capture costs: cold starts of the program that an assistant's hook runs, for an edit of 200 lines, beside an empty
 * Node program, and commits of 50 files with git's hooks and without; each with a server that takes everything, and with
 * nothing listening at its address. They take turns, so that whatever else the machine does falls on all of them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { CaptureState, hookScript, sendSpool, Spool } from '@lineprint/capture';
import { buildSdk, sdkDirectory, sdkSizes } from '../tools/capture-sdk.mjs';
import { root } from '../tools/setup.mjs';
import { round, table } from './table.mjs';

const LINES = 200;
const FILES = 50;
const ROUNDS = 25;
const COMMIT_ROUNDS = 15;
const GOAL_MS = 50;
const COMMIT_GOAL_MS = 150;
/** Until the sender that a hook started has ended: it must not be in the next one's way. */
const PAUSE_MS = 800;
const NOWHERE = 'http://127.0.0.1:9';

export async function measure() {
  await buildSdk();
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-bench-capture-'));
  const { server, taken } = await startServer();
  const url = `http://127.0.0.1:${server.address().port}`;
  try {
    return {
      edit: await measureEdits(folder, url, taken),
      commit: await measureCommits(folder, url, taken),
      sdk: sdkSizes(),
    };
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measureEdits(folder, url, taken) {
  mkdirSync(join(folder, 'project/.git'), { recursive: true });
  writeFileSync(join(folder, 'empty.cjs'), '');
  const [up, down, without] = ['up', 'down', 'without-shell'].map((name) =>
    stateAt(join(folder, name), name === 'down' ? NOWHERE : url),
  );
  const input = editOf(join(folder, 'project'));
  const script = (state) => {
    const path = join(state.directory, 'lineprint-hook');
    const sender = join(sdkDirectory, 'send.cjs');
    writeFileSync(path, hookScript({ node: process.execPath, sender, state: state.directory }), {
      mode: 0o700,
    });
    return [path, 'claude-code'];
  };
  const programs = {
    emptyProgram: [process.execPath, join(folder, 'empty.cjs')],
    hookServerUp: script(up),
    hookServerDown: script(down),
    nodeHookServerUp: [
      ...[process.execPath, join(sdkDirectory, 'hook.cjs'), 'claude-code'],
      ...['--state', without.directory],
    ],
  };
  const runs = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
  for (let i = 0; i < ROUNDS; i++) {
    for (const [name, args] of Object.entries(programs)) {
      runs[name].push(timed(args, { input }));
      await wait(PAUSE_MS);
    }
  }
  await until(async () => {
    for (const state of [up, without]) await sendSpool(state, { now: true });
    return taken.fingerprints >= 2 * ROUNDS;
  });
  return {
    input: { lines: LINES, bytes: Buffer.byteLength(input) },
    rounds: ROUNDS,
    goalMs: GOAL_MS,
    ...summaries(runs),
    captured: { sentWhileUp: taken.fingerprints, keptWhileDown: await keptBy(down) },
  };
}

async function measureCommits(folder, url, taken) {
  const without = repositoryAt(join(folder, 'without-hooks'));
  const [up, down] = [
    ['up', url],
    ['down', NOWHERE],
  ].map(([name, address]) => {
    const repository = repositoryAt(join(folder, `repository-${name}`));
    const main = join(root, 'apps/cli/dist/main.js');
    const install = ['hook', 'install', '--repo', repository, '--url', address, '--api-key', 'bench'];
    execFileSync(process.execPath, [main, ...install, '--state', join(folder, 'no-login')], {
      stdio: 'ignore',
    });
    return repository;
  });
  const repositories = { withoutHooks: without, serverUp: up, serverDown: down };
  const runs = { withoutHooks: [], serverUp: [], serverDown: [], hookItself: [] };
  const options = (cwd) => ({ cwd, env: { ...process.env, ...GIT_ENVIRONMENT } });
  for (let i = 0; i < COMMIT_ROUNDS; i++) {
    for (const [name, repository] of Object.entries(repositories)) {
      change(repository, i + 1);
      runs[name].push(timed(['git', 'commit', '--quiet', '--message', 'change'], options(repository)));
      if (name === 'serverUp') await idle(repository);
    }
    runs.hookItself.push(timed([join(up, '.git/hooks/post-commit')], options(up)));
    await idle(up);
  }
  const waiting = () => readdirSync(join(up, '.git/lineprint/queue')).length;
  await until(() => waiting() === 0);
  const over = (name) => overhead(runs[name], runs.withoutHooks);
  return {
    files: FILES,
    rounds: COMMIT_ROUNDS,
    goalMs: COMMIT_GOAL_MS,
    ...summaries(runs),
    overCommit: { serverUp: over('serverUp'), serverDown: over('serverDown') },
    captured: {
      sentWhileUp: taken.commits,
      keptWhileDown: readdirSync(join(down, '.git/lineprint/queue')).length,
    },
  };
}

export function render({ edit, commit, sdk }) {
  const rows = (names, runs) =>
    table(
      ['program', 'median', 'fastest', 'p90', 'processor time'],
      Object.entries(names).map(([name, title]) => {
        const { medianMs, fastestMs, p90Ms, cpuMs } = runs[name];
        return [title, ...[medianMs, fastestMs, p90Ms, cpuMs].map(String)];
      }),
    );
  const both = ({ wallMs, cpuMs }) => `${wallMs} and ${cpuMs} ms`;
  const proof = ({ sentWhileUp, keptWhileDown }) =>
    `Sent while up: ${sentWhileUp}; kept while down: ${keptWhileDown}.`;
  return [
    `Cold starts for an edit of ${edit.input.lines} lines, ms; ${edit.rounds} rounds, goal: median under ${edit.goalMs}`,
    '',
    rows(
      {
        emptyProgram: 'empty Node program',
        hookServerUp: 'hook, server up',
        hookServerDown: 'hook, server down',
        nodeHookServerUp: 'hook without a shell, server up',
      },
      edit,
    ),
    '',
    proof(edit.captured),
    '',
    `Commits of ${commit.files} files, ms; ${commit.rounds} rounds, goal of the hook: median under ${commit.goalMs}`,
    '',
    rows(
      {
        withoutHooks: 'git commit',
        serverUp: 'with hooks, server up',
        serverDown: 'with hooks, server down',
        hookItself: 'post-commit alone',
      },
      commit,
    ),
    '',
    `With hooks over without, median of clock and processor time: ${both(commit.overCommit.serverUp)} with the server up, ${both(commit.overCommit.serverDown)} without.`,
    proof(commit.captured),
    '',
    table(
      ['file of the SDK', 'bytes', 'gzipped'],
      Object.entries(sdk).map(([name, size]) => [name, String(size.bytes), String(size.gzipped)]),
    ),
  ].join('\n');
}

/** A user's settings must not change what is measured. */
const GIT_ENVIRONMENT = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/**
 * A program from its start to its end by the clock, and its processor time with that of what it waited for, in
 * milliseconds: the measure that other programs on the machine spoil least.
 */
function timed(args, options) {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@"';
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', ...args], options);
  const [real, user, system] = stderr
    .toString()
    .trim()
    .split(/\s+/)
    .slice(-3)
    .map((seconds) => seconds * 1000);
  if (status !== 0 || !(real >= 0)) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { wallMs: real, cpuMs: user + system };
}

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const median = (numbers) => round(sorted(numbers)[numbers.length >> 1], 1);

function summaries(runs) {
  return Object.fromEntries(Object.entries(runs).map(([name, times]) => [name, summary(times)]));
}

function summary(runs) {
  const wall = sorted(runs.map(({ wallMs }) => wallMs));
  return {
    medianMs: median(wall),
    fastestMs: round(wall[0], 1),
    p90Ms: round(wall[Math.floor(wall.length * 0.9)], 1),
    cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
  };
}

/** Median of what one took longer than the other in the same round. */
function overhead(runs, others) {
  return {
    wallMs: median(runs.map(({ wallMs }, i) => wallMs - others[i].wallMs)),
    cpuMs: median(runs.map(({ cpuMs }, i) => cpuMs - others[i].cpuMs)),
  };
}

/** A repository with a first commit of all its files. */
function repositoryAt(path) {
  mkdirSync(path);
  const git = (...args) =>
    execFileSync('git', ['-C', path, ...args], { env: { ...process.env, ...GIT_ENVIRONMENT } });
  git('init', '--quiet');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  change(path, 0);
  git('commit', '--quiet', '--message', 'first');
  return path;
}

/** Puts another line into each file, and adds them. */
function change(path, number) {
  const lines = sourceLines();
  for (let file = 0; file < FILES; file++) {
    lines[file] = `// change ${number}`;
    writeFileSync(join(path, `lexer-${file}.ts`), lines.join('\n'));
  }
  execFileSync('git', ['-C', path, 'add', '--all'], { env: { ...process.env, ...GIT_ENVIRONMENT } });
}

/** Waits for the sender of git's hooks. Without a server it tries for a minute: a developer's next commit meets it. */
async function idle(repository) {
  await until(() => !existsSync(join(repository, '.git/lineprint/lock')));
}

async function until(isDone) {
  while (!(await isDone())) await wait(PAUSE_MS / 8);
}

function stateAt(directory, url) {
  const state = new CaptureState(directory);
  state.saveSettings({
    url,
    apiKey: 'bench',
    orgId: 'bench',
    keyId: 'bench',
    lineKey: Buffer.alloc(32, 7).toString('base64'),
    userId: 'bench@example.org',
    enrolledAt: Date.now(),
  });
  return state;
}

/** Code of this repository. */
function sourceLines() {
  const source = readFileSync(join(root, 'libs/fingerprint/src/lexer.ts'), 'utf8');
  return source.split('\n').slice(0, LINES);
}

/** A new file of 200 lines of this repository, as Claude Code tells of it. */
function editOf(project) {
  const content = `${sourceLines().join('\n')}\n`;
  const path = join(project, 'lexer.ts');
  return JSON.stringify({
    session_id: '5b0c3f0e-6d0c-4a53-9b5e-0f6f2f1f7c11',
    cwd: project,
    hook_event_name: 'PostToolUse',
    tool_name: 'Write',
    tool_use_id: 'toolu_bench',
    tool_input: { file_path: path, content },
    tool_response: { type: 'create', filePath: path, content, structuredPatch: [], originalFile: null },
  });
}

/** Takes everything, as ingest does, and counts it. */
async function startServer() {
  const taken = { fingerprints: 0, commits: 0 };
  const answers = {
    '/api/v1/enrolment': { orgId: 'bench', keyId: 'bench', lineKey: Buffer.alloc(32, 7).toString('base64') },
    '/api/v1/baselines': { wanted: false },
  };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    let answer = answers[new URL(request.url, 'http://bench').pathname];
    if (request.method === 'POST') {
      const body = Buffer.concat(chunks);
      const json = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      const { fingerprints = [], commits = [] } = JSON.parse(json.toString());
      taken.fingerprints += fingerprints.length;
      taken.commits += commits.length;
      answer = { accepted: fingerprints.length + commits.length, rejected: [] };
    }
    response.writeHead(request.method === 'POST' ? 202 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, taken };
}

/** What is kept without a server, once the events are read. */
async function keptBy(state) {
  while ((await sendSpool(state)) === 'busy') await wait(PAUSE_MS);
  const spool = new Spool(state.spoolDirectory);
  return spool.segments().reduce((sum, { name }) => sum + spool.read(name).length, 0);
}
