import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { type Config, CONFIG } from './config';
import { HttpProblem } from './errors';
import { isProbe } from './routes';

/** A bucket holds so many seconds' worth of requests: who was quiet may be fast for a while. */
const BURST_SECONDS = 10;
/** Buckets that are kept; the one that was used longest ago is the fullest, and goes first. */
const KEPT = 10_000;

/** A token bucket a key: so many a second on average, and a burst after a pause. */
export class TokenBuckets {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();

  /**
   * @param rate requests a second; 0 takes all
   * @param now in milliseconds, of a clock that does not go back
   */
  constructor(
    private readonly rate: number,
    private readonly now: () => number,
  ) {}

  /** Takes a token. @returns 0, or where there is none, in how many seconds there is one */
  take(key: string): number {
    const wait = this.wait(key);
    const bucket = this.buckets.get(key);
    if (wait === 0 && bucket) bucket.tokens--;
    return wait;
  }

  /** In how many seconds there is a token; 0 where there is one. */
  wait(key: string): number {
    if (this.rate === 0) return 0;
    const capacity = this.rate * BURST_SECONDS;
    const now = this.now();
    const { tokens, at } = this.buckets.get(key) ?? { tokens: capacity, at: now };
    const filled = Math.min(capacity, tokens + ((now - at) / 1000) * this.rate);
    this.buckets.delete(key);
    this.buckets.set(key, { tokens: filled, at: now });
    if (this.buckets.size > KEPT) this.buckets.delete(this.buckets.keys().next().value!);
    return filled >= 1 ? 0 : (1 - filled) / this.rate;
  }
}

/**
 * How often this process answers a credential, an organisation, and addresses that have shown no good credential. Each
 * process counts for itself: over several replicas a credential gets up to that many times the rate, as it gets more of
 * what the limits protect.
 */
@Injectable()
export class RateLimits {
  private readonly credentials: TokenBuckets;
  private readonly tenants: TokenBuckets;
  private readonly addresses: TokenBuckets;
  /** Hashes of bearer texts that were good: who has one is not refused for what others at the address send. */
  private readonly known = new Set<string>();

  constructor(@Inject(CONFIG) { rateLimits }: Config) {
    const now = () => performance.now();
    this.credentials = new TokenBuckets(rateLimits.credential, now);
    this.tenants = new TokenBuckets(rateLimits.tenant, now);
    this.addresses = new TokenBuckets(rateLimits.address, now);
  }

  /** Before a credential is looked up. @throws HttpProblem 429 where too many bad ones came from the address */
  admit(request: Request, bearer: string): void {
    if (!this.known.has(hashOf(bearer))) refuse(this.addresses.wait(addressOf(request)));
  }

  /** A credential was good. @throws HttpProblem 429 when it or its organisation asks too often */
  accepted(bearer: string, orgId: string, credential: string): void {
    if (this.known.size >= KEPT) this.known.clear();
    this.known.add(hashOf(bearer));
    refuse(this.credentials.take(`${orgId}\u0000${credential}`));
    refuse(this.tenants.take(orgId));
  }

  /** Somebody sent none, or a bad one. @throws HttpProblem 429 when the address does so too often */
  stranger(request: Request): void {
    refuse(this.addresses.take(addressOf(request)));
  }
}

/** Middleware: who sends no credential at all is counted whatever is asked for, but for probes. */
export function limitStrangers(limits: RateLimits) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    if (request.headers.authorization === undefined && !isProbe(request)) limits.stranger(request);
    next();
  };
}

function refuse(waitSeconds: number): void {
  if (waitSeconds === 0) return;
  throw new HttpProblem(
    429,
    'rate-limited',
    'Too Many Requests',
    'Requests come faster than they are answered here. Wait as long as `Retry-After` says, and send larger batches.',
    { headers: { 'retry-after': String(Math.ceil(waitSeconds)) } },
  );
}

function hashOf(bearer: string): string {
  return createHash('sha256').update(bearer).digest('base64');
}

/** Of IPv6 the network: whoever has one address has all of it. */
function addressOf({ ip = '' }: Request): string {
  if (!isIPv6(ip) || ip.includes('.')) return ip;
  const [head = '', tail = ''] = ip.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const missing = 8 - groups.length - tail.split(':').filter((group) => group !== '').length;
  return [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), tail].slice(0, 4).join(':');
}
