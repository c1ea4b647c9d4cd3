import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { DEFAULT_POLICY, deadLetterTopic, TOPICS, topicSpecs } from '@lineprint/contracts';
import { EventLogModule, LazyEventLogModule, openEventLog } from '@lineprint/event-log';
import { IngestModule } from '@lineprint/ingest';
import {
  connectRepository,
  createApiKey,
  createPolicy,
  createReplay,
  createTeam,
  type Database,
  ensureLineKey,
  insertSnippets,
  PersistenceModule,
  requestErasure,
} from '@lineprint/persistence';
import { loadConfig, type RunningService, startService } from '@lineprint/platform';
import { QueryApiModule } from '@lineprint/query-api';
import { requestReconciliation } from '@lineprint/results';
import type { CryptoKey } from 'jose' with { 'resolution-mode': 'import' };
import { openSeededDatabase, seedCommit, seedDaily, shaOf } from '../../apps/query-api/src/testing/seed';
import { seedHead, seedHeadLines, seedRuns } from '../../apps/query-api/src/testing/seed-ledger';
import { freshDatabase } from '../stores';

/** Whoever may ask, and in which column of the table; the last two are administrators of another organisation. */
const CREDENTIALS = [
  'none',
  'bad',
  'ingest',
  'read',
  'code',
  'admin',
  'personal',
  'developer',
  'maintainer',
  'auditor',
  'administrator',
  'other key',
  'other person',
] as const;
type Credential = (typeof CREDENTIALS)[number];

/** A status for each credential; `bad` are those that must all be refused alike. */
interface Endpoint {
  readonly statuses: string;
  /** Parameters of the path and the query. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object | ((n: number) => object);
  /** Makes what this request changes, of the organisation `acme`; answers parameters of the path. */
  readonly make?: (n: number) => Promise<Record<string, string>>;
}

const PUBLIC = '200 200 200 200 200 200 200 200 200 200 200 200 200';
const NUMBERS = '401 401 403 200 200 200 200 200 200 200 200 200 200';
/** For the whole organisation: no role of single projects, no person. */
const ADMIN = '401 401 403 403 403 200 403 403 403 403 200 200 200';
const CHANGES = '401 401 403 403 403 200 403 403 403 403 200 404 404';

/** Bytes. */
const BODY_LIMIT = 20_000;

const COMMIT = shaOf('c1');
const FILE = { repository: 'acme/shop', path: 'a.ts' };
const LETTER = { topic: deadLetterTopic(TOPICS.commits), partition: '0', offset: '0' };

let database: Database;
let connectedId: string;
let replayId: string;
let reconciliationId: string;

const example = (path: string): Record<string, unknown> => {
  const { requestBody } = openapi.paths[path]!['post']!;
  return requestBody!.content['application/json'].example;
};
const own = (item: unknown): object => ({ ...(item as object), userId: 'ada@acme.dev' });

/** Every endpoint of docs/openapi.json. */
const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  'get /health/live': { statuses: PUBLIC },
  'get /health/ready': { statuses: PUBLIC },
  'get /metrics': { statuses: PUBLIC },
  'get /api/v1/auth/settings': { statuses: PUBLIC },
  // No credential counts here: the host's signature does.
  'post /webhooks/{host}/{hookId}': {
    statuses: '401 401 401 401 401 401 401 401 401 401 401 401 401',
    make: () => Promise.resolve({ host: 'github', hookId: connectedId }),
    body: { ref: 'refs/heads/main' },
  },

  'post /api/v1/code-fingerprints': {
    statuses: '401 401 202 403 403 202 202 403 403 403 202 202 202',
    body: () => ({
      fingerprints: [own((example('/api/v1/code-fingerprints')['fingerprints'] as unknown[])[0])],
    }),
  },
  'post /telemetry/code-fingerprint': {
    statuses: '401 401 200 403 403 200 200 403 403 403 200 200 200',
    body: () => own(example('/telemetry/code-fingerprint')),
  },
  'post /telemetry/code-gen-stats': {
    statuses: '401 401 200 403 403 200 200 403 403 403 200 200 200',
    body: () => own(example('/telemetry/code-gen-stats')),
  },
  'post /api/v1/commits': {
    statuses: '401 401 202 403 403 202 202 403 403 403 202 202 202',
    body: () => example('/api/v1/commits'),
  },
  'post /api/v1/refs': {
    statuses: '401 401 202 403 403 202 202 403 403 403 202 202 202',
    body: () => example('/api/v1/refs'),
  },
  'post /api/v1/identities/mailmap': {
    statuses: '401 401 200 403 403 200 403 403 403 403 200 200 200',
    body: () => example('/api/v1/identities/mailmap'),
  },
  'get /api/v1/baselines': {
    statuses: '401 401 200 403 403 200 200 403 403 403 200 200 200',
    query: { repository: 'acme/shop' },
  },
  'get /api/v1/enrolment': { statuses: '401 401 200 403 403 200 200 403 403 403 200 200 200' },

  'get /api/v1/connected-repositories': { statuses: ADMIN },
  'post /api/v1/connected-repositories': {
    statuses: ADMIN.replaceAll('200', '201'),
    body: (n) => ({
      host: 'github',
      cloneUrl: `http://127.0.0.1:9/new-${n}.git`,
      secret: 'file:hook',
      history: 1,
    }),
  },
  'get /api/v1/connected-repositories/{hookId}': {
    statuses: CHANGES,
    make: () => Promise.resolve({ hookId: connectedId }),
  },
  'delete /api/v1/connected-repositories/{hookId}': {
    statuses: CHANGES,
    make: async (n) => ({ hookId: await connect(`deleted-${n}`) }),
  },
  'post /api/v1/connected-repositories/{hookId}/rotate-secret': {
    statuses: CHANGES,
    make: () => Promise.resolve({ hookId: connectedId }),
    body: { secret: 'file:hook', overlapHours: 24 },
  },
  'post /api/v1/connected-repositories/{hookId}/fetch': {
    statuses: CHANGES.replaceAll('200', '202'),
    make: () => Promise.resolve({ hookId: connectedId }),
  },

  'get /api/v1/me': { statuses: NUMBERS.replace('403', '200') },
  'get /api/v1/audit': { statuses: '401 401 403 403 403 200 403 403 403 200 200 200 200' },
  'get /api/v1/stats/ai-attribution': {
    statuses: '401 401 403 200 200 200 403 403 200 200 200 403 403',
    query: { scope: 'project', project_id: 'shop', period: '30d' },
  },
  'get /api/v1/summary': { statuses: NUMBERS },
  'get /api/v1/summary/commits': { statuses: NUMBERS },
  'get /api/v1/projects': { statuses: NUMBERS },
  'get /api/v1/repositories': { statuses: NUMBERS },
  'get /api/v1/people': { statuses: NUMBERS },
  'get /api/v1/models': { statuses: NUMBERS },
  'get /api/v1/exclusions': { statuses: NUMBERS },
  'get /api/v1/top-files': { statuses: NUMBERS },
  'get /api/v1/data-quality': { statuses: '401 401 403 200 200 200 403 403 403 200 200 200 200' },
  'get /api/v1/commits': { statuses: NUMBERS },
  'get /api/v1/commits/{sha}': {
    statuses: '401 401 403 200 200 200 200 200 200 200 200 404 404',
    query: { sha: COMMIT, repository: 'acme/shop' },
  },
  'get /api/v1/commits/{sha}/lines': {
    statuses: '401 401 403 200 200 200 200 200 200 200 200 404 404',
    query: { sha: COMMIT, ...FILE },
  },
  'get /api/v1/head': { statuses: NUMBERS },
  'get /api/v1/survival': { statuses: NUMBERS },
  'get /api/v1/files': { statuses: NUMBERS, query: { repository: 'acme/shop' } },
  'get /api/v1/files/lines': {
    statuses: '401 401 403 200 200 200 200 200 200 200 200 404 404',
    query: FILE,
  },
  'get /api/v1/snippets/{codeId}': {
    statuses: '401 401 403 200 200 200 200 200 403 200 200 404 404',
    query: { codeId: 's1' },
  },
  'get /api/v1/snippets/{codeId}/alignment': {
    statuses: '401 401 403 200 200 200 200 200 403 200 200 404 404',
    query: { codeId: 's1', commit: COMMIT, ...FILE },
  },
  'get /api/v1/export': { statuses: '401 401 403 200 200 200 200 200 403 200 200 200 200' },

  'get /api/v1/identities': { statuses: '401 401 403 200 200 200 200 200 403 200 200 200 200' },
  'get /api/v1/identities/conflicts': { statuses: ADMIN },
  'get /api/v1/identities/{address}': {
    statuses: '401 401 403 200 200 200 200 200 403 200 200 404 404',
    query: { address: 'ada@acme.dev' },
  },
  'put /api/v1/identities/{address}': {
    statuses: CHANGES,
    query: { address: 'bob@acme.dev' },
    body: { name: 'Robert', kind: null },
  },
  'post /api/v1/identities/merge': {
    statuses: CHANGES,
    make: (n) => person(`merged-${n}@acme.dev`),
    body: (n) => ({ person: `merged-${n}@acme.dev`, into: 'bob@acme.dev' }),
  },
  'post /api/v1/identities/split': {
    statuses: CHANGES,
    make: (n) => person(`split-${n}@acme.dev`, 'bob@acme.dev'),
    body: (n) => ({ address: `split-${n}@acme.dev` }),
  },
  'delete /api/v1/identities/decisions/{address}': {
    statuses: CHANGES,
    make: (n) => person(`forgotten-${n}@acme.dev`, 'bob@acme.dev'),
  },

  'get /api/v1/identities/{address}/export': { statuses: CHANGES, query: { address: 'ada@acme.dev' } },

  'get /api/v1/erasures': { statuses: ADMIN },
  'get /api/v1/erasures/{pseudonym}': { statuses: CHANGES, make: erased },
  'post /api/v1/erasures': {
    statuses: '401 401 403 403 403 201 403 403 403 403 201 404 404',
    make: (n) => person(`leaves-${n}@acme.dev`),
    body: (n) => ({ address: `leaves-${n}@acme.dev` }),
  },
  'delete /api/v1/erasures/{address}': {
    statuses: CHANGES,
    make: async () => ({ address: (await erased())['pseudonym']! }),
  },

  'get /api/v1/teams': { statuses: NUMBERS },
  'get /api/v1/teams/{id}': {
    statuses: '401 401 403 200 200 200 200 200 200 200 200 404 404',
    query: { id: 'platform' },
  },
  'post /api/v1/teams': {
    statuses: ADMIN.replaceAll('200', '201'),
    body: (n) => ({ teamId: `team-${n}`, name: 'New', members: [] }),
  },
  'put /api/v1/teams/{id}': {
    statuses: CHANGES,
    make: team,
    body: { name: 'Renamed', members: ['bob@acme.dev'] },
  },
  'delete /api/v1/teams/{id}': { statuses: CHANGES, make: team },

  'get /api/v1/policies': { statuses: NUMBERS },
  'get /api/v1/policies/{id}': {
    statuses: '401 401 403 200 200 200 200 200 200 200 200 404 404',
    query: { id: 'beside' },
  },
  'post /api/v1/policies': {
    statuses: ADMIN.replaceAll('200', '201'),
    body: (n) => ({ id: `policy-${n}`, like: DEFAULT_POLICY.id, changes: {} }),
  },
  'delete /api/v1/policies/{id}': { statuses: CHANGES, make: policy },
  // Nobody has judged it yet: whoever may activate is told so.
  'post /api/v1/policies/{id}/activate': { statuses: CHANGES.replaceAll('200', '409'), make: policy },
  'get /api/v1/policies/{id}/diff/{other}': {
    statuses: '401 401 403 200 200 200 200 200 200 200 200 404 404',
    query: { id: DEFAULT_POLICY.id, other: 'beside' },
  },
  'get /api/v1/policies/{id}/diff/{other}/lines': {
    statuses: '401 401 403 200 200 200 200 200 200 200 200 404 404',
    query: { id: DEFAULT_POLICY.id, other: 'beside' },
  },

  'get /api/v1/replays': { statuses: ADMIN },
  'post /api/v1/replays': {
    statuses: CHANGES.replaceAll('200', '201'),
    make: policy,
    body: (n) => ({ policy: `made-${n}` }),
  },
  'get /api/v1/replays/{id}': { statuses: CHANGES, make: () => Promise.resolve({ id: replayId }) },
  'post /api/v1/replays/{id}/pause': { statuses: CHANGES, make: replay },
  // It runs already: whoever may resume it is told so.
  'post /api/v1/replays/{id}/resume': { statuses: CHANGES.replaceAll('200', '409'), make: replay },
  'post /api/v1/replays/{id}/cancel': { statuses: CHANGES, make: replay },

  'get /api/v1/reconciliations': { statuses: ADMIN },
  'post /api/v1/reconciliations': { statuses: ADMIN.replaceAll('200', '201') },
  'get /api/v1/reconciliations/{id}': {
    statuses: CHANGES,
    make: () => Promise.resolve({ id: reconciliationId }),
  },

  'get /api/v1/dead-letters': { statuses: ADMIN },
  'get /api/v1/dead-letters/{topic}/{partition}/{offset}': { statuses: CHANGES, query: LETTER },
  'post /api/v1/dead-letters/redrive': { statuses: ADMIN, body: { filter: {}, dryRun: true } },
  'post /api/v1/dead-letters/drop': { statuses: ADMIN, body: { filter: {}, dryRun: true } },
};

interface OpenApi {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        readonly parameters?: readonly { readonly name: string; readonly in: string }[];
        readonly requestBody?: { content: { 'application/json': { example: Record<string, unknown> } } };
      }
    >
  >;
}
const docs = join(__dirname, '..', '..', 'docs');
const openapi = JSON.parse(readFileSync(join(docs, 'openapi.json'), 'utf8')) as OpenApi;

/** What ingest answers; query-api has the rest. */
const INGEST =
  /^(post \/(webhooks|telemetry)|post \/api\/v1\/(code-fingerprints|commits|refs|identities\/mailmap)|get \/api\/v1\/(baselines|enrolment)|\w+ \/api\/v1\/connected-repositories)/;

/** Texts that only the data of one organisation has: no request names them. */
const MARKS = {
  acme: ['Ada of Acme', 'Bob of Acme', 'Acme platform', 'acme-model'],
  rival: ['Spy of Rival'],
  colleagues: ['Bob of Acme'],
};

/** What must not be in an answer to somebody. */
function hiddenFrom(credential: Credential): readonly string[] {
  if (credential.startsWith('other')) return MARKS.acme;
  const isPerson = credential === 'personal' || credential === 'developer';
  return isPerson ? [...MARKS.rival, ...MARKS.colleagues] : MARKS.rival;
}

async function team(n: number): Promise<Record<string, string>> {
  await createTeam(database, 'acme', { teamId: `made-${n}`, name: 'Made', members: [] });
  return { id: `made-${n}` };
}
async function policy(n: number): Promise<Record<string, string>> {
  await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: `made-${n}` });
  return { id: `made-${n}` };
}
async function replay(n: number): Promise<Record<string, string>> {
  await policy(n);
  return { id: await replayOf(`made-${n}`) };
}
async function replayOf(policyId: string): Promise<string> {
  const wanted = { repository: null, from: null, to: null, maxRate: null, createdBy: null };
  return (await createReplay(database, { orgId: 'acme', policyId, topic: 'candidates', ...wanted })).id;
}
/** Somebody who has committed; merged into somebody else where wanted. */
async function erased(): Promise<Record<string, string>> {
  const { address } = await person(`left-${randomUUID()}@acme.dev`);
  const { pseudonym } = await requestErasure(database, 'acme', address!, null);
  return { pseudonym };
}

async function person(address: string, into?: string): Promise<Record<string, string>> {
  await database.query(
    `INSERT INTO identities (org_id, user_id, name, declared) VALUES ('acme', $1, 'Nobody', FALSE)`,
    [address],
  );
  if (into !== undefined) {
    await database.query(
      `INSERT INTO person_aliases (org_id, alias, person_id, by) VALUES ('acme', $1, $2, 'manual')`,
      [address, into],
    );
  }
  return { address };
}
async function connect(repository: string): Promise<string> {
  const made = await connectRepository(database, {
    orgId: 'acme',
    repository,
    projectId: null,
    host: 'github',
    cloneUrl: `http://127.0.0.1:9/${repository}.git`,
    credential: null,
    secret: 'file:hook',
    countedRefs: [],
    history: 1,
    createdBy: null,
  });
  return made.hookId;
}

@Module({ imports: [PersistenceModule, LazyEventLogModule, QueryApiModule] })
class ReadModule {}
@Module({ imports: [PersistenceModule, EventLogModule, IngestModule] })
class WriteModule {}

let stores: Awaited<ReturnType<typeof freshDatabase>>;
let folder: string;
let issuer: Server;
let services: { readonly read: RunningService; readonly write: RunningService };
/** Bearer credentials by column; several where all must be refused alike. */
let bearers: Readonly<Record<Credential, readonly string[]>>;

/** Signs what the services' identity provider would. */
async function startIssuer(): Promise<{ url: string; key: CryptoKey }> {
  const { exportJWK, generateKeyPair } = await import('jose');
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  issuer = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const keys = request.url === '/keys';
    response.end(JSON.stringify(keys ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/keys` }));
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
  return { url, key: privateKey };
}

async function seed(): Promise<void> {
  for (const orgId of ['acme', 'rival']) await ensureLineKey(database, orgId);
  await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: 'beside' });
  await createTeam(database, 'acme', {
    teamId: 'platform',
    name: 'Acme platform',
    members: ['ada@acme.dev'],
  });
  await seedCommit(database, {
    sha: COMMIT,
    day: new Date().toISOString().slice(0, 10),
    authorName: 'Ada of Acme',
    files: [
      {
        path: 'a.ts',
        results: [{ source: 'agent', codeId: 's1', model: 'acme-model', preserved: 2 }],
        lines: [{ start: 0, count: 2, kind: 'P', result: 0 }],
      },
    ],
  });
  await seedCommit(database, {
    sha: shaOf('b1'),
    day: new Date().toISOString().slice(0, 10),
    user: 'bob@acme.dev',
    authorName: 'Bob of Acme',
    files: [{ path: 'b.ts', results: [{ human: 1 }] }],
  });
  await seedCommit(database, {
    sha: shaOf('f1'),
    org: 'rival',
    repository: 'rival/spy',
    project: 'spy',
    user: 'spy@rival.dev',
    authorName: 'Spy of Rival',
    day: new Date().toISOString().slice(0, 10),
    files: [{ path: 's.ts', results: [{ human: 3 }] }],
  });
  await seedDaily(database);
  await seedHead(database, { sha: COMMIT });
  await seedHeadLines(database, [
    { path: 'a.ts', ordinal: 0, kind: 'P', source: 'agent', model: 'acme-model', lines: 2 },
  ]);
  await seedRuns(database, 'a.ts', [{ count: 2, commit: COMMIT, line: 0 }]);
  await database.transaction((tx) =>
    insertSnippets(tx, [
      {
        codeId: 's1',
        sessionId: 'session-1',
        userId: 'ada@acme.dev',
        projectId: 'shop',
        orgId: 'acme',
        source: 'agent',
        signature: new Uint8Array(512),
        lshBuckets: new Uint8Array(64),
        language: 'typescript',
        fileExtension: 'ts',
        lineCount: 2,
        charCount: 20,
        structureHash: '0123456789abcdef',
        rawCodeEncrypted: null,
        protocol: 1,
        repository: 'acme/shop',
        model: 'acme-model',
        client: null,
        editKind: null,
        acceptedPartially: null,
        declaredBy: null,
        astSignature: null,
        partition: 0,
        offset: 1,
        createdAt: new Date(),
        keyId: null,
        linePrints: null,
        pathKey: null,
        before: null,
        after: null,
      },
    ]),
  );
  const log = await openEventLog('embedded:', { database, clientId: 'test' });
  await log.ensureTopics(topicSpecs(1));
  await log.append([
    {
      topic: LETTER.topic,
      key: 'acme/shop',
      value: Buffer.from('{}'),
      headers: {
        ce_id: 'e1',
        lp_tenant: 'acme',
        lp_dlq_topic: TOPICS.commits,
        lp_dlq_partition: '0',
        lp_dlq_offset: '7',
        lp_dlq_group: 'lineprint.commit-analyzer',
        lp_dlq_code: 'event-invalid',
        lp_dlq_message: 'no such shape, of acme-model',
        lp_dlq_attempts: '1',
      },
    },
  ]);
  await log.close();
  connectedId = await connect('connected');
  replayId = await replayOf('beside');
  reconciliationId = String((await requestReconciliation(database, 'acme', null)).id);
}

async function credentials(issued: { url: string; key: CryptoKey }): Promise<typeof bearers> {
  const key = async (
    orgId: string,
    scopes: string[],
    more: { userId?: string; expiresAt?: Date } = {},
  ): Promise<string> => (await createApiKey(database, { orgId, scopes, ...more })).key;
  const { SignJWT } = await import('jose');
  const now = Math.floor(Date.now() / 1000);
  const token = (email: string, claims: object, expires = now + 86_400) =>
    new SignJWT({
      iss: issued.url,
      aud: 'lineprint',
      iat: now - 7200,
      exp: expires,
      sub: email,
      email,
      email_verified: true,
      org: 'acme',
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(issued.key);
  const revoked = await key('acme', ['admin']);
  await database.query('UPDATE api_keys SET revoked_at = NOW() WHERE prefix = $1', [revoked.split('_')[1]!]);
  const unknown = await key('acme', ['admin']);
  await database.query('DELETE FROM api_keys WHERE prefix = $1', [unknown.split('_')[1]!]);
  const good = await key('acme', ['admin']);
  return {
    none: [''],
    bad: [
      'nonsense',
      good.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      unknown,
      revoked,
      await key('acme', ['admin'], { expiresAt: new Date(Date.now() - 1000) }),
      await token('boss@acme.dev', { roles: ['admin'] }, now - 3600),
      await token('boss@acme.dev', { roles: ['admin'], aud: 'another' }),
    ],
    ingest: [await key('acme', ['ingest'])],
    read: [await key('acme', ['read'])],
    code: [await key('acme', ['read', 'code'])],
    admin: [good],
    personal: [await key('acme', ['ingest', 'read', 'code'], { userId: 'ada@acme.dev' })],
    developer: [await token('ada@acme.dev', {})],
    maintainer: [await token('lead@acme.dev', { roles: ['maintainer'], lineprint_projects: ['shop'] })],
    auditor: [await token('auditor@acme.dev', { roles: ['auditor'] })],
    administrator: [await token('boss@acme.dev', { roles: ['admin'] })],
    'other key': [await key('rival', ['admin'])],
    'other person': [await token('boss@rival.dev', { roles: ['admin'], org: 'rival' })],
  };
}

beforeAll(async () => {
  stores = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'lineprint-matrix-'));
  for (const orgId of ['acme', 'rival']) {
    await mkdir(join(folder, orgId));
    await writeFile(join(folder, orgId, 'hook'), 'a secret of thirty-two characters');
  }
  database = await openSeededDatabase('UTC', stores.url);
  await seed();
  const issued = await startIssuer();
  const config = loadConfig({
    LINEPRINT_PORT: '0',
    LINEPRINT_LOG_LEVEL: 'silent',
    LINEPRINT_DATABASE_URL: stores.url,
    LINEPRINT_OIDC_ISSUER: issued.url,
    LINEPRINT_OIDC_ORGANISATION_CLAIM: 'org',
    LINEPRINT_SECRETS_DIRECTORY: folder,
    LINEPRINT_GIT_HOSTS: 'http://127.0.0.1:9',
    LINEPRINT_GIT_MIRRORS: join(folder, 'mirrors'),
    LINEPRINT_PARTITIONS: '1',
    LINEPRINT_BODY_LIMIT: String(BODY_LIMIT),
    LINEPRINT_COMMIT_BODY_LIMIT: String(BODY_LIMIT),
    // Nobody is refused for the refusals that are wanted here.
    LINEPRINT_ADDRESS_RATE_LIMIT: '0',
  });
  services = {
    read: await startService({ name: 'query-api', module: ReadModule, config }),
    write: await startService({ name: 'ingest', module: WriteModule, config }),
  };
  bearers = await credentials(issued);
}, 120_000);

afterAll(async () => {
  await Promise.all([services.read.close(), services.write.close()]);
  await new Promise((resolve) => issuer.close(resolve));
  await database.close();
  await stores.drop();
  await rm(folder, { recursive: true });
});

/** Of every answer, whoever gets it. */
const STRICT = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

let requests = 0;

/** What an endpoint answers somebody. */
async function ask(
  operation: string,
  bearer: string,
  { project = false, text }: { project?: boolean; text?: string } = {},
): Promise<Response> {
  const [method, path] = operation.split(' ') as [string, string];
  const endpoint = ENDPOINTS[operation]!;
  const n = ++requests;
  const values = { ...endpoint.query, ...(await endpoint.make?.(n)) };
  const parameters = openapi.paths[path]![method]!.parameters ?? [];
  const url = new URL(
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? '')),
    (INGEST.test(operation) ? services.write : services.read).url,
  );
  for (const { name, in: place } of parameters) {
    if (place === 'query' && values[name] !== undefined) url.searchParams.set(name, values[name]);
    // A maintainer names a project with every question that has one.
    if (place === 'query' && name === 'project_id' && project) url.searchParams.set(name, 'shop');
  }
  const item = typeof endpoint.body === 'function' ? endpoint.body(n) : endpoint.body;
  const body = text ?? (item && JSON.stringify(item));
  return fetch(url, {
    method: method.toUpperCase(),
    headers: {
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
}

const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method} ${path}`),
);

it('names every endpoint of docs/openapi.json, and no other', () => {
  expect(Object.keys(ENDPOINTS).sort()).toEqual([...operations].sort());
});

it.each(operations)(
  '%s answers each credential as the table says, and nothing of other organisations or, to a developer, of colleagues',
  async (operation) => {
    const found: Record<string, string> = {};
    for (const credential of CREDENTIALS) {
      const statuses = new Set<number>();
      for (const bearer of bearers[credential]) {
        const response = await ask(operation, bearer, { project: credential === 'maintainer' });
        statuses.add(response.status);
        const body = await response.text();
        for (const mark of hiddenFrom(credential)) expect(body).not.toContain(mark);
        expect(Object.fromEntries(response.headers)).toMatchObject(STRICT);
        if (response.status >= 500) throw new Error(`${credential}: ${body}`);
      }
      found[credential] = [...statuses].join();
    }
    const expected = ENDPOINTS[operation]!.statuses.split(' ');
    expect(found).toEqual(Object.fromEntries(CREDENTIALS.map((credential, i) => [credential, expected[i]])));
  },
);

it.each(operations.filter((operation) => !operation.startsWith('get ')))(
  '%s reads no body that is too large',
  async (operation) => {
    // A host's own limit goes before ours.
    const limit = operation.startsWith('post /webhooks') ? 25 * 1024 * 1024 : BODY_LIMIT;
    const text = JSON.stringify({ filler: 'x'.repeat(limit) });
    const response = await ask(operation, bearers.admin[0]!, { text });
    expect([response.status, await response.json()]).toEqual([
      413,
      expect.objectContaining({ code: 'body-too-large' }),
    ]);
  },
);

it('docs/security-matrix.md is this table', () => {
  const rows = operations
    .sort((a, b) => (a.split(' ')[1]! < b.split(' ')[1]! ? -1 : 1))
    .map((operation) => {
      const [method, path] = operation.split(' ');
      return `| \`${method!.toUpperCase()} ${path}\` | ${ENDPOINTS[operation]!.statuses.split(' ').join(' | ')} |`;
    });
  const file = join(docs, 'security-matrix.md');
  const before = readFileSync(file, 'utf8');
  const head = before.slice(0, before.indexOf('| endpoint '));
  const table = [
    `| endpoint | ${CREDENTIALS.join(' | ')} |`,
    `| --- | ${CREDENTIALS.map(() => '---').join(' | ')} |`,
    ...rows,
    '',
  ].join('\n');
  if (process.env['LINEPRINT_WRITE_DOCS']) writeFileSync(file, head + table);
  const cells = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-+/g, '-');
  expect(cells(readFileSync(file, 'utf8'))).toBe(cells(head + table));
});
