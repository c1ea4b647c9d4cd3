import { gzipSync } from 'node:zlib';
import { Module } from '@nestjs/common';
import { decodeWords, type SnippetEvent, snippetEventSchema, TOPICS } from '@lineprint/contracts';
import { EVENT_LOG, type EventLog, EventLogModule, parseJson } from '@lineprint/event-log';
import { LINE_PRINT_VERSION } from '@lineprint/fingerprint';
import { IngestModule } from '@lineprint/ingest';
import { bootstrap, createApiKey, DATABASE, type Database, PersistenceModule } from '@lineprint/persistence';
import { RawCodeKeys, type RunningService, startService } from '@lineprint/platform';
import { embeddedStores, freshDatabase, serverUrl, type TestStores } from '../stores';

@Module({ imports: [PersistenceModule, EventLogModule, IngestModule] })
class IngestApp {}

let codeIds = 0;
function fingerprint(extra: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    codeId: `session-0-${codeIds++}`,
    sessionId: 'session',
    userId: 'ada@example.com',
    projectId: 'shop',
    source: 'chat',
    signature: Array.from({ length: 128 }, (_, i) => i * 33_554_431),
    lshBuckets: Array.from({ length: 16 }, (_, i) => i),
    language: 'typescript',
    fileExtension: '.ts',
    timestamp: Date.UTC(2026, 5, 1),
    lineCount: 3,
    charCount: 40,
    structureHash: '0123456789abcdef',
    ...extra,
  };
}

const modes: [string, () => Promise<TestStores>][] = [
  ['embedded', () => embeddedStores({ LINEPRINT_RAW_CODE_KEY: Buffer.alloc(32, 7).toString('base64') })],
  [
    'Kafka and Postgres',
    async () => {
      const database = await freshDatabase();
      const stores = await embeddedStores({
        LINEPRINT_DATABASE_URL: database.url,
        LINEPRINT_LOG_URL: serverUrl('KAFKA'),
        LINEPRINT_RAW_CODE_KEY: Buffer.alloc(32, 7).toString('base64'),
      });
      return { config: stores.config, drop: database.drop };
    },
  ],
];

describe.each(modes)('ingest on %s', (_mode, open) => {
  let stores: TestStores;
  let service: RunningService;
  let database: Database;
  let log: EventLog;
  let apiKey: string;
  let strangersKey: string;

  beforeAll(async () => {
    stores = await open();
    service = await startService({ name: 'ingest', module: IngestApp, config: stores.config });
    database = service.app.get(DATABASE);
    log = service.app.get(EVENT_LOG);
    apiKey = (await bootstrap(database, stores.config.bootstrap)).apiKey!;
    const stranger = await bootstrap(database, { ...stores.config.bootstrap, orgId: 'stranger' });
    strangersKey = stranger.apiKey!;
  }, 60_000);
  afterAll(async () => {
    await service?.close();
    await stores?.drop();
  }, 60_000);

  async function post(
    path: string,
    body: unknown,
    options: { key?: string | null; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; type: string; headers: Headers; body: Record<string, unknown> }> {
    const key = options.key === undefined ? apiKey : options.key;
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...options.headers,
      },
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    });
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  }

  async function endOffset(): Promise<number> {
    return (await log.endOffsets(TOPICS.snippets)).reduce((sum, end) => sum + end, 0);
  }

  /** The events that were appended while `work` ran, as a consumer of the topic gets them. */
  async function appended(work: () => Promise<void>): Promise<SnippetEvent[]> {
    const before = await log.endOffsets(TOPICS.snippets);
    await work();
    const expected = (await endOffset()) - before.reduce((sum, end) => sum + end, 0);
    const events: SnippetEvent[] = [];
    let consumption: { stop(): Promise<void> } | undefined;
    await new Promise<void>((resolve, reject) => {
      const limit = setTimeout(
        () => reject(new Error(`only ${events.length} of ${expected} events came`)),
        20_000,
      );
      const done = () => {
        clearTimeout(limit);
        resolve();
      };
      if (expected === 0) return done();
      log
        .consume({
          group: `test-${before.join('-')}`,
          topic: TOPICS.snippets,
          handler: async ({ records }) => {
            for (const record of records) {
              if (record.offset >= before[record.partition]!)
                events.push(parseJson(record, snippetEventSchema));
            }
            if (events.length >= expected) done();
            return { processed: records.length };
          },
        })
        .then((started) => (consumption = started), reject);
    });
    await consumption?.stop();
    return events;
  }

  it('takes a good batch and passes each item on with the tenant of the credential', async () => {
    const items = [fingerprint(), fingerprint({ protocol: 2, pathKey: 'a'.repeat(16), unknownField: 1 })];
    const events = await appended(async () => {
      const answer = await post('/api/v1/code-fingerprints', { fingerprints: items });
      expect(answer.status).toBe(202);
      expect(answer.body).toEqual({ accepted: 2, rejected: [] });
    });
    expect(events.map(({ codeId, tenant, protocol }) => ({ codeId, tenant, protocol }))).toEqual([
      { codeId: items[0]!['codeId'], tenant: 'default', protocol: 1 },
      { codeId: items[1]!['codeId'], tenant: 'default', protocol: 2 },
    ]);
    expect([...decodeWords(events[0]!.signature)]).toEqual(items[0]!['signature']);
  });

  const base64 = (...bytes: number[]) => Buffer.from(bytes).toString('base64');

  it('accepts the good items of a mixed batch and says of each bad one why', async () => {
    const good = [fingerprint(), fingerprint(), fingerprint()];
    const events = await appended(async () => {
      const answer = await post('/api/v1/code-fingerprints', {
        fingerprints: [
          good[0],
          fingerprint({ signature: [1, 2, 3] }),
          good[1],
          fingerprint({ protocol: 9 }),
          fingerprint({ source: 'telepathy' }),
          fingerprint({ timestamp: Date.now() + 7 * 86_400_000 }),
          'not even an object',
          good[2],
          fingerprint({ linePrints: base64(LINE_PRINT_VERSION - 1, 0) }),
          fingerprint({ linePrints: base64(LINE_PRINT_VERSION, 1) }),
        ],
      });
      expect(answer.status).toBe(202);
      expect(answer.body['accepted']).toBe(3);
      expect(answer.body['rejected']).toEqual([
        { index: 1, code: 'signature-invalid', detail: expect.stringContaining('128') },
        { index: 3, code: 'protocol-unknown', detail: expect.stringContaining('1 and 2') },
        { index: 4, code: 'item-invalid', detail: expect.stringContaining('source') },
        { index: 5, code: 'timestamp-in-future', detail: expect.any(String) },
        { index: 6, code: 'item-invalid', detail: expect.any(String) },
        { index: 8, code: 'line-prints-version', detail: expect.stringContaining('version') },
        { index: 9, code: 'line-prints-invalid', detail: expect.stringContaining('early') },
      ]);
    });
    expect(events.map(({ codeId }) => codeId).sort()).toEqual(good.map((item) => item['codeId']).sort());
  });

  it.each([
    ['a signature of the wrong length', { signature: [1] }, 'signature-invalid', 422],
    ['a signature value beyond 32 bits', { signature: Array(128).fill(2 ** 32) }, 'signature-invalid', 422],
    ['bands of the wrong length', { lshBuckets: [1] }, 'lsh-buckets-invalid', 422],
    ['an unknown protocol version', { protocol: 3 }, 'protocol-unknown', 422],
    ['another organisation', { orgId: 'stranger' }, 'tenant-mismatch', 403],
  ])('refuses a batch of one item with %s', async (_what, fault, code, status) => {
    const before = await endOffset();
    const answer = await post('/api/v1/code-fingerprints', { fingerprints: [fingerprint(fault)] });
    expect(answer.status).toBe(status);
    expect(answer.type).toContain('application/problem+json');
    expect(answer.body).toMatchObject({
      type: `urn:lineprint:problem:${code}`,
      code,
      status,
      accepted: 0,
      rejected: [{ index: 0, code }],
    });
    expect(await endOffset()).toBe(before);
  });

  it("refuses another tenant's project, for fingerprints and for commits", async () => {
    await post(
      '/api/v1/code-fingerprints',
      { fingerprints: [fingerprint({ projectId: 'theirs' })] },
      { key: strangersKey },
    );
    const before = await endOffset();
    const answer = await post('/api/v1/code-fingerprints', {
      fingerprints: [fingerprint({ projectId: 'theirs' })],
    });
    expect(answer).toMatchObject({ status: 403, body: { code: 'project-forbidden' } });
    expect(answer.type).toContain('application/problem+json');
    const commit = {
      repository: 'shop',
      projectId: 'theirs',
      sha: 'a'.repeat(40),
      parents: [],
      authorName: 'x',
      authorEmail: 'x@example.com',
      committerName: 'x',
      committerEmail: 'x@example.com',
      authoredAt: 0,
      committedAt: 0,
      files: [],
    };
    expect(await post('/api/v1/commits', { commits: [commit] })).toMatchObject({
      status: 403,
      body: { code: 'project-forbidden' },
    });
    expect(await endOffset()).toBe(before);
    const { projectId: _named, ...unnamed } = { ...commit, repository: 'theirs' };
    expect(await post('/api/v1/commits', { commits: [unnamed] })).toMatchObject({ status: 202 });
  });

  it('refuses a body of 10 MB, and one that unpacks to it', async () => {
    const body = JSON.stringify({ fingerprints: [fingerprint({ rawCode: 'x'.repeat(10_000_000) })] });
    const plain = await post('/api/v1/code-fingerprints', body);
    expect(plain).toMatchObject({ status: 413, body: { code: 'body-too-large' } });
    expect(plain.type).toContain('application/problem+json');
    expect(plain.headers.get('retry-after')).not.toBeNull();
    const packed = await post('/api/v1/code-fingerprints', gzipSync(body), {
      headers: { 'content-encoding': 'gzip' },
    });
    expect(packed).toMatchObject({ status: 413, body: { code: 'body-too-large' } });
  });

  it('does not read the body of a sender that it does not know', async () => {
    const body = JSON.stringify({ fingerprints: ['x'.repeat(10_000_000)] });
    expect(await post('/api/v1/code-fingerprints', body, { key: null })).toMatchObject({
      status: 401,
      body: { code: 'credential-missing' },
    });
  });

  it('refuses more items than a batch may have', async () => {
    const answer = await post('/api/v1/code-fingerprints', { fingerprints: Array(1001).fill(1) });
    expect(answer).toMatchObject({ status: 413, body: { code: 'batch-too-large' } });
  });

  it.each([
    [
      'another content type',
      'a=1',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'content-type-unsupported',
    ],
    ['broken JSON', '{"fingerprints": [', {}, 400, 'json-invalid'],
    ['a body that is no batch', '[]', {}, 400, 'batch-invalid'],
    ['damaged compression', 'not gzip', { 'content-encoding': 'gzip' }, 400, 'body-unreadable'],
    ['an unknown encoding', 'x', { 'content-encoding': 'lzma' }, 415, 'encoding-unsupported'],
  ])('answers %s with a problem', async (_what, body, headers, status, code) => {
    const answer = await post('/api/v1/code-fingerprints', body, { headers });
    expect(answer.type).toContain('application/problem+json');
    expect(answer).toMatchObject({ status, body: { status, code, detail: expect.any(String) } });
  });

  it.each([
    ['no credential', null, 401, 'credential-missing'],
    ['an unknown credential', 'lp_000000000000_nothing_00000000', 401, 'credential-invalid'],
  ])('refuses a request with %s', async (_what, key, status, code) => {
    const answer = await post('/api/v1/code-fingerprints', { fingerprints: [fingerprint()] }, { key });
    expect(answer.type).toContain('application/problem+json');
    expect(answer).toMatchObject({ status, body: { code } });
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });

  it('refuses a key without the scope, and a personal key that sends for someone else', async () => {
    const reader = await createApiKey(database, { orgId: 'default', scopes: ['read'] });
    expect(
      await post('/api/v1/code-fingerprints', { fingerprints: [fingerprint()] }, { key: reader.key }),
    ).toMatchObject({ status: 403, body: { code: 'scope-missing' } });
    const personal = await createApiKey(database, {
      orgId: 'default',
      scopes: ['ingest'],
      userId: 'bob@example.com',
    });
    expect(
      await post('/api/v1/code-fingerprints', { fingerprints: [fingerprint()] }, { key: personal.key }),
    ).toMatchObject({ status: 403, body: { code: 'user-mismatch' } });
  });

  it("answers the seed's two endpoints with true", async () => {
    const { protocol: _none, ...seed } = fingerprint();
    expect(await post('/telemetry/code-fingerprint', seed)).toMatchObject({ status: 200, body: true });
    const stats = {
      sessionId: 'session',
      timestamp: 1,
      tab: undefined,
      chat: { edits: 1, additions: 2, deletions: 0, fingerprints: [] },
    };
    expect(await post('/telemetry/code-gen-stats', stats)).toMatchObject({ status: 200, body: true });
    expect(await post('/telemetry/code-gen-stats', { sessionId: 'x' })).toMatchObject({
      status: 422,
      body: { code: 'item-invalid', detail: expect.stringContaining('timestamp') },
    });
  });

  it('drops raw code unless the organisation opted in, and passes it on encrypted if it did', async () => {
    const rawCode = 'const secret = 1;';
    const [dropped] = await appended(async () => {
      await post('/api/v1/code-fingerprints', { fingerprints: [fingerprint({ rawCode })] });
    });
    expect(JSON.stringify(dropped)).not.toContain('secret');
    expect(dropped!.rawCodeEncrypted).toBeUndefined();
    await database.query("UPDATE tenants SET raw_code = TRUE WHERE org_id = 'stranger'");
    const [kept] = await appended(async () => {
      await post(
        '/api/v1/code-fingerprints',
        { fingerprints: [fingerprint({ rawCode, projectId: 'theirs' })] },
        { key: strangersKey },
      );
    });
    expect(JSON.stringify(kept)).not.toContain('secret');
    expect(new RawCodeKeys([Buffer.alloc(32, 7)]).decrypt(kept!.rawCodeEncrypted!)).toBe(rawCode);
  });

  it('answers 404 as a problem, too', async () => {
    const response = await fetch(`${service.url}/nowhere`);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(response.status).toBe(404);
  });
});
