import { setTimeout as delay } from 'node:timers/promises';
import { LineprintError } from '@lineprint/platform';
import type { Problem } from '@lineprint/contracts';

/** A server that is asked too often says how long to wait; so often, and never longer. */
const ATTEMPTS = 5;
const LONGEST_WAIT_S = 30;

/** Asks a running Lineprint. */
export class ApiClient {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  async get<T>(path: string): Promise<T> {
    return (await (await this.request('GET', path)).json()) as T;
  }

  async post<T>(path: string, body: object = {}): Promise<T> {
    return (await (await this.request('POST', path, body)).json()) as T;
  }

  async put<T>(path: string, body: object): Promise<T> {
    return (await (await this.request('PUT', path, body)).json()) as T;
  }

  async delete<T>(path: string): Promise<T> {
    return (await (await this.request('DELETE', path)).json()) as T;
  }

  /**
   * @throws LineprintError `server-unreachable` (transient), `address-wrong` where another service answers, or
   * the code of the server's problem
   */
  async request(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Response> {
    let response = await this.send(method, path, body);
    // Nothing was done: it can be asked again, of whatever method.
    for (let attempt = 1; response.status === 429 && attempt < ATTEMPTS; attempt++) {
      await response.body?.cancel();
      await delay(1000 * Math.min(LONGEST_WAIT_S, Number(response.headers.get('retry-after')) || 1));
      response = await this.send(method, path, body);
    }
    if (response.ok) return response;
    throw await problemOf(response, this.url, path);
  }

  private async send(method: string, path: string, body?: object): Promise<Response> {
    try {
      return await fetch(this.url + path, {
        method,
        headers: {
          authorization: `Bearer ${this.apiKey}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      throw new LineprintError('server-unreachable', `No Lineprint answers at ${this.url}.`, {
        transient: true,
        cause,
      });
    }
  }
}

async function problemOf(response: Response, url: string, path: string): Promise<LineprintError> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  if (response.status === 404 && (problem.code ?? 'not-found') === 'not-found') {
    return new LineprintError(
      'address-wrong',
      `${url} does not answer ${path}. Where the services run apart, --url is the address of ingest and --query-url that of the query API.`,
    );
  }
  return new LineprintError(
    problem.code ?? `http-${response.status}`,
    problem.detail ?? `${path} answered ${response.status}.`,
    { transient: response.status >= 500 || response.status === 429 },
  );
}
