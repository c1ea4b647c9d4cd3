import type { NextFunction, Request, Response } from 'express';
import { Histogram, type Registry } from 'prom-client';
import { isProbe, routeOf } from './routes';

/** A tenth of a second is what a question about 90 days may take. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What proxies write down for a client that has gone before its answer was whole. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Middleware that measures each request until its answer is sent, by method, route (its pattern; `unmatched`
 * where none has answered) and status.
 */
export function measureRequests(registry: Registry) {
  const durations = new Histogram({
    name: 'lineprint_http_request_duration_seconds',
    help: 'How long requests take until their answer is sent; 499: the client has gone before',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  return (request: Request, response: Response, next: NextFunction): void => {
    if (isProbe(request)) {
      next();
      return;
    }
    const end = durations.startTimer({ method: request.method });
    response.on('close', () => {
      const { statusCode, writableFinished } = response;
      const status = writableFinished || statusCode >= 500 ? statusCode : CLIENT_CLOSED_REQUEST;
      end({ route: routeOf(request) ?? 'unmatched', status });
    });
    next();
  };
}
