import { AsyncLocalStorage } from 'node:async_hooks';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import { actorOf, type AuthenticatedRequest } from './auth';

/** Whose request runs. */
export interface RequestTenant {
  readonly orgId: string;
  /** As records of who did what name the sender. */
  readonly actor: string | null;
}

const tenants = new AsyncLocalStorage<RequestTenant>();

/** Whose credential the running request has; undefined outside of one. */
export function tenantOfRequest(): RequestTenant | undefined {
  return tenants.getStore();
}

/** Lets what a handler calls know whose request it is, also where the database is asked. */
@Injectable()
export class RequestTenantInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (!principal) return next.handle();
    const tenant = { orgId: principal.orgId, actor: actorOf(principal) };
    return new Observable((answer) => tenants.run(tenant, () => next.handle().subscribe(answer)));
  }
}
