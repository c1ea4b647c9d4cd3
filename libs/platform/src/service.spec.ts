import { gzipSync } from 'node:zlib';
import {
  Body,
  Controller,
  ForbiddenException,
  Get,
  Global,
  HttpCode,
  Module,
  Post,
  Res,
} from '@nestjs/common';
import type { Response as ServerResponse } from 'express';
import { CREDENTIALS, CurrentPrincipal, type Principal, Public, Scopes } from './auth';
import { loadConfig } from './config';
import { HttpProblem, StoreError } from './errors';
import { HealthRegistry } from './health';
import { type RunningService, startService } from './service';
import { Traceparent } from './tracing';

const PRINCIPALS: Record<string, Principal> = {
  reader: { orgId: 'acme', scopes: ['read'], userId: null },
  admin: { orgId: 'acme', scopes: ['admin'], userId: 'ada' },
};

/** Ends a request that waits for it. */
const hanging: ((value: unknown) => void)[] = [];

@Controller('probe')
class ProbeController {
  @Get('read')
  @Scopes('read')
  read(@CurrentPrincipal() principal: Principal) {
    return principal;
  }

  @Get('forgotten')
  forgotten() {
    return 'never';
  }

  @Get('trace')
  @Public()
  trace(@Traceparent() traceparent: string) {
    return { traceparent };
  }

  @Post('echo')
  @Public()
  @HttpCode(200)
  echo(@Body() body: unknown) {
    return body;
  }

  @Get('problem')
  @Public()
  problem() {
    throw new HttpProblem(429, 'too-many', 'Too Many Requests', 'Wait a little.', {
      headers: { 'retry-after': '7' },
      errors: [{ path: 'a.b', detail: 'wrong' }],
      extensions: { accepted: 3 },
    });
  }

  @Get('store')
  @Public()
  store() {
    throw new StoreError('database-unavailable', 'connect to 10.1.2.3 refused');
  }

  @Get('bug')
  @Public()
  bug() {
    throw new TypeError('secret is undefined');
  }

  @Get('nest')
  @Public()
  nest() {
    throw new ForbiddenException('not for you');
  }

  @Get('items/:name')
  @Public()
  item() {
    return 'known';
  }

  @Get('hanging')
  @Public()
  async hanging() {
    await new Promise((resolve) => hanging.push(resolve));
  }

  @Get('cut')
  @Public()
  cut(@Res() response: ServerResponse) {
    response.write('half an ans');
    throw new TypeError('too late for a problem');
  }
}

@Global()
@Module({
  controllers: [ProbeController],
  providers: [
    {
      provide: CREDENTIALS,
      useValue: {
        findApiKey: (key: string) =>
          key === 'broken'
            ? Promise.reject(new StoreError('database-unavailable', 'gone'))
            : Promise.resolve(PRINCIPALS[key] ?? null),
      },
    },
  ],
  exports: [CREDENTIALS],
})
class ProbeModule {}

let service: RunningService;
beforeAll(async () => {
  service = await startService({
    name: 'probe',
    module: ProbeModule,
    config: loadConfig({ LINEPRINT_PORT: '0', LINEPRINT_LOG_LEVEL: 'silent', LINEPRINT_BODY_LIMIT: '1000' }),
  });
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });
const post = (body: string | Uint8Array, headers: Record<string, string> = {}, path = '/probe/echo') =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer reader', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
async function problemOf(answer: Promise<Response>): Promise<Record<string, unknown>> {
  const response = await answer;
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const body = (await response.json()) as Record<string, unknown>;
  expect(body).toMatchObject({
    status: response.status,
    type: `urn:lineprint:problem:${String(body['code'])}`,
  });
  expect(body['title']).toEqual(expect.any(String));
  return body;
}

describe('an error', () => {
  it('that we tell the caller about keeps its code, headers, faults and further members', async () => {
    expect(await problemOf(get('/probe/problem'))).toEqual({
      type: 'urn:lineprint:problem:too-many',
      title: 'Too Many Requests',
      status: 429,
      code: 'too-many',
      detail: 'Wait a little.',
      errors: [{ path: 'a.b', detail: 'wrong' }],
      accepted: 3,
    });
    expect((await get('/probe/problem')).headers.get('retry-after')).toBe('7');
  });

  it('of a store is a 503 that says to come again, and nothing about the store', async () => {
    const problem = await problemOf(get('/probe/store'));
    expect(problem).toMatchObject({ status: 503, code: 'unavailable' });
    expect(JSON.stringify(problem)).not.toContain('10.1.2.3');
    expect((await get('/probe/store')).headers.get('retry-after')).toBe('5');
  });

  it('that nobody foresaw is a 500 without a word of it', async () => {
    const problem = await problemOf(get('/probe/bug'));
    expect(problem).toMatchObject({ status: 500, code: 'internal' });
    expect(JSON.stringify(problem)).not.toContain('secret');
  });

  it('of Nest keeps its status', async () => {
    expect(await problemOf(get('/probe/nest'))).toMatchObject({ status: 403, code: 'http-403' });
  });

  it('about an unknown address says where the documentation is', async () => {
    expect(await problemOf(get('/nowhere'))).toMatchObject({ status: 404, code: 'not-found' });
  });

  it('after the answer began cuts the connection instead of ending it like a whole answer', async () => {
    await expect(get('/probe/cut').then((response) => response.text())).rejects.toThrow();
  });
});

describe('a credential', () => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  it('is asked for, and must be one that is known', async () => {
    expect(await problemOf(get('/probe/read'))).toMatchObject({ status: 401, code: 'credential-missing' });
    expect(await problemOf(get('/probe/read', { authorization: 'Basic x' }))).toMatchObject({ status: 401 });
    expect(await problemOf(get('/probe/read', bearer('guess')))).toMatchObject({
      code: 'credential-invalid',
    });
    expect((await get('/probe/read')).headers.get('www-authenticate')).toContain('Bearer');
  });

  it('needs the handler’s scope, which an administrator’s has', async () => {
    expect(await (await get('/probe/read', bearer('reader'))).json()).toEqual(PRINCIPALS['reader']);
    expect(await (await get('/probe/read', bearer('admin'))).json()).toEqual(PRINCIPALS['admin']);
  });

  it('opens no handler that forgot to name a scope', async () => {
    expect(await problemOf(get('/probe/forgotten', bearer('admin')))).toMatchObject({
      code: 'scope-missing',
    });
  });

  it('that cannot be looked up is not called invalid', async () => {
    expect(await problemOf(get('/probe/read', bearer('broken')))).toMatchObject({ status: 503 });
  });
});

describe('a body', () => {
  it('is JSON, plain or compressed', async () => {
    expect(await (await post('{"a":1}')).json()).toEqual({ a: 1 });
    const zipped = post(gzipSync('{"a":1}'), { 'content-encoding': 'gzip' });
    expect(await (await zipped).json()).toEqual({ a: 1 });
  });

  it.each<[string, string | Uint8Array, Record<string, string>, number, string]>([
    ['is not JSON', '{"a":', {}, 400, 'json-invalid'],
    [
      'says that it is something else',
      'a=1',
      { 'content-type': 'text/plain' },
      415,
      'content-type-unsupported',
    ],
    ['is too large', JSON.stringify({ a: 'x'.repeat(1000) }), {}, 413, 'body-too-large'],
    [
      'is too large once it is decompressed',
      gzipSync(JSON.stringify({ a: 'x'.repeat(100_000) })),
      { 'content-encoding': 'gzip' },
      413,
      'body-too-large',
    ],
    ['has an unknown encoding', '{}', { 'content-encoding': 'rot13' }, 415, 'encoding-unsupported'],
    ['is damaged', Buffer.from('no gzip'), { 'content-encoding': 'gzip' }, 400, 'body-unreadable'],
  ])('is refused when it %s', async (_fault, body, headers, status, code) => {
    expect(await problemOf(post(body, headers))).toMatchObject({ status, code });
  });

  it('of a stranger is not read', async () => {
    const body = JSON.stringify({ a: 'x'.repeat(1000) });
    expect(await problemOf(post(body, { authorization: '' }))).toMatchObject({ code: 'credential-missing' });
    expect(await problemOf(post(body, { authorization: 'Bearer guess' }))).toMatchObject({
      code: 'credential-invalid',
    });
  });

  it('of commits may be larger than others', async () => {
    const body = JSON.stringify({ a: 'x'.repeat(2000) });
    expect(await problemOf(post(body, {}, '/api/v1/commits'))).toMatchObject({ code: 'not-found' });
    expect(await problemOf(post(body, {}, '/api/v1/other'))).toMatchObject({ code: 'body-too-large' });
  });
});

it('a handler gets the caller’s trace, or a new one', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  expect(await (await get('/probe/trace', { traceparent })).json()).toEqual({ traceparent });
  const fresh = (await (await get('/probe/trace')).json()) as { traceparent: string };
  expect(fresh.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

describe('health', () => {
  it('is ready when every check passes, and says which does not', async () => {
    const health = service.app.get(HealthRegistry);
    health.ready('store', () => Promise.resolve());
    const ready = await get('/health/ready');
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', checks: { store: 'ok' } }]);
    health.ready('log', () => Promise.reject(new Error('no broker')));
    const unready = await get('/health/ready');
    expect([unready.status, await unready.json()]).toEqual([
      503,
      { status: 'unavailable', checks: { store: 'ok', log: 'no broker' } },
    ]);
  });

  it('is alive whatever it is ready for, and dead when a loop hangs', async () => {
    expect((await get('/health/live')).status).toBe(200);
    service.app.get(HealthRegistry).alive('loop', () => {
      throw new Error('does not move');
    });
    const dead = await get('/health/live');
    expect([dead.status, await dead.json()]).toEqual([
      503,
      { status: 'unavailable', checks: { loop: 'does not move' } },
    ]);
  });

  it('has metrics that name the service', async () => {
    const metrics = await get('/metrics');
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(await metrics.text()).toContain('service="probe"');
  });
});

describe('the metrics of requests', () => {
  const counts = async () => {
    const metrics = await (await get('/metrics')).text();
    const pattern =
      /^lineprint_http_request_duration_seconds_count\{service="probe",method="(\w+)",route="([^"]*)",status="(\d+)"\} (\d+)$/gm;
    return [...metrics.matchAll(pattern)].map(
      ([, method, route, status, count]) => `${method} ${route} ${status}: ${count}`,
    );
  };

  it('name the route and its status, never what stands in the path', async () => {
    await (await get('/probe/items/secret-repository')).text();
    await (await get('/probe/items/other')).text();
    await (await get('/nowhere/secret-repository')).text();
    const seen = await counts();
    expect(seen).toContain('GET /probe/items/:name 200: 2');
    expect(seen.find((line) => line.startsWith('GET unmatched 404'))).toBeDefined();
    expect(seen.join()).not.toContain('secret');
  });

  it('call an answer that was cut off here our fault', async () => {
    await get('/probe/cut').then(
      (response) => response.text().catch(() => undefined),
      () => undefined,
    );
    expect((await counts()).find((line) => line.startsWith('GET /probe/cut'))).toMatch(/ 500: /);
  });

  it('count no probes', async () => {
    expect((await counts()).join()).not.toMatch(/health|metrics/);
  });

  it('say of a client that has gone that it has not got its answer', async () => {
    const gone = new AbortController();
    const answer = fetch(`${service.url}/probe/hanging`, { signal: gone.signal });
    while (hanging.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    gone.abort();
    await expect(answer).rejects.toThrow();
    while (!(await counts()).includes('GET /probe/hanging 499: 1')) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    hanging[0]!(undefined);
  });
});

describe('the headers of an answer', () => {
  const expected = {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };

  it.each([
    '/probe/read',
    '/probe/items/a',
    '/probe/bug',
    '/probe/problem',
    '/nowhere',
    '/%',
    '/health/live',
  ])('of %s let no page do anything with it, and say nothing of the software', async (path) => {
    const { headers } = await get(path, { origin: 'https://elsewhere.example' });
    expect(Object.fromEntries(headers)).toMatchObject(expected);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  it('demand TLS from now on where a trusted proxy says that it came by TLS, and nobody else', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };
    expect((await get('/health/live', forwarded)).headers.get('strict-transport-security')).toBeNull();
    const behind = await limited({ LINEPRINT_TRUSTED_PROXIES: '127.0.0.0/8' });
    const { headers } = await fetch(`${behind.url}/health/live`, { headers: forwarded });
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
    await behind.close();
  });
});

function limited(settings: Record<string, string>): Promise<RunningService> {
  const config = loadConfig({ LINEPRINT_PORT: '0', LINEPRINT_LOG_LEVEL: 'silent', ...settings });
  return startService({ name: 'limited', module: ProbeModule, config });
}

describe('rate limits', () => {
  /** So slow that no token comes back while a test runs: the ten in a bucket are all. */
  const TEN = '1';
  const statuses = async (url: string, times: number, headers: Record<string, string>) => {
    const answers = await Promise.all(Array.from({ length: times }, () => fetch(url, { headers })));
    return answers.map(({ status }) => status);
  };
  const as = (key: string) => ({ authorization: `Bearer ${key}` });

  it('refuse a credential that asks too often until it has waited, and no other', async () => {
    const running = await limited({ LINEPRINT_RATE_LIMIT: TEN });
    const url = `${running.url}/probe/read`;
    const seen = await statuses(url, 40, as('reader'));
    expect(seen.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10);
    expect(seen).toContain(429);
    const [refused] = await Promise.all(
      Array.from({ length: 20 }, () => fetch(url, { headers: as('reader') })),
    ).then((all) => all.filter(({ status }) => status === 429));
    expect(Number(refused!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await refused!.json()).toMatchObject({ status: 429, code: 'rate-limited' });
    expect(await statuses(url, 1, as('admin'))).toEqual([200]);
    await running.close();
  });

  it('refuse all credentials of an organisation that together ask too often', async () => {
    const running = await limited({ LINEPRINT_TENANT_RATE_LIMIT: TEN });
    const url = `${running.url}/probe/read`;
    await statuses(url, 40, as('reader'));
    expect(await statuses(url, 10, as('admin'))).toContain(429);
    await running.close();
  });

  it('refuse an address that guesses keys, before they are looked up, but not who has shown a good one', async () => {
    const running = await limited({ LINEPRINT_ADDRESS_RATE_LIMIT: TEN });
    const url = `${running.url}/probe/read`;
    expect(await statuses(url, 1, as('reader'))).toEqual([200]);
    const seen = await statuses(url, 60, as('guess'));
    expect(seen).toContain(401);
    expect(seen).toContain(429);
    expect(await statuses(url, 5, as('reader'))).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(url, 20, {})).toContain(429);
    // Whoever watches the process must see it then most of all.
    expect(await statuses(`${running.url}/health/live`, 5, {})).toEqual([200, 200, 200, 200, 200]);
    await running.close();
  });
});
