import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import {
  batchAnswerSchema,
  problemSchema,
  type BatchAnswer,
  type CodeFingerprint,
  type CodeGenStats,
  type CommitPush,
  type Problem,
} from '@lineprint/contracts';

export interface ClientOptions {
  /** Base address of ingest, e.g. `https://lineprint.example.org`. */
  url: string;
  /** `lp_…`; sent as a bearer token. */
  apiKey: string;
  /** How often a request is tried again after the first time. Default 5. */
  retries?: number;
  /** Wait before the first retry, doubled each time, at most 30 s. Default 250 ms. */
  backoffMs?: number;
  /** How long one try may take. Default 30 s. */
  timeoutMs?: number;
  fetch?: typeof fetch;
  /** How to wait; for tests. */
  sleep?: (ms: number) => Promise<void>;
}

/** The server refused the request: sending it again as it is cannot help. */
export class ClientRefusal extends Error {
  readonly code: string;
  override readonly name = 'ClientRefusal';

  constructor(
    readonly status: number,
    /** What the server said, where it said it as problem+json. */
    readonly problem: Problem | undefined,
    /** Set where each item of a batch was refused for a reason of its own. */
    readonly answer?: BatchAnswer,
  ) {
    super(
      problem
        ? `${problem.title}: ${problem.detail}`
        : `status ${status} without the answer that Lineprint gives: is the address right?`,
    );
    this.code = problem?.code ?? `http-${status}`;
  }
}

/** The server could not be reached, or had no time, in all tries. Sending again later can help. */
export class ClientUnavailable extends Error {
  readonly code = 'server-unavailable';
  readonly transient = true;
  override readonly name = 'ClientUnavailable';
}

const MAX_BATCH_FINGERPRINTS = 500;
const MAX_FINGERPRINT_BYTES = 4 * 1024 * 1024;
const MAX_COMMIT_BYTES = 16 * 1024 * 1024;
/** Smaller bodies gain nothing from gzip. */
const GZIP_FROM_BYTES = 1024;
const MAX_WAIT_MS = 30_000;
/** Room for `{"fingerprints":[` and its end. */
const WRAPPER_BYTES = 64;

const compress = promisify(gzip);

/** Sends to ingest: in batches that it takes, compressed, tried again where that can help. */
export class LineprintClient {
  private readonly url: string;
  private readonly apiKey: string;
  private readonly retries: number;
  private readonly backoffMs: number;
  private readonly timeoutMs: number;
  private readonly fetch: typeof fetch;
  private readonly sleep: (ms: number) => Promise<void>;

  constructor(options: ClientOptions) {
    this.url = options.url.replace(/\/+$/, '');
    this.apiKey = options.apiKey;
    this.retries = options.retries ?? 5;
    this.backoffMs = options.backoffMs ?? 250;
    this.timeoutMs = options.timeoutMs ?? 30_000;
    this.fetch = options.fetch ?? fetch;
    this.sleep = options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  }

  /**
   * Sends fingerprints in batches of at most 500 and 4 MiB, one after the other.
   * @returns indexes in `rejected` are those of `items`
   * @throws ClientRefusal, ClientUnavailable; earlier batches are then accepted, and may be sent again
   */
  sendFingerprints(items: readonly CodeFingerprint[]): Promise<BatchAnswer> {
    const limits = { count: MAX_BATCH_FINGERPRINTS, bytes: MAX_FINGERPRINT_BYTES };
    return this.sendBatches('/api/v1/code-fingerprints', 'fingerprints', items, limits);
  }

  /** Sends commits in batches of at most 16 MiB, in order. Returns and throws as `sendFingerprints`. */
  sendCommits(commits: readonly CommitPush[]): Promise<BatchAnswer> {
    const limits = { count: Infinity, bytes: MAX_COMMIT_BYTES };
    return this.sendBatches('/api/v1/commits', 'commits', commits, limits);
  }

  /** Sends a session's running totals. Throws as `sendFingerprints`. */
  async sendStats(stats: CodeGenStats): Promise<void> {
    await this.post('/telemetry/code-gen-stats', JSON.stringify(stats));
  }

  private async sendBatches(
    path: string,
    field: string,
    items: readonly unknown[],
    limits: BatchLimits,
  ): Promise<BatchAnswer> {
    const total: BatchAnswer = { accepted: 0, rejected: [] };
    let sent = 0;
    for (const batch of batches(items, limits)) {
      const answer = await this.postBatch(path, `{"${field}":[${batch.join(',')}]}`);
      const first = sent;
      total.accepted += answer.accepted;
      total.rejected.push(...answer.rejected.map((item) => ({ ...item, index: item.index + first })));
      sent += batch.length;
    }
    return total;
  }

  /** A batch without one good item is answered item by item, too; one that is not ours to send is a refusal. */
  private async postBatch(path: string, json: string): Promise<BatchAnswer> {
    try {
      return batchAnswerOf(await this.post(path, json));
    } catch (error) {
      if (error instanceof ClientRefusal && error.status === 422 && error.answer) return error.answer;
      throw error;
    }
  }

  private async post(path: string, json: string): Promise<Answer> {
    const raw = Buffer.from(json);
    const zipped = raw.length > GZIP_FROM_BYTES;
    const body = new Uint8Array(zipped ? await compress(raw) : raw);
    const headers = {
      authorization: `Bearer ${this.apiKey}`,
      'content-type': 'application/json',
      ...(zipped && { 'content-encoding': 'gzip' }),
    };
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.attempt(path, headers, body);
      if ('status' in outcome) return outcome;
      if (attempt >= this.retries) {
        throw new ClientUnavailable(`${this.url}${path}: ${outcome.what}, in ${attempt + 1} tries`, {
          cause: outcome.cause,
        });
      }
      // Half of the wait is random, so that clients that failed together do not come back together.
      const backoff = Math.min(MAX_WAIT_MS, this.backoffMs * 2 ** attempt) * (0.5 + Math.random() / 2);
      await this.sleep(outcome.waitMs ?? backoff);
    }
  }

  private async attempt(
    path: string,
    headers: Record<string, string>,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<Answer | Failure> {
    let response: Response;
    let text: string;
    try {
      response = await this.fetch(this.url + path, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      text = await response.text();
    } catch (cause) {
      return { what: 'no answer', cause };
    }
    if (response.ok) return { status: response.status, text };
    if (response.status !== 429 && response.status < 500) {
      throw new ClientRefusal(
        response.status,
        problemOf(text),
        batchAnswerSchema.safeParse(jsonOf(text)).data,
      );
    }
    const waitMs = retryAfterMs(response.headers.get('retry-after'));
    const what = `status ${response.status}`;
    return waitMs === undefined ? { what } : { what, waitMs };
  }
}

interface Answer {
  status: number;
  text: string;
}

/** A try that may go better next time. */
interface Failure {
  what: string;
  waitMs?: number;
  cause?: unknown;
}

interface BatchLimits {
  count: number;
  bytes: number;
}

/** Items as JSON, in batches. One that is too large by itself goes alone: the server says what is wrong. */
function* batches(items: readonly unknown[], limits: BatchLimits): Generator<string[]> {
  let batch: string[] = [];
  let bytes = WRAPPER_BYTES;
  for (const item of items) {
    const json = JSON.stringify(item);
    const size = Buffer.byteLength(json) + 1;
    if (batch.length > 0 && (batch.length >= limits.count || bytes + size > limits.bytes)) {
      yield batch;
      batch = [];
      bytes = WRAPPER_BYTES;
    }
    batch.push(json);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function batchAnswerOf({ status, text }: Answer): BatchAnswer {
  const answer = batchAnswerSchema.safeParse(jsonOf(text)).data;
  if (!answer) throw new ClientRefusal(status, undefined);
  return answer;
}

function problemOf(text: string): Problem | undefined {
  return problemSchema.safeParse(jsonOf(text)).data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` in seconds or as a date; at most 30 s are waited. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(MAX_WAIT_MS, Math.max(0, ms)) : undefined;
}
