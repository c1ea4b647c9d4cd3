import { Body, Controller, Module, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { OpenAPIObject } from '@nestjs/swagger';
import { codeFingerprintSchema, codeGenStatsSchema, commitPushSchema } from '@lineprint/contracts';
import type { Database } from '@lineprint/persistence';
import { z } from 'zod';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase } from '../testing/seed';
import { openApiDocument } from './openapi';
import { OTHER_OPERATIONS } from './other-operations';

let database: Database;
let api: RunningApi;

beforeAll(async () => {
  database = await openSeededDatabase();
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

@Controller('api/v1')
class OtherController {
  @Post('commits')
  push(@Body() _body: unknown): void {}
}

@Module({ controllers: [OtherController] })
class OtherModule {}

describe('the OpenAPI document', () => {
  it('has every endpoint, with parameters and answers made from the schemas that the handlers use', async () => {
    const document = await api.json<OpenAPIObject>('/api/openapi.json', '');
    expect(document.openapi).toMatch(/^3\./);
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/api/v1/stats/ai-attribution',
        '/api/v1/commits',
        '/api/v1/commits/{sha}',
        '/api/v1/commits/{sha}/lines',
        '/api/v1/summary',
        '/api/v1/export',
        '/api/v1/policies/{id}/diff/{other}/lines',
      ]),
    );
    const stats = document.paths['/api/v1/stats/ai-attribution']?.get;
    expect(stats?.parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'scope',
          in: 'query',
          required: true,
          schema: expect.objectContaining({ enum: ['personal', 'project', 'organization'] }) as unknown,
        }),
        expect.objectContaining({ name: 'granularity', required: false }),
      ]),
    );
    expect(stats?.security).toEqual([{ bearer: [] }]);
    expect(JSON.stringify(stats?.responses['200'])).toContain('avg_survival_similarity');
    expect(document.paths['/api/v1/commits/{sha}']?.get?.parameters).toHaveLength(3);
  });

  it('serves its documentation page with assets of its own', async () => {
    const page = await (await api.get('/api/docs', '')).text();
    expect(page).toContain('swagger-ui');
    expect(page).not.toMatch(/(src|href)="https?:/);
    const script = await api.get('/api/docs/swagger-ui-bundle.js', '');
    expect(script.status).toBe(200);
    await script.body?.cancel();
  });

  it('says of every endpoint what it is for, who may call it, and what it answers', async () => {
    const testing = await Test.createTestingModule({ imports: [OtherModule] }).compile();
    const other = testing.createNestApplication({ logger: false });
    await other.init();
    const served = await api.json<OpenAPIObject>('/api/openapi.json', '');
    const paths = [...Object.entries(served.paths), ...Object.entries(openApiDocument(other).paths)];
    await other.close();
    const operations = paths.flatMap(([path, { get, post, put, delete: drop }]) =>
      [get, post, put, drop].flatMap((operation) => (operation ? [{ path, ...operation }] : [])),
    );
    expect(operations.map(({ path }) => path)).toEqual(expect.arrayContaining(['/health/live', '/metrics']));
    for (const { path, summary, security, parameters, responses } of operations) {
      const open = /^\/(health|metrics|api\/v1\/auth\/settings)/.test(path);
      expect({ path, summary, security }).toEqual({
        path,
        summary: expect.stringMatching(/./) as string,
        security: open ? [] : [{ bearer: [] }],
      });
      const problem = JSON.stringify(responses['4XX'] ?? '').includes('problem+json');
      if (!open) expect({ path, problem }).toEqual({ path, problem: true });
      for (const parameter of parameters ?? []) {
        expect(parameter).toMatchObject({ description: expect.stringMatching(/./) as string });
      }
      for (const response of Object.values(responses)) {
        expect({ path, ...response }).toMatchObject({ content: expect.anything() as unknown });
      }
    }
  });

  it.each([
    ['/api/v1/code-fingerprints', z.object({ fingerprints: z.array(codeFingerprintSchema).min(1) })],
    ['/api/v1/commits', z.object({ commits: z.array(commitPushSchema).min(1) })],
    ['/telemetry/code-fingerprint', codeFingerprintSchema],
    ['/telemetry/code-gen-stats', codeGenStatsSchema],
  ])('has an example for %s that is accepted as it stands', (path, schema) => {
    const body = OTHER_OPERATIONS[`post ${path}`]?.requestBody;
    if (!body || !('content' in body)) throw new Error(`${path} takes no body`);
    const { example } = body.content['application/json'] as { example: unknown };
    expect(schema.parse(example)).toEqual(example);
  });

  it('shows what ingest takes when ingest runs in the same process', async () => {
    const testing = await Test.createTestingModule({ imports: [OtherModule] }).compile();
    const app = testing.createNestApplication({ logger: false });
    await app.init();
    const push = openApiDocument(app).paths['/api/v1/commits']?.post;
    expect(JSON.stringify(push?.requestBody)).toContain('authorEmail');
    await app.close();
  });
});
