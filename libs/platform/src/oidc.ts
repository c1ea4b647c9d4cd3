import type { JWTPayload, JWTVerifyGetKey } from 'jose' with { 'resolution-mode': 'import' };
import type { Principal } from './auth';
import { type Config, ISSUER } from './config';
import { HttpProblem } from './errors';
import { type Role, roleScopes, roles } from './roles';

export type OidcSettings = NonNullable<Config['oidc']>;

const DISCOVERY = '/.well-known/openid-configuration';
const DISCOVERY_TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 1_000_000;
/** A token with a key that is not known makes us ask for the keys again, at most so often. */
const COOLDOWN_MS = 10_000;
/** Other tokens of the same issuer (logout, introspection) are no credentials. */
const TOKEN_TYPES = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

/** Checks the bearer tokens of people: signed by the identity provider, for us, and still good. */
export class TokenVerifier {
  private keys: Promise<JWTVerifyGetKey> | undefined;

  /** @param cooldownMs how long after a look at the provider's keys an unknown one is refused without another look */
  constructor(
    private readonly settings: OidcSettings,
    private readonly cooldownMs: number = COOLDOWN_MS,
  ) {}

  /**
   * Whom a token stands for, and what its claims let them do.
   * @throws HttpProblem 401 `token-…` for one that is not good, 403 where it is and its claims do not suffice, 503
   * `identity-provider-unreachable`
   */
  async verify(token: string): Promise<Principal> {
    return principalOf(await this.claimsOf(token), this.settings);
  }

  private async claimsOf(token: string): Promise<JWTPayload> {
    const { issuer, audience, algorithms, clockToleranceSeconds } = this.settings;
    const { jwtVerify } = await import('jose');
    const keys = await this.providerKeys();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['sub', 'exp'],
      });
      if (protectedHeader.typ === undefined || TOKEN_TYPES.has(protectedHeader.typ.toLowerCase()))
        return payload;
      throw invalidToken('token-type', `A token of type ${protectedHeader.typ} is no access or ID token.`);
    } catch (error) {
      throw error instanceof HttpProblem ? error : problemOf(error);
    }
  }

  /** Asked for once; after a failure again with the next token. */
  private async providerKeys(): Promise<JWTVerifyGetKey> {
    this.keys ??= discoverKeys(this.settings.issuer, this.cooldownMs);
    try {
      return await this.keys;
    } catch (error) {
      this.keys = undefined;
      throw error instanceof HttpProblem ? error : unreachable(error);
    }
  }
}

async function discoverKeys(issuer: string, cooldownDuration: number): Promise<JWTVerifyGetKey> {
  const response = await boundedFetch(issuer.replace(/\/$/, '') + DISCOVERY, {
    signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${DISCOVERY} answered ${response.status}`);
  const document = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (document.issuer !== issuer || typeof document.jwks_uri !== 'string') {
    throw new Error(`${DISCOVERY} describes ${String(document.issuer)}, not ${issuer}`);
  }
  // Another host is usual, a connection that anybody can change is not.
  if (!ISSUER.test(document.jwks_uri)) throw new Error(`${DISCOVERY} names keys at ${document.jwks_uri}`);
  const { createRemoteJWKSet, customFetch } = await import('jose');
  return createRemoteJWKSet(new URL(document.jwks_uri), { cooldownDuration, [customFetch]: boundedFetch });
}

/** Follows no redirect, and reads no more than an answer of this kind ever has. */
async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`${url} answered with more than ${MAX_ANSWER_BYTES} bytes`);
  }
  const { status, headers } = response;
  return new Response(Buffer.concat(chunks), { status, headers });
}

function unreachable(cause: unknown): HttpProblem {
  return new HttpProblem(
    503,
    'identity-provider-unreachable',
    'Service Unavailable',
    'The identity provider does not answer as its issuer, so tokens cannot be checked. Try again later; API keys work.',
    { headers: { 'retry-after': '5' }, cause },
  );
}

function invalidToken(code: string, detail: string, cause?: unknown): HttpProblem {
  return new HttpProblem(401, code, 'Unauthorized', detail, {
    headers: { 'www-authenticate': 'Bearer realm="lineprint", error="invalid_token"' },
    cause,
  });
}

const CLAIM_PROBLEMS: Readonly<Record<string, readonly [code: string, detail: string]>> = {
  iss: ['token-issuer', 'The token is another issuer’s.'],
  aud: ['token-audience', 'The token is not meant for Lineprint: ask for one with its audience.'],
  nbf: ['token-early', 'The token is not valid yet: its issuer’s clock and ours differ.'],
};

const PROBLEMS: Readonly<Record<string, readonly [code: string, detail: string]>> = {
  ERR_JWT_EXPIRED: ['token-expired', 'The token has expired. Log in again.'],
  ERR_JOSE_ALG_NOT_ALLOWED: ['token-algorithm', 'Tokens signed by this algorithm are not taken.'],
  ERR_JOSE_NOT_SUPPORTED: ['token-algorithm', 'Tokens signed by this algorithm are not taken.'],
  ERR_JWKS_NO_MATCHING_KEY: [
    'token-key-unknown',
    'The token is signed with a key that its issuer does not have.',
  ],
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: [
    'token-key-unknown',
    'The token does not say which key it is signed with.',
  ],
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: ['token-signature', 'The token’s signature is wrong.'],
  ERR_JWS_INVALID: ['token-malformed', 'This is no signed JSON Web Token.'],
  ERR_JWT_INVALID: ['token-malformed', 'This is no signed JSON Web Token.'],
};

/** What is wrong with a token, by the errors of jose; what is none of the token's is the provider's. */
function problemOf(error: unknown): HttpProblem {
  const { code, claim } = error as { code?: string; claim?: string };
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') {
    const [problem, detail] = CLAIM_PROBLEMS[claim ?? ''] ?? [
      'token-claims',
      `Its claim ${claim} is missing or wrong.`,
    ];
    return invalidToken(problem, detail, error);
  }
  const known = PROBLEMS[code ?? ''];
  return known ? invalidToken(known[0], known[1], error) : unreachable(error);
}

/** @throws HttpProblem 403 `organisation-missing`, `email-unverified` */
function principalOf(claims: JWTPayload, settings: OidcSettings): Principal {
  const orgId =
    settings.organisationClaim === undefined ? settings.orgId : claims[settings.organisationClaim];
  if (typeof orgId !== 'string' || orgId === '') {
    throw forbidden(
      'organisation-missing',
      `The token does not say which organisation you belong to (claim ${settings.organisationClaim}).`,
    );
  }
  const role = roleOf(claims, settings);
  const address = addressOf(claims, settings);
  if (role === 'developer' && address === null) {
    throw forbidden(
      'email-unverified',
      'Your numbers are found by your e-mail address, and the token has none that the identity provider has verified.',
    );
  }
  return {
    orgId,
    scopes: roleScopes[role],
    role,
    userId: role === 'developer' ? address : null,
    ...(address !== null && { address }),
    ...(role === 'maintainer' && { projects: textsOf(claims[settings.projectsClaim]) }),
  };
}

/** The one that shows most, of those that the claim names; without any a developer's. */
function roleOf(claims: JWTPayload, { roleClaim, roleNames }: OidcSettings): Role {
  const held = textsOf(claims[roleClaim]).map((name) => roleNames.get(name) ?? name);
  return roles.find((role) => held.includes(role)) ?? 'developer';
}

function addressOf(claims: JWTPayload, { emailClaim, trustEmail }: OidcSettings): string | null {
  const address = claims[emailClaim];
  if (typeof address !== 'string' || address === '') return null;
  return trustEmail || claims['email_verified'] === true ? address : null;
}

/** A claim that is a list, or one text of words. */
function textsOf(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(/[\s,]+/).filter((text) => text !== '');
  return Array.isArray(claim) ? claim.filter((text) => typeof text === 'string') : [];
}

function forbidden(code: string, detail: string): HttpProblem {
  return new HttpProblem(403, code, 'Forbidden', detail);
}
