/**
 * `node tools/try-assistants.mjs [NAME…]`: starts real assistants (pinned versions, from npm) against a model that only
 * pretends, with our hooks installed and Lineprint behind them, and prints as JSON what was captured and what became of
 * a commit of it. Each runs four times: without our hook, with it, with the server gone, and with a server that takes
 * connections and never answers; it must write the same files each time. Exits with 1 and says why if something is
 * not as it should be.
 *
 * `--packages DIRECTORY` keeps what was installed (0.2 to 0.5 GB an assistant) for another time. Linux on x64 only.
 * Nothing but loopback is reached: in a network namespace of its own where one can be made, else by proxies that are dead.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { MAIN, FILES_AFTER, FILES_BEFORE, SUB_AGENT, trials } from './assistants/trials.mjs';
import { startModels } from './assistants/models.mjs';
import { freePort, until } from './servers/ports.mjs';
import { root, setUp } from './setup.mjs';

/** An assistant that has not ended within this is killed, in milliseconds. */
const RUN_LIMIT_MS = 180_000;
const ANALYSIS_LIMIT_MS = 60_000;
const DEAD_PROXY = 'http://127.0.0.1:9';
const CLI = join(root, 'apps', 'cli', 'dist', 'main.js');
const HUMAN_LINE = 'export const LOWEST_ASTRONOMICAL_TIDE = chart.datum.reduceTo(soundings);\n';

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { packages: { type: 'string' }, inside: { type: 'boolean', default: false } },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(trials);
  const unknown = names.filter((name) => !trials[name]);
  if (unknown.length > 0) throw new Error(`No trial of ${unknown}: ${Object.keys(trials).join(', ')}.`);
  if (values.inside) return tryAll(names, values.packages);

  await setUp();
  const packages = values.packages ?? mkdtempSync(join(tmpdir(), 'lineprint-assistants-'));
  try {
    for (const name of names) install(trials[name].package, packages);
    const own = [process.execPath, fileURLToPath(import.meta.url), '--inside', '--packages', packages];
    const [program, ...args] = [...isolation(), ...own, ...names];
    const { status } = spawnSync(program, args, { stdio: 'inherit' });
    process.exitCode = status ?? 1;
  } finally {
    if (!values.packages) rmSync(packages, { recursive: true, force: true });
  }
}

/** One folder a package: two assistants' packages in one would be resolved together. */
const folderOf = (pinned, packages) => join(packages, pinned.replace(/[^\w.-]+/g, '-'));

function install(pinned, packages) {
  const folder = folderOf(pinned, packages);
  if (existsSync(join(folder, 'node_modules'))) return;
  mkdirSync(folder, { recursive: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', '--prefix', folder, ...options, pinned], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`npm could not install ${pinned}.`);
}

/** A command that runs the one behind it with loopback as its only network. */
function isolation() {
  const isRoot = process.getuid?.() === 0;
  const unshare = ['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), '--net'];
  const command = [...unshare, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const [program, ...args] = [...command, 'true'];
  if (spawnSync(program, args).status === 0) return command;
  console.error('No network namespace can be made here: dead proxies only.');
  return [];
}

async function tryAll(names, packages) {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-try-'));
  const silent = await startSilentServer();
  const outcomes = [];
  try {
    for (const name of names) {
      console.error(`${name} …`);
      const program = join(folderOf(trials[name].package, packages), 'node_modules', trials[name].program);
      // One each: the same texts must not be found as those of another assistant.
      const server = await startLineprint(join(folder, name, 'server'));
      try {
        outcomes.push(await tryOne(name, { folder: join(folder, name), program, server, silent }));
      } finally {
        await server.stop();
      }
    }
  } finally {
    await silent.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(JSON.stringify(outcomes, null, 2));
  if (outcomes.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}

async function tryOne(name, { folder, program, server, silent }) {
  const trial = trials[name];
  const problems = [];
  const check = (isRight, problem) => isRight || problems.push(problem);
  const runs = {};
  let live;
  const ways = {
    alone: undefined,
    answering: server.url,
    gone: `http://127.0.0.1:${await freePort()}`,
    silent: silent.url,
  };
  for (const [way, url] of Object.entries(ways)) {
    // Without a hook a server makes no difference to the assistant.
    if (!trial.live && way !== 'alone' && way !== 'answering') continue;
    const place = await preparePlace(join(folder, way), trial, { url, server });
    const run = await runAssistant(program, trial, place);
    const { output, ...facts } = run;
    runs[way] = facts;
    check(facts.exitCode === 0, `${way}: it ended with ${facts.exitCode}: ${output.slice(-500)}`);
    for (const [path, { text }] of Object.entries(FILES_AFTER)) {
      check(textOf(join(place.repository, path)) === text, `${way}: ${path} is not what the model asked for`);
    }
    if (way === 'answering') live = place;
    if (url !== undefined && way !== 'answering') {
      const { captured, spooled, inbox } = await status(place);
      Object.assign(facts, { captured, waiting: spooled + inbox });
      check(spooled + inbox > 0, `${way}: nothing waits to be sent`);
    }
  }
  const { version, snippets, repeated, summaries } = await arrivals(trial, live, { program, server });
  const models = [...new Set(snippets.map(({ model }) => model))];
  const sources = [...new Set(snippets.map(({ source }) => source))].sort();
  check(`${models}` === trial.expected.model, `models are ${models}`);
  check(`${sources}` === `${trial.expected.sources}`, `sources are ${sources}`);
  const sessions = new Set(snippets.map(({ session }) => session));
  check(sessions.size === 2, `${sessions.size} sessions instead of one and its sub-agent’s`);
  const parents = snippets.flatMap(({ parent }) => parent ?? []);
  check(parents.length === 1 && sessions.has(parents[0]), `parents of sub-agents are ${parents}`);
  check(
    repeated.every((id) => snippets.some((snippet) => snippet.id === id)),
    'an import counts anew what the hook sent',
  );
  const commit = await commitAndRead(live, server);
  const expected = Object.fromEntries(
    Object.entries(FILES_AFTER).map(([path, { kinds }]) => [path, path === 'tide.ts' ? `${kinds}H` : kinds]),
  );
  check(JSON.stringify(commit) === JSON.stringify(expected), 'lines of the commit are not whose they are');
  const log = textOf(join(live.home, '.lineprint', 'capture.log')).trim();
  return {
    name,
    version,
    runs,
    snippets,
    summaries,
    commit,
    log: log === '' ? [] : log.split('\n'),
    problems,
  };
}

/** A home directory with a repository; with an address also enrolled, with the hook installed. */
async function preparePlace(folder, trial, { url, server }) {
  const place = { home: join(folder, 'home'), repository: join(folder, 'harbour') };
  for (const path of Object.values(place)) mkdirSync(path, { recursive: true });
  for (const [path, text] of Object.entries(FILES_BEFORE)) writeFileSync(join(place.repository, path), text);
  await git(place, 'init', '-q', '-b', 'main');
  await git(place, 'config', 'user.email', 'ada@example.org');
  await git(place, 'config', 'user.name', 'Ada');
  await git(place, 'add', '-A');
  await git(place, 'commit', '-q', '-m', 'Before');
  place.models = await startModels(modelOf(trial.turns(place.repository)));
  place.start = trial.setUp({ home: place.home, modelsUrl: place.models.url });
  if (url === undefined) return place;
  await lineprint(place, ['login', ...server.connection]);
  const settings = join(place.home, '.lineprint', 'settings.json');
  writeFileSync(settings, JSON.stringify({ ...JSON.parse(textOf(settings)), url }), { mode: 0o600 });
  if (trial.live) await lineprint(place, ['capture', 'install', trial.assistant]);
  return place;
}

/** Follows the script of the conversation that it is asked about. */
function modelOf(turns) {
  return ({ prompt, tools, results }) => {
    const conversation = [SUB_AGENT, MAIN].find((mark) => prompt.includes(mark));
    // A title for the session, say.
    if (tools.length === 0 || conversation === undefined) return { text: 'Harbour' };
    return turns[conversation][results] ?? { text: 'Done.' };
  };
}

async function runAssistant(program, trial, { home, repository, models, start }) {
  const began = performance.now();
  const child = spawn(program, start.args, {
    ...{ cwd: repository, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    env: environment(home, start.env),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  }
  const limit = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), RUN_LIMIT_MS);
  const exitCode = await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(limit);
  const ms = Math.round(performance.now() - began);
  await models.close();
  const times = models.requests.map(({ time }) => time);
  return { exitCode, ms, betweenFirstAndLastRequestMs: Math.round(times.at(-1) - times[0]), output };
}

/** What came to the server of a run, and of an import of its transcripts afterwards. */
async function arrivals(trial, place, { program, server }) {
  if (!trial.live)
    await lineprint(place, ['capture', 'import', trial.assistant, join(place.home, trial.transcripts)]);
  await lineprint(place, ['capture', 'flush']);
  const sent = server.received();
  const snippets = fingerprintsIn(sent).map(
    ({ codeId, model, source, sessionId, parentSessionId, lineCount }) => ({
      ...{ id: codeId, model, source, session: sessionId, parent: parentSessionId, lines: lineCount },
    }),
  );
  const summaries = sent.filter(({ path }) => path.endsWith('/code-gen-stats')).map(({ body }) => body);
  if (trial.live && trial.transcripts !== undefined) {
    await lineprint(place, ['capture', 'import', trial.assistant, join(place.home, trial.transcripts)]);
    await lineprint(place, ['capture', 'flush']);
  }
  const version = (
    await promisify(execFile)(program, ['--version'], { env: environment(place.home) })
  ).stdout.trim();
  const repeated = fingerprintsIn(server.received().slice(sent.length)).map(({ codeId }) => codeId);
  return { version, snippets, repeated, summaries };
}

const fingerprintsIn = (requests) => requests.flatMap(({ body }) => body.fingerprints ?? []);

/** A person adds a line and commits. @returns of each file one letter a line */
async function commitAndRead(place, server) {
  const tide = join(place.repository, 'tide.ts');
  writeFileSync(tide, textOf(tide) + HUMAN_LINE);
  await git(place, 'add', '-A');
  await git(place, 'commit', '-q', '-m', 'After');
  const sha = (await git(place, 'rev-parse', 'HEAD')).trim();
  const name = basename(place.repository);
  const range = ['--range', 'HEAD~1..HEAD', '--repo', place.repository, '--name', name];
  await lineprint(place, ['push', ...range, ...server.connection]);
  const commit = {};
  for (const [path, { kinds }] of Object.entries(FILES_AFTER)) {
    const length = kinds.length + (path === 'tide.ts' ? 1 : 0);
    const query = `repository=${name}&path=${path}`;
    let answer;
    await until(async () => {
      answer = await server.ask(`/api/v1/commits/${sha}/lines?${query}`);
      return answer !== undefined;
    }, ANALYSIS_LIMIT_MS);
    const letters = Array.from({ length }, () => '.');
    for (const { start, count, kind } of answer?.lines ?? []) letters.fill(kind, start, start + count);
    commit[path] = letters.join('');
  }
  return commit;
}

async function status(place) {
  return JSON.parse(await lineprint(place, ['capture', 'status', '--json']));
}

async function lineprint(place, args) {
  const options = { env: environment(place.home), cwd: place.repository };
  return (await promisify(execFile)(process.execPath, [CLI, ...args], options)).stdout;
}

async function git(place, ...args) {
  return (await promisify(execFile)('git', args, { cwd: place.repository })).stdout;
}

/** Nothing of a developer's own settings, keys or programs' states. */
function environment(home, more = {}) {
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [
    name,
    DEAD_PROXY,
  ]);
  const none = { NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost' };
  return { PATH: process.env.PATH, HOME: home, ...Object.fromEntries(proxies), ...none, ...more };
}

/** Lineprint on embedded adapters, behind a proxy that keeps what clients send. */
async function startLineprint(directory) {
  const child = spawn(process.execPath, [join(root, 'apps', 'standalone', 'dist', 'main.js')], {
    env: {
      ...environment(directory),
      LINEPRINT_DATABASE_URL: `pglite:${directory}`,
      LINEPRINT_HOST: '127.0.0.1',
      LINEPRINT_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { target, apiKey } = await new Promise((resolve, reject) => {
    let said = '';
    const read = (text) => {
      said += text;
      const [, url] = /"url":"(http:[^"]+)"/.exec(said) ?? [];
      const [, key] = /\(shown once\): (\S+)/.exec(said) ?? [];
      if (url && key) resolve({ target: url, apiKey: key });
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read);
    child.once('exit', (code) => reject(new Error(`Lineprint ended with ${code}: ${said}`)));
  });
  const kept = [];
  const proxy = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const body = Buffer.concat(chunks);
    if (request.method === 'POST') {
      const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      kept.push({ path: request.url, body: JSON.parse(plain.toString('utf8')) });
    }
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const answer = await fetch(target + request.url, {
      method: request.method,
      headers,
      ...(body.length > 0 && { body }),
    });
    const type = { 'content-type': answer.headers.get('content-type') ?? 'text/plain' };
    response.writeHead(answer.status, type).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${proxy.address().port}`;
  return {
    url,
    connection: ['--url', url, '--query-url', url, '--api-key', apiKey],
    /** What clients posted so far. */
    received: () => [...kept],
    ask: async (path) => {
      const answer = await fetch(target + path, { headers: { authorization: `Bearer ${apiKey}` } });
      return answer.ok ? answer.json() : undefined;
    },
    stop: async () => {
      proxy.closeAllConnections();
      proxy.close();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Takes connections and never says a word. */
async function startSilentServer() {
  const sockets = new Set();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const textOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
