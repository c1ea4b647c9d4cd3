import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { HttpProblem } from './errors';
import { RateLimits } from './rate-limits';
import type { Role } from './roles';

/** Who a request comes from. The tenant always comes from here, never from a body. */
export interface Principal {
  readonly orgId: string;
  readonly scopes: readonly string[];
  /** Set for a personal key: it answers for this person only. */
  readonly userId: string | null;
  /** The public part of the API key, where one was sent. */
  readonly keyPrefix?: string;
  /** Of a person who has logged in. */
  readonly role?: Role;
  /** The e-mail address of such a person, as the identity provider has verified it. */
  readonly address?: string;
  /** Set where only these projects may be seen. */
  readonly projects?: readonly string[];
}

/** Whoever sends a request, as records of who did what name them: the person, or an organisation's key. */
export function actorOf({ userId, address, keyPrefix }: Principal): string | null {
  return userId ?? address ?? keyPrefix ?? null;
}

/** `code` lets a key that reads see the text of lines as well, `audit` who did what. */
export type Scope = 'ingest' | 'read' | 'code' | 'audit' | 'admin';

/** Whether a credential may do what needs the scope. */
export function hasScope({ scopes }: Principal, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

export interface Credentials {
  /** Finds the principal of an API key; null when the key is unknown, expired or revoked. */
  findApiKey(key: string): Promise<Principal | null>;
  /**
   * Finds who a token of the identity provider stands for; null where no provider is configured.
   * @throws HttpProblem what is wrong with the token
   */
  verifyToken(token: string): Promise<Principal | null>;
}

export const CREDENTIALS = Symbol('CREDENTIALS');

const SCOPE = 'lineprint:scope';

/** The scope a handler needs. A handler without it is refused to everyone: forgetting it must not open a door. */
export const Scopes = (scope: Scope) => SetMetadata(SCOPE, scope);
/** A handler that needs a credential, whatever it allows. */
export const AnyCredential = () => SetMetadata(SCOPE, 'any');
/** A handler that needs no credential (health, metrics, documentation). */
export const Public = () => SetMetadata(SCOPE, 'public');

const PROJECT_PARAMETER = 'lineprint:project-parameter';

/**
 * A handler that shows a maintainer nothing but of the own projects: by the query parameter of this name, which the guard
 * then demands, or without one by itself. Any other handler is refused to them.
 */
export const WithinProjects = (parameter: string | null = null) => SetMetadata(PROJECT_PARAMETER, parameter);

export type AuthenticatedRequest = Request & { principal?: Principal };

/**
 * Who sends a request, by its API key or token; remembered on the request.
 * @throws HttpProblem 401 when there is no key, or none that is valid; 429 when too many requests come
 */
export async function authenticate(
  request: AuthenticatedRequest,
  credentials: Credentials,
  limits: RateLimits,
): Promise<Principal> {
  if (request.principal) return request.principal;
  const key = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!key) {
    throw new HttpProblem(
      401,
      'credential-missing',
      'Unauthorized',
      'Send an API key or a token: `Authorization: Bearer …`.',
      { headers: { 'www-authenticate': 'Bearer realm="lineprint"' } },
    );
  }
  limits.admit(request, key);
  const principal = await findPrincipal(key, credentials).catch((error: unknown) => {
    if (error instanceof HttpProblem && error.status === 401) limits.stranger(request);
    throw error;
  });
  if (!principal) {
    limits.stranger(request);
    throw new HttpProblem(
      401,
      'credential-invalid',
      'Unauthorized',
      isToken(key)
        ? 'No identity provider is configured here: send an API key.'
        : 'This API key is unknown, expired or revoked. Ask an administrator for a new one.',
      { headers: { 'www-authenticate': 'Bearer realm="lineprint", error="invalid_token"' } },
    );
  }
  limits.accepted(key, principal.orgId, actorOf(principal) ?? '');
  request.principal = principal;
  return principal;
}

async function findPrincipal(credential: string, credentials: Credentials): Promise<Principal | null> {
  return isToken(credential) ? credentials.verifyToken(credential) : credentials.findApiKey(credential);
}

/** Three parts with dots between them: a JSON Web Token. No API key has any. */
function isToken(credential: string): boolean {
  return /^[\w-]*\.[\w-]*\.[\w-]*$/.test(credential);
}

@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(CREDENTIALS) private readonly credentials: Credentials,
    private readonly limits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const scope = this.declared<Scope | 'any' | 'public'>(context, SCOPE);
    if (scope === 'public') return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const principal = await authenticate(request, this.credentials, this.limits);
    if (!scope || (scope !== 'any' && !hasScope(principal, scope))) {
      throw new HttpProblem(
        403,
        'scope-missing',
        'Forbidden',
        `This credential lacks the scope \`${scope ?? 'none'}\` that the endpoint needs.`,
      );
    }
    if (principal.projects) {
      requireProject(request, principal.projects, this.declared<string | null>(context, PROJECT_PARAMETER));
    }
    return true;
  }

  private declared<T>(context: ExecutionContext, key: string): T | undefined {
    return this.reflector.getAllAndOverride<T | undefined>(key, [context.getHandler(), context.getClass()]);
  }
}

/** @throws HttpProblem 403 for a request that would show more than the projects */
function requireProject(
  request: Request,
  projects: readonly string[],
  parameter: string | null | undefined,
): void {
  if (parameter === null) return;
  if (parameter === undefined) {
    throw new HttpProblem(
      403,
      'role-insufficient',
      'Forbidden',
      'A maintainer sees the numbers of single projects; this endpoint answers for the whole organisation.',
    );
  }
  const asked = request.query[parameter];
  if (typeof asked === 'string' && projects.includes(asked)) return;
  throw new HttpProblem(
    403,
    'project-forbidden',
    'Not your project',
    projects.length === 0
      ? 'You maintain no project: the token names none.'
      : `Send \`${parameter}\` with one of your projects: ${projects.join(', ')}.`,
  );
}

export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const principal = context.switchToHttp().getRequest<AuthenticatedRequest>().principal;
  if (!principal) throw new HttpProblem(401, 'credential-missing', 'Unauthorized', 'Send an API key.');
  return principal;
});
