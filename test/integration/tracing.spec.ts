import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GROUPS } from '@lineprint/contracts';
import { type RunningStack, startStack } from '../stack';

const TRACE_ID = 'a'.repeat(32);
const CALLER_SPAN = 'b'.repeat(16);
const REPOSITORY = 'secret-repository';
const SHA = 'c'.repeat(40);

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

describe('a commit that is pushed', () => {
  const collector = new Collector();
  let stack: RunningStack;
  let trace: Span[];

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
    stack = await startStack({ database, env: { LINEPRINT_ORG_ID: database, LINEPRINT_OTLP_URL: url } });
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
  }, 60_000);

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
