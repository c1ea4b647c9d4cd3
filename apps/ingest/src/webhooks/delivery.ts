import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { GitHost } from '@lineprint/contracts';
import { HttpProblem } from '@lineprint/platform';

/** A delivery whose signature is right. */
export interface Delivery {
  /** What the host calls it. */
  readonly id: string;
  /** What it tells of, in the host's words. */
  readonly event: string;
}

/** How a host signs, and where it says what. */
interface Scheme {
  readonly idHeader: string;
  readonly eventHeader: string;
  isSigned(delivery: Signed, secret: string): boolean;
}

interface Signed {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Shorter ones can be guessed. */
export const MIN_SECRET_LENGTH = 16;
/** What GitLab's signing tokens begin with; its older secret tokens are any other text. */
const SIGNING_TOKEN = 'whsec_';
/** How far a signed time may be off. */
const MAX_CLOCK_SKEW_MS = 300_000;
const MAX_ID_LENGTH = 255;

const SCHEMES: Readonly<Record<GitHost, (secret: string) => Scheme>> = {
  github: () => hexScheme('x-hub-signature-256', 'sha256=', 'x-github-delivery', 'x-github-event'),
  gitea: () => hexScheme('x-gitea-signature', '', 'x-gitea-delivery', 'x-gitea-event'),
  'bitbucket-cloud': () => hexScheme('x-hub-signature', 'sha256=', 'x-request-uuid', 'x-event-key'),
  'bitbucket-dc': () => hexScheme('x-hub-signature', 'sha256=', 'x-request-id', 'x-event-key'),
  // The secret says which of the two: a header could be left out by whoever has only the weaker one.
  gitlab: (secret) => (secret.startsWith(SIGNING_TOKEN) ? GITLAB_SIGNING_TOKEN : GITLAB_SECRET_TOKEN),
};

function hexScheme(header: string, prefix: string, idHeader: string, eventHeader: string): Scheme {
  return {
    idHeader,
    eventHeader,
    isSigned: ({ headers, body }, secret) => {
      const value = headerOf(headers, header);
      const given = value.startsWith(prefix) ? value.slice(prefix.length) : '';
      // Node reads hex up to what is none, whatever follows.
      if (!/^[0-9a-f]{64}$/i.test(given)) return false;
      return equal(Buffer.from(given, 'hex'), createHmac('sha256', secret).update(body).digest());
    },
  };
}

const GITLAB_SIGNING_TOKEN: Scheme = {
  idHeader: 'webhook-id',
  eventHeader: 'x-gitlab-event',
  isSigned: ({ headers, body, now }, secret) => {
    const time = headerOf(headers, 'webhook-timestamp');
    if (!/^\d{1,12}$/.test(time) || Math.abs(now - Number(time) * 1000) > MAX_CLOCK_SKEW_MS) return false;
    const key = Buffer.from(secret.slice(SIGNING_TOKEN.length), 'base64');
    const wanted = createHmac('sha256', key)
      .update(`${headerOf(headers, 'webhook-id')}.${time}.`)
      .update(body)
      .digest();
    // One a key while GitLab itself rotates them.
    return headerOf(headers, 'webhook-signature')
      .split(' ')
      .map((part) => part.startsWith('v1,') && equal(Buffer.from(part.slice(3), 'base64'), wanted))
      .includes(true);
  },
};

const GITLAB_SECRET_TOKEN: Scheme = {
  idHeader: 'x-gitlab-event-uuid',
  eventHeader: 'x-gitlab-event',
  isSigned: ({ headers }, secret) => equal(sha256(headerOf(headers, 'x-gitlab-token')), sha256(secret)),
};

/**
 * Checks who sent a delivery.
 * @param secrets the current one, and the one before while both are good
 * @param now milliseconds since 1970
 * @throws HttpProblem 401 `signature-invalid`, also for a signed time that is long ago; 400 `delivery-id-missing`
 */
export function verifyDelivery(
  host: GitHost,
  headers: IncomingHttpHeaders,
  body: Buffer,
  secrets: readonly string[],
  now: number,
): Delivery {
  const schemes = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .map((secret) => ({ secret, scheme: SCHEMES[host](secret) }));
  // Every one is tried, so that time does not tell which was right.
  const right = schemes.filter(({ secret, scheme }) => scheme.isSigned({ headers, body, now }, secret))[0];
  if (!right) {
    throw new HttpProblem(
      401,
      'signature-invalid',
      'Unauthorized',
      'The signature does not fit these bytes: the secret of the webhook is another one, or the delivery is old.',
    );
  }
  const id = headerOf(headers, right.scheme.idHeader);
  if (id === '' || id.length > MAX_ID_LENGTH) {
    throw new HttpProblem(
      400,
      'delivery-id-missing',
      'Bad Request',
      `The header ${right.scheme.idHeader} must name the delivery.`,
    );
  }
  return { id, event: headerOf(headers, right.scheme.eventHeader) };
}

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function equal(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
