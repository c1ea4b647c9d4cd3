import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CryptoKey, JWTPayload } from 'jose' with { 'resolution-mode': 'import' };
import { loadConfig } from './config';
import { TokenVerifier, type OidcSettings } from './oidc';

/** An identity provider as far as tokens are checked with it; what it does not sign is signed here. */
interface Issuer {
  readonly url: string;
  keys: { kid: string; privateKey: CryptoKey; publicJwk: object }[];
  /** What its discovery says it is. */
  names: string;
  up: boolean;
  looks: number;
  /** What its discovery answers instead. */
  discovery?: { status?: number; headers?: Record<string, string>; body: string };
}

let issuer: Issuer;
let server: Server;

async function newKey(kid: string, alg = 'RS256') {
  const { exportJWK, generateKeyPair } = await import('jose');
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (!issuer.up) response.statusCode = 503;
    if (request.url === '/keys') {
      issuer.looks++;
      response.end(JSON.stringify({ keys: issuer.keys.map(({ publicJwk }) => publicJwk) }));
    } else if (request.url?.startsWith('/.well-known/') && issuer.discovery) {
      const { status = 200, headers = {}, body } = issuer.discovery;
      response.writeHead(status, headers).end(body);
    } else response.end(JSON.stringify({ issuer: issuer.names, jwks_uri: `${issuer.url}/keys` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  issuer = { url, keys: [await newKey('first')], names: url, up: true, looks: 0 };
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const settings = (changes: Record<string, string> = {}): OidcSettings =>
  loadConfig({
    LINEPRINT_OIDC_ISSUER: issuer.url,
    LINEPRINT_OIDC_AUDIENCE: 'lineprint',
    LINEPRINT_OIDC_CLOCK_TOLERANCE_S: '5',
    LINEPRINT_OIDC_ROLES: 'platform-team=admin,leads=maintainer',
    ...changes,
  }).oidc!;

const ADA = { sub: '1', email: 'Ada@acme.dev', email_verified: true };
const now = () => Math.floor(Date.now() / 1000);

interface Signing {
  readonly header?: { alg?: string; kid?: string; typ?: string };
  readonly key?: CryptoKey | Uint8Array;
}

async function token(claims: JWTPayload = {}, { header = {}, key }: Signing = {}): Promise<string> {
  const { SignJWT } = await import('jose');
  const [own] = issuer.keys;
  return new SignJWT({ iss: issuer.url, aud: 'lineprint', iat: now(), exp: now() + 60, ...ADA, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: own!.kid, ...header })
    .sign(key ?? own!.privateKey);
}

const verify = async (text: string, changes?: Record<string, string>) =>
  new TokenVerifier(settings(changes), 0).verify(text);
const refused = (status: number, code: string) => ({ status, code });

describe('TokenVerifier', () => {
  it('finds the developer that a good token stands for', async () => {
    expect(await verify(await token())).toEqual({
      orgId: 'default',
      scopes: ['read', 'code'],
      role: 'developer',
      userId: 'Ada@acme.dev',
      address: 'Ada@acme.dev',
    });
  });

  it.each<[string, JWTPayload, object]>([
    ['a list', { roles: ['x', 'platform-team'] }, { role: 'admin', scopes: ['admin'], userId: null }],
    ['words', { roles: 'auditor developer' }, { role: 'auditor', scopes: ['read', 'audit'], userId: null }],
    ['the most of several', { roles: ['leads', 'auditor'] }, { role: 'auditor' }],
    [
      'a maintainer with projects',
      { roles: ['leads'], lineprint_projects: ['shop', 'desk'] },
      { role: 'maintainer', userId: null, projects: ['shop', 'desk'] },
    ],
    ['a maintainer without any', { roles: ['leads'] }, { role: 'maintainer', projects: [] }],
    ['names that mean nothing here', { roles: ['owner', 'root'] }, { role: 'developer' }],
    ['something else', { roles: { admin: true } }, { role: 'developer' }],
  ])('reads roles from %s', async (_, claims, expected) => {
    expect(await verify(await token(claims))).toMatchObject(expected);
  });

  it('takes the organisation from the claim that is configured, and refuses a token without it', async () => {
    const changes = { LINEPRINT_OIDC_ORGANISATION_CLAIM: 'org' };
    expect(await verify(await token({ org: 'acme' }), changes)).toMatchObject({ orgId: 'acme' });
    for (const claims of [{}, { org: '' }, { org: ['acme'] }]) {
      await expect(verify(await token(claims), changes)).rejects.toMatchObject(
        refused(403, 'organisation-missing'),
      );
    }
  });

  it('believes an address only where the provider has verified it, unless told otherwise', async () => {
    for (const claims of [{ email_verified: false }, { email_verified: 'true' }, { email: '' }]) {
      await expect(verify(await token(claims))).rejects.toMatchObject(refused(403, 'email-unverified'));
    }
    expect(await verify(await token({ email_verified: false, roles: ['auditor'] }))).not.toHaveProperty(
      'address',
    );
    const trusting = { LINEPRINT_OIDC_TRUST_EMAIL: 'true', LINEPRINT_OIDC_EMAIL_CLAIM: 'upn' };
    expect(await verify(await token({ upn: 'ada@x' }), trusting)).toMatchObject({ userId: 'ada@x' });
  });

  it('refuses what is not signed for us, now, by the issuer', async () => {
    const { base64url } = await import('jose');
    const stranger = await newKey('first');
    const unsigned = `${base64url.encode('{"alg":"none"}')}.${(await token()).split('.')[1]}.`;
    // Who takes the public key for a shared secret can be sent tokens by everybody who knows it.
    const publicText = new TextEncoder().encode(JSON.stringify(issuer.keys[0]!.publicJwk));
    const shared = await token({}, { header: { alg: 'HS256' }, key: publicText });
    const signature = (await token()).split('.')[2]!;
    const cases: readonly [string, string][] = [
      [await token({ iss: 'https://other.example' }), 'token-issuer'],
      [await token({ aud: 'other' }), 'token-audience'],
      [await token({ aud: undefined }), 'token-audience'],
      [await token({ exp: now() - 10 }), 'token-expired'],
      [await token({ exp: undefined }), 'token-claims'],
      [await token({ sub: undefined }), 'token-claims'],
      [await token({ nbf: now() + 60 }), 'token-early'],
      [unsigned, 'token-algorithm'],
      [shared, 'token-algorithm'],
      [await token({}, { header: { kid: 'nobody' } }), 'token-key-unknown'],
      [await token({}, { key: stranger.privateKey }), 'token-signature'],
      [(await token({ roles: ['admin'] })).replace(/[^.]*$/, signature), 'token-signature'],
      [await token({}, { header: { typ: 'logout+jwt' } }), 'token-type'],
      ['e30.e30.', 'token-malformed'],
      ['..', 'token-malformed'],
    ];
    for (const [text, code] of cases) {
      await expect(verify(text)).rejects.toMatchObject(refused(401, code));
    }
  });

  it('tolerates clocks that differ a little', async () => {
    await verify(await token({ exp: now() - 2, nbf: now() + 2 }));
  });

  it('takes algorithms that are configured, and no others', async () => {
    issuer.keys = [await newKey('curve', 'ES256')];
    const text = await token({}, { header: { alg: 'ES256' } });
    await verify(text);
    await expect(verify(text, { LINEPRINT_OIDC_ALGORITHMS: 'RS256' })).rejects.toMatchObject(
      refused(401, 'token-algorithm'),
    );
  });

  it('finds new keys, and does not ask for them with every token that has an unknown one', async () => {
    const verifier = new TokenVerifier(settings(), 0);
    await verifier.verify(await token());
    issuer.keys = [await newKey('second')];
    await verifier.verify(await token());
    expect(issuer.looks).toBe(2);

    const patient = new TokenVerifier(settings());
    await patient.verify(await token());
    const forged = await token({}, { header: { kid: 'nobody' } });
    for (let i = 0; i < 3; i++) {
      await expect(patient.verify(forged)).rejects.toMatchObject(refused(401, 'token-key-unknown'));
    }
    expect(issuer.looks).toBe(3);
  });

  it('asks for another try while the provider is away or is not who it should be, and works when it is back', async () => {
    const unreachable = refused(503, 'identity-provider-unreachable');
    const verifier = new TokenVerifier(settings(), 0);
    const text = await token();
    issuer.up = false;
    await expect(verifier.verify(text)).rejects.toMatchObject(unreachable);
    issuer.up = true;
    issuer.names = 'https://other.example';
    await expect(verifier.verify(text)).rejects.toMatchObject(unreachable);
    issuer.names = issuer.url;
    await verifier.verify(text);
    issuer.up = false;
    await verifier.verify(text);
  });
});

it.each<[string, () => Issuer['discovery']]>([
  ['leads elsewhere', () => ({ status: 302, headers: { location: `${issuer.url}/elsewhere` }, body: '' })],
  [
    'names keys behind a connection that anybody can change',
    () => ({ body: JSON.stringify({ issuer: issuer.names, jwks_uri: 'http://169.254.169.254/keys' }) }),
  ],
  [
    'answers without end',
    () => ({
      body: JSON.stringify({
        issuer: issuer.names,
        jwks_uri: `${issuer.url}/keys`,
        padding: ' '.repeat(2_000_000),
      }),
    }),
  ],
])('a provider that %s is taken for one that does not answer', async (_what, discovery) => {
  const text = await token();
  issuer.discovery = discovery();
  await expect(new TokenVerifier(settings()).verify(text)).rejects.toMatchObject({
    status: 503,
    code: 'identity-provider-unreachable',
  });
  delete issuer.discovery;
  await new TokenVerifier(settings()).verify(text);
});

describe('the settings of logging in', () => {
  const load = (changes: Record<string, string>) => () =>
    loadConfig({ LINEPRINT_OIDC_ISSUER: 'https://id.example', ...changes });

  it('are none without an issuer', () => {
    expect(loadConfig({ LINEPRINT_OIDC_CLIENT_ID: 'x' }).oidc).toBeUndefined();
  });

  it.each<[string, Record<string, string>]>([
    ['LINEPRINT_OIDC_ISSUER', { LINEPRINT_OIDC_ISSUER: 'http://id.example' }],
    ['LINEPRINT_OIDC_ISSUER', { LINEPRINT_OIDC_ISSUER: 'id.example' }],
    ['LINEPRINT_OIDC_ALGORITHMS', { LINEPRINT_OIDC_ALGORITHMS: 'RS256 HS256' }],
    ['LINEPRINT_OIDC_ALGORITHMS', { LINEPRINT_OIDC_ALGORITHMS: 'none' }],
    ['LINEPRINT_OIDC_ROLES', { LINEPRINT_OIDC_ROLES: 'leads=boss' }],
    ['LINEPRINT_OIDC_AUDIENCE', { LINEPRINT_OIDC_AUDIENCE: ',' }],
  ])('name %s when it is wrong', (variable, changes) => {
    expect(load(changes)).toThrow(variable);
  });
});
