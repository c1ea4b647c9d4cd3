import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { HttpProblem } from '@lineprint/platform';
import { static as files, type NextFunction, type Request, type Response } from 'express';

/** By its place in the workspace, which an image keeps: the site is no module. */
const BUILT_SITE = join(__dirname, '..', '..', '..', 'dashboard', 'dist', 'site');

/** What others answer, also when nothing is there: a wrong address of the API must not look like a page. */
const NOT_PAGES = /^\/(api|webhooks|telemetry|metrics|health)(\/|$)/;

/**
 * Scripts, styles, fonts and requests from this address only, and nothing inline: a page that shows other people's
 * file names and code has no other way out.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join('; ');

const COMPRESSED: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

export interface DashboardOptions {
  /** Folder of the built site. Default: that of apps/dashboard. */
  readonly directory?: string;
  /** Origin of the OpenID provider, which the page asks for tokens. */
  readonly issuer?: string | undefined;
}

/**
 * Serves the dashboard at `/`, without a credential: it holds no data, and asks the API with the reader's own key.
 * Addresses of pages are answered with the one HTML file; the API's are left to the API. Call it before the
 * application listens.
 */
export function serveDashboard(app: INestApplication, options: DashboardOptions = {}): void {
  const directory = options.directory ?? BUILT_SITE;
  const policy = options.issuer
    ? `${CONTENT_SECURITY_POLICY}; connect-src 'self' ${new URL(options.issuer).origin}`
    : CONTENT_SECURITY_POLICY;
  const setHeaders = (response: Response, path: string): void => {
    response.setHeader('content-security-policy', policy);
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('referrer-policy', 'no-referrer');
    // A file under assets has a hash of its content in its name.
    const hashed = path.startsWith(join(directory, 'assets'));
    response.setHeader('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  };
  const asset = files(directory, { setHeaders, index: 'index.html', redirect: false });
  app.use((request: Request, response: Response, next: NextFunction): void => {
    if (!isRead(request) || NOT_PAGES.test(request.path)) {
      next();
      return;
    }
    takeCompressed(request, response);
    asset(request, response, () => page(request, response, next));
  });

  /** The build leaves a compressed file beside each that is worth it. */
  function takeCompressed(request: Request, response: Response): void {
    const type = COMPRESSED[extname(request.path)];
    if (type === undefined) return;
    response.vary('Accept-Encoding');
    if (!request.acceptsEncodings('gzip') || !existsSync(join(directory, `${request.path}.gz`))) return;
    request.url = `${request.path}.gz`;
    response.setHeader('content-encoding', 'gzip');
    response.setHeader('content-type', type);
  }

  function page(request: Request, response: Response, next: NextFunction): void {
    if (!request.accepts('html') || !request.headers.accept?.includes('text/html')) {
      next();
      return;
    }
    const file = join(directory, 'index.html');
    setHeaders(response, file);
    response.sendFile(file, { cacheControl: false }, (error?: Error) => {
      if (error && !response.headersSent) next(notBuilt(error));
    });
  }
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function notBuilt(cause: Error): HttpProblem {
  return new HttpProblem(
    404,
    'dashboard-not-built',
    'No dashboard here',
    'The dashboard has not been built: run `npm run build` where Lineprint is installed. The API is at /api/docs.',
    { cause },
  );
}
