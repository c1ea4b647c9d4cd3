import { AsyncLocalStorage } from 'node:async_hooks';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import type { AuthenticatedRequest } from './auth';

const tenants = new AsyncLocalStorage<string>();

/** The organisation whose credential the running request has; undefined outside of one. */
export function tenantOfRequest(): string | undefined {
  return tenants.getStore();
}

/** Runs `work` as a request of the organisation would. */
export function asTenant<T>(orgId: string, work: () => T): T {
  return tenants.run(orgId, work);
}

/** Lets what a handler calls know whose request it is, also where the database is asked. */
@Injectable()
export class RequestTenant implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.getType() === 'http' && context.switchToHttp().getRequest<AuthenticatedRequest>();
    const orgId = request && request.principal?.orgId;
    if (!orgId) return next.handle();
    return new Observable((answer) => asTenant(orgId, () => next.handle().subscribe(answer)));
  }
}
