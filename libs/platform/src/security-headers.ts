import type { NextFunction, Request, Response } from 'express';

/** Two years, as browsers' preload lists want it at least one. */
const HSTS = 'max-age=63072000';

const HEADERS: Readonly<Record<string, string>> = {
  // Nothing of an answer runs or is shown in a page; what is a page says itself what it needs.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  // Answers may hold keys; what may be kept says so.
  'cache-control': 'no-store',
};

/** Middleware: what every answer of a service carries, errors too. Other origins are allowed nothing (no CORS). */
export function secureHeaders(request: Request, response: Response, next: NextFunction): void {
  response.set(HEADERS);
  // Where TLS ends at a proxy that is trusted, it says so.
  if (request.secure) response.set('strict-transport-security', HSTS);
  next();
}
