import { execFileSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureEdit, LineprintClient } from '@lineprint/capture';
import type { ConnectedRepositoryAnswer, GitHost } from '@lineprint/contracts';
import { deriveLineKey } from '@lineprint/fingerprint';
import {
  defaultDeclarationPatterns,
  listCommits,
  openRepository,
  sendBaseline,
  sendHistory,
} from '@lineprint/git';
import { bootstrap, resolvePeople } from '@lineprint/persistence';
import { GitServer } from '../git-server';
import { embeddedPipeline, type Pipeline } from '../pipeline';
import { LINE_KEY, lineprint, lineprintOutput } from '../programs';
import { TestRepository } from '../repositories';

jest.setTimeout(120_000);

const SECRETS = {
  LINEPRINT_SECRET_TOKEN: 'reader:token-of-the-reader',
  LINEPRINT_SECRET_HOOK: 'a secret that nobody can guess',
  LINEPRINT_SECRET_HOOK_2: 'the next secret that nobody can guess',
  LINEPRINT_SECRET_SIGNING: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  LINEPRINT_SECRET_SHORT: 'short',
};

const folder = mkdtempSync(join(tmpdir(), 'lineprint-webhooks-'));
const bareFolder = join(folder, 'served');
let server: GitServer;
let pipeline: Pipeline;
let apiKey: string;
let keyId: string;

beforeAll(async () => {
  Object.assign(process.env, SECRETS);
  server = await GitServer.start(bareFolder, 'reader', 'token-of-the-reader');
  pipeline = await embeddedPipeline({
    LINEPRINT_GIT_HOSTS: `http://${server.host}`,
    LINEPRINT_GIT_MIRRORS: join(folder, 'mirrors'),
  });
  const made = await bootstrap(pipeline.database, { orgId: 'default', lineKey: LINE_KEY, timeZone: 'UTC' });
  apiKey = made.apiKey!;
  keyId = made.keyId;
});
afterAll(async () => {
  await pipeline.stop();
  await server.stop();
  for (const name of Object.keys(SECRETS)) delete process.env[name];
  rmSync(folder, { recursive: true, force: true });
});

async function api<T>(method: string, path: string, body?: object): Promise<{ status: number; answer: T }> {
  const response = await fetch(pipeline.ingestUrl + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, answer: (await response.json()) as T };
}

/** A repository that somebody works in, and its host. */
class HostedRepository {
  readonly name = `desk-${randomUUID().slice(0, 8)}`;
  readonly work = new TestRepository(join(folder, 'work', this.name));
  hookId = '';

  constructor(private readonly host: GitHost = 'github') {
    const bare = join(bareFolder, `${this.name}.git`);
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare], {
      env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    });
    this.work.git(['remote', 'add', 'origin', bare]);
  }

  get cloneUrl(): string {
    return `http://${server.host}/${this.name}.git`;
  }

  commit(message: string, files: Record<string, string>): string {
    return this.work.commit(message, files);
  }

  /** So many commits at once, each with a file of its own. @returns their ids, oldest first */
  commits(count: number): string[] {
    const from = this.work.git(['rev-parse', 'HEAD']);
    const commit = (i: number) =>
      [
        'commit refs/heads/main',
        `committer Ada <ada@example.org> ${1_780_100_000 + i} +0000`,
        `data ${String(i).length}\n${i}`,
        ...(i === 0 ? [`from ${from}`] : []),
        `M 100644 inline many${i}.ts`,
        `data ${Buffer.byteLength(block(`many${i}`))}\n${block(`many${i}`)}`,
      ].join('\n');
    const input = Array.from({ length: count }, (_, i) => commit(i)).join('\n');
    this.work.git(['fast-import', '--quiet'], { input: `${input}\n` });
    return this.work.git(['rev-list', '--reverse', `${from}..main`]).split('\n');
  }

  push(...refs: string[]): void {
    this.work.git(['push', '-q', '-f', 'origin', ...(refs.length > 0 ? refs : ['main'])]);
  }

  /** Connects it and waits for its first fetch. */
  async connect(changes: object = {}): Promise<ConnectedRepositoryAnswer> {
    const { status, answer } = await api<ConnectedRepositoryAnswer>(
      'POST',
      '/api/v1/connected-repositories',
      {
        host: this.host,
        cloneUrl: this.cloneUrl,
        credential: 'env:LINEPRINT_SECRET_TOKEN',
        secret: 'env:LINEPRINT_SECRET_HOOK',
        ...changes,
      },
    );
    expect({ status, answer }).toMatchObject({ status: 201 });
    this.hookId = answer.hookId;
    return this.until(({ status: state }) => state !== 'waiting');
  }

  async until(done: (state: ConnectedRepositoryAnswer) => boolean): Promise<ConnectedRepositoryAnswer> {
    for (;;) {
      const { answer } = await api<ConnectedRepositoryAnswer>(
        'GET',
        `/api/v1/connected-repositories/${this.hookId}`,
      );
      if (done(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** As the host sends it. */
  async deliver(
    body: object,
    headers: Record<string, string>,
    host: string = this.host,
  ): Promise<{ status: number; outcome?: string; code?: string }> {
    const response = await fetch(`${pipeline.ingestUrl}/webhooks/${host}/${this.hookId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, ...((await response.json()) as object) };
  }

  /** GitHub's push. */
  pushed(before: string, after: string, options: { id?: string; secret?: string; ref?: string } = {}) {
    const body = {
      ref: options.ref ?? 'refs/heads/main',
      before,
      after,
      created: false,
      deleted: false,
      forced: false,
      repository: { full_name: `harbour/${this.name}`, clone_url: 'https://elsewhere.example/other.git' },
      commits: [{ id: after, distinct: true }],
    };
    const secret = options.secret ?? SECRETS.LINEPRINT_SECRET_HOOK;
    const signature = createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex');
    return this.deliver(body, {
      'x-github-event': 'push',
      'x-github-delivery': options.id ?? randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
    });
  }

  /** Commits that are judged, and how many lines of each are AI's. */
  async judged(count: number): Promise<Map<string, { added: number; ai: number }>> {
    for (;;) {
      const rows = await pipeline.database.query<{ sha: string; added: number; ai: number }>(
        `SELECT commit_sha AS sha, SUM(total_lines) AS added, SUM(ai_preserved_lines + ai_modified_lines) AS ai
         FROM ai_attribution_results WHERE org_id = 'default' AND repository = $1 GROUP BY 1`,
        [this.name],
      );
      const [verdicts] = await pipeline.database.query<{ count: number }>(
        "SELECT COUNT(*) AS count FROM commit_verdicts WHERE org_id = 'default' AND repository = $1",
        [this.name],
      );
      if (verdicts!.count >= count) return new Map(rows.map(({ sha, added, ai }) => [sha, { added, ai }]));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const block = (name: string) =>
  [
    `export function ${name}Berths(${name}List: Berth[], limit: number): Berth[] {`,
    `  const ${name}Free = ${name}List.filter((berth) => berth.${name}Vessel === undefined);`,
    `  if (${name}Free.length < limit) throw new Error('too few ${name} berths');`,
    `  return ${name}Free.slice(0, limit).sort((a, b) => a.${name}Metres - b.${name}Metres);`,
    '}',
    '',
  ].join('\n');

it('a push that GitHub tells of is fetched, and its lines are attributed to what an assistant was seen to write', async () => {
  const desk = new HostedRepository();
  const before = desk.commit('start', { 'src/berths.ts': block('old') });
  desk.push();
  await desk.connect();
  const client = new LineprintClient({ url: pipeline.ingestUrl, apiKey });
  await client.sendFingerprints(
    captureEdit({
      path: 'src/berths.ts',
      before: block('old'),
      after: block('old') + block('tidal'),
      source: 'agent',
      sessionId: randomUUID(),
      toolCallIndex: 0,
      userId: 'ada@example.org',
      repository: desk.name,
      timestamp: 1_779_999_000_000,
      lineKey: deriveLineKey(LINE_KEY, keyId),
    }),
  );
  const after = desk.commit('tidal and human berths', {
    'src/berths.ts': block('old') + block('tidal'),
    'src/people.ts': block('human'),
  });
  desk.push();
  expect(await desk.pushed(before, after)).toEqual({ status: 202, outcome: 'queued' });
  expect(await desk.judged(1)).toEqual(new Map([[after, { added: 10, ai: 5 }]]));
  expect(await desk.until(({ seen }) => seen['main'] === after)).toMatchObject({
    status: 'connected',
    defaultBranch: 'main',
  });
});

describe('a delivery', () => {
  let desk: HostedRepository;
  let before: string;
  beforeAll(async () => {
    desk = new HostedRepository();
    before = desk.commit('start', { 'a.ts': block('first') });
    desk.push();
    await desk.connect();
  });
  const next = () => {
    const sha = desk.commit(randomUUID(), { 'b.ts': block(`n${Date.now()}`) });
    desk.push();
    return sha;
  };

  it('with a wrong signature, or none, changes nothing', async () => {
    const after = next();
    expect(await desk.pushed(before, after, { secret: 'another secret that is wrong' })).toMatchObject({
      status: 401,
      code: 'signature-invalid',
    });
    const headers = { 'x-github-event': 'push', 'x-github-delivery': randomUUID() };
    expect(await desk.deliver({}, headers)).toMatchObject({ status: 401 });
    const sha1 = createHmac('sha1', SECRETS.LINEPRINT_SECRET_HOOK).update('{}').digest('hex');
    expect(await desk.deliver({}, { ...headers, 'x-hub-signature': `sha1=${sha1}` })).toMatchObject({
      status: 401,
    });
    expect((await desk.until(() => true)).seen['main']).toBe(before);
  });

  it('at an address that nobody connected is refused before its body is read', async () => {
    const response = await fetch(`${pipeline.ingestUrl}/webhooks/github/${'0'.repeat(32)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{ this is not even JSON',
    });
    expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject({
      status: 404,
      code: 'hook-unknown',
    });
    const signed = createHmac('sha256', SECRETS.LINEPRINT_SECRET_HOOK).update('{}').digest('hex');
    const headers = { 'x-gitea-event': 'push', 'x-gitea-delivery': 'x', 'x-gitea-signature': signed };
    expect(await desk.deliver({}, headers, 'gitea')).toMatchObject({ status: 404 });
    expect(await desk.deliver({}, headers)).toMatchObject({ status: 401 });
  });

  it('that comes again, under its own id or another, is taken once', async () => {
    const after = next();
    const id = randomUUID();
    expect(await desk.pushed(before, after, { id })).toEqual({ status: 202, outcome: 'queued' });
    expect(await desk.pushed(before, after, { id })).toEqual({ status: 202, outcome: 'repeated' });
    expect(await desk.pushed(before, after)).toEqual({ status: 202, outcome: 'repeated' });
    await desk.until(({ seen }) => seen['main'] === after);
  });

  it('of what does not count is taken and ignored', async () => {
    const sha = next();
    expect(await desk.pushed(before, sha, { ref: 'refs/heads/feature' })).toEqual({
      status: 202,
      outcome: 'ignored',
    });
    expect(await desk.pushed(before, sha, { ref: 'refs/tags/v1' })).toEqual({
      status: 202,
      outcome: 'ignored',
    });
    expect(await desk.pushed(before, '0'.repeat(40), { ref: 'refs/heads/feature' })).toEqual({
      status: 202,
      outcome: 'ignored',
    });
    expect(await desk.pushed(before, sha)).toEqual({ status: 202, outcome: 'queued' });
    await desk.until(({ seen }) => seen['main'] === sha);
  });

  it('is signed with the new secret or, for a while, with the one before', async () => {
    const rotate = (secret: string, overlapHours: number) =>
      api('POST', `/api/v1/connected-repositories/${desk.hookId}/rotate-secret`, { secret, overlapHours });
    expect(await rotate('env:LINEPRINT_SECRET_SHORT', 1)).toMatchObject({
      status: 422,
      answer: { code: 'secret-weak' },
    });
    expect(await rotate('env:LINEPRINT_SECRET_HOOK_2', 1)).toMatchObject({ status: 200 });
    const sha = next();
    expect(await desk.pushed('1'.repeat(40), sha)).toMatchObject({ status: 202 });
    const secret = SECRETS.LINEPRINT_SECRET_HOOK_2;
    expect(await desk.pushed('2'.repeat(40), sha, { secret })).toMatchObject({ status: 202 });
    await rotate('env:LINEPRINT_SECRET_HOOK_2', 0);
    expect(await desk.pushed('3'.repeat(40), sha)).toMatchObject({ status: 401 });
    expect(await desk.pushed('4'.repeat(40), sha, { secret })).toMatchObject({ status: 202 });
  });
});

describe('a host', () => {
  const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64' = 'hex') =>
    createHmac('sha256', key).update(text).digest(encoding);
  const hook = SECRETS.LINEPRINT_SECRET_HOOK;
  const zeros = '0'.repeat(40);

  it.each<[string, GitHost, object, (before: string, after: string) => object, (body: string) => object]>([
    [
      'GitLab by a secret token, which lists at most 20 commits',
      'gitlab',
      {},
      (before, after) => ({
        object_kind: 'push',
        ref: 'refs/heads/main',
        before,
        after,
        checkout_sha: after,
        total_commits_count: 25,
        commits: Array.from({ length: 20 }, (_, i) => ({ id: String(i).padStart(40, 'a') })),
      }),
      () => ({
        'x-gitlab-event': 'Push Hook',
        'x-gitlab-event-uuid': randomUUID(),
        'x-gitlab-token': hook,
      }),
    ],
    [
      'GitLab by a signing token',
      'gitlab',
      { secret: 'env:LINEPRINT_SECRET_SIGNING' },
      (before, after) => ({ object_kind: 'push', ref: 'refs/heads/main', before, after, commits: [] }),
      (body) => {
        const id = randomUUID();
        const time = Math.floor(Date.now() / 1000);
        return {
          'x-gitlab-event': 'Push Hook',
          'webhook-id': id,
          'webhook-timestamp': String(time),
          'webhook-signature': `v1,${hmac(Buffer.alloc(32, 7), `${id}.${time}.${body}`, 'base64')}`,
        };
      },
    ],
    [
      'Bitbucket Cloud, which lists 5 commits and says that it left some out',
      'bitbucket-cloud',
      {},
      (before, after) => ({
        push: {
          changes: [
            {
              old: { type: 'branch', name: 'main', target: { hash: before } },
              new: { type: 'branch', name: 'main', target: { hash: after } },
              commits: Array.from({ length: 5 }, (_, i) => ({ hash: String(i).padStart(40, 'b') })),
              truncated: true,
              forced: false,
            },
          ],
        },
      }),
      (body) => ({
        'x-event-key': 'repo:push',
        'x-request-uuid': randomUUID(),
        'x-hub-signature': `sha256=${hmac(hook, body)}`,
      }),
    ],
    [
      'Bitbucket Data Center, which lists no commits',
      'bitbucket-dc',
      {},
      (before, after) => ({
        eventKey: 'repo:refs_changed',
        changes: [
          {
            ref: { id: 'refs/heads/main', displayId: 'main', type: 'BRANCH' },
            refId: 'refs/heads/main',
            fromHash: before,
            toHash: after,
            type: 'UPDATE',
          },
          { refId: 'refs/heads/old', fromHash: before, toHash: zeros, type: 'DELETE' },
        ],
      }),
      (body) => ({
        'x-event-key': 'repo:refs_changed',
        'x-request-id': randomUUID(),
        'x-hub-signature': `sha256=${hmac(hook, body)}`,
      }),
    ],
    [
      'Gitea, which sends GitHub’s headers as well, one of them SHA-1',
      'gitea',
      {},
      (before, after) => ({ ref: 'refs/heads/main', before, after, commits: [], total_commits: 25 }),
      (body) => ({
        'x-gitea-event': 'push',
        'x-gitea-delivery': randomUUID(),
        'x-gitea-signature': hmac(hook, body),
        'x-github-event': 'push',
        'x-github-delivery': randomUUID(),
        'x-hub-signature': `sha1=${createHmac('sha1', hook).update(body).digest('hex')}`,
      }),
    ],
  ])('is %s: all 25 commits of a push are analysed', async (_, host, changes, bodyOf, headersOf) => {
    const desk = new HostedRepository(host);
    const before = desk.commit('start', { 'a.ts': block('first') });
    desk.push();
    await desk.connect(changes);
    const shas = desk.commits(25);
    desk.push();
    const body = bodyOf(before, shas.at(-1)!);
    const headers = headersOf(JSON.stringify(body)) as Record<string, string>;
    expect(await desk.deliver(body, headers)).toEqual({ status: 202, outcome: 'queued' });
    expect([...(await desk.judged(25)).keys()].sort()).toEqual([...shas].sort());
  });
});

describe('a connected repository', () => {
  /** As if the time between two looks had passed. */
  const look = (desk: HostedRepository) => api('POST', `/api/v1/connected-repositories/${desk.hookId}/fetch`);

  it('is found to have commits that no webhook told of', async () => {
    const desk = new HostedRepository();
    desk.commit('start', { 'a.ts': block('first') });
    desk.push();
    await desk.connect();
    const missed = desk.commit('missed', { 'b.ts': block('second') });
    desk.push();
    await pipeline.database.query(
      "UPDATE connected_repositories SET due_at = NOW() - INTERVAL '1 second' WHERE hook_id = $1",
      [desk.hookId],
    );
    await desk.judged(1);
    expect((await desk.until(({ seen }) => seen['main'] === missed)).failures).toBe(0);
  });

  it('has its newest commits analysed where that is asked for, and what was before them as nobody’s work', async () => {
    const desk = new HostedRepository();
    const shas = ['a', 'b', 'c', 'd'].map((name) => desk.commit(name, { [`${name}.ts`]: block(name) }));
    desk.push();
    await desk.connect({ history: 2 });
    expect([...(await desk.judged(2)).keys()].sort()).toEqual(shas.slice(2).sort());
    const baselines = await pipeline.database.query<{ count: number }>(
      `SELECT COUNT(*) AS count FROM repository_line_changes WHERE org_id = 'default' AND repository = $1`,
      [desk.name],
    );
    expect(baselines[0]!.count).toBe(3);
  });

  it('says by its .mailmap whose addresses are, until it has none any more', async () => {
    const desk = new HostedRepository();
    const aliases = async () =>
      (await resolvePeople(pipeline.database, 'default')).aliasesOf('ada@laptop.local');
    const pushed = async (message: string, mailmap: string) => {
      const sha = desk.commit(message, { '.mailmap': mailmap });
      desk.push();
      await (desk.hookId === '' ? desk.connect() : look(desk));
      await desk.until(({ seen }) => seen['main'] === sha);
    };
    await pushed('mailmap', 'Ada <ada@example.org> <ada@laptop.local>\n');
    expect(await aliases()).toEqual(['ada@example.org', 'ada@laptop.local']);
    await pushed('empty', '');
    expect(await aliases()).toEqual(['ada@laptop.local']);
  });

  it('has the lines that its git-ai notes name declared', async () => {
    const desk = new HostedRepository();
    const lines = Array.from({ length: 10 }, (_, i) => `export const mark${i} = chart.at(${i * 11}, 'm');\n`);
    const noted = desk.commit('anchor', { 'src/anchor.ts': lines.join('') });
    const fixtures = join(__dirname, '../../libs/capture/src/adapters/fixtures');
    const note = readFileSync(join(fixtures, 'git-ai/3.0.0.txt'), 'utf8');
    desk.work.git(['notes', '--ref', 'ai', 'add', '-F', '-', noted], { input: note });
    desk.push('main', 'refs/notes/ai');
    await desk.connect({ history: 10 });
    expect(await desk.judged(1)).toEqual(new Map([[noted, { added: 10, ai: 5 }]]));
  });

  it('keeps what was force-pushed away, and goes on after it', async () => {
    const desk = new HostedRepository();
    desk.commit('start', { 'a.ts': block('first') });
    desk.push();
    await desk.connect();
    const gone = desk.commit('gone', { 'b.ts': block('second') });
    desk.push();
    await look(desk);
    await desk.judged(1);
    desk.work.git(['reset', '-q', '--hard', 'HEAD~1']);
    const other = desk.commit('other', { 'c.ts': block('third') });
    desk.push();
    await desk.pushed(gone, other);
    expect([...(await desk.judged(2)).keys()].sort()).toEqual([gone, other].sort());
    await desk.until(({ seen }) => seen['main'] === other);
  });

  it('forgets a branch that was deleted, also when another takes its place as a folder', async () => {
    const desk = new HostedRepository();
    desk.commit('start', { 'a.ts': block('first') });
    desk.work.git(['branch', 'release/1']);
    desk.push('main', 'release/1');
    expect(Object.keys((await desk.connect({ branches: ['main', 'release/*'] })).seen).sort()).toEqual([
      'main',
      'release/1',
    ]);
    desk.push(':release/1');
    desk.work.git(['checkout', '-q', '--detach']);
    const hotfix = desk.commit('hotfix', { 'b.ts': block('second') });
    desk.push(`${hotfix}:refs/heads/release/1/hotfix`);
    await desk.pushed('0'.repeat(40), hotfix, { ref: 'refs/heads/release/1/hotfix' });
    await desk.judged(1);
    const { seen } = await desk.until(({ seen: now }) => now['release/1/hotfix'] === hotfix);
    expect(Object.keys(seen).sort()).toEqual(['main', 'release/1/hotfix']);
  });

  it('counts what a branch leads to that counts, until the branch is deleted', async () => {
    const desk = new HostedRepository();
    desk.commit('start', { 'a.ts': block('first') });
    desk.push();
    await desk.connect({ branches: ['main', 'release/*'], history: 10 });
    await desk.judged(1);
    desk.work.git(['checkout', '-q', '-b', 'release/1']);
    const fix = desk.commit('fix', { 'b.ts': block('second') });
    desk.push('release/1');
    await desk.pushed('0'.repeat(40), fix, { ref: 'refs/heads/release/1' });
    const until = async (commits: number, provisional: number) => {
      for (;;) {
        const answer = await fetch(`${pipeline.queryUrl}/api/v1/summary?repository=${desk.name}`, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        const summary = (await answer.json()) as { commits: number; provisional: { commits: number } };
        if (summary.commits === commits && summary.provisional.commits === provisional) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    await until(2, 0);
    desk.push(':release/1');
    expect(await desk.pushed(fix, '0'.repeat(40), { ref: 'refs/heads/release/1' })).toEqual({
      status: 202,
      outcome: 'queued',
    });
    await until(1, 1);
  });

  it('gets the results that `lineprint push` gives, and sending both ways changes nothing', async () => {
    const desk = new HostedRepository();
    desk.commit('start', { 'a.ts': block('first') });
    desk.push();
    await desk.connect();
    desk.commit('written\n\nCo-authored-by: Claude <noreply@anthropic.com>', { 'b.ts': block('second') });
    const after = desk.commit('by hand', { 'c.ts': block('third') });
    desk.push();
    await look(desk);
    await desk.judged(2);
    const exported = async (name: string) => {
      const answer = await fetch(`${pipeline.queryUrl}/api/v1/export?repository=${name}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      return (await answer.text()).replaceAll(name, 'NAME');
    };
    const mirrored = await exported(desk.name);
    const repository = await openRepository(desk.work.path);
    const refs = await listCommits(repository, { range: `${after}~2..${after}` });
    const push = (name: string) =>
      sendHistory(refs, {
        repository,
        name,
        sink: new LineprintClient({ url: pipeline.ingestUrl, apiKey }),
        lineKey: deriveLineKey(LINE_KEY, keyId),
        declarations: defaultDeclarationPatterns,
      });
    await push(desk.name);
    const pushed = new HostedRepository();
    await sendBaseline(
      repository,
      `${refs[0]!.parents[0]}`,
      { repository: pushed.name },
      new LineprintClient({ url: pipeline.ingestUrl, apiKey }),
    );
    await push(pushed.name);
    await pushed.judged(2);
    // What was pushed after the repeated commits is judged: so were they.
    expect(await exported(desk.name)).toBe(mirrored);
    expect(await exported(pushed.name)).toBe(mirrored);
  });

  it('says what is wrong with a credential, and is fetched once that is right', async () => {
    const desk = new HostedRepository();
    const head = desk.commit('start', { 'a.ts': block('first') });
    desk.push();
    process.env['LINEPRINT_SECRET_WRONG'] = 'reader:not-the-token';
    try {
      const failing = await desk.connect({ credential: 'env:LINEPRINT_SECRET_WRONG' });
      expect(failing).toMatchObject({ status: 'failing', failures: 1, error: { code: 'git-remote' } });
      expect(JSON.stringify(failing)).not.toContain('not-the-token');
      process.env['LINEPRINT_SECRET_WRONG'] = SECRETS.LINEPRINT_SECRET_TOKEN;
      await look(desk);
      expect(await desk.until(({ status }) => status === 'connected')).toMatchObject({
        failures: 0,
        error: null,
        seen: { main: head },
      });
    } finally {
      delete process.env['LINEPRINT_SECRET_WRONG'];
    }
  });

  it.each([
    ['host-not-allowed', { cloneUrl: 'https://git.example.org/a/b.git' }],
    ['clone-url-invalid', { cloneUrl: 'file:///etc' }],
    ['clone-url-invalid', { cloneUrl: '/etc' }],
    ['clone-url-invalid', { cloneUrl: 'ext::sh -c id' }],
    ['clone-url-invalid', { cloneUrl: 'https://user:password@git.example.org/a/b.git' }],
    ['secret-missing', { secret: 'env:LINEPRINT_SECRET_NOT_THERE' }],
    ['secret-weak', { secret: 'env:LINEPRINT_SECRET_SHORT' }],
    ['secret-reference-invalid', { secret: 'env:LINEPRINT_DATABASE_URL' }],
    ['secret-reference-invalid', { credential: 'file:../../etc/passwd' }],
    ['item-invalid', { branches: ['a*b*c'] }],
  ])('is refused with %s for %j', async (code, changes) => {
    const wanted = {
      host: 'github',
      cloneUrl: `http://${server.host}/any.git`,
      secret: 'env:LINEPRINT_SECRET_HOOK',
      ...changes,
    };
    expect(await api('POST', '/api/v1/connected-repositories', wanted)).toMatchObject({
      status: 422,
      answer: { code },
    });
  });

  it('is gone with its mirror when it is removed', async () => {
    const desk = new HostedRepository();
    desk.commit('start', { 'a.ts': block('first') });
    desk.push();
    await desk.connect();
    expect(readdirSync(join(folder, 'mirrors'))).toContain(`${desk.hookId}.git`);
    const path = `/api/v1/connected-repositories/${desk.hookId}`;
    expect(await api('DELETE', path)).toMatchObject({ status: 200 });
    expect(await api('GET', path)).toMatchObject({ status: 404, answer: { code: 'repository-unknown' } });
    expect(readdirSync(join(folder, 'mirrors'))).not.toContain(`${desk.hookId}.git`);
    expect(await desk.pushed('1'.repeat(40), '2'.repeat(40))).toMatchObject({ status: 404 });
  });

  it('is connected, shown, looked at, given another secret and removed from the command line', async () => {
    const desk = new HostedRepository();
    const head = desk.commit('start', { 'a.ts': block('first') });
    desk.push();
    const at = ['--url', pipeline.ingestUrl, '--api-key', apiKey];
    const repo = (...args: string[]) => lineprintOutput(['repo', ...args, ...at]);
    const answer = async (...args: string[]) =>
      JSON.parse(await repo(...args, '--json')) as ConnectedRepositoryAnswer;
    const secrets = ['--secret', 'env:LINEPRINT_SECRET_HOOK', '--credential', 'env:LINEPRINT_SECRET_TOKEN'];
    const added = await repo('add', desk.cloneUrl, '--host', 'github', ...secrets, '--branch', 'main');
    desk.hookId = /webhooks\/github\/([0-9a-f]{32})$/m.exec(added)![1]!;
    await desk.until(({ status }) => status === 'connected');
    expect(await answer('show', desk.name)).toMatchObject({ seen: { main: head }, branches: ['main'] });
    expect(await repo('list')).toMatch(new RegExp(`^${desk.name} +github +connected`, 'm'));
    expect(await answer('fetch', desk.hookId)).toMatchObject({ hookId: desk.hookId });
    const rotated = await answer('rotate-secret', desk.name, '--secret', 'env:LINEPRINT_SECRET_HOOK_2');
    expect(rotated).toMatchObject({ secret: 'env:LINEPRINT_SECRET_HOOK_2' });
    expect(await repo('remove', desk.name)).toContain('forgotten');
    expect(await lineprint(['repo', 'show', desk.name, ...at])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(repository-unknown)') as string,
    });
  });
});
