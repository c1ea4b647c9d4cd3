import { Global, Module } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { EVENT_LOG } from '@lineprint/event-log';
import { DATABASE, TENANT_DATABASE } from '@lineprint/persistence';
import {
  CONFIG,
  createLogger,
  createMetrics,
  loadConfig,
  LOGGER,
  METRICS,
  SignedRequests,
} from '@lineprint/platform';
import { IngestModule } from './ingest.module';

@Global()
@Module({
  providers: [
    { provide: DATABASE, useValue: {} },
    { provide: TENANT_DATABASE, useValue: {} },
    { provide: EVENT_LOG, useValue: {} },
    { provide: CONFIG, useValue: loadConfig({}) },
    { provide: LOGGER, useValue: createLogger('ingest', 'silent') },
    { provide: METRICS, useValue: createMetrics('ingest') },
    SignedRequests,
  ],
  exports: [DATABASE, TENANT_DATABASE, EVENT_LOG, CONFIG, LOGGER, METRICS, SignedRequests],
})
class UnusedStores {}

it('ingest asks for no parameter but the body, the name of a repository and ids in paths: a trace context is optional', async () => {
  const testing = await Test.createTestingModule({ imports: [UnusedStores, IngestModule] }).compile();
  const app = testing.createNestApplication({ logger: false });
  const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  await app.close();
  const operations = Object.entries(paths).flatMap(([path, { get, post, delete: drop }]) =>
    [get, post, drop].flatMap((operation) =>
      operation ? [{ path, parameters: operation.parameters ?? [] }] : [],
    ),
  );
  const connected = '/api/v1/connected-repositories';
  expect(operations.map(({ path }) => path).sort()).toEqual([
    '/api/v1/baselines',
    '/api/v1/code-fingerprints',
    '/api/v1/commits',
    connected,
    connected,
    `${connected}/{hookId}`,
    `${connected}/{hookId}`,
    `${connected}/{hookId}/fetch`,
    `${connected}/{hookId}/rotate-secret`,
    '/api/v1/enrolment',
    '/api/v1/identities/mailmap',
    '/api/v1/refs',
    '/telemetry/code-fingerprint',
    '/telemetry/code-gen-stats',
    '/webhooks/{host}/{hookId}',
  ]);
  const inQuery = operations
    .flatMap(({ parameters }) => parameters)
    .filter((parameter) => 'in' in parameter && parameter.in !== 'path');
  expect(inQuery).toEqual([expect.objectContaining({ name: 'repository', in: 'query', required: true })]);
});
