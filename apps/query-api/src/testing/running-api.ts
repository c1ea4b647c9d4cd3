import type { AddressInfo } from 'node:net';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { Problem } from '@lineprint/contracts';
import { OPEN_EVENT_LOG, openEventLog } from '@lineprint/event-log';
import {
  confinedDatabase,
  DATABASE,
  type Database,
  secureRows,
  TENANT_DATABASE,
} from '@lineprint/persistence';
import {
  createLogger,
  CREDENTIALS,
  type Credentials,
  loadConfig,
  PlatformModule,
  type Principal,
} from '@lineprint/platform';
import { CLOCK } from '../clock';
import { setUpOpenApi } from '../openapi/openapi';
import { QueryApiModule } from '../query-api.module';

/** Keys of the running API, by who they stand for. */
export const KEYS: Readonly<Record<string, Principal>> = {
  organisation: { orgId: 'acme', scopes: ['read'], userId: null },
  reader: { orgId: 'acme', scopes: ['read', 'code'], userId: null, keyPrefix: 'decade' },
  ada: { orgId: 'acme', scopes: ['read'], userId: 'ada@acme.dev' },
  eve: { orgId: 'acme', scopes: ['read'], userId: 'eve@acme.dev' },
  adaInCapitals: { orgId: 'acme', scopes: ['read'], userId: 'Ada@ACME.dev' },
  rival: { orgId: 'rival', scopes: ['read', 'code'], userId: null },
  ingest: { orgId: 'acme', scopes: ['ingest'], userId: null },
  administrator: { orgId: 'acme', scopes: ['admin'], userId: null, keyPrefix: 'c0ffee' },
  maintainer: {
    orgId: 'acme',
    scopes: ['read', 'code'],
    userId: null,
    role: 'maintainer',
    address: 'ada@acme.dev',
    projects: ['shop'],
  },
  auditor: {
    orgId: 'acme',
    scopes: ['read', 'audit'],
    userId: null,
    role: 'auditor',
    address: 'aud@acme.dev',
  },
  rivalAdministrator: { orgId: 'rival', scopes: ['admin'], userId: null },
  /** Of the organisation that a first start makes. */
  operator: { orgId: 'default', scopes: ['admin'], userId: null },
};

const TENANT_ROLE = 'lineprint_tenant';

@Global()
@Module({})
class SeededStore {
  static of(database: Database): DynamicModule {
    const credentials: Credentials = {
      findApiKey: (key) => Promise.resolve(KEYS[key] ?? null),
      verifyToken: () => Promise.resolve(null),
    };
    return {
      module: SeededStore,
      providers: [
        { provide: DATABASE, useValue: database },
        { provide: TENANT_DATABASE, useValue: confinedDatabase(database, TENANT_ROLE) },
        { provide: CREDENTIALS, useValue: credentials },
        {
          provide: OPEN_EVENT_LOG,
          useValue: () => openEventLog('embedded:', { database, clientId: 'query-api' }),
        },
      ],
      exports: [DATABASE, TENANT_DATABASE, CREDENTIALS, OPEN_EVENT_LOG],
    };
  }
}

export interface RunningApi {
  /** Asks with one of KEYS; '' sends no credential. */
  get(path: string, key?: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: object, key?: string): Promise<Response>;
  put(path: string, body: object, key?: string): Promise<Response>;
  delete(path: string, key?: string): Promise<Response>;
  json<T>(path: string, key?: string): Promise<T>;
  /** The problem answered, or an error when there is none. */
  problem(path: string, key?: string): Promise<Problem>;
  close(): Promise<void>;
}

/**
 * The API over a database, behind the platform's guard and problem filter; `now` is what its clock
 * says, `settings` what the environment would.
 */
export async function runApi(
  database: Database,
  now: { at: string },
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningApi> {
  await secureRows(database, TENANT_ROLE);
  const testing = await Test.createTestingModule({
    imports: [
      PlatformModule.forRoot('query-api', loadConfig(settings), createLogger('query-api', 'silent')),
      SeededStore.of(database),
      QueryApiModule,
    ],
  })
    .overrideProvider(CLOCK)
    .useValue(() => Date.parse(now.at))
    .compile();
  const app = testing.createNestApplication({ logger: false });
  setUpOpenApi(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;

  const headersOf = (key: string) => (key ? { authorization: `Bearer ${key}` } : undefined);
  const get = (path: string, key = 'organisation', headers = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { ...headersOf(key), ...headers } });
  const send =
    (method: 'POST' | 'PUT') =>
    (path: string, body: object, key = 'organisation') =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { ...headersOf(key), 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
  const remove = (path: string, key = 'organisation') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method: 'DELETE', headers: { ...headersOf(key) } });
  const problem = async (path: string, key?: string) => {
    const response = await get(path, key);
    if (response.headers.get('content-type')?.startsWith('application/problem+json') !== true) {
      throw new Error(`no problem but ${response.status}: ${await response.text()}`);
    }
    return (await response.json()) as Problem;
  };
  return {
    get,
    post: send('POST'),
    put: send('PUT'),
    delete: remove,
    problem,
    async json<T>(path: string, key?: string) {
      const response = await get(path, key);
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
      return (await response.json()) as T;
    },
    close: () => app.close(),
  };
}
