import { createHmac, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import {
  activityEventSchema,
  commitEventSchema,
  type ConnectedRepositoryAnswer,
  deadLetterTopic,
  GROUPS,
  problemSchema,
  refsEventSchema,
  snippetEventSchema,
  TOPICS,
} from '@lineprint/contracts';
import { isRefsEvent, type LogRecord, parseJson } from '@lineprint/event-log';
import { fuzz, mutatedBytes, mutatedJson, oddTexts, type SeededRandom } from '../../fuzz';
import { embeddedPipeline, Organisation, type Pipeline } from '../../pipeline';

jest.setTimeout(600_000);

const SECRETS = {
  LINEPRINT_SECRET_FUZZ_GITHUB: 'a secret that nobody can guess',
  LINEPRINT_SECRET_FUZZ_GITLAB: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
};

let pipeline: Pipeline;
let organisation: Organisation;
const hooks = { github: '', gitlab: '' };

beforeAll(async () => {
  Object.assign(process.env, SECRETS);
  // Nobody answers there: what is fetched is not of interest here.
  pipeline = await embeddedPipeline({ LINEPRINT_GIT_HOSTS: 'http://127.0.0.1:9' });
  // The first one: its secrets may stand in the environment.
  organisation = await Organisation.create(pipeline, 'default');
  for (const host of ['github', 'gitlab'] as const) {
    const answer = await post('/api/v1/connected-repositories', {
      host,
      cloneUrl: `http://127.0.0.1:9/${host}.git`,
      secret: `env:LINEPRINT_SECRET_FUZZ_${host.toUpperCase()}`,
    });
    const x = await answer.text();
    if (answer.status !== 201) throw new Error(x);
    hooks[host] = (JSON.parse(x) as ConnectedRepositoryAnswer).hookId;
  }
});
afterAll(async () => {
  await pipeline.stop();
  for (const name of Object.keys(SECRETS)) delete process.env[name];
});

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(pipeline.ingestUrl + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${organisation.apiKey}`,
      ...headers,
    },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  });
}

/** Whatever was sent: it was taken, or the sender is told in the agreed form what is wrong with it. */
async function expectTyped(answer: Response): Promise<unknown> {
  const text = await answer.text();
  if (answer.status >= 200 && answer.status < 300) return JSON.parse(text);
  expect({ status: answer.status, text }).toEqual({ status: expect.any(Number) as number, text });
  if (answer.status < 400 || answer.status > 499) throw new Error(`${answer.status}: ${text.slice(0, 300)}`);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const problem = problemSchema.parse(JSON.parse(text));
  expect(problem.status).toBe(answer.status);
  // No sender gets much more back than it sent, nor a word about our insides.
  expect(problem.detail.length).toBeLessThan(5_000);
  expect(text).not.toMatch(/node_modules|\.[jt]s:\d+|SELECT |INSERT /);
  return problem;
}

let made = 0;
const sha = () => (++made).toString(16).padStart(40, '0');

function fingerprint(): Record<string, unknown> {
  return {
    codeId: `fuzz-${++made}`,
    sessionId: 'session',
    userId: 'ada@example.org',
    projectId: 'shop',
    source: 'chat',
    signature: Array.from({ length: 128 }, (_, i) => i * 33_554_431),
    lshBuckets: Array.from({ length: 16 }, (_, i) => i),
    language: 'typescript',
    fileExtension: '.ts',
    timestamp: 1_780_000_000_000,
    lineCount: 3,
    charCount: 40,
    structureHash: '0123456789abcdef',
    protocol: 2,
    keyId: organisation.keyId,
    pathKey: '0123456789abcdef',
    repository: 'fuzz',
    model: 'm',
    client: { name: 'fuzz', version: '1' },
    edit: { kind: 'insert' },
    acceptedPartially: false,
  };
}

const line = (number: number) =>
  `  const total${number} = sumOf(entries${number}, (entry) => entry.cents${number});`;

/** Commits, each the child of the one before: three lines are written anew in a file, and another is renamed. */
let tip: string | undefined;
function commit(): Record<string, unknown> {
  const id = sha();
  const lines = Array.from({ length: 9 }, (_, i) => line(made * 100 + i));
  return {
    repository: 'fuzz',
    projectId: 'shop',
    sha: id,
    parents: tip === undefined ? [] : [tip],
    authorName: 'Ada',
    authorEmail: 'ada@example.org',
    committerName: 'Ada',
    committerEmail: 'ada@example.org',
    authoredAt: 1_780_000_000_000 + made * 1000,
    committedAt: 1_780_000_000_000 + made * 1000,
    branch: 'main',
    declared: { tool: 'claude-code', by: 'trailer', source: 'agent', model: 'm' },
    files: [
      {
        path: 'src/ledger.ts',
        status: tip === undefined ? 'added' : 'modified',
        binary: false,
        addedLines: 5,
        deletedLines: 2,
        content: `${lines.join('\n')}\n`,
        hunks: [
          { oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, removed: ['old one();', 'old two();'] },
          { oldStart: 5, oldLines: 0, newStart: 7, newLines: 2, removed: [] },
        ],
        declaredLines: [
          { start: 0, count: 2, kind: 'P', source: 'agent' },
          { start: 2, count: 1, kind: 'H' },
        ],
      },
      {
        path: `src/part${made}.ts`,
        oldPath: 'src/part.ts',
        status: 'renamed',
        binary: false,
        addedLines: 1,
        deletedLines: 1,
        hunks: [
          { oldStart: 3, oldLines: 1, newStart: 3, newLines: 1, removed: ['gone();'], added: [line(made)] },
        ],
      },
      { path: 'bin', status: 'added', binary: true, addedLines: 0, deletedLines: 0, hunks: [] },
    ],
    merged: [{ path: 'src/ledger.ts', from: [{ parent: 0, edits: [0, 2, 0, 3, 4, 0, 5, 2] }] }],
  };
}

const bodies: Record<string, (random: SeededRandom) => unknown> = {
  '/api/v1/code-fingerprints': () => ({ fingerprints: [fingerprint(), fingerprint()] }),
  '/api/v1/commits': (random) => {
    const one = commit();
    // Now and then a second parent: a merge has its lines from elsewhere.
    if (random.between(0, 3) === 0) (one['parents'] as string[]).push('f'.repeat(40));
    return { commits: [one] };
  },
  '/api/v1/refs': () => ({
    repository: 'fuzz',
    projectId: 'shop',
    refs: [{ ref: 'refs/heads/main', sha: tip ?? null, isDefault: true, before: tip ?? sha() }],
  }),
  '/telemetry/code-fingerprint': () => fingerprint(),
  '/telemetry/code-gen-stats': () => ({
    sessionId: 'session',
    userId: 'ada@example.org',
    projectId: 'shop',
    timestamp: 1_780_000_000_000,
    tab: {
      suggestionsShown: 3,
      suggestionsAccepted: 2,
      charsAccepted: 80,
      fingerprints: ['a', 'b'],
      survival: [{ afterSeconds: 15, checks: 2, stillInCode: 1, wordSimilarity: 0.5, charSimilarity: 0.5 }],
    },
    chat: { edits: 1, additions: 1, deletions: 1, fingerprints: ['c'] },
    agent: { tasks: 1, additions: 1, deletions: 1, fingerprints: [] },
    gitBaseline: { headCommit: 'a'.repeat(40), additions: 1, deletions: 0 },
  }),
  '/api/v1/identities/mailmap': () => ({
    repository: 'fuzz',
    content: 'Ada <ada@example.org> <ada@old.example>\nBob <bob@example.org> Robert <b@example.org>\n',
  }),
  '/api/v1/teams': () => ({ teamId: `t${++made}`, name: 'Team', members: ['ada@example.org'] }),
  '/api/v1/identities/merge': () => ({ person: 'ada@example.org', into: 'bob@example.org' }),
  '/api/v1/identities/split': () => ({ address: 'ada@example.org' }),
  '/api/v1/policies': () => ({
    id: `p${++made}`,
    like: 'default',
    changes: { exclusions: [{ pattern: '*.gen.ts', reason: 'generated' }] },
    description: 'stricter',
  }),
  '/api/v1/replays': () => ({ policy: 'none', from: '2026-06-01', to: '2026-07-01', maxRate: 5 }),
  '/api/v1/dead-letters/drop': () => ({ filter: { topic: 'lineprint.commits.v1', code: 'x' }, dryRun: true }),
  '/api/v1/connected-repositories': () => ({
    host: 'github',
    cloneUrl: `http://127.0.0.1:9/${randomUUID()}.git`,
    secret: 'env:LINEPRINT_SECRET_FUZZ_GITHUB',
    branches: ['main', 'release/*'],
    history: 3,
  }),
};

/** Accepted items. */
const accepted = { commits: 0 };

describe.each(Object.entries(bodies))('a body for %s', (path, body) => {
  fuzz('that is not what it should be is taken or refused, item by item', 60, async (random) => {
    const value = body(random);
    const isText = random.between(0, 5) > 0;
    const bytes = isText
      ? mutatedJson(value, random)
      : mutatedBytes(Buffer.from(JSON.stringify(value)), random);
    const answer = await post(path, bytes);
    const taken = await expectTyped(answer);
    if (path !== '/api/v1/commits' || !answer.ok) return;
    accepted.commits += (taken as { accepted: number }).accepted;
    const { commits } = JSON.parse(bytes.toString()) as { commits: { sha: string }[] };
    tip = commits[0]!.sha;
  });
});

/** The answers to bytes on a connection of their own; empty where it was closed without one. */
function exchange(bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(pipeline.ingestUrl);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const said: Buffer[] = [];
    socket.on('data', (chunk) => said.push(chunk));
    // The server may close while we write.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(said).toString('latin1')));
    socket.end(bytes);
  });
}

function expectTypedHttp(said: string): void {
  if (said === '') return;
  const [head = '', ...rest] = said.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  if (!(status >= 200 && status < 500)) throw new Error(said.slice(0, 500));
  if (status < 400) return;
  expect(head.toLowerCase()).toContain('content-type: application/problem+json');
  const body = rest.join('\r\n\r\n');
  const text = /\r\ntransfer-encoding: chunked/i.test(head) ? body.split('\r\n')[1]! : body;
  // A second request on the connection may have its answer behind.
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? text.length);
  expect(
    problemSchema.parse(JSON.parse(Buffer.from(text, 'latin1').subarray(0, length).toString())).status,
  ).toBe(status);
}

function request(
  headers: readonly string[],
  body: Buffer | string = '',
  first = 'POST /api/v1/refs HTTP/1.1',
): Buffer {
  const head = [
    first,
    'Host: lineprint',
    `Authorization: Bearer ${organisation.apiKey}`,
    'Content-Type: application/json',
    'Connection: close',
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

const chunked = 'Transfer-Encoding: chunked';
const json = '{"refs":[]}';
const longJson = `{"refs":"${'x'.repeat(100_000)}"}`;
const lengthOf = (body: Buffer | string) => `Content-Length: ${Buffer.byteLength(body)}`;
const encoded = (encoding: string, body: Buffer) =>
  request([`Content-Encoding: ${encoding}`, lengthOf(body)], body);
const bomb = gzipSync(Buffer.alloc(80_000_000, 0x20));

describe('a request', () => {
  it.each<[string, () => Buffer]>([
    ['whose gzip body unpacks to 80 MB', () => encoded('gzip', bomb)],
    ['whose deflate body is none', () => encoded('deflate', Buffer.from(json))],
    [
      'whose br body unpacks beyond the limit',
      () => encoded('br', brotliCompressSync(Buffer.alloc(9_000_000, 0x20))),
    ],
    ['whose gzip body is cut off', () => encoded('gzip', gzipSync(longJson).subarray(0, -9))],
    [
      'whose gzip body has something behind it',
      () => encoded('gzip', Buffer.concat([gzipSync(json), Buffer.of(1, 2)])),
    ],
    ['whose gzip body is two', () => encoded('gzip', Buffer.concat([gzipSync('{"a":'), gzipSync('1}')]))],
    ['whose body is packed twice', () => encoded('gzip, gzip', gzipSync(gzipSync(json)))],
    ['whose body says that it is packed and is not', () => encoded('gzip', Buffer.from(json))],
    ['whose deflate body is raw', () => encoded('deflate', deflateSync(json).subarray(2))],
    ['whose encoding nobody knows', () => encoded('zstd-but-not-really', Buffer.from(json))],
    ['whose encoding is the name of a member of objects', () => encoded('__proto__', Buffer.from(json))],
    [
      'in UTF-16',
      () => request(['Content-Type: application/json; charset=utf-16', 'Content-Length: 4'], '{}\0\0'),
    ],
    ['in UTF-7', () => request(['Content-Type: application/json; charset=utf-7', lengthOf(json)], json)],
    [
      'in a character set of a name of 10,000 letters',
      () => request([`Content-Type: application/json; charset=${'x'.repeat(10_000)}`, lengthOf(json)], json),
    ],
    ['whose length is too large', () => request(['Content-Length: 99999'], json)],
    ['whose length is too small', () => request(['Content-Length: 3'], json)],
    ['whose length is negative', () => request(['Content-Length: -1'], json)],
    ['whose length is no number', () => request(['Content-Length: 1e3'], json)],
    ['whose length overflows', () => request([`Content-Length: ${'9'.repeat(40)}`], json)],
    ['with two lengths', () => request(['Content-Length: 11', 'Content-Length: 12'], json)],
    ['with a length and chunks', () => request([chunked, lengthOf(json)], json)],
    ['whose chunks are none', () => request([chunked], 'zzz\r\nabc\r\n0\r\n\r\n')],
    ['whose chunk is shorter than it says', () => request([chunked], 'ff\r\n{}\r\n0\r\n\r\n')],
    ['whose chunks have no end', () => request([chunked], 'b\r\n{"refs":[]}\r\n')],
    [
      'whose chunk has an extension of 100 KB',
      () => request([chunked], `2;${'x'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`),
    ],
    [
      'whose trailers are headers',
      () => request([chunked], '2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\n\r\n'),
    ],
    ['with 20,000 headers', () => request(Array.from({ length: 20_000 }, (_, i) => `X-H${i}: ${i}`))],
    ['with 1,900 headers', () => request(Array.from({ length: 1_900 }, (_, i) => `a:${i % 10}`))],
    ['with a header of 1 MB', () => request([`X-Long: ${'x'.repeat(1_000_000)}`])],
    ['with a line end in a header', () => request(['X-Bad: a\nb\rc'])],
    ['with U+0000 in a header', () => request(['X-Bad: a\0b'])],
    ['with a header without a name', () => request([': nothing'])],
    ['with a folded header', () => request(['X-Folded: a', ' b'])],
    ['with an expectation', () => request(['Expect: 100-continue', lengthOf(json)], json)],
    ['with an expectation of something else', () => request(['Expect: a-miracle', lengthOf(json)], json)],
    ['that would upgrade', () => request(['Upgrade: websocket', 'Connection: Upgrade'])],
    ['of a method that nobody knows', () => request([], '', 'BREW /api/v1/refs HTTP/1.1')],
    ['of TRACE', () => request([], '', 'TRACE /api/v1/refs HTTP/1.1')],
    ['of CONNECT', () => request([], '', 'CONNECT example.org:80 HTTP/1.1')],
    ['of OPTIONS for everything', () => request([], '', 'OPTIONS * HTTP/1.1')],
    ['of HTTP/2', () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['of HTTP/0.9', () => Buffer.from('GET /\r\n')],
    ['of TLS', () => Buffer.from('160301020001', 'hex')],
    [
      'with another address in its line',
      () => request([], '', 'POST http://elsewhere.example/api/v1/refs HTTP/1.1'),
    ],
    ['with an address of 100 KB', () => request([], '', `GET /${'a'.repeat(100_000)} HTTP/1.1`)],
    ['with a broken escape in its address', () => request([], '', 'GET /api/v1/%E0%A4%A HTTP/1.1')],
    [
      'with a broken escape in a parameter of its address',
      () => request([], '', 'GET /api/v1/connected-repositories/%E0%A4%A HTTP/1.1'),
    ],
    ['with U+0000 in its address', () => request([], '', 'GET /api/v1/connected-repositories/%00 HTTP/1.1')],
    [
      'with a thousand of a parameter',
      () => request([], '', `GET /api/v1/baselines?${'repository=a&'.repeat(1_000)} HTTP/1.1`),
    ],
    ['with U+0000 in a parameter', () => request([], '', 'GET /api/v1/baselines?repository=a%00b HTTP/1.1')],
    [
      'with half a surrogate pair in a parameter',
      () => request([], '', 'GET /api/v1/baselines?repository=%ED%A0%80 HTTP/1.1'),
    ],
    [
      'with a parameter that is an object',
      () => request([], '', 'GET /api/v1/baselines?repository[__proto__][a]=b HTTP/1.1'),
    ],
    ['with a webhook’s address and U+0000', () => request([], '', 'POST /webhooks/github/%00 HTTP/1.1')],
    [
      'with an empty line first',
      () => Buffer.concat([Buffer.from('\r\n\r\n'), request([lengthOf(json)], json)]),
    ],
    ['with two keys', () => request(['Authorization: Bearer another', lengthOf(json)], json)],
    [
      'whose key is no text',
      () =>
        Buffer.from(
          'GET /api/v1/enrolment HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \xff\xfe\r\nConnection: close\r\n\r\n',
          'latin1',
        ),
    ],
    [
      'whose key is of 10,000 letters',
      () =>
        Buffer.from(
          `GET /api/v1/enrolment HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer lp_${'x'.repeat(10_000)}\r\nConnection: close\r\n\r\n`,
        ),
    ],
    [
      'whose key is a token of nothing',
      () =>
        Buffer.from(
          'GET /api/v1/enrolment HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ..\r\nConnection: close\r\n\r\n',
        ),
    ],
    [
      'whose trace context is none',
      () => request([`traceparent: ${'0'.repeat(5_000)}`, lengthOf(json)], json),
    ],
  ])('%s is answered in the agreed form, or not at all', async (_name, bytes) => {
    expectTypedHttp(await exchange(bytes()));
  });

  fuzz(
    'of bytes that are damaged anywhere is answered in the agreed form, or not at all',
    150,
    async (random) => {
      const body = JSON.stringify(bodies['/api/v1/refs']!(random));
      const header = `X-${random.pick(['A', 'Trace', 'Content-Encoding'])}: ${random.pick(oddTexts).slice(0, 100)}`;
      expectTypedHttp(await exchange(mutatedBytes(request([header, lengthOf(body)], body), random)));
    },
  );
});

describe('a delivery', () => {
  const push = () => ({
    ref: 'refs/heads/main',
    before: sha(),
    after: sha(),
    created: false,
    repository: { full_name: 'harbour/fuzz', clone_url: 'https://elsewhere.example/other.git' },
    commits: [{ id: sha(), distinct: true, added: ['a.ts'] }],
  });
  const deliver = (host: 'github' | 'gitlab', body: Buffer, signed: Buffer) => {
    const id = randomUUID();
    const time = String(Math.floor(Date.now() / 1000));
    const hex = createHmac('sha256', SECRETS.LINEPRINT_SECRET_FUZZ_GITHUB).update(signed).digest('hex');
    const base64 = createHmac('sha256', Buffer.alloc(32, 7))
      .update(`${id}.${time}.`)
      .update(signed)
      .digest('base64');
    const headers: Record<string, string> =
      host === 'github'
        ? { 'x-github-event': 'push', 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${hex}` }
        : {
            'x-gitlab-event': 'Push Hook',
            'webhook-id': id,
            'webhook-timestamp': time,
            'webhook-signature': `v1,${base64}`,
          };
    return post(`/webhooks/${host}/${hooks[host]}`, new Uint8Array(body), headers);
  };

  describe.each(['github', 'gitlab'] as const)('of %s', (host) => {
    fuzz('with a body that is not what it should be, signed, is taken or refused', 60, async (random) => {
      const body =
        random.between(0, 2) === 0
          ? mutatedBytes(Buffer.from(JSON.stringify(push())), random)
          : Buffer.from(mutatedJson(push(), random));
      const answer = await deliver(host, body, body);
      expect(answer.status).not.toBe(401);
      await expectTyped(answer);
    });

    fuzz('with a body that changed after it was signed is refused', 30, async (random) => {
      const body = Buffer.from(JSON.stringify(push()));
      const changed = mutatedBytes(body, random);
      const answer = await deliver(host, changed, body);
      if (!changed.equals(body)) expect(answer.status).toBe(401);
      await expectTyped(answer);
    });
  });
});

describe('what was taken', () => {
  /** Waits until a group has read a topic to its end, and says what it has read. */
  async function readBy(group: string, topic: string): Promise<LogRecord[]> {
    const ends = await pipeline.log.endOffsets(topic);
    while (
      (await pipeline.log.committed(group, topic)).some((offset, partition) => offset < ends[partition]!)
    ) {
      for (const { halted } of pipeline.log.consumptions)
        if (halted) throw new Error(`${topic} stands still`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const records: LogRecord[] = [];
    const ranges = ends.map((to, partition) => ({ partition, from: 0, to }));
    for await (const record of pipeline.log.read(topic, ranges)) records.push(record);
    return records;
  }

  it('is what the contracts say, and every consumer takes it', async () => {
    for (const record of await readBy(GROUPS.indexer, TOPICS.snippets)) parseJson(record, snippetEventSchema);
    for (const record of await readBy(GROUPS.rollupActivity, TOPICS.activity))
      parseJson(record, activityEventSchema);
    const commits = await readBy(GROUPS.commitAnalyzer, TOPICS.commits);
    commits.filter(isRefsEvent).forEach((record) => parseJson(record, refsEventSchema));
    const events = commits.filter((record) => !isRefsEvent(record));
    // What snippets that came late make come again has a revision.
    const first = events.filter((record) => parseJson(record, commitEventSchema).revision === undefined);
    expect(first).toHaveLength(accepted.commits);
    await readBy(GROUPS.lineAttributor, TOPICS.candidates);
    await readBy(GROUPS.ledger, TOPICS.candidates);
    await readBy(GROUPS.rollupAttributions, TOPICS.attributions);
    const letters: string[] = [];
    for (const topic of Object.values(TOPICS).map(deadLetterTopic)) {
      const ends = await pipeline.log.endOffsets(topic);
      const ranges = ends.map((to, partition) => ({ partition, from: 0, to }));
      for await (const { headers } of pipeline.log.read(topic, ranges)) {
        letters.push(`${headers['lp_dlq_group']}: ${headers['lp_dlq_code']}: ${headers['lp_dlq_message']}`);
      }
    }
    expect(letters).toEqual([]);
  });

  it('is followed line by line, and its lines add up', async () => {
    await organisation.client.sendRefs({
      repository: 'fuzz',
      refs: [{ ref: 'refs/heads/main', sha: tip!, isDefault: true }],
    });
    await organisation.ledgerKept();
    const rows = (await organisation.export())
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as { type: string; files?: ExportedFile[] });
    const files = rows.flatMap((row) => row.files ?? []).filter(({ excluded }) => excluded === null);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const results = file.results.reduce((sum, { total_lines }) => sum + total_lines, 0);
      expect(results + file.inherited_lines + file.blank_lines).toBe(file.added_lines);
    }
  });
});

interface ExportedFile {
  readonly added_lines: number;
  readonly blank_lines: number;
  readonly inherited_lines: number;
  readonly excluded: string | null;
  readonly results: readonly { readonly total_lines: number }[];
}
