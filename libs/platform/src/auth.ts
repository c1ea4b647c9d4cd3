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

/** Who a request comes from. The tenant always comes from here, never from a body. */
export interface Principal {
  readonly orgId: string;
  readonly scopes: readonly string[];
  /** Set for a personal key: it answers for this person only. */
  readonly userId: string | null;
  /** The public part of the API key, where one was sent. */
  readonly keyPrefix?: string;
}

/** Whoever sends a request, as records of who did what name them: the person, or an organisation's key. */
export function actorOf({ userId, keyPrefix }: Principal): string | null {
  return userId ?? keyPrefix ?? null;
}

/** `code` lets a key that reads see the text of lines as well. */
export type Scope = 'ingest' | 'read' | 'code' | 'admin';

/** Whether a credential may do what needs the scope. */
export function hasScope({ scopes }: Principal, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

/** Finds the principal of an API key; null when the key is unknown, expired or revoked. */
export interface Credentials {
  findApiKey(key: string): Promise<Principal | null>;
}

export const CREDENTIALS = Symbol('CREDENTIALS');

const SCOPE = 'lineprint:scope';

/** The scope a handler needs. A handler without it is refused to everyone: forgetting it must not open a door. */
export const Scopes = (scope: Scope) => SetMetadata(SCOPE, scope);
/** A handler that needs no credential (health, metrics, documentation). */
export const Public = () => SetMetadata(SCOPE, 'public');

type AuthenticatedRequest = Request & { principal?: Principal };

/**
 * Who sends a request, by its API key; remembered on the request.
 * @throws HttpProblem 401 when there is no key, or none that is valid
 */
export async function authenticate(
  request: AuthenticatedRequest,
  credentials: Credentials,
): Promise<Principal> {
  if (request.principal) return request.principal;
  const key = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!key) {
    throw new HttpProblem(
      401,
      'credential-missing',
      'Unauthorized',
      'Send an API key: `Authorization: Bearer lp_…`.',
      { headers: { 'www-authenticate': 'Bearer realm="lineprint"' } },
    );
  }
  const principal = await credentials.findApiKey(key);
  if (!principal) {
    throw new HttpProblem(
      401,
      'credential-invalid',
      'Unauthorized',
      'This API key is unknown, expired or revoked. Ask an administrator for a new one.',
      { headers: { 'www-authenticate': 'Bearer realm="lineprint", error="invalid_token"' } },
    );
  }
  request.principal = principal;
  return principal;
}

@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(CREDENTIALS) private readonly credentials: Credentials,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const scope = this.reflector.getAllAndOverride<Scope | 'public' | undefined>(SCOPE, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (scope === 'public') return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const principal = await authenticate(request, this.credentials);
    if (!scope || !hasScope(principal, scope)) {
      throw new HttpProblem(
        403,
        'scope-missing',
        'Forbidden',
        `This API key lacks the scope \`${scope ?? 'none'}\` that the endpoint needs.`,
      );
    }
    return true;
  }
}

export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const principal = context.switchToHttp().getRequest<AuthenticatedRequest>().principal;
  if (!principal) throw new HttpProblem(401, 'credential-missing', 'Unauthorized', 'Send an API key.');
  return principal;
});
