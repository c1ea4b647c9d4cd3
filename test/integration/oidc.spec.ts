import { createHash, randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { LazyEventLogModule } from '@lineprint/event-log';
import { DATABASE, type Database, ensureTenant, PersistenceModule } from '@lineprint/persistence';
import { loadConfig, type RunningService, startService } from '@lineprint/platform';
import { QueryApiModule } from '@lineprint/query-api';
import { seedCommit, seedDaily, shaOf } from '../../apps/query-api/src/testing/seed';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider';

const AUDIENCE = 'https://lineprint.acme.dev';
const REDIRECT = 'http://127.0.0.1/callback';

let provider: IdentityProvider;
let service: RunningService;

@Module({ imports: [PersistenceModule, LazyEventLogModule, QueryApiModule] })
class AppModule {}

/** Logs in as a browser does, and exchanges the code: with PKCE, without a secret. */
async function logIn(
  login: string,
  resource = AUDIENCE,
): Promise<{ access_token: string; id_token: string }> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: 'lineprint',
    response_type: 'code',
    scope: 'openid email',
    redirect_uri: REDIRECT,
    login_hint: login,
    resource,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const cookies = new Map<string, string>();
  let location = `${provider.issuer}/auth?${query}`;
  while (!location.startsWith(REDIRECT)) {
    const response = await fetch(location, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      cookies.set(name!, value!);
    }
    const next = response.headers.get('location');
    if (next === null) throw new Error(`${response.status}: ${await response.text()}`);
    location = new URL(next, location).href;
  }
  const code = new URL(location).searchParams.get('code');
  if (code === null) throw new Error(location);
  const answer = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: 'lineprint',
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
      resource,
    }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as { access_token: string; id_token: string };
}

async function ask(
  path: string,
  credential: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${service.url}/api/v1/${path}`, {
    headers: credential ? { authorization: `Bearer ${credential}` } : {},
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

beforeAll(async () => {
  provider = await startIdentityProvider();
  service = await startService({
    name: 'query-api',
    module: AppModule,
    config: loadConfig({
      LINEPRINT_PORT: '0',
      LINEPRINT_LOG_LEVEL: 'silent',
      LINEPRINT_DATABASE_URL: 'pglite:memory',
      LINEPRINT_OIDC_ISSUER: provider.issuer,
      LINEPRINT_OIDC_AUDIENCE: `${AUDIENCE} lineprint`,
      LINEPRINT_OIDC_ORGANISATION_CLAIM: 'org',
      LINEPRINT_OIDC_ROLES: 'platform-team=admin,auditors=auditor,leads=maintainer',
    }),
  });
  const database = service.app.get<Database>(DATABASE, { strict: false });
  await ensureTenant(database, { orgId: 'acme', name: 'Acme', timeZone: 'Europe/Berlin' });
  await database.query(
    `INSERT INTO policies (org_id, policy_id, body, active) VALUES ('acme', 'default', '{}', TRUE)`,
  );
  for (const [sha, user, project, human] of [
    ['a1', 'ada@acme.dev', 'shop', 1],
    ['b1', 'bob@acme.dev', 'shop', 10],
    ['b2', 'bob@acme.dev', 'desk', 100],
  ] as const) {
    await seedCommit(database, {
      sha: shaOf(sha),
      day: '2026-06-10',
      user,
      project,
      repository: `acme/${project}`,
      files: [{ path: 'a.ts', results: [{ human }] }],
    });
  }
  await seedDaily(database);
}, 120_000);

afterAll(async () => {
  await service.close();
  await provider.stop();
});

const addedOf = async (path: string, credential: string) => {
  const { status, body } = await ask(path, credential);
  return status === 200 ? (body['lines'] as { added: number }).added : body['code'];
};

describe('people who log in at an identity provider', () => {
  it('are told where to', async () => {
    expect(await ask('auth/settings', '')).toEqual({
      status: 200,
      body: {
        oidc: { issuer: provider.issuer, clientId: 'lineprint', scope: 'openid email profile' },
      },
    });
  });

  it('are developers without a role, and see their own numbers', async () => {
    const { access_token } = await logIn('ada');
    expect((await ask('me', access_token)).body).toMatchObject({
      credential: 'token',
      role: 'developer',
      sees: 'person',
      readsCode: true,
      person: { personId: 'ada@acme.dev', name: 'Ada' },
      organisation: { orgId: 'acme', name: 'Acme', timeZone: 'Europe/Berlin' },
    });
    expect(await addedOf('summary', access_token)).toBe(1);
    expect(await addedOf('dead-letters', access_token)).toBe('scope-missing');
  });

  it('see what their role shows: all, all but code, or some projects', async () => {
    const [boss, auditor, lead] = [await logIn('boss'), await logIn('auditor'), await logIn('lead')];
    expect((await ask('me', boss.access_token)).body).toMatchObject({ role: 'admin', readsCode: true });
    expect((await ask('dead-letters', boss.access_token)).status).toBe(200);
    expect(await addedOf('summary', boss.access_token)).toBe(111);

    expect((await ask('me', auditor.access_token)).body).toMatchObject({ role: 'auditor', readsCode: false });
    expect(await addedOf('summary', auditor.access_token)).toBe(111);
    expect((await ask('dead-letters', auditor.access_token)).status).toBe(403);

    expect((await ask('me', lead.access_token)).body).toMatchObject({
      role: 'maintainer',
      projects: ['shop'],
    });
    expect(await addedOf('summary?project_id=shop', lead.access_token)).toBe(11);
    expect(await addedOf('summary?project_id=desk', lead.access_token)).toBe('project-forbidden');
    expect(await addedOf('summary', lead.access_token)).toBe('project-forbidden');
  });

  it('may send an ID token where its audience is taken', async () => {
    const { id_token } = await logIn('ada');
    // It has no claim of the organisation here.
    expect(await ask('me', id_token)).toMatchObject({ status: 403, body: { code: 'organisation-missing' } });
  });

  it('are refused without a verified address, in an organisation that is not here, and with another audience’s token', async () => {
    const [stranger, guest] = [await logIn('stranger'), await logIn('guest')];
    const other = await logIn('boss', 'https://other.acme.dev');
    expect(await ask('me', stranger.access_token)).toMatchObject({
      status: 403,
      body: { code: 'email-unverified' },
    });
    expect(await ask('me', guest.access_token)).toMatchObject({
      status: 403,
      body: { code: 'organisation-unknown' },
    });
    expect(await ask('me', other.access_token)).toMatchObject({
      status: 401,
      body: { code: 'token-audience' },
    });
  });

  it('are refused with claims that were changed', async () => {
    const { access_token } = await logIn('ada');
    const [header, payload, signature] = access_token.split('.');
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, roles: ['platform-team'] })).toString('base64url');
    expect(await ask('me', `${header}.${forged}.${signature}`)).toMatchObject({
      status: 401,
      body: { code: 'token-signature' },
    });
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect(await ask('me', `${none}.${forged}.`)).toMatchObject({
      status: 401,
      body: { code: 'token-algorithm' },
    });
  });
});
