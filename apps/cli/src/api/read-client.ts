import { LineprintError } from '@lineprint/platform';
import type { Problem } from '@lineprint/contracts';

/** Totals of an organisation or repository, as `GET /api/v1/summary` answers. */
export interface Figures {
  readonly lines: number;
  readonly aiLines: number;
  /** AI lines whose confidence is HIGH. */
  readonly high: number;
  readonly weighted: number;
  readonly ratio: number;
}

export interface Summary {
  readonly commits: number;
  readonly merges: number;
  readonly lines: {
    readonly added: number;
    readonly preserved: number;
    readonly modified: number;
    readonly human: number;
    readonly inherited: number;
    readonly excluded: number;
    readonly blank: number;
  };
  readonly aiRatio: number;
  readonly aiRatioMatched: number;
  readonly aiRatioDeclared: number;
  readonly bySource: Readonly<Record<string, Figures>>;
  readonly byLanguage: Readonly<Record<string, Figures>>;
  readonly byPerson: Readonly<Record<string, Figures>>;
  readonly byProject: Readonly<Record<string, Figures>>;
  readonly byConfidence: Readonly<Record<string, Figures>>;
  readonly byEvidence: Readonly<Record<string, Figures>>;
}

export interface Enrolment {
  readonly orgId: string;
  readonly keyId: string;
  /** Base64. */
  readonly lineKey: string;
}

/** Reads from a running Lineprint. */
export class ReadClient {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  async summary(repository?: string): Promise<Summary> {
    const query = repository === undefined ? '' : `?${new URLSearchParams({ repository })}`;
    return (await (await this.get(`/api/v1/summary${query}`)).json()) as Summary;
  }

  /** How many commits have their verdict by now. */
  async analysed(repository?: string): Promise<number> {
    const query = repository === undefined ? '' : `?${new URLSearchParams({ repository })}`;
    const counts = (await (await this.get(`/api/v1/summary/commits${query}`)).json()) as {
      commits: number;
      merges: number;
    };
    return counts.commits + counts.merges;
  }

  async enrolment(): Promise<Enrolment> {
    return (await (await this.get('/api/v1/enrolment')).json()) as Enrolment;
  }

  /** Whether the server knows nothing of the repository yet, and so wants what stands in it. */
  async wantsBaseline(repository: string): Promise<boolean> {
    const answer = await this.get(`/api/v1/baselines?${new URLSearchParams({ repository })}`);
    return ((await answer.json()) as { wanted: boolean }).wanted;
  }

  /** Everything that is deterministic about the organisation's results, one JSON value a line. */
  async *export(repository?: string): AsyncGenerator<string> {
    const query = repository === undefined ? '' : `?${new URLSearchParams({ repository })}`;
    const response = await this.get(`/api/v1/export${query}`);
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? [])
      yield decoder.decode(chunk as Uint8Array, { stream: true });
    yield decoder.decode();
  }

  /**
   * @throws LineprintError `server-unreachable` (transient), `address-wrong` where another service answers, or
   * the code of the server's problem
   */
  private async get(path: string): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.url + path, { headers: { authorization: `Bearer ${this.apiKey}` } });
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
