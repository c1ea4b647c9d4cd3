import type { Request } from 'express';

const PROBES = /^\/(health|metrics)(\/|$)/;

/** Whether machines ask for it every few seconds: it would hide all other requests. */
export function isProbe({ path }: Request): boolean {
  return PROBES.test(path);
}

/** The pattern of the route that answers a request, once it is known; never the path, which may name a repository. */
export function routeOf({ route }: Request): string | undefined {
  const path = (route as { path?: unknown } | undefined)?.path;
  return typeof path === 'string' ? path : undefined;
}
