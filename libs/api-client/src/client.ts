import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './schema';

/** Typed calls of every endpoint: `client.GET('/api/v1/commits', { params: { query: { limit: 5 } } })`. */
export type LineprintClient = Client<paths>;

/** Called with each request that is sent. */
export type Fetch = (request: Request) => Promise<Response>;

export interface ClientOptions {
  /** Where query-api, or a standalone, listens, e.g. `https://lineprint.example.org`. */
  readonly baseUrl: string;
  /** The key or OIDC token that is sent with each request, or what knows the one to send now. */
  readonly apiKey: string | (() => string | undefined);
  /** Sends the requests; by default the platform's `fetch`. */
  readonly fetch?: Fetch;
}

/** A refused request, as RFC 9457 problems say it (`client.GET` answers them as `error`). */
export interface ApiProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string; readonly detail: string }[];
}

/** That an endpoint did not answer what was asked of it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** @param problem null where what answered is not Lineprint, a proxy for one */
  constructor(
    readonly status: number,
    readonly problem: ApiProblem | null,
  ) {
    super(problem?.detail ?? `The server answered with status ${status}.`);
  }

  /** The problem's stable name, e.g. `policy-unknown`. */
  get code(): string {
    return this.problem?.code ?? 'not-a-problem';
  }
}

/** A client of the read API. It answers `{ data }` or `{ error }`; `answerOf` makes an exception of the second. */
export function createLineprintClient({ baseUrl, apiKey, fetch }: ClientOptions): LineprintClient {
  const client = createClient<paths>({ baseUrl, ...(fetch && { fetch }) });
  client.use({
    onRequest({ request }) {
      const key = typeof apiKey === 'string' ? apiKey : apiKey();
      if (key !== undefined) request.headers.set('authorization', `Bearer ${key}`);
      return request;
    },
  });
  return client;
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * What a call answered.
 * @throws ApiError where it was refused; what the platform's `fetch` throws where nobody answered
 */
export async function answerOf<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  throw new ApiError(response.status, isProblem(error) ? error : null);
}

function isProblem(error: unknown): error is ApiProblem {
  return typeof error === 'object' && error !== null && 'code' in error && 'detail' in error;
}
