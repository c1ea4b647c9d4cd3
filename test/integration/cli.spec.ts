import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { ensurePartitions, findApiKey, generateApiKey, openDatabase } from '@lineprint/persistence';
import { generateHistory } from '../history';
import { LINE_KEY, lineprint, processesWith, Program, StandaloneServer } from '../programs';
import { TestRepository } from '../repositories';

// Every test starts processes that take seconds on a busy machine.
jest.setTimeout(180_000);

interface Part {
  lines: number;
  aiLines: number;
  high: number;
}

/** What `demo --json` prints, as far as it is looked at here. */
interface Printed {
  commits: number;
  merges: number;
  lines: Record<'added' | 'preserved' | 'modified' | 'human' | 'inherited' | 'excluded' | 'blank', number>;
  aiRatio: number;
  bySource: Record<string, Part>;
  byLanguage: Record<string, Part>;
  byPerson: Record<string, Part>;
  byProject: Record<string, Part>;
  byConfidence: Record<string, Part>;
  byEvidence: Record<string, Part>;
  reconciles: boolean;
  seconds: number;
  peakRssMb: number;
  truth: { lines: number; right: number } | null;
  sent: { commits: number; merges: number; declared: number };
  skipped: { sha: string; reason: string }[];
  refused: unknown[];
  git: { addedLines: number; gitAddedLines: number; mergeAddedLines: number; equal: boolean };
}

const folder = mkdtempSync(join(tmpdir(), 'lineprint-cli-'));
const apiKey = generateApiKey();
const workspace = join(__dirname, '..', '..');

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  expect(processesWith(folder)).toEqual([]);
});

/** An environment whose temporary files can be looked for afterwards. */
function watched(name: string): { env: { TMPDIR: string }; left: () => string[] } {
  const directory = join(folder, name);
  mkdirSync(directory);
  return { env: { TMPDIR: directory }, left: () => [...readdirSync(directory), ...processesWith(directory)] };
}

/** The one JSON object that a run printed on stdout. */
function printed({ stdout }: { stdout: string }): Printed {
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout) as Printed;
}

function expectReconciled(run: Printed): void {
  const { added, preserved, modified, human, inherited, blank } = run.lines;
  expect(preserved + modified + human).toBe(added);
  const { bySource, byLanguage, byPerson, byProject, byConfidence, byEvidence } = run;
  for (const split of [bySource, byLanguage, byPerson, byProject, byConfidence, byEvidence]) {
    const total = (field: keyof Part) => Object.values(split).reduce((sum, part) => sum + part[field], 0);
    expect(total('lines')).toBe(added);
    expect(total('aiLines')).toBe(preserved + modified);
    expect(total('high')).toBe(run.byConfidence['HIGH']?.aiLines);
  }
  expect(run.git.equal).toBe(true);
  expect(added + inherited + blank).toBe(run.git.addedLines + run.git.mergeAddedLines);
  expect(run.reconciles).toBe(true);
}

describe('lineprint demo', () => {
  it('prints one JSON object that is right, reconciles and is the same the next time', async () => {
    const { env, left } = watched('demo-json');
    const ended = await lineprint(['demo', '--once', '--json'], env);
    expect(ended).toMatchObject({ code: 0 });
    const run = printed(ended);
    expect(Object.keys(run)).toEqual(
      expect.arrayContaining(
        'commits lines aiRatio bySource byLanguage byPerson byConfidence byEvidence seconds peakRssMb truth'.split(
          ' ',
        ),
      ),
    );
    expectReconciled(run);
    expect(run.truth!.lines).toBe(run.lines.added + run.lines.inherited);
    expect(run.truth!.right / run.truth!.lines).toBeGreaterThanOrEqual(0.95);
    expect(run.seconds).toBeGreaterThan(0);
    expect(run.peakRssMb).toBeGreaterThan(0);
    expect(left()).toEqual([]);

    // The usual port is taken this time: by this, or by whoever was there before.
    const usual = createServer().on('error', () => undefined);
    usual.listen(7310, '127.0.0.1');
    const again = printed(await lineprint(['demo', '--once', '--json'], env));
    usual.close();
    expect({ ...again, seconds: 0, peakRssMb: 0 }).toEqual({ ...run, seconds: 0, peakRssMb: 0 });
  });

  it('serves the API and its docs with the printed key until Ctrl-C, then leaves nothing behind', async () => {
    const { env, left } = watched('demo-serve');
    const demo = new Program('cli', ['demo'], env);
    const [, docs] = await demo.says(/Docs {2}(http\S+)/);
    const [, key] = await demo.says(/Key {3}(\S+)/);
    await demo.says(/Serving until Ctrl-C/);
    expect(await fetch(docs!)).toMatchObject({ status: 200 });
    const summary = (headers: Record<string, string>) => fetch(new URL('/api/v1/summary', docs), { headers });
    expect(await summary({})).toMatchObject({ status: 401 });
    expect(await (await summary({ authorization: `Bearer ${key}` })).json()).toMatchObject({ commits: 47 });

    demo.interrupt();
    const { code, stdout } = await demo.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/person +lines +AI lines +ratio +high confidence/);
    expect(stdout).toMatch(/known answers: \d+ of \d+ lines right/);
    await expect(fetch(docs!)).rejects.toThrow();
    expect(left()).toEqual([]);
  });

  it('leaves no server behind when it is killed with SIGKILL', async () => {
    const { env } = watched('demo-killed');
    const demo = new Program('cli', ['demo', '--json'], env);
    await demo.says(/backfill|Starting/);
    const server = () => processesWith(env.TMPDIR).filter((pid) => pid !== String(demo.pid));
    while (server().length === 0) await delay(20);
    await demo.kill('SIGKILL');
    while (processesWith(env.TMPDIR).length > 0) await delay(50);
  });

  it('ends and cleans up when nobody reads its output any longer', async () => {
    const { env, left } = watched('demo-unread');
    const demo = new Program('cli', ['demo'], env);
    await demo.says(/Starting/);
    demo.closeOutput();
    await demo.ended;
    expect(left()).toEqual([]);
  });

  it('stops with exit code 130 and cleans up when it is interrupted before the result', async () => {
    const { env, left } = watched('demo-interrupted');
    const demo = new Program('cli', ['demo', '--once', '--json'], env);
    await demo.says(/Starting/);
    demo.interrupt();
    const { code, stdout, stderr } = await demo.ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).not.toMatch(/differ/);
    expect(left()).toEqual([]);
  });
});

const written = ['net', 'tax', 'fee', 'tip', 'toll', 'duty', 'rent', 'wage'].map(
  (name) => `total_${name} = sum(row.${name} * rates["${name}"] for row in rows if row.${name} > minimum)\n`,
);
const edited = written.map((line, i) => (i < 5 ? line.replace('in rows', 'in open_rows') : line));
/** A repository with every kind of commit. */
const shop = join(folder, 'shop');
let lost: { sha: string; blob: string };

beforeAll(() => {
  const repository = new TestRepository(shop);
  repository.commit('Begin', {
    'src/base.py': 'import decimal\n\nlimit = decimal.Decimal(100)\n',
    'package-lock.json': '{\n  "lockfileVersion": 3\n}\n',
  });
  repository.commit('Sum up', { 'src/totals.py': written.join('') }, 'Ada (aider) <ada@example.org>');
  repository.commit('Only open rows', { 'src/totals.py': edited.join('') });
  repository.commit('Nothing');
  repository.commit('Odd files', {
    'odd/späce "quoted"\ttab\\.py': 'odd_path_of_a_file = True\n',
    'nul.bin': 'text\0with a NUL\n',
  });
  repository.git(['checkout', '-q', '-b', 'side']);
  repository.commit('Raise', { 'src/base.py': 'import decimal\n\nlimit = decimal.Decimal(250)\n' });
  repository.git(['checkout', '-q', 'main']);
  repository.commit('Lower', { 'src/base.py': 'import decimal\n\nlimit = decimal.Decimal(50)\n' });
  expect(() => repository.git(['merge', 'side'])).toThrow();
  repository.commit('Merge', { 'src/base.py': 'import decimal\n\nlimit = max(first_limit, 75)\n' });
  repository.commit('Generate\n\nAssisted-by: house-robot', { 'src/robot.py': 'robot = "of the house"\n' });
  const sha = repository.commit('Lost', { 'src/lost.py': 'this_line_is_lost = 1\n' });
  lost = { sha, blob: repository.lose('HEAD:src/lost.py') };
});

describe('lineprint demo --repo', () => {
  const demo = (...options: string[]) => lineprint(['demo', '--once', '--repo', shop, ...options]);

  it('analyses every kind of commit once and says which could not be read', async () => {
    const ended = await demo('--json');
    expect(ended).toMatchObject({ code: 0 });
    const run = printed(ended);
    expectReconciled(run);
    expect(run).toMatchObject({
      commits: 8,
      merges: 1,
      truth: null,
      sent: { commits: 8, merges: 1, declared: 1 },
      refused: [],
      // What a person makes of lines that were committed before is that person's.
      lines: { excluded: 3, modified: 0, human: 20 - written.length },
      byEvidence: { declared: { lines: written.length }, matched: { lines: 0 } },
    });
    // base.py 2, totals.py 8 and 5, the odd path 1, the two sides 1 each, the merge 1, robot.py 1
    expect(run.lines.added).toBe(20);
    expect(run.git.mergeAddedLines).toBe(1);
    expect(run.skipped).toEqual([{ sha: lost.sha, reason: expect.stringContaining(lost.blob) as string }]);
    expect(ended.stderr).toContain(`skipped ${lost.sha}`);
  });

  it('prints the table, with patterns of one’s own beside the known assistants', async () => {
    const beside = await demo('--ai-author', 'nobody@', '--ai-trailer', 'nothing', 'house-robot$');
    expect(beside.code).toBe(0);
    expect(beside.stdout).toMatch(/shop: 8 commits \(and 1 merges\), 20 attributable lines added/);
    expect(beside.stdout).toMatch(/declared +9 +9 +100\.0 %/);
  });

  it.each([
    [
      'a pattern that is no regular expression',
      ['--ai-author', '['],
      /--ai-author.*'\['.*not a regular expression/,
    ],
    ['a folder without a repository', ['--repo', folder], /is not a git repository.*\(not-a-repository\)/],
    [
      'a path that is not there',
      ['--repo', join(folder, 'nowhere')],
      /not a directory.*\(not-a-repository\)/,
    ],
    ['a number that is none', ['--max', 'many'], /--max.*not a positive whole number/],
  ])('refuses %s before it starts anything', async (_, options, message) => {
    const { code, stdout, stderr } = await lineprint(['demo', '--once', '--json', ...options]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/Starting/);
  });

  it('says of a repository without commits that it has none', async () => {
    new TestRepository(join(folder, 'empty'));
    const { code, stderr } = await lineprint(['demo', '--once', '--repo', join(folder, 'empty')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/has no commits.*\(no-commits\)/);
  });
});

describe('on a running standalone', () => {
  const COMMITS = 300;
  const history = join(folder, 'history');
  let server: StandaloneServer;
  let reference: string;

  const states = (name: string) => join(folder, `state-${name}`);
  const connected = (to: StandaloneServer, name = 'reference') => ({
    LINEPRINT_URL: to.url,
    LINEPRINT_API_KEY: apiKey,
    LINEPRINT_STATE_DIRECTORY: states(name),
  });
  const start = (name: string) => StandaloneServer.start(join(folder, `data-${name}`), apiKey);
  const exported = async (of: StandaloneServer, ...options: string[]) => {
    const { code, stdout } = await lineprint(['export', '--json', ...options], connected(of));
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/"type":"end"/);
    return stdout;
  };
  const analysed = async (of: StandaloneServer, repository: string, count: number) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    for (let commits = 0; commits < count; await delay(50)) {
      const answer = await fetch(`${of.url}/api/v1/summary/commits?repository=${repository}`, { headers });
      ({ commits } = (await answer.json()) as { commits: number });
    }
  };
  const backfill = ['backfill', '--json', '--repo', history];
  /** Until a first window of commits was taken: most of the history is still to be sent. */
  const begun = async (run: Program, name: string) => {
    while (!run.hasEnded && !existsSync(states(name))) await delay(5);
    while (!run.hasEnded && !readdirSync(states(name)).some((file) => file.endsWith('.json'))) await delay(5);
  };

  beforeAll(async () => {
    await generateHistory(history, COMMITS, 7);
    server = await start('reference');
    const ended = await lineprint(backfill, connected(server));
    expect(ended).toMatchObject({ code: 0 });
    const run = printed(ended);
    expect(run).toMatchObject({ commits: COMMITS, sent: { commits: COMMITS } });
    expect(run.byEvidence['matched']?.lines).toBeGreaterThan(0);
    reference = await exported(server);
  });
  afterAll(async () => {
    await server?.stop();
  });

  it('export prints the same bytes each time', async () => {
    expect(await exported(server)).toBe(await exported(server));
    expect(reference.split('\n').filter((line) => line.includes('"type":"commit"'))).toHaveLength(COMMITS);
  });

  it('a backfill that Ctrl-C stopped goes on where it was, and gives what an uninterrupted one gives', async () => {
    const other = await start('interrupted');
    const env = connected(other, 'interrupted');
    const first = new Program('cli', backfill, env);
    await begun(first, 'interrupted');
    first.interrupt();
    expect(await first.ended).toMatchObject({
      code: 130,
      stdout: '',
      stderr: expect.stringContaining('go on') as string,
    });

    const second = await lineprint(backfill, env);
    expect(second).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Going on after \d+ commits/) as string,
    });
    const run = printed(second);
    expect(run).toMatchObject({ commits: COMMITS, skipped: [], refused: [] });
    expect(run.sent.commits).toBeLessThan(COMMITS);
    expect(await exported(other)).toBe(reference);

    // The commits of a repository are judged in order: when a later one is, the old ones were judged again.
    expect(printed(await lineprint([...backfill, '--restart'], env))).toMatchObject({
      commits: COMMITS,
      sent: { commits: COMMITS },
    });
    new TestRepository(join(folder, 'later')).commit('Later', { 'later.py': 'one_more_line = "is here"\n' });
    for (const each of [server, other]) {
      const push = ['push', '--repo', join(folder, 'later'), '--name', 'history', '--range', 'HEAD'];
      expect(await lineprint(push, connected(each))).toMatchObject({ code: 0 });
      await analysed(each, 'history', COMMITS + 1);
    }
    expect(await exported(other, '--repository', 'history')).toBe(
      await exported(server, '--repository', 'history'),
    );
    await other.stop();
  });

  it('a backfill outlives kill -9 of the server, and gives what an undisturbed one gives', async () => {
    const other = await start('killed');
    const run = new Program('cli', backfill, connected(other, 'killed'));
    await begun(run, 'killed');
    expect(run.hasEnded).toBe(false);
    await other.crash();
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(printed(ended)).toMatchObject({ commits: COMMITS, sent: { commits: COMMITS } });
    expect(await exported(other)).toBe(reference);
    await other.stop();
  });

  it('backfill takes patterns of one’s own instead of the known assistants', async () => {
    const own = ['--no-ai-defaults', '--ai-trailer', '^assisted-by: house-'];
    const ended = await lineprint(
      ['backfill', '--json', '--repo', shop, '--name', 'own', ...own],
      connected(server),
    );
    expect(ended).toMatchObject({ code: 0 });
    expect(printed(ended)).toMatchObject({
      sent: { declared: 1 },
      byEvidence: { declared: { lines: 1 }, matched: { lines: 0 } },
    });
  });

  it('push sends a range of commits and no other', async () => {
    const repository = new TestRepository(join(folder, 'pushed'));
    for (const day of ['mon', 'tue', 'wed', 'thu'])
      repository.commit(day, { [`${day}.py`]: `day = "${day}"\n` });
    const ended = await lineprint(
      ['push', '--json', '--repo', repository.path, '--range', 'HEAD~2..HEAD'],
      connected(server),
    );
    expect(ended).toMatchObject({ code: 0 });
    expect(printed(ended)).toMatchObject({
      sent: { commits: 2, merges: 0, declared: 0 },
      git: { equal: true },
    });
    await analysed(server, 'pushed', 2);
    const commits = (await exported(server, '--repository', 'pushed')).split('\n').slice(0, 2);
    const shas = ['HEAD', 'HEAD~1'].map((name) => repository.git(['rev-parse', name]));
    expect(commits.map((line) => (JSON.parse(line) as { sha: string }).sha)).toEqual(shas.sort());
  });

  it('push says which name it does not know', async () => {
    const range = ['push', '--repo', history, '--range', 'nowhere..HEAD'];
    const { code, stderr } = await lineprint(range, connected(server));
    expect(code).toBe(1);
    expect(stderr).toMatch(/"nowhere\.\.HEAD".*\(unknown-ref\)/);
  });

  const nobody = 'http://127.0.0.1:9';
  it.each([
    ['everything is well', {}, ['--repo', history], {}],
    [
      'no server answers',
      { LINEPRINT_URL: nobody },
      [],
      { server: /Nothing answers at/, credential: /No Lineprint/, queries: /No Lineprint/ },
    ],
    [
      'the key is wrong',
      { LINEPRINT_API_KEY: generateApiKey() },
      [],
      { credential: /key is unknown/, queries: /key is unknown/ },
    ],
    [
      'no key is given',
      { LINEPRINT_API_KEY: '' },
      [],
      { credential: /an API key: --api-key/, queries: /an API key: --api-key/ },
    ],
    ['the query API is elsewhere', { LINEPRINT_QUERY_URL: nobody }, [], { queries: /No Lineprint/ }],
    ['there is no repository', {}, ['--repo', folder], { repository: /is not a git repository/ }],
  ])('doctor finds that %s', async (_, env, options, wrong: Record<string, RegExp>) => {
    const { code, stdout } = await lineprint(['doctor', '--json', ...options], {
      ...connected(server),
      ...env,
    });
    const { findings } = JSON.parse(stdout) as {
      findings: { name: string; state: string; detail: string }[];
    };
    const repository = options.length > 0 ? ['repository'] : [];
    expect(findings.map(({ name }) => name)).toEqual([
      'node',
      'git',
      ...repository,
      'server',
      'credential',
      'queries',
    ]);
    for (const { name, state, detail } of findings) {
      expect({ name, state }).toEqual({ name, state: name in wrong ? 'error' : 'ok' });
      expect(detail).toMatch(wrong[name] ?? /./);
    }
    expect(code).toBe(Object.keys(wrong).length > 0 ? 2 : 0);
  });

  it('doctor prints its findings for people, too', async () => {
    const { code, stdout } = await lineprint(['doctor', '--url', nobody], connected(server));
    expect(code).toBe(2);
    expect(stdout).toMatch(/^✓ node .*\n✓ git .*\n✗ server .*\n +→ .*\n✗ credential .*\n✗ queries .*\n$/);
  });

  it('an address may end in a slash', async () => {
    const { code } = await lineprint(['doctor', '--url', `${server.url}/`], connected(server));
    expect(code).toBe(0);
  });

  it.each([
    [['backfill', '--repo', '.', '--frob'], /unknown option '--frob'[^]*Usage: lineprint backfill/],
    [['frobnicate'], /unknown command 'frobnicate'[^]*Usage: lineprint/],
    [['push'], /required option '--range <A\.\.B>'[^]*Usage: lineprint push/],
  ])('%j is answered with help and exit code 1', async (args, message) => {
    const { code, stdout, stderr } = await lineprint(args, connected(server));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain(apiKey);
  });
});

describe('where ingest runs apart from the query API', () => {
  let keyId: string;
  let pushed: number;
  const ingest = createHttpServer((request, response) => {
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.method === 'POST') {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts);
        const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        const { commits = [] } = JSON.parse(text.toString()) as { commits?: unknown[] };
        pushed += commits.length;
        answer(202, { accepted: Math.max(1, commits.length), rejected: [] });
      });
    } else if (request.url === '/api/v1/enrolment') {
      answer(200, { orgId: 'acme', keyId, lineKey: LINE_KEY.toString('base64') });
    } else answer(404, { code: 'not-found' });
  });
  const run = (...options: string[]) =>
    lineprint(['backfill', '--json', '--repo', shop, ...options], {
      LINEPRINT_URL: `http://127.0.0.1:${(ingest.address() as AddressInfo).port}`,
      LINEPRINT_API_KEY: apiKey,
      LINEPRINT_STATE_DIRECTORY: join(folder, 'state-apart'),
    });

  beforeAll(async () => {
    ingest.listen(0, '127.0.0.1');
    await once(ingest, 'listening');
  });
  beforeEach(() => {
    keyId = 'lk_first';
    pushed = 0;
  });
  afterAll(() => ingest.close());

  it('backfill asks for the query API’s address before it sends anything', async () => {
    const { code, stderr } = await run();
    expect({ code, pushed }).toEqual({ code: 1, pushed: 0 });
    expect(stderr).toMatch(/--query-url.*\(address-wrong\)/);
  });

  it('backfill goes on where it was, but begins again on a new installation at an old address', async () => {
    expect(await run('--no-wait')).toMatchObject({ code: 0 });
    expect(pushed).toBe(9);
    expect(await run('--no-wait')).toMatchObject({ code: 0 });
    expect(pushed).toBe(9);
    keyId = 'lk_second';
    expect(await run('--no-wait')).toMatchObject({ code: 0 });
    expect(pushed).toBe(18);
  });
});

describe('lineprint admin', () => {
  const database = `pglite:${join(folder, 'admin')}`;
  const admin = (...args: string[]) => lineprint(['admin', ...args, '--database', database]);

  it('init makes an organisation with its keys once, and shows the API key that one time', async () => {
    const first = await admin('init', '--json');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const made = JSON.parse(first.stdout) as Record<string, string>;
    expect(made).toEqual({
      orgId: 'default',
      apiKey: expect.stringMatching(/^lp_/) as string,
      keyId: expect.stringMatching(/^lk_/) as string,
      lineKey: expect.any(String) as string,
    });
    expect(JSON.parse((await admin('init', '--json')).stdout)).toEqual({ ...made, apiKey: null });
    expect((await admin('init')).stdout).toMatch(/^Database: 0 migrations applied\.\n[^]*none was made\.\n$/);
  });

  it('topics makes them once, and refuses to have fewer partitions of them', async () => {
    const topics = (partitions: string, ...more: string[]) =>
      lineprint(['admin', 'topics', '--database', database, ...more], { LINEPRINT_PARTITIONS: partitions });
    const made = await topics('3', '--json');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const answer = JSON.parse(made.stdout) as { topics: string[]; partitions: number };
    expect(answer.partitions).toBe(3);
    expect(answer.topics).toContain('lineprint.commits.v1');
    expect(answer.topics).toContain('lineprint.commits.v1.dlq');
    expect(await topics('4')).toMatchObject({ code: 0 });
    const fewer = await topics('2');
    expect(fewer.code).toBe(1);
    expect(fewer.stderr).toMatch(/lineprint\.\S+ has 4 partitions/);
  });

  it('key makes one more API key with the scopes that are asked for, and with no others', async () => {
    const { stdout } = await admin('key', '--scope', 'read', 'code', '--json');
    const { apiKey } = JSON.parse(stdout) as { apiKey: string };
    const open = await openDatabase(database);
    const grant = await findApiKey(open, apiKey);
    await open.close();
    expect(grant).toMatchObject({ orgId: 'default', scopes: ['read', 'code'], userId: null });
    expect(await admin('key', '--scope', 'everything')).toMatchObject({ code: 1 });
  });

  it('expire drops the months that ended before the days to keep, what no record can claim, and no others', async () => {
    const open = await openDatabase(database);
    const now = Date.now();
    const ago = (days: number) => new Date(now - days * 86_400_000);
    const month = (time: Date) => time.toISOString().slice(0, 7).replace('-', '');
    await ensurePartitions(open, [ago(0), ago(100), ago(160), ago(400)]);
    for (const days of [0, 200, 300]) {
      await open.query('INSERT INTO large_payloads (payload_id, value, created_at) VALUES ($1, $2, $3)', [
        String(days),
        Buffer.from('value'),
        ago(days),
      ]);
      await open.query(
        `INSERT INTO dead_letters (topic, partition, "offset", state, org_id, decided_at)
         VALUES ('lineprint.commits.v1.dlq', 0, $1, 'dropped', 'default', $2)`,
        [days, ago(days)],
      );
    }
    await open.close();
    expect((await admin('topics')).code).toBe(0);
    const first = JSON.parse((await admin('expire', '--json')).stdout) as unknown;
    expect(first).toMatchObject({ partitions: 4, payloads: 1, deadLetters: 1, rawCode: 0 });
    const left = await openDatabase(database);
    const names = ['ai_code_fingerprints', 'snippet_prints'].flatMap((table) =>
      [0, 100, 160, 400].map((days) => `${table}_${month(ago(days))}`),
    );
    const tables = await left.query<{ name: string }>(
      'SELECT name FROM UNNEST($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
      [names],
    );
    await left.close();
    expect(tables.map(({ name }) => name)).toEqual([0, 1, 4, 5].map((i) => names[i]));
    expect((await admin('expire')).stdout).toMatch(/^partitions: 0\nrawCode: 0\n/);
  });

  it.each([
    ['no database', ['init', '--database', ''], /--database or LINEPRINT_DATABASE_URL.*\(database-missing\)/],
  ])('refuses %s', async (_, args, message) => {
    const { code, stdout, stderr } = await lineprint(['admin', ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('npm run demo', () => {
  it('takes a path from the folder that it is called in', async () => {
    const run = spawnSync(
      'npm',
      ['--prefix', workspace, 'run', 'demo', '--', '--once', '--repo', 'nowhere'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    expect(run).toMatchObject({ status: 1, stdout: '' });
    expect(run.stderr).toContain(`${join(realpathSync(folder), 'nowhere')} is not a directory`);
  });
});
