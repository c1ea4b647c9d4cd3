/**
 * A real OpenID provider on loopback, for tests: `node test/oidc-provider.mjs PORT`, with an IPC channel. It has signing
 * keys of its own at each start, and one public client, `lineprint`; whoever is hinted at (`login_hint`), or says a login
 * in its form, is logged in and consents. Access tokens are JSON Web Tokens for the resource that is asked for, or else
 * for `https://lineprint.acme.dev`. It sends `{ url }` once it listens.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import Provider from 'oidc-provider';

const port = Number(process.argv[2]);
const issuer = `http://127.0.0.1:${port}`;
const TTL_S = 600;

/** People by their login: what the provider knows of them. */
const ACCOUNTS = {
  ada: { email: 'ada@acme.dev', email_verified: true },
  boss: { email: 'boss@acme.dev', email_verified: true, roles: ['platform-team'] },
  auditor: { email: 'audit@acme.dev', email_verified: true, roles: ['auditors'] },
  lead: { email: 'lead@acme.dev', email_verified: true, roles: ['leads'], lineprint_projects: ['shop'] },
  stranger: { email: 'ada@acme.dev', email_verified: false },
  guest: { email: 'guest@nowhere.dev', email_verified: true, org: 'nowhere' },
};

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const provider = new Provider(issuer, {
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' }] },
  clients: [
    {
      client_id: 'lineprint',
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1/login/callback'],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  cookies: { keys: [randomUUID()] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  clientBasedCORS: () => true,
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...ACCOUNTS[id] }) }),
  extraTokenClaims: (_context, token) => {
    const {
      email,
      email_verified,
      roles,
      lineprint_projects,
      org = 'acme',
    } = ACCOUNTS[token.accountId] ?? {};
    return { email, email_verified, roles, lineprint_projects, org };
  },
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'https://lineprint.acme.dev',
      getResourceServerInfo: (_context, audience) => ({
        audience,
        scope: '',
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
      useGrantedResource: () => true,
    },
  },
  ttl: { AccessToken: TTL_S, IdToken: TTL_S, Grant: TTL_S, Session: TTL_S, Interaction: TTL_S },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
});

provider.use(async (context, next) => {
  if (!context.path.startsWith('/interaction/')) return next();
  const { prompt, params, grantId, session } = await provider.interactionDetails(context.req, context.res);
  if (prompt.name === 'login') {
    const accountId = params.login_hint ?? context.query.login;
    if (accountId === undefined) {
      context.body =
        '<!doctype html><title>Acme</title><form><label>Login <input name="login"></label></form>';
      return;
    }
    await provider.interactionFinished(context.req, context.res, { login: { accountId } });
  } else {
    const known = grantId && (await provider.Grant.find(grantId));
    const grant = known || new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    if (params.resource) grant.addResourceScope(params.resource, params.scope);
    await provider.interactionFinished(context.req, context.res, {
      consent: { grantId: await grant.save() },
    });
  }
  context.respond = false;
});

const server = provider.listen(port, '127.0.0.1', () => process.send?.({ url: issuer }));
process.once('disconnect', () => server.close(() => process.exit()));
