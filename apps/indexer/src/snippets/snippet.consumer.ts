import {
  type BeforeApplicationShutdown,
  Controller,
  Inject,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import {
  bytesToWords,
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
import { decodeCurrentLinePrints, type LinePrint, linePrintsFromBase64 } from '@lineprint/fingerprint';
import {
  DATABASE,
  type Database,
  ensurePartitions,
  existingSnippets,
  insertSnippets,
  loadProgress,
  type OffsetRange,
  requestReanalysis,
  saveProgress,
  type SnippetKeysSource,
  type SnippetRow,
  streamSnippetKeysSource,
} from '@lineprint/persistence';
import { type Config, CONFIG, decryptRawCode, type Logger, LOGGER, METRICS } from '@lineprint/platform';
import { type Coverage, RECALL_INDEX, type RecallEntry, type RecallIndex } from '@lineprint/recall';
import { astBands, openParserPool, type ParserPool } from '@lineprint/syntax';
import { Counter, type Registry } from 'prom-client';
import { snippetKeys } from './snippet-keys';

const INDEX_CHUNK = 500;
/** How long a server that has lost its postings may go unnoticed while no snippet comes. */
const CHECK_EVERY_MS = 2_000;

/** Writes snippets to the recall index and the database, and publishes how far it has come. */
@Controller()
export class SnippetConsumer
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private parser: ParserPool | undefined;
  private timer: NodeJS.Timeout | undefined;
  private filling: Promise<Coverage> | undefined;
  private readonly reanalysis: Counter;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(RECALL_INDEX) private readonly index: RecallIndex,
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

  /** An index that lives in this process starts empty: fill it before the first batch comes. */
  async onApplicationBootstrap(): Promise<void> {
    await this.filled();
    this.timer = setInterval(() => {
      this.filled().catch((error: unknown) =>
        this.logger.warn({ err: error }, 'the recall index could not be checked'),
      );
    }, CHECK_EVERY_MS);
  }

  // After the transport has drained: the running batch still parses.
  async onApplicationShutdown(): Promise<void> {
    await this.parser?.close();
  }

  /** While the stores are still open. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.filling?.catch(() => undefined);
  }

  @ConsumeBatches({ topic: TOPICS.snippets, group: GROUPS.indexer })
  async consume(batch: Batch): Promise<BatchResult> {
    const { events, deadLetters } = readBatch(batch, snippetEventSchema);
    const coverage = await this.filled();
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
    await this.fillGap({ partition, from: coverage.next.get(partition) ?? 0, end }, coverage);
    // Last: once progress is published, every snippet below it can be recalled.
    await saveProgress(this.database, GROUPS.indexer, batch.topic, partition, end);
    return { processed: batch.records.length, deadLetters: [...deadLetters, ...refused] };
  }

  /**
   * Fills a generation beside the current one from the database, which then takes its place: after deletions, which
   * leave gaps where a key was full, or to be sure.
   */
  async rebuild(): Promise<void> {
    const begun = await this.index.begin();
    const published = await loadProgress(this.database, GROUPS.indexer, TOPICS.snippets);
    for (const gap of gapsOf(published, begun)) await this.fillGap(gap, begun);
    // What was published meanwhile is one more gap, and the next look's.
    await this.index.activate(begun);
    await this.filled();
  }

  /** The coverage of an index that lacks nothing of what was published; callers share one look. */
  private filled(): Promise<Coverage> {
    this.filling ??= this.fill().finally(() => {
      this.filling = undefined;
    });
    return this.filling;
  }

  /** Adds from the database what the index lacks: everything at the start of a process, or what a server lost. */
  private async fill(): Promise<Coverage> {
    const published = await loadProgress(this.database, GROUPS.indexer, TOPICS.snippets);
    const current = await this.index.coverage();
    const isBuilt = current.generation > 0;
    // Nobody reads a generation that is still to be built.
    const target = isBuilt ? current : await this.index.begin();
    const gaps = gapsOf(published, target);
    let snippets = 0;
    for (const gap of gaps) snippets += await this.fillGap(gap, target);
    if (!isBuilt) await this.index.activate(target);
    else if (gaps.length === 0) return current;
    if (gaps.length > 0) this.logger.info({ snippets }, 'recall index filled from the database');
    // Looks once more: a loss between the last chunk and now would pass for coverage.
    return this.fill();
  }

  private async fillGap(gap: OffsetRange, { generation, run }: Coverage): Promise<number> {
    let covered = gap.from;
    let total = 0;
    let chunk: SnippetKeysSource[] = [];
    // After each chunk, so that a process that is ended meanwhile goes on here.
    const flush = async (next: number) => {
      const since = { generation, run, next: new Map([[gap.partition, covered]]) };
      for (const [tenant, entries] of byTenant(chunk.map((stored) => this.indexed(stored))))
        await this.index.add(since, tenant, entries);
      await this.index.cover(since, gap.partition, next);
      covered = next;
      total += chunk.length;
      chunk = [];
    };
    for await (const stored of streamSnippetKeysSource(this.database, gap)) {
      chunk.push(stored);
      if (chunk.length === INDEX_CHUNK) await flush(stored.offset + 1);
    }
    await flush(gap.end);
    return total;
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

  private indexed(stored: SnippetKeysSource): { tenant: string; entry: RecallEntry } {
    const keys = snippetKeys(
      {
        prints: (stored.linePrints && decodeCurrentLinePrints(stored.linePrints)) ?? [],
        pathKey: stored.pathKey,
        before: stored.before,
        after: stored.after,
        signature: bytesToWords(stored.signature),
        astBands: stored.astSignature ? astBands(bytesToWords(stored.astSignature)) : null,
      },
      { bands: this.config.recallBands },
    );
    const { recallId: id, createdAt: eventTime, partition, offset } = stored;
    return { tenant: stored.orgId, entry: { id, eventTime, partition, offset, keys } };
  }

  /** Only opted-in code can be parsed; without it the snippet is recalled by its prints and text bands. */
  private async astSignature(event: SnippetEvent): Promise<Uint32Array | null> {
    if (!event.rawCodeEncrypted || !this.config.rawCodeKey) return null;
    this.parser ??= openParserPool({ processes: 1 });
    let code: string;
    try {
      code = decryptRawCode(event.rawCodeEncrypted, this.config.rawCodeKey);
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

/** What a generation lacks of what was published. */
function gapsOf(published: ReadonlyMap<number, number>, { next }: Coverage): OffsetRange[] {
  return [...published].flatMap(([partition, end]): OffsetRange[] => {
    const from = next.get(partition) ?? 0;
    return from < end ? [{ partition, from, end }] : [];
  });
}

function byTenant(
  indexed: readonly { readonly tenant: string; readonly entry: RecallEntry }[],
): Map<string, RecallEntry[]> {
  const tenants = new Map<string, RecallEntry[]>();
  for (const { tenant, entry } of indexed) {
    const entries = tenants.get(tenant);
    if (entries) entries.push(entry);
    else tenants.set(tenant, [entry]);
  }
  return tenants;
}
