import { Controller, Inject, type OnApplicationShutdown } from '@nestjs/common';
import {
  GROUPS,
  REANALYSIS_LIMITS,
  type SnippetEvent,
  snippetEventSchema,
  TOPICS,
  wordsToBytes,
} from '@lineprint/contracts';
import {
  type Batch,
  type BatchResult,
  ConsumeBatches,
  type DeadLetter,
  readBatch,
} from '@lineprint/event-log';
import { type LinePrint, linePrintsFromBase64 } from '@lineprint/fingerprint';
import {
  DATABASE,
  type Database,
  ensurePartitions,
  existingSnippets,
  insertSnippets,
  requestReanalysis,
  saveProgress,
  type SnippetRow,
} from '@lineprint/persistence';
import { type Config, CONFIG, type Logger, LOGGER, METRICS } from '@lineprint/platform';
import { openParserPool, type ParserPool } from '@lineprint/syntax';
import { Counter, type Registry } from 'prom-client';
import { IndexFiller } from './index-filler';

/** Writes snippets to the recall index and the database, and publishes how far it has come. */
@Controller()
export class SnippetConsumer implements OnApplicationShutdown {
  private parser: ParserPool | undefined;
  private readonly reanalysis: Counter;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly filler: IndexFiller,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.reanalysis = new Counter({
      name: 'lineprint_reanalysis_requests_total',
      help: 'Commits that are to be analysed again because of snippets that arrived late, by outcome: requested, left-out (too many for one batch of snippets)',
      labelNames: ['outcome'],
      registers: [metrics],
    });
  }

  // After the transport has drained: the running batch still parses.
  async onApplicationShutdown(): Promise<void> {
    await this.parser?.close();
  }

  @ConsumeBatches({ topic: TOPICS.snippets, group: GROUPS.indexer })
  async consume(batch: Batch): Promise<BatchResult> {
    const { events, deadLetters } = readBatch(batch, snippetEventSchema);
    const coverage = await this.filler.filled();
    const rows: SnippetRow[] = [];
    const refused: DeadLetter[] = [];
    const seen = await this.alreadyStored(events.map(({ event }) => event));
    for (const { record, event } of events) {
      // The first of two snippets with one id wins; a client that was not answered sends again.
      const id = `${event.tenant}\u0000${event.codeId}`;
      if (seen.has(id)) continue;
      let prints: LinePrint[];
      try {
        prints = event.linePrints ? linePrintsFromBase64(event.linePrints) : [];
      } catch (error) {
        refused.push({ record, code: 'line-prints-invalid', message: (error as Error).message });
        continue;
      }
      seen.add(id);
      rows.push(await this.rowOf(event, prints, record.partition, record.offset));
    }
    await ensurePartitions(
      this.database,
      rows.map(({ createdAt }) => createdAt),
    );
    const requested = await this.database.transaction(async (tx) => {
      const stored = new Set(await insertSnippets(tx, rows));
      return requestReanalysis(
        tx,
        rows.filter((row) => stored.has(row.codeId) && mayBeLate(row)),
        REANALYSIS_LIMITS,
      );
    });
    this.reanalysis.inc({ outcome: 'requested' }, requested.requested);
    this.reanalysis.inc({ outcome: 'left-out' }, requested.leftOut);
    // From the database, which numbers the snippets: an index that is filled later equals this one.
    const { partition } = batch;
    const end = batch.records[batch.records.length - 1]!.offset + 1;
    await this.filler.fillGap({ partition, from: coverage.next.get(partition) ?? 0, end }, coverage);
    // Last: once progress is published, every snippet below it can be recalled.
    await saveProgress(this.database, GROUPS.indexer, batch.topic, partition, end);
    return { processed: batch.records.length, deadLetters: [...deadLetters, ...refused] };
  }

  private async alreadyStored(events: readonly SnippetEvent[]): Promise<Set<string>> {
    const stored = new Set<string>();
    for (const tenant of new Set(events.map((event) => event.tenant))) {
      const ids = events.filter((event) => event.tenant === tenant).map((event) => event.codeId);
      for (const id of await existingSnippets(this.database, tenant, ids)) stored.add(`${tenant}\u0000${id}`);
    }
    return stored;
  }

  private async rowOf(
    event: SnippetEvent,
    prints: LinePrint[],
    partition: number,
    offset: number,
  ): Promise<SnippetRow> {
    const astSignature = await this.astSignature(event);
    return {
      orgId: event.tenant,
      codeId: event.codeId,
      sessionId: event.sessionId,
      userId: event.userId,
      projectId: event.projectId,
      source: event.source,
      signature: Buffer.from(event.signature, 'base64'),
      lshBuckets: Buffer.from(event.lshBuckets, 'base64'),
      language: event.language,
      fileExtension: event.fileExtension,
      lineCount: event.lineCount,
      charCount: event.charCount,
      structureHash: event.structureHash,
      rawCodeEncrypted: event.rawCodeEncrypted ?? null,
      protocol: event.protocol,
      repository: event.repository ?? null,
      model: event.model ?? null,
      client: event.client ? `${event.client.name}/${event.client.version}` : null,
      editKind: event.edit?.kind ?? null,
      acceptedPartially: event.acceptedPartially ?? null,
      declaredBy: event.declaredBy ?? null,
      astSignature: astSignature ? wordsToBytes(astSignature) : null,
      partition,
      offset,
      createdAt: new Date(event.timestamp),
      ...placeOf(event, prints),
    };
  }

  /** Only opted-in code can be parsed; without it the snippet is recalled by its prints and text bands. */
  private async astSignature(event: SnippetEvent): Promise<Uint32Array | null> {
    if (!event.rawCodeEncrypted || !this.config.rawCodeKeys) return null;
    this.parser ??= openParserPool({ processes: 1 });
    let code: string;
    try {
      code = this.config.rawCodeKeys.decrypt(event.rawCodeEncrypted);
    } catch (error) {
      // Its prints are evidence all the same; the wrong key is the operator's to put right.
      this.logger.warn({ err: error, codeId: event.codeId }, 'a snippet is indexed without its syntax tree');
      return null;
    }
    return (await this.parser.snippetSignature(event.language, code))?.signature ?? null;
  }
}

/**
 * What `snippet_prints` holds of a snippet. Prints without the name of their key, and a place without prints, are
 * not stored, and so not indexed either.
 */
function placeOf(
  event: SnippetEvent,
  prints: readonly LinePrint[],
): Pick<SnippetRow, 'keyId' | 'linePrints' | 'pathKey' | 'before' | 'after'> {
  if (!event.keyId || !event.linePrints || prints.length === 0) {
    return { keyId: null, linePrints: null, pathKey: null, before: null, after: null };
  }
  return {
    keyId: event.keyId,
    linePrints: Buffer.from(event.linePrints, 'base64'),
    pathKey: event.pathKey ?? null,
    before: event.before ?? null,
    after: event.after ?? null,
  };
}

/** A snippet that was made from a commit comes with the commits of its history, in their order. */
function mayBeLate({ declaredBy }: SnippetRow): boolean {
  return declaredBy === null;
}
