import { LineprintClient } from '@lineprint/capture';
import { EVENT_LOG, type EventLog, eventLogTransport, openEventLog } from '@lineprint/event-log';
import { bootstrap, DATABASE, type Database, openDatabase, type Row } from '@lineprint/persistence';
import { startService } from '@lineprint/platform';
import { StandaloneModule } from '@lineprint/standalone';
import type { Message } from './late-history';
import { LINE_KEY } from './programs';
import { type RunningStack, startStack } from './stack';
import { embeddedStores } from './stores';

/** Every service, running, and the database that they share. */
export interface Pipeline {
  readonly database: Database;
  readonly log: EventLog;
  readonly ingestUrl: string;
  readonly queryUrl: string;
  /** The services' processes, where each is one. */
  readonly stack: RunningStack | undefined;
  stop(): Promise<void>;
}

/** All in this process, on embedded adapters. @param settings further variables */
export async function embeddedPipeline(settings: Record<string, string> = {}): Promise<Pipeline> {
  const { config } = await embeddedStores(settings);
  const service = await startService({
    name: 'pipeline',
    module: StandaloneModule,
    config,
    transport: eventLogTransport,
  });
  return {
    database: service.app.get<Database>(DATABASE),
    log: service.app.get<EventLog>(EVENT_LOG),
    stack: undefined,
    ingestUrl: service.url,
    queryUrl: service.url,
    stop: () => service.close(),
  };
}

/** A process a service, on Kafka, Redis and Postgres. @param name of the database: one that no other test uses */
export async function distributedPipeline(name: string): Promise<Pipeline> {
  const stack = await startStack({ database: name, env: { LINEPRINT_ORG_ID: name } });
  const database = await openDatabase(stack.databaseUrl, { maxConnections: 2 });
  const log = await openEventLog(stack.kafkaUrl, { database, clientId: 'test' });
  return {
    database,
    log,
    stack,
    ingestUrl: stack.services.ingest.url,
    queryUrl: stack.services['query-api'].url,
    stop: async () => {
      await log.close();
      await database.close();
      await stack.stop();
    },
  };
}

/** An organisation of its own in a pipeline, so that several histories do not meet. */
export class Organisation {
  private constructor(
    private readonly pipeline: Pipeline,
    readonly orgId: string,
    readonly apiKey: string,
    /** Of the organisation's line prints, which `LINE_KEY` makes. */
    readonly keyId: string,
    readonly client: LineprintClient,
  ) {}

  static async create(pipeline: Pipeline, orgId: string): Promise<Organisation> {
    const made = await bootstrap(pipeline.database, { orgId, lineKey: LINE_KEY, timeZone: 'UTC' });
    const client = new LineprintClient({ url: pipeline.ingestUrl, apiKey: made.apiKey! });
    return new Organisation(pipeline, orgId, made.apiKey!, made.keyId, client);
  }

  /** Sends messages, one request each, in their order. */
  async send(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      if (message.kind === 'snippet') await this.client.sendFingerprints([message.fingerprint]);
      else await this.client.sendCommits([message.commit]);
    }
  }

  /** Waits until every snippet is stored, and every commit has its result, that of its last revision. */
  async settled(commits: number, snippets: number): Promise<void> {
    for (;;) {
      const [state] = await this.pipeline.database.query<{ done: boolean }>(
        `SELECT (SELECT COUNT(*) FROM ai_code_fingerprint_ids WHERE org_id = $1) = $3
            AND NOT EXISTS (SELECT 1 FROM reanalysis_requests WHERE org_id = $1)
            AND NOT EXISTS (SELECT 1 FROM counted_repositories WHERE org_id = $1 AND unsettled)
            AND (SELECT COUNT(*) FROM analysed_commits a JOIN commit_verdicts v
                   ON v.org_id = a.org_id AND v.repository = a.repository AND v.commit_sha = a.sha
                  AND v.revision = a.revision
                 JOIN policies p ON p.org_id = v.org_id AND p.policy_id = v.policy_id AND p.live
                  WHERE a.org_id = $1) = $2 AS done`,
        [this.orgId, commits, snippets],
      );
      if (state!.done) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Waits until the ledger has nothing left to do, and each ref's is where the ref is. */
  async ledgerKept(): Promise<void> {
    for (;;) {
      const [state] = await this.pipeline.database.query<{ done: boolean }>(
        `SELECT NOT EXISTS (SELECT 1 FROM ledger_requests WHERE org_id = $1)
            AND NOT EXISTS (SELECT 1 FROM repository_refs r
                              JOIN counted_repositories c ON (c.org_id, c.repository) = (r.org_id, r.repository)
                             WHERE r.org_id = $1 AND r.sha IS NOT NULL AND (r.counts OR r.ref = c.default_ref)
                               AND NOT EXISTS (SELECT 1 FROM line_heads h
                                               WHERE (h.org_id, h.repository, h.ref, h.sha)
                                                   = (r.org_id, r.repository, r.ref, r.sha))) AS done`,
        [this.orgId],
      );
      if (state!.done) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Waits until it is stored what a branch of a repository names. @param sha null where nothing counts because of it */
  async named(repository: string, branch: string, sha: string | null): Promise<void> {
    for (;;) {
      const [row] = await this.pipeline.database.query<{ named: string | null }>(
        `SELECT COALESCE(pending -> -1 ->> 'sha', sha) AS named FROM repository_refs
         WHERE org_id = $1 AND repository = $2 AND ref = $3`,
        [this.orgId, repository, `refs/heads/${branch}`],
      );
      if ((row?.named ?? null) === sha) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Rows of the database. @param sql with the organisation's id as $1 */
  rows<R extends Row>(sql: string): Promise<R[]> {
    return this.pipeline.database.query<R>(sql, [this.orgId]);
  }

  /** @param policy the active one if there is none */
  export(policy?: string): Promise<string> {
    return this.get(`/api/v1/export${policy ? `?policy=${policy}` : ''}`);
  }

  async get(path: string): Promise<string> {
    const answer = await fetch(`${this.pipeline.queryUrl}${path}`, {
      headers: { authorization: `Bearer ${this.apiKey}` },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${text}`);
    return text;
  }
}
