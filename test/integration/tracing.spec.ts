import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GROUPS, TOPICS } from '@lineprint/contracts';
import { openEventLog } from '@lineprint/event-log';
import { openDatabase } from '@lineprint/persistence';
import { type RunningStack, startStack } from '../stack';

const TRACE_ID = 'a'.repeat(32);
const CALLER_SPAN = 'b'.repeat(16);
const REPOSITORY = 'secret-repository';
const SHA = 'c'.repeat(40);

/** What no log may hold, by what it is. */
const SECRETS = {
  'code of a commit': 'total = credit - debit',
  'code of a snippet': 'secret_snippet = open_vault()',
  'code in a body that is refused': 'refused_secret = 1',
  'a record that nobody can read': 'unreadable-secret-record',
  'a token': `eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0.${Buffer.from('{"iss":"nobody"}').toString('base64url')}.c2lnbmF0dXJl`,
  'a wrong API key': `lp_0123456789ab_${'d'.repeat(64)}_00000000`,
  'the key of raw code': Buffer.alloc(32, 7).toString('base64'),
  'the secret of a webhook': 'a-webhook-secret-of-some-length',
  'the credential of a repository': 'a-token-of-the-git-host',
};

interface Attribute {
  readonly key: string;
  readonly value: { stringValue?: string };
}

interface Span {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
}

interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<Span, 'service'>[] }[];
  }[];
}

/** Takes spans as a collector does, OTLP in JSON over HTTP. */
class Collector {
  readonly spans: Span[] = [];
  /** All that was sent, as text. */
  received = '';
  private server: Server | undefined;

  async start(): Promise<string> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url === '/v1/traces') this.take(Buffer.concat(chunks).toString('utf8'));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  private take(body: string): void {
    this.received += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as OtlpTraces).resourceSpans) {
      const name = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      this.spans.push(
        ...scopeSpans.flatMap(({ spans }) => spans).map((span) => ({ ...span, service: name })),
      );
    }
  }
}

/** Sends what must not be logged to every door, well formed and not. */
async function sendSecrets(stack: RunningStack): Promise<void> {
  const { ingest, 'query-api': read } = stack.services;
  const database = await openDatabase(stack.databaseUrl, { maxConnections: 1 });
  await database.query('UPDATE tenants SET raw_code = TRUE');
  const send = (path: string, body: string, bearer = stack.apiKey, url = ingest.url) =>
    fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body,
    });
  const snippet = {
    ...{ codeId: 's-1', sessionId: 's', userId: 'ada@example.com', repository: REPOSITORY, source: 'agent' },
    ...{
      language: 'python',
      fileExtension: 'py',
      timestamp: Date.UTC(2026, 4, 3),
      lineCount: 1,
      charCount: 29,
    },
    ...{ structureHash: '0123456789abcdef', signature: Array(128).fill(1), lshBuckets: Array(16).fill(1) },
    rawCode: SECRETS['code of a snippet'],
  };
  expect((await send('/telemetry/code-fingerprint', JSON.stringify(snippet))).status).toBe(200);
  const refused = SECRETS['code in a body that is refused'];
  expect((await send('/api/v1/commits', `{"commits": [{"content": "${refused}"`)).status).toBe(400);
  expect((await send('/api/v1/commits', JSON.stringify({ commits: [{ content: refused }] }))).status).toBe(
    422,
  );
  for (const bearer of [SECRETS['a token'], SECRETS['a wrong API key']]) {
    expect((await send('/api/v1/commits', '{}', bearer)).status).toBeGreaterThanOrEqual(401);
    expect((await send('/api/v1/policies', '{}', bearer, read.url)).status).toBeGreaterThanOrEqual(401);
  }
  expect(
    (await fetch(`${ingest.url}/api/v1/enrolment`, { headers: { authorization: `Bearer ${stack.apiKey}` } }))
      .status,
  ).toBe(200);
  const connect = {
    host: 'github',
    cloneUrl: 'http://127.0.0.1:9/desk.git',
    secret: 'file:hook',
    credential: 'file:token',
  };
  const connected = await send('/api/v1/connected-repositories', JSON.stringify(connect));
  expect(connected.status).toBe(201);
  const { webhookPath, hookId } = (await connected.json()) as { webhookPath: string; hookId: string };
  expect((await send(webhookPath, '{}')).status).toBe(401);
  const log = await openEventLog(stack.kafkaUrl, { database, clientId: 'test' });
  await log.append([
    {
      topic: TOPICS.commits,
      key: 'x/y',
      value: Buffer.from(SECRETS['a record that nobody can read']),
      headers: {},
    },
  ]);
  await log.close();
  await database.close();
  const failed = async () => {
    const answer = await fetch(`${ingest.url}/api/v1/connected-repositories/${hookId}`, {
      headers: { authorization: `Bearer ${stack.apiKey}` },
    });
    return ((await answer.json()) as { failures: number }).failures > 0;
  };
  while (!(await failed())) await new Promise((resolve) => setTimeout(resolve, 100));
}

describe('a commit that is pushed', () => {
  const collector = new Collector();
  let stack: RunningStack;
  let trace: Span[];
  let secretsDirectory: string;

  const isLedgers = ({ attributes }: Span) =>
    attributes.some(({ value }) => value.stringValue === GROUPS.ledger);
  const named = (service: string, name: string): Span => {
    const spans = trace.filter((span) => span.service === service && span.name === name && !isLedgers(span));
    expect(spans.map((span) => `${span.service}: ${span.name}`)).toEqual([`${service}: ${name}`]);
    return spans[0]!;
  };

  beforeAll(async () => {
    const database = `trace_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    const url = await collector.start();
    secretsDirectory = await mkdtemp(join(tmpdir(), 'lineprint-logs-'));
    await mkdir(join(secretsDirectory, database));
    await writeFile(join(secretsDirectory, database, 'hook'), SECRETS['the secret of a webhook']);
    await writeFile(join(secretsDirectory, database, 'token'), SECRETS['the credential of a repository']);
    stack = await startStack({
      database,
      env: {
        LINEPRINT_ORG_ID: database,
        LINEPRINT_OTLP_URL: url,
        LINEPRINT_LOG_LEVEL: 'debug',
        LINEPRINT_RAW_CODE_KEY: SECRETS['the key of raw code'],
        LINEPRINT_SECRETS_DIRECTORY: secretsDirectory,
        LINEPRINT_GIT_MIRRORS: join(secretsDirectory, 'mirrors'),
        LINEPRINT_GIT_HOSTS: 'http://127.0.0.1:9',
        // Nobody answers there: tokens cannot be verified, and the log says why.
        LINEPRINT_OIDC_ISSUER: 'http://127.0.0.1:9',
      },
    });
    await sendSecrets(stack);
    const answer = await fetch(`${stack.services.ingest.url}/api/v1/commits`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stack.apiKey}`,
        'content-type': 'application/json',
        traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01`,
      },
      body: JSON.stringify({
        commits: [
          {
            repository: REPOSITORY,
            sha: SHA,
            parents: [],
            authorName: 'Ada',
            authorEmail: 'ada@example.com',
            committerName: 'Ada',
            committerEmail: 'ada@example.com',
            authoredAt: Date.UTC(2026, 4, 4),
            committedAt: Date.UTC(2026, 4, 4),
            files: [
              {
                path: 'a.py',
                status: 'added',
                binary: false,
                addedLines: 1,
                deletedLines: 0,
                content: 'total = credit - debit\n',
                hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, removed: [] }],
              },
            ],
          },
        ],
      }),
    });
    expect(answer.status).toBe(202);
    do {
      await new Promise((resolve) => setTimeout(resolve, 100));
      trace = collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
    } while (!trace.some(({ service }) => service === 'rollup') || !trace.some(isLedgers));
    // What is left is sent when they stop.
    await stack.stop();
    trace = collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
  }, 240_000);

  afterAll(async () => {
    await stack?.stop();
    await collector.stop();
    await rm(secretsDirectory, { recursive: true, force: true });
  }, 60_000);

  it('leaves no secret and no code in any log, however much is logged and whatever goes wrong', () => {
    const logs = stack.logs();
    for (const service of Object.keys(stack.services)) {
      expect(logs).toMatch(new RegExp(`^${service} \\| .*"level":20`, 'm'));
    }
    // What was to go wrong did, and was logged.
    expect(logs).toMatch(/"code":"git-|git.*127\.0\.0\.1:9/);
    const password = new URL(stack.databaseUrl).password;
    const secrets = {
      ...SECRETS,
      'the API key': stack.apiKey,
      'the secret part of the API key': stack.apiKey.split('_')[2]!,
      'the line key': stack.lineKey,
      'the line key in hex': Buffer.from(stack.lineKey, 'base64').toString('hex'),
      'the password of the database': password,
    };
    const lines = logs.split('\n');
    for (const [what, secret] of Object.entries(secrets)) {
      expect(secret.length).toBeGreaterThan(8);
      expect([what, lines.filter((line) => line.includes(secret))]).toEqual([what, []]);
    }
  });

  it('is one trace, in which each step is the child of the one before it', () => {
    const steps = [
      named('ingest', 'POST /api/v1/commits'),
      named('ingest', 'send lineprint.commits.v1'),
      named('commit-analyzer', 'process lineprint.commits.v1'),
      named('commit-analyzer', 'send lineprint.candidates.v1'),
      named('line-attributor', 'process lineprint.candidates.v1'),
      named('line-attributor', 'send lineprint.attributions.v1'),
      named('rollup', 'process lineprint.attributions.v1'),
    ];
    // The ledger takes the same candidates beside the one who judges them.
    const ledgers = trace.filter(isLedgers);
    expect(ledgers.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
      ['process lineprint.candidates.v1', steps[3]!.spanId],
    ]);
    expect(trace).toHaveLength(steps.length + ledgers.length);
    expect(steps.map(({ parentSpanId }) => parentSpanId)).toEqual([
      CALLER_SPAN,
      ...steps.slice(0, -1).map(({ spanId }) => spanId),
    ]);
    const [server, producer, consumer] = [2, 4, 5];
    expect(steps.map(({ kind }) => kind)).toEqual([
      server,
      producer,
      consumer,
      producer,
      consumer,
      producer,
      consumer,
    ]);
  });

  it('leaves no name of a repository, commit or file in any span', () => {
    for (const secret of [REPOSITORY, SHA, 'a.py', 'ada@example.com']) {
      expect(collector.received).not.toContain(secret);
    }
  });

  it('shares the collector with no probe', () => {
    expect(collector.received).not.toContain('/health');
  });
});
