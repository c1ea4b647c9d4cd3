/**
 * What capture costs an assistant: cold starts of the hook's program for an edit of 200 lines, with the server up, and
 * with nothing listening at its address, each beside an empty program, which is what Node's own start costs. The three
 * take turns, so that whatever else the machine does falls on all of them.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { CaptureState, sendSpool, Spool } from '@lineprint/capture';
import { buildSdk, sdkDirectory, sdkSizes } from '../tools/capture-sdk.mjs';
import { root } from '../tools/setup.mjs';
import { round, table } from './table.mjs';

const LINES = 200;
const ROUNDS = 25;
const GOAL_MS = 50;
/** Until the sender that a hook started has ended: it must not be in the next one's way. */
const PAUSE_MS = 800;

export async function measure() {
  await buildSdk();
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-bench-capture-'));
  const { server, taken } = await startServer();
  try {
    mkdirSync(join(folder, 'project/.git'), { recursive: true });
    writeFileSync(join(folder, 'empty.cjs'), '');
    writeFileSync(join(folder, 'cpu.cjs'), CPU_REPORT);
    const up = stateAt(join(folder, 'up'), `http://127.0.0.1:${server.address().port}`);
    const down = stateAt(join(folder, 'down'), 'http://127.0.0.1:9');
    const input = editOf(join(folder, 'project'));
    const hook = (state) => [join(sdkDirectory, 'hook.cjs'), 'claude-code', '--state', state.directory];
    const programs = {
      emptyProgram: [join(folder, 'empty.cjs')],
      hookServerUp: hook(up),
      hookServerDown: hook(down),
    };
    const runs = { emptyProgram: [], hookServerUp: [], hookServerDown: [] };
    for (let i = 0; i < ROUNDS; i++) {
      for (const [name, args] of Object.entries(programs)) {
        runs[name].push(coldStart(['--require', join(folder, 'cpu.cjs'), ...args], input));
        await wait(PAUSE_MS);
      }
    }
    await settled(up, taken);
    return {
      input: { lines: LINES, bytes: Buffer.byteLength(input) },
      rounds: ROUNDS,
      goalMs: GOAL_MS,
      ...Object.fromEntries(Object.entries(runs).map(([name, times]) => [name, summary(times)])),
      overNode: {
        serverUp: overhead(runs.hookServerUp, runs.emptyProgram),
        serverDown: overhead(runs.hookServerDown, runs.emptyProgram),
      },
      captured: { sentWhileUp: taken(), keptWhileDown: await keptBy(down) },
      sdk: sdkSizes(),
    };
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function render(answer) {
  const { rounds, input, goalMs, overNode, captured, sdk } = answer;
  const row = (name, { medianMs, fastestMs, p90Ms, cpuMs }) =>
    [name, medianMs, fastestMs, p90Ms, cpuMs].map(String);
  const both = ({ wallMs, cpuMs }) => `${wallMs} and ${cpuMs} ms`;
  return [
    `Cold starts for an edit of ${input.lines} lines, ms; ${rounds} rounds, goal: median under ${goalMs}`,
    '',
    table(
      ['program', 'median', 'fastest', 'p90', 'processor time'],
      [
        row('empty program', answer.emptyProgram),
        row('hook, server up', answer.hookServerUp),
        row('hook, server down', answer.hookServerDown),
      ],
    ),
    '',
    `The hook over Node's own start, median of wall and processor time: ${both(overNode.serverUp)} with the server up, ${both(overNode.serverDown)} without.`,
    `Sent while up: ${captured.sentWhileUp}; kept while down: ${captured.keptWhileDown}.`,
    '',
    table(
      ['file of the SDK', 'bytes', 'gzipped'],
      Object.entries(sdk).map(([name, size]) => [name, String(size.bytes), String(size.gzipped)]),
    ),
  ].join('\n');
}

/** Says at its end how much processor time a program took: the measure that other programs on the machine spoil least. */
const CPU_REPORT = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeSync(2, String((user + system) / 1000));
});`;

/** From the start of a program to its end: wall time, and its processor time, in milliseconds. */
function coldStart(args, input) {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { input });
  const wallMs = performance.now() - start;
  const cpuMs = Number(stderr.toString());
  if (status !== 0 || !(cpuMs > 0)) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { wallMs, cpuMs };
}

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const median = (numbers) => round(sorted(numbers)[numbers.length >> 1], 1);

function summary(runs) {
  const wall = sorted(runs.map(({ wallMs }) => wallMs));
  return {
    medianMs: median(wall),
    fastestMs: round(wall[0], 1),
    p90Ms: round(wall[Math.floor(wall.length * 0.9)], 1),
    cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
  };
}

/** Median of what the hook took longer than the empty program of the same round. */
function overhead(hook, empty) {
  return {
    wallMs: median(hook.map(({ wallMs }, i) => wallMs - empty[i].wallMs)),
    cpuMs: median(hook.map(({ cpuMs }, i) => cpuMs - empty[i].cpuMs)),
  };
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

/** A new file of 200 lines of this repository, as Claude Code tells of it. */
function editOf(project) {
  const source = readFileSync(join(root, 'libs/fingerprint/src/lexer.ts'), 'utf8');
  const content = `${source.split('\n').slice(0, LINES).join('\n')}\n`;
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

/** Takes every fingerprint, as ingest does, and counts them. */
async function startServer() {
  let count = 0;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const json = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const accepted = JSON.parse(json.toString()).fingerprints.length;
    count += accepted;
    response.writeHead(202, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ accepted, rejected: [] }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, taken: () => count };
}

/** Waits until the senders in the background have sent everything. */
async function settled(state, taken) {
  while (taken() < ROUNDS) {
    await wait(PAUSE_MS);
    await sendSpool(state, { now: true });
  }
}

/** What is kept without a server, once the events are read. */
async function keptBy(state) {
  while ((await sendSpool(state)) === 'busy') await wait(PAUSE_MS);
  const spool = new Spool(state.spoolDirectory);
  return spool.segments().reduce((sum, { name }) => sum + spool.read(name).length, 0);
}
