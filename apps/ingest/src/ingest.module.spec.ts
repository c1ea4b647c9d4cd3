import { Global, Module } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { EVENT_LOG } from '@lineprint/event-log';
import { DATABASE } from '@lineprint/persistence';
import { CONFIG, loadConfig } from '@lineprint/platform';
import { IngestModule } from './ingest.module';

@Global()
@Module({
  providers: [
    { provide: DATABASE, useValue: {} },
    { provide: EVENT_LOG, useValue: {} },
    { provide: CONFIG, useValue: loadConfig({}) },
  ],
  exports: [DATABASE, EVENT_LOG, CONFIG],
})
class UnusedStores {}

it('ingest asks for no parameter but the body, and the name of a repository: a trace context is optional', async () => {
  const testing = await Test.createTestingModule({ imports: [UnusedStores, IngestModule] }).compile();
  const app = testing.createNestApplication({ logger: false });
  const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  await app.close();
  const operations = Object.entries(paths).flatMap(([path, { get, post }]) =>
    [get, post].flatMap((operation) => (operation ? [{ path, parameters: operation.parameters ?? [] }] : [])),
  );
  expect(operations.map(({ path }) => path).sort()).toEqual([
    '/api/v1/baselines',
    '/api/v1/code-fingerprints',
    '/api/v1/commits',
    '/api/v1/enrolment',
    '/telemetry/code-fingerprint',
    '/telemetry/code-gen-stats',
  ]);
  expect(operations.flatMap(({ parameters }) => parameters)).toEqual([
    expect.objectContaining({ name: 'repository', in: 'query', required: true }),
  ]);
});
