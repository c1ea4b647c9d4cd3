import { Controller, Inject } from '@nestjs/common';
import { attributeCommit, type Snippet } from '@lineprint/attribution';
import {
  type AttributionEvent,
  type CandidatesEvent,
  candidatesEventSchema,
  DEFAULT_POLICY,
  GROUPS,
  repositoryKey,
  TOPICS,
} from '@lineprint/contracts';
import {
  type Batch,
  type BatchResult,
  ConsumeBatches,
  EVENT_LOG,
  type EventLog,
  newEvent,
  readBatch,
} from '@lineprint/event-log';
import { decodeCurrentLinePrints } from '@lineprint/fingerprint';
import {
  activePolicy,
  DATABASE,
  type Database,
  loadSnippetPrints,
  type StoredSnippet,
} from '@lineprint/persistence';
import { ConsumedByAncestors } from '../consumed/consumed-by-ancestors';

/** Decides, for every added line, where it comes from under the active policy. */
@Controller()
export class CandidatesConsumer {
  private readonly consumedLines: ConsumedByAncestors;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(EVENT_LOG) private readonly log: EventLog,
  ) {
    this.consumedLines = new ConsumedByAncestors(database);
  }

  @ConsumeBatches({ topic: TOPICS.candidates, group: GROUPS.lineAttributor, maxRecords: 64 })
  async consume(batch: Batch): Promise<BatchResult> {
    const { events, deadLetters } = readBatch(batch, candidatesEventSchema);
    const outgoing = new Map<number, ReturnType<typeof newEvent>>();
    for (const tenant of new Set(events.map(({ event }) => event.commit.tenant))) {
      const tenantEvents = events.filter(({ event }) => event.commit.tenant === tenant);
      const policy = (await activePolicy(this.database, tenant)) ?? DEFAULT_POLICY;
      const snippets = await this.snippets(
        tenant,
        tenantEvents.map(({ event }) => event),
      );
      const verdicts = new Map<CandidatesEvent, AttributionEvent>();
      await this.consumedLines.judge(
        tenant,
        policy.id,
        tenantEvents.map(({ event }) => event),
        (event, consumed) => {
          const { commit, repositoryLines, files, candidates } = event;
          const attributed = attributeCommit({
            commit,
            repositoryLines,
            files,
            candidates,
            snippets: snippetsOf(event, snippets),
            policy,
            consumed,
          });
          verdicts.set(event, { policy: policy.id, commit, files: attributed });
          return attributed;
        },
      );
      for (const { record, event } of tenantEvents) {
        outgoing.set(
          record.offset,
          newEvent({
            topic: TOPICS.attributions,
            key: repositoryKey(tenant, event.commit.repository),
            tenant,
            source: 'line-attributor',
            value: verdicts.get(event)!,
            traceparent: record.headers['traceparent'],
          }),
        );
      }
    }
    // In the order of the topic, whatever tenant a commit belongs to.
    const records = batch.records.flatMap((record) => outgoing.get(record.offset) ?? []);
    if (records.length > 0) await this.log.append(records);
    return { processed: batch.records.length, deadLetters };
  }

  private async snippets(tenant: string, events: readonly CandidatesEvent[]): Promise<Map<string, Snippet>> {
    const ids = new Set(events.flatMap((event) => event.candidates.map(({ codeId }) => codeId)));
    const stored = await loadSnippetPrints(this.database, tenant, [...ids]);
    return new Map(stored.map((snippet) => [snippet.codeId, toSnippet(snippet)]));
  }
}

function snippetsOf(event: CandidatesEvent, snippets: ReadonlyMap<string, Snippet>): Snippet[] {
  const ids = new Set(event.candidates.map(({ codeId }) => codeId));
  return [...ids].flatMap((id) => snippets.get(id) ?? []);
}

function toSnippet(stored: StoredSnippet): Snippet {
  return {
    codeId: stored.codeId,
    userId: stored.userId,
    sessionId: stored.sessionId,
    source: stored.source,
    model: stored.model,
    language: stored.language,
    createdAt: stored.createdAt,
    protocol: stored.protocol,
    lineCount: stored.lineCount,
    declaredBy: stored.declaredBy,
    prints: stored.linePrints && decodeCurrentLinePrints(stored.linePrints),
    pathKey: stored.pathKey,
    before: stored.before,
    after: stored.after,
  };
}
