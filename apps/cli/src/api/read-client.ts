import { ApiClient } from './api-client';

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
  /** Of commits to which no ref leads that counts. */
  readonly provisional: {
    readonly commits: number;
    readonly merges: number;
    readonly lines: Pick<Summary['lines'], 'added' | 'preserved' | 'modified' | 'human'>;
    readonly aiRatio: number;
  };
}

export interface Enrolment {
  readonly orgId: string;
  readonly keyId: string;
  /** Base64. */
  readonly lineKey: string;
}

/** Reads from a running Lineprint. */
export class ReadClient {
  private readonly api: ApiClient;

  constructor(url: string, apiKey: string) {
    this.api = new ApiClient(url, apiKey);
  }

  async summary(repository?: string): Promise<Summary> {
    const query = repository === undefined ? '' : `?${new URLSearchParams({ repository })}`;
    return this.api.get<Summary>(`/api/v1/summary${query}`);
  }

  /** How many commits have their verdict by now. */
  async analysed(repository?: string): Promise<number> {
    const query = repository === undefined ? '' : `?${new URLSearchParams({ repository })}`;
    const counts = await this.api.get<{ commits: number; merges: number }>(`/api/v1/summary/commits${query}`);
    return counts.commits + counts.merges;
  }

  async enrolment(): Promise<Enrolment> {
    return this.api.get<Enrolment>('/api/v1/enrolment');
  }

  /** Whether the server knows nothing of the repository yet, and so wants what stands in it. */
  async wantsBaseline(repository: string): Promise<boolean> {
    const query = new URLSearchParams({ repository });
    return (await this.api.get<{ wanted: boolean }>(`/api/v1/baselines?${query}`)).wanted;
  }

  /** Everything that is deterministic about the results of a policy (the active one), one JSON value a line. */
  async *export(of: { repository?: string; policy?: string } = {}): AsyncGenerator<string> {
    const response = await this.api.request('GET', `/api/v1/export?${new URLSearchParams(of)}`);
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? [])
      yield decoder.decode(chunk as Uint8Array, { stream: true });
    yield decoder.decode();
  }
}
