import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Controller, Get, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { serveDashboard } from './serve-dashboard';

@Controller('api/v1/thing')
class ThingController {
  @Get()
  thing(): object {
    return { thing: true };
  }
}

@Module({ controllers: [ThingController] })
class AppModule {}

const directory = mkdtempSync(join(tmpdir(), 'lineprint-site-'));
let app: INestApplication;
let port: number;

beforeAll(async () => {
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<h1>Lineprint</h1>');
  writeFileSync(join(directory, 'assets', 'app-1234.js'), 'plain');
  writeFileSync(join(directory, 'assets', 'app-1234.js.gz'), gzipSync('plain'));
  writeFileSync(join(directory, '..', 'beside.txt'), 'not for you');
  app = await NestFactory.create(AppModule, { logger: false });
  serveDashboard(app, { directory, issuer: 'https://id.example.org/realms/one' });
  await app.listen(0, '127.0.0.1');
  ({ port } = app.getHttpServer().address() as AddressInfo);
});

afterAll(async () => {
  await app.close();
  rmSync(directory, { recursive: true });
  rmSync(join(directory, '..', 'beside.txt'));
});

const HTML = { accept: 'text/html,*/*' };

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As it is on the wire: neither the path nor the body is made nicer. */
function ask(path: string, headers: Record<string, string> = HTML, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, method }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('the dashboard', () => {
  it.each(['/', '/projects', '/people/mara@harbour.example', '/file?path=a.ts'])(
    'is one page at %s',
    async (path) => {
      const answer = await ask(path);
      expect([answer.status, answer.body.toString()]).toEqual([200, '<h1>Lineprint</h1>']);
      expect(answer.headers['cache-control']).toBe('no-cache');
    },
  );

  it('allows nothing but what comes from its own server, and the organisation’s login', async () => {
    const { headers } = await ask('/projects');
    const policy = headers['content-security-policy'];
    expect(policy).toContain("default-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("connect-src 'self' https://id.example.org");
    expect(policy).not.toContain('unsafe');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('sends what has a hash in its name compressed, to be kept for good', async () => {
    const { headers, body } = await ask('/assets/app-1234.js', { 'accept-encoding': 'gzip, br' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['vary']).toMatch(/accept-encoding/i);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(body).toEqual(gzipSync('plain'));
    const plain = await ask('/assets/app-1234.js', {});
    expect([plain.headers['content-encoding'], plain.body.toString()]).toEqual([undefined, 'plain']);
  });

  it.each(['/api/v1/nothing', '/webhooks/github/x', '/metrics', '/health/live', '/telemetry/x'])(
    'does not answer for %s',
    async (path) => {
      expect((await ask(path)).status).toBe(404);
    },
  );

  it('leaves the API alone', async () => {
    expect((await ask('/api/v1/thing')).body.toString()).toBe('{"thing":true}');
  });

  it('is no answer to what asks for something else than a page', async () => {
    expect((await ask('/assets/gone-5678.js', { accept: '*/*' })).status).toBe(404);
    expect((await ask('/projects', { accept: 'application/json' })).status).toBe(404);
    expect((await ask('/projects', HTML, 'POST')).status).toBe(404);
  });

  it.each([
    '/../beside.txt',
    '/assets/..%2f..%2fbeside.txt',
    '/..%5cbeside.txt',
    '/assets/%00.js',
    '/%E0%A4%A',
  ])('gives nothing away from beside its folder at %s', async (path) => {
    const { status, body } = await ask(path, { ...HTML, 'accept-encoding': 'gzip' });
    expect(body.toString()).not.toContain('not for you');
    expect(status).not.toBe(500);
  });
});
