import { LineprintError } from '@lineprint/platform';
import type { Problem } from '@lineprint/contracts';

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
    let response: Response;
    try {
      response = await fetch(this.url + path, {
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
    if (response.ok) return response;
    const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
    if (response.status === 404 && (problem.code ?? 'not-found') === 'not-found') {
      throw new LineprintError(
        'address-wrong',
        `${this.url} does not answer ${path}. Where the services run apart, --url is the address of ingest and --query-url that of the query API.`,
      );
    }
    throw new LineprintError(
      problem.code ?? `http-${response.status}`,
      problem.detail ?? `${path} answered ${response.status}.`,
      { transient: response.status >= 500 || response.status === 429 },
    );
  }
}
