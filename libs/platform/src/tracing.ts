import { randomBytes } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's W3C trace context where it is valid, else a new one, so that a record can be followed across topics. */
export function traceparentOf(header: string | string[] | undefined): string {
  const given = Array.isArray(header) ? header[0] : header;
  if (given && TRACEPARENT.test(given)) return given;
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

/** The request's trace context for a handler; unlike `@Headers` it puts no required header into OpenAPI. */
export const Traceparent = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  traceparentOf(context.switchToHttp().getRequest<Request>().headers['traceparent']),
);
