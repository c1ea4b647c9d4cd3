import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { CodeFingerprint, CommitPush } from '@lineprint/contracts';
import { deriveLineKey } from '@lineprint/fingerprint';
import { captureEdit } from './capture';
import { type ClientOptions, ClientRefusal, ClientUnavailable, LineprintClient } from './client';

interface Seen {
  url: string;
  headers: IncomingMessage['headers'];
  body: { fingerprints?: CodeFingerprint[]; commits?: CommitPush[] };
  bytes: number;
}
interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const [fingerprint] = captureEdit({
  before: '',
  after: 'const answer = 42;\n',
  path: 'a.ts',
  source: 'tab',
  sessionId: 's',
  userId: 'u',
  timestamp: 1,
  toolCallIndex: 0,
  lineKey: deriveLineKey(new Uint8Array(16), 'k'),
}) as [CodeFingerprint];

const commit = (content: string): CommitPush => ({
  repository: 'r',
  sha: 'a'.repeat(40),
  parents: [],
  authorName: 'A',
  authorEmail: 'a@example.org',
  committerName: 'A',
  committerEmail: 'a@example.org',
  authoredAt: 1,
  committedAt: 1,
  files: [{ path: 'a', status: 'added', binary: false, addedLines: 1, deletedLines: 0, content, hunks: [] }],
});

describe('LineprintClient', () => {
  let server: Server;
  let url: string;
  let seen: Seen[];
  let waits: number[];
  /** Answers in order; `undefined` breaks the connection. When used up: everything is accepted. */
  let replies: (Reply | undefined)[];

  beforeEach(async () => {
    [seen, waits, replies] = [[], [], []];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const raw = Buffer.concat(chunks);
        const json = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
        const body = (json.length > 0 ? JSON.parse(json.toString()) : {}) as Seen['body'];
        seen.push({ url: request.url ?? '', headers: request.headers, body, bytes: json.length });
        const accepted = (body.fingerprints ?? body.commits ?? []).length;
        const reply =
          replies.length > 0 ? replies.shift() : { status: 202, body: { accepted, rejected: [] } };
        if (!reply) {
          request.socket.destroy();
          return;
        }
        response.writeHead(reply.status, reply.headers).end(JSON.stringify(reply.body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const client = (options: Partial<ClientOptions> = {}) =>
    new LineprintClient({
      url: `${url}/`,
      apiKey: 'lp_test',
      sleep: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
      ...options,
    });

  it('sends fingerprints compressed, with its key, and gives the answer', async () => {
    replies = [{ status: 202, body: { accepted: 1, rejected: [{ index: 1, code: 'bad', detail: 'no' }] } }];
    expect(await client().sendFingerprints([fingerprint, fingerprint])).toEqual({
      accepted: 1,
      rejected: [{ index: 1, code: 'bad', detail: 'no' }],
    });
    expect(seen[0]).toMatchObject({
      url: '/api/v1/code-fingerprints',
      headers: {
        authorization: 'Bearer lp_test',
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: { fingerprints: [fingerprint, fingerprint] },
    });
  });

  it('sends a small body as it is, and stats to their own endpoint', async () => {
    await client().sendStats({ sessionId: 's', timestamp: 1 });
    expect(seen[0]).toMatchObject({
      url: '/telemetry/code-gen-stats',
      body: { sessionId: 's', timestamp: 1 },
    });
    expect(seen[0]!.headers).not.toHaveProperty('content-encoding');
  });

  it('sends nothing for nothing', async () => {
    expect(await client().sendFingerprints([])).toEqual({ accepted: 0, rejected: [] });
    expect(seen).toEqual([]);
  });

  it('splits at 500 fingerprints and numbers the rejected ones through', async () => {
    const rejected = [{ index: 3, code: 'bad', detail: 'no' }];
    replies = [500, 500, 200].map((count) => ({ status: 202, body: { accepted: count - 1, rejected } }));
    const answer = await client().sendFingerprints(Array<CodeFingerprint>(1200).fill(fingerprint));
    expect(seen.map(({ body }) => body.fingerprints!.length)).toEqual([500, 500, 200]);
    expect(answer.accepted).toBe(1197);
    expect(answer.rejected.map(({ index }) => index)).toEqual([3, 503, 1003]);
  });

  it('keeps every body of fingerprints within 4 MiB, of commits within 16 MiB', async () => {
    const large = { ...fingerprint, rawCode: 'ä'.repeat(450_000) };
    await client().sendFingerprints(Array<CodeFingerprint>(9).fill(large));
    expect(seen.map(({ body }) => body.fingerprints!.length)).toEqual([4, 4, 1]);
    for (const { bytes } of seen) expect(bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
    seen = [];
    const sizes = [7, 7, 7, 20, 1].map((mib) => commit('x'.repeat(mib * 1024 * 1024)));
    await client().sendCommits(sizes);
    expect(seen.map(({ body }) => body.commits!.length)).toEqual([2, 1, 1, 1]);
  });

  it('tries again after a broken connection and after a server error', async () => {
    replies = [undefined, { status: 503 }, { status: 202, body: { accepted: 1, rejected: [] } }];
    expect(await client().sendFingerprints([fingerprint])).toEqual({ accepted: 1, rejected: [] });
    expect(seen).toHaveLength(3);
    expect(waits).toHaveLength(2);
    expect(waits[1]!).toBeGreaterThanOrEqual(250);
  });

  it('waits as long as the server asks, in seconds or until a date, and at most 30 seconds', async () => {
    const past = new Date(0).toUTCString();
    replies = ['2', past, '3600'].map((after) => ({ status: 429, headers: { 'retry-after': after } }));
    await client().sendFingerprints([fingerprint]);
    expect(waits).toEqual([2000, 0, 30_000]);
  });

  it('gives up after its tries with an error that says trying later can help', async () => {
    replies = Array<Reply>(3).fill({ status: 500 });
    const sending = client({ retries: 2 }).sendFingerprints([fingerprint]);
    await expect(sending).rejects.toBeInstanceOf(ClientUnavailable);
    await expect(sending).rejects.toMatchObject({
      transient: true,
      message: expect.stringContaining('3 tries'),
    });
    expect(seen).toHaveLength(3);
  });

  it("throws a refusal at once, with the server's problem", async () => {
    const problem = {
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      code: 'no-key',
      detail: 'Send a key.',
    };
    replies = [{ status: 401, body: problem }];
    const sending = client().sendCommits([commit('x')]);
    await expect(sending).rejects.toBeInstanceOf(ClientRefusal);
    await expect(sending).rejects.toMatchObject({ status: 401, code: 'no-key', problem });
    expect(seen).toHaveLength(1);
  });

  it('refuses an answer that is not from Lineprint, and follows no redirect with its key', async () => {
    replies = [
      { status: 200, body: 'welcome' },
      { status: 302, headers: { location: `${url}/elsewhere` } },
    ];
    await expect(client().sendFingerprints([fingerprint])).rejects.toMatchObject({ code: 'http-200' });
    await expect(client().sendFingerprints([fingerprint])).rejects.toMatchObject({ code: 'http-302' });
    expect(seen).toHaveLength(2);
  });

  it('takes a batch whose every item was refused for an answer, unless the batch is not ours to send', async () => {
    const rejected = [{ index: 0, code: 'commit-inconsistent', detail: 'wrong counts' }];
    const problem = {
      type: 'urn:x',
      title: 'Unprocessable Content',
      code: 'commit-inconsistent',
      detail: 'wrong counts',
      accepted: 0,
      rejected,
    };
    replies = [
      { status: 422, body: { ...problem, status: 422 } },
      { status: 403, body: { ...problem, status: 403 } },
    ];
    const client = new LineprintClient({ url, apiKey: 'key' });
    expect(await client.sendCommits([commit('a')])).toEqual({ accepted: 0, rejected });
    await expect(client.sendCommits([commit('a')])).rejects.toBeInstanceOf(ClientRefusal);
  });

  it('gives the organisation and its line key', async () => {
    const enrolment = { orgId: 'o', keyId: 'k', lineKey: 'AQ==', rawCode: true };
    replies = [
      { status: 200, body: enrolment },
      { status: 200, body: {} },
    ];
    expect(await client().enrolment()).toEqual(enrolment);
    expect(seen[0]).toMatchObject({ url: '/api/v1/enrolment', headers: { authorization: 'Bearer lp_test' } });
    await expect(client().enrolment()).rejects.toMatchObject({ code: 'http-200' });
  });

  it('says how long the server asked to be left alone, however long that is', async () => {
    replies = [{ status: 429, headers: { 'retry-after': '3600' } }];
    await expect(client({ retries: 0 }).sendFingerprints([fingerprint])).rejects.toMatchObject({
      code: 'server-unavailable',
      retryAfterMs: 3_600_000,
    });
  });

  it('ends at once when it is told to, without another try', async () => {
    const stop = new AbortController();
    const sending = client({
      signal: stop.signal,
      fetch: (url, init) => {
        stop.abort();
        return fetch(url, init);
      },
    }).sendFingerprints([fingerprint]);
    await expect(sending).rejects.toMatchObject({
      code: 'server-unavailable',
      message: expect.stringMatching(/1 tries/),
    });
    expect(seen).toEqual([]);
  });
});
