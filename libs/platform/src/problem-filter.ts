import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { Problem } from '@lineprint/contracts';
import type { Request, Response } from 'express';
import { HttpProblem, isTransient, LineprintError } from './errors';
import { LOGGER, type Logger } from './logging';

/** Makes every error an RFC 9457 answer; what we did not foresee is logged whole and told as a 500. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    // Consumers get the error itself: the runner decides whether to retry it.
    if (host.getType() !== 'http') throw error;
    const response = host.switchToHttp().getResponse<Response>();
    const request = host.switchToHttp().getRequest<Request>();
    const problem = toProblem(error);
    if (problem.status >= 500) this.logger.error({ err: error, path: request.path }, problem.detail);
    if (response.headersSent) {
      // The caller has another one; traces and metrics are told how it ended.
      response.statusCode = problem.status;
      response.destroy();
      return;
    }
    if (error instanceof HttpProblem) response.set(error.headers);
    if (problem.status === 503) response.set('retry-after', '5');
    response.status(problem.status).type('application/problem+json').send(JSON.stringify(problem));
  }
}

/** What a database says of such texts: no encoding has them, nor JSON. */
const UNSTORABLE = new Set(['sql-22021', 'sql-22P05']);

export function toProblem(error: unknown): Problem & Record<string, unknown> {
  if (error instanceof HttpProblem) {
    return {
      ...problem(error.status, error.code, error.title, error.message),
      ...(error.errors ? { errors: [...error.errors] } : {}),
      ...error.extensions,
    };
  }
  if (isTransient(error)) {
    return problem(
      503,
      'unavailable',
      'Service Unavailable',
      'A store or the log does not answer. Nothing was taken; send the request again later.',
    );
  }
  if (error instanceof LineprintError && UNSTORABLE.has(error.code)) {
    return problem(
      400,
      'text-unstorable',
      'Bad Request',
      'A text of the request holds U+0000 or half of a surrogate pair. Nothing is called so; leave it out.',
    );
  }
  if (error instanceof HttpException) {
    const status = error.getStatus();
    if (status === 404) {
      return problem(
        404,
        'not-found',
        'Not Found',
        'There is nothing at this address. The query API describes every endpoint under /api/docs.',
      );
    }
    return problem(status, `http-${status}`, error.name.replace(/Exception$/, ''), error.message);
  }
  return problem(
    500,
    'internal',
    'Internal Server Error',
    'An error on our side; it is in the service log with the time of this answer.',
  );
}

function problem(status: number, code: string, title: string, detail: string): Problem {
  return { type: `urn:lineprint:problem:${code}`, title, status, code, detail };
}
