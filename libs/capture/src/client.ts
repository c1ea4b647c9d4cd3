import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import type {
  BatchAnswer,
  CodeFingerprint,
  CodeGenStats,
  CommitPush,
  MailmapPush,
  Problem,
  RefsPush,
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
  /** Ends what is under way: it then throws `ClientUnavailable`. */
  signal?: AbortSignal;
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

  constructor(
    message: string,
    options?: ErrorOptions,
    /** How long the server asked to be left alone, if it did. */
    readonly retryAfterMs?: number,
  ) {
    super(message, options);
  }
}

/** What a client needs to make prints that match. */
export interface Enrolment {
  readonly orgId: string;
  readonly keyId: string;
  /** The key of the organisation's line prints, base64. */
  readonly lineKey: string;
  /** Whether the organisation keeps code itself, where a client sends it. */
  readonly rawCode?: boolean;
}

const MAX_BATCH_FINGERPRINTS = 500;
const MAX_FINGERPRINT_BYTES = 4 * 1024 * 1024;
const MAX_COMMIT_BYTES = 16 * 1024 * 1024;
/** Smaller bodies gain nothing from gzip. */
const GZIP_FROM_BYTES = 1024;
/** A third of the time that the usual level takes, for a fifth more bytes. */
const GZIP_LEVEL = 1;
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
  private readonly signal: AbortSignal | undefined;
  private readonly fetch: typeof fetch;
  private readonly sleep: (ms: number) => Promise<void>;

  constructor(options: ClientOptions) {
    this.url = options.url.replace(/\/+$/, '');
    this.apiKey = options.apiKey;
    this.retries = options.retries ?? 5;
    this.backoffMs = options.backoffMs ?? 250;
    this.timeoutMs = options.timeoutMs ?? 30_000;
    this.signal = options.signal;
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

  /** Sends what branches name, after the commits that they lead to. Throws as `sendFingerprints`. */
  async sendRefs(refs: RefsPush): Promise<void> {
    await this.post('/api/v1/refs', JSON.stringify(refs));
  }

  /** Sends the .mailmap of a repository's default branch. Throws as `sendFingerprints`. */
  async sendMailmap(mailmap: MailmapPush): Promise<void> {
    await this.post('/api/v1/identities/mailmap', JSON.stringify(mailmap));
  }

  /** Sends a session's running totals. Throws as `sendFingerprints`. */
  async sendStats(stats: CodeGenStats): Promise<void> {
    await this.post('/telemetry/code-gen-stats', JSON.stringify(stats));
  }

  /** The organisation and its line key. Throws as `sendFingerprints`. */
  async enrolment(): Promise<Enrolment> {
    const { status, text } = await this.request('GET', '/api/v1/enrolment', this.authorization());
    const answer = jsonOf(text) as Partial<Enrolment> | undefined;
    if (typeof answer?.lineKey !== 'string' || typeof answer.keyId !== 'string') {
      throw new ClientRefusal(status, undefined);
    }
    return answer as Enrolment;
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
      const { status, text } = await this.post(path, json);
      const answer = batchAnswerOf(jsonOf(text));
      if (!answer) throw new ClientRefusal(status, undefined);
      return answer;
    } catch (error) {
      if (error instanceof ClientRefusal && error.status === 422 && error.answer) return error.answer;
      throw error;
    }
  }

  private async post(path: string, json: string): Promise<Answer> {
    const raw = Buffer.from(json);
    const zipped = raw.length > GZIP_FROM_BYTES;
    const body = new Uint8Array(zipped ? await compress(raw, { level: GZIP_LEVEL }) : raw);
    const headers = {
      ...this.authorization(),
      'content-type': 'application/json',
      ...(zipped && { 'content-encoding': 'gzip' }),
    };
    return this.request('POST', path, headers, body);
  }

  private authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.apiKey}` };
  }

  private async request(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    body?: Uint8Array<ArrayBuffer>,
  ): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.attempt(path, { method, headers, ...(body && { body }) });
      if ('status' in outcome) return outcome;
      if (attempt >= this.retries || this.signal?.aborted) {
        throw new ClientUnavailable(
          `${this.url}${path}: ${outcome.what}, in ${attempt + 1} tries`,
          { cause: outcome.cause },
          outcome.waitMs,
        );
      }
      // Half of the wait is random, so that clients that failed together do not come back together.
      const backoff = this.backoffMs * 2 ** attempt * (0.5 + Math.random() / 2);
      await this.sleep(Math.min(MAX_WAIT_MS, outcome.waitMs ?? backoff));
    }
  }

  private async attempt(path: string, init: RequestInit): Promise<Answer | Failure> {
    let response: Response;
    let text: string;
    const timeout = AbortSignal.timeout(this.timeoutMs);
    try {
      response = await this.fetch(this.url + path, {
        ...init,
        redirect: 'manual',
        signal: this.signal ? AbortSignal.any([timeout, this.signal]) : timeout,
      });
      text = await response.text();
    } catch (cause) {
      return { what: 'no answer', cause };
    }
    if (response.ok) return { status: response.status, text };
    if (response.status !== 429 && response.status < 500) {
      const answer = jsonOf(text);
      throw new ClientRefusal(response.status, problemOf(answer), batchAnswerOf(answer));
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

/** Checked by hand: a schema library would be most of the SDK's size, and of a hook's start. */
function batchAnswerOf(value: unknown): BatchAnswer | undefined {
  const { accepted, rejected } = (value ?? {}) as Partial<BatchAnswer>;
  return Number.isInteger(accepted) && Array.isArray(rejected) && rejected.every(isRejected)
    ? { accepted: accepted!, rejected }
    : undefined;
}

function isRejected(item: Partial<BatchAnswer['rejected'][number]> | null): boolean {
  return Number.isInteger(item?.index) && typeof item?.code === 'string' && typeof item.detail === 'string';
}

function problemOf(value: unknown): Problem | undefined {
  const { type, title, code, detail } = (value ?? {}) as Partial<Problem>;
  return [type, title, code, detail].every((field) => typeof field === 'string')
    ? (value as Problem)
    : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` in seconds or as a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
