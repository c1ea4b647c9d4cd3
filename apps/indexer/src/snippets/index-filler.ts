import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { bytesToWords, GROUPS, TOPICS } from '@lineprint/contracts';
import { decodeCurrentLinePrints } from '@lineprint/fingerprint';
import {
  DATABASE,
  type Database,
  endOfSnippets,
  loadProgress,
  type OffsetRange,
  type SnippetKeysSource,
  streamSnippetKeysSource,
} from '@lineprint/persistence';
import { type Config, CONFIG, type Logger, LOGGER } from '@lineprint/platform';
import { type Coverage, RECALL_INDEX, type RecallEntry, type RecallIndex } from '@lineprint/recall';
import { astBands } from '@lineprint/syntax';
import { snippetKeys } from './snippet-keys';

const INDEX_CHUNK = 500;
/** How long a server that has lost its postings may go unnoticed while no snippet comes. */
const CHECK_EVERY_MS = 2_000;
/** Another process publishes what it has just indexed within this. */
const PUBLISHED_WITHIN_MS = 2_000;

/** Told that a partition is filled up to an offset; answers whether to go on. */
export type Filled = (partition: number, next: number) => Promise<boolean>;

/** Keeps the recall index as full as the database says that it is to be. */
@Injectable()
export class IndexFiller implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private filling: Promise<Coverage> | undefined;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(RECALL_INDEX) private readonly index: RecallIndex,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** An index that lives in this process starts empty: fill it before the first batch comes. */
  async onApplicationBootstrap(): Promise<void> {
    if (await this.isAhead()) {
      this.logger.warn('the recall index knows snippets that the database does not: it is built anew');
      await this.rebuild();
    } else await this.filled();
    this.timer = setInterval(() => {
      this.filled().catch((error: unknown) =>
        this.logger.warn({ err: error }, 'the recall index could not be checked'),
      );
    }, CHECK_EVERY_MS);
  }

  /** While the stores are still open. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.filling?.catch(() => undefined);
  }

  /**
   * Fills a generation beside the current one from the database, which then takes its place: after deletions, which
   * leave gaps where a key was full, or to be sure.
   *
   * @param goesOn told after each part how far a partition is filled; with false the rest is left for the next call
   * @returns whether the generation has taken its place
   */
  async rebuild(goesOn: Filled = () => Promise.resolve(true)): Promise<boolean> {
    const begun = await this.index.begin();
    const published = await loadProgress(this.database, GROUPS.indexer, TOPICS.snippets);
    for (const gap of gapsOf(published, begun)) {
      if ((await this.fillGap(gap, begun, goesOn)) === null) return false;
    }
    // What was published meanwhile is one more gap, and the next look's.
    await this.index.activate(begun);
    await this.filled();
    return true;
  }

  /**
   * Whether the index has snippets that the database has not, as after the restoration of an older one, which will give
   * their numbers to others.
   */
  private async isAhead(): Promise<boolean> {
    const isMoreThanPublished = async () => {
      const published = await loadProgress(this.database, GROUPS.indexer, TOPICS.snippets);
      for (const [partition, next] of (await this.index.coverage()).next) {
        if (next <= (published.get(partition) ?? 0)) continue;
        // A process that was killed before it could publish has stored them.
        if (next > (await endOfSnippets(this.database, partition))) return true;
      }
      return false;
    };
    if (!(await isMoreThanPublished())) return false;
    await delay(PUBLISHED_WITHIN_MS);
    return isMoreThanPublished();
  }

  /** The coverage of an index that lacks nothing of what was published; callers share one look. */
  filled(): Promise<Coverage> {
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
    for (const gap of gaps) snippets += (await this.fillGap(gap, target)) ?? 0;
    if (!isBuilt) await this.index.activate(target);
    else if (gaps.length === 0) return current;
    if (gaps.length > 0) this.logger.info({ snippets }, 'recall index filled from the database');
    // Looks once more: a loss between the last chunk and now would pass for coverage.
    return this.fill();
  }

  /** Adds a range of the log to a generation. Answers how many snippets were added; null where it was to stop. */
  async fillGap(
    gap: OffsetRange,
    { generation, run }: Coverage,
    goesOn: Filled = () => Promise.resolve(true),
  ): Promise<number | null> {
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
      if (chunk.length < INDEX_CHUNK) continue;
      await flush(stored.offset + 1);
      if (!(await goesOn(gap.partition, covered))) return null;
    }
    await flush(gap.end);
    return (await goesOn(gap.partition, covered)) ? total : null;
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
