import { gzipSync } from 'node:zlib';
import { Controller, Global, HttpCode, Module, Post, Req } from '@nestjs/common';
import { CREDENTIALS, Public } from './auth';
import { loadConfig } from './config';
import { HttpProblem } from './errors';
import { type RunningService, startService } from './service';
import { type SignedRequest, SignedRequests } from './signed-requests';

const LIMIT = 1000;

@Controller('signed')
class SignedController {
  constructor(signed: SignedRequests) {
    signed.register({
      path: '/signed',
      bodyLimit: LIMIT,
      admit: (path) =>
        path === '/signed/known'
          ? Promise.resolve()
          : Promise.reject(new HttpProblem(404, 'hook-unknown', 'Not Found', 'No.')),
    });
  }

  @Post('known')
  @Public()
  @HttpCode(200)
  known(@Req() { rawBody }: SignedRequest) {
    return { bytes: rawBody.toString('base64') };
  }
}

@Global()
@Module({
  controllers: [SignedController],
  providers: [{ provide: CREDENTIALS, useValue: { findApiKey: () => Promise.resolve(null) } }],
  exports: [CREDENTIALS],
})
class SignedModule {}

describe('requests that are signed instead of having an API key', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({
      name: 'signed',
      module: SignedModule,
      config: loadConfig({ LINEPRINT_PORT: '0', LINEPRINT_LOG_LEVEL: 'silent' }),
    });
  });
  afterAll(() => service.close());

  const post = async (body: string | Uint8Array, path = '/signed/known', headers = {}) => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return { status: response.status, ...((await response.json()) as { bytes?: string; code?: string }) };
  };

  it('arrive as the bytes that were sent', async () => {
    const body = '{ "spaces" : "kept",\r\n"not": "even JSON"';
    const { status, bytes } = await post(body);
    expect({ status, body: Buffer.from(bytes!, 'base64').toString() }).toEqual({ status: 200, body });
    expect(await post('')).toEqual({ status: 200, bytes: '' });
  });

  it('are not read where nobody knows the address', async () => {
    expect(await post('x'.repeat(10 * LIMIT), '/signed/unknown')).toMatchObject({
      status: 404,
      code: 'hook-unknown',
    });
  });

  it('are bounded, and not unpacked', async () => {
    expect(await post('x'.repeat(LIMIT))).toMatchObject({ status: 200 });
    expect(await post('x'.repeat(LIMIT + 1))).toMatchObject({ status: 413, code: 'body-too-large' });
    const packed = await post(gzipSync('{}'), '/signed/known', { 'content-encoding': 'gzip' });
    expect(packed).toMatchObject({ status: 415 });
  });

  it('must be JSON', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await post('payload=x', '/signed/known', form)).toMatchObject({
      status: 415,
      code: 'content-type-unsupported',
    });
  });

  it('open no other address', async () => {
    expect(await post('{}', '/other')).toMatchObject({ status: 401 });
    expect(await post('{}', '/Signed/known')).toMatchObject({ status: 401 });
  });
});
