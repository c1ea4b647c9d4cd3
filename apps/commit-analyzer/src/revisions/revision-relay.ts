import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { type CommitEvent, commitEventSchema, GROUPS, repositoryKey, TOPICS } from '@lineprint/contracts';
import { EVENT_LOG, type EventLog, type LogRecord, newEvent, parseJson } from '@lineprint/event-log';
import {
  type ClaimedReanalysis,
  claimReanalysis,
  DATABASE,
  type Database,
  deleteRequests,
  dropPassedReanalysis,
  isReanalysisOverdue,
  neededOffsets,
  saveSentReanalysis,
} from '@lineprint/persistence';
import { type Logger, LOGGER, METRICS, Polling } from '@lineprint/platform';
import { Counter, type Registry } from 'prom-client';
import { indexedOffsets } from '../causality/indexed-offsets';
import { spansOf } from './spans';

const POLL_MS = 500;
/** Snippets that were late arrive many at a time; a commit comes again once they have stopped, or after this long. */
const QUIET_MS = 1_000;
const LONGEST_QUIET_MS = 30_000;
/** A process that ended while it appended keeps its commits so long from the others. */
const CLAIM_MS = 15_000;
const CLAIM_LIMIT = 500;
/** A commit's content may be megabytes: so many are held at once. */
const APPEND_LIMIT = 32;
const OVERDUE_MS = 30_000;

/**
 * Appends commits again that late snippets could have touched, as the next revision of the same event. At least once:
 * a revision that is there twice is analysed like any event that comes again.
 */
@Injectable()
export class RevisionRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly polling: Polling;
  private readonly revisions: Counter;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.polling = new Polling({
      work: (signal) => this.relay(signal),
      idleMs: POLL_MS,
      onError: (error) => logger.warn({ err: error }, 'commits could not be appended again'),
    });
    this.revisions = new Counter({
      name: 'lineprint_revisions_total',
      help: 'Commits that were to be analysed again, by outcome: appended, lost (their event is not kept any more), passed (a dead letter)',
      labelNames: ['outcome'],
      registers: [metrics],
    });
    // From 0 on: of a series that begins with its first commit no rate is known.
    for (const outcome of ['appended', 'lost', 'passed']) this.revisions.inc({ outcome }, 0);
  }

  onApplicationBootstrap(): void {
    this.polling.start();
  }

  /** While log and stores are still open. */
  beforeApplicationShutdown(): Promise<void> {
    return this.polling.stop();
  }

  private async relay(signal: AbortSignal): Promise<boolean> {
    const needed = await neededOffsets(this.database);
    if (!needed) {
      await this.dropPassed();
      return false;
    }
    const indexed = await indexedOffsets(this.database, this.log, [needed]);
    const claimed = await claimReanalysis(this.database, {
      indexed: needed.map((_, partition) => indexed.get(partition) ?? 0),
      quietMs: QUIET_MS,
      longestMs: LONGEST_QUIET_MS,
      claimMs: CLAIM_MS,
      limit: CLAIM_LIMIT,
    });
    for (const ranges of spansOf(claimed)) {
      const missing = new Map(claimed.map((claim) => [`${claim.partition}/${claim.offset}`, claim]));
      let revisions: { claim: ClaimedReanalysis; original: LogRecord }[] = [];
      for await (const original of this.log.read(TOPICS.commits, ranges, signal)) {
        const key = `${original.partition}/${original.offset}`;
        const claim = missing.get(key);
        if (!claim) continue;
        missing.delete(key);
        revisions.push({ claim, original });
        if (revisions.length < APPEND_LIMIT) continue;
        await this.append(revisions);
        revisions = [];
      }
      await this.append(revisions);
      const isCovered = ({ partition, offset }: ClaimedReanalysis) =>
        ranges.some((range) => range.partition === partition && range.from <= offset && offset < range.to);
      await this.lose([...missing.values()].filter(isCovered));
    }
    return claimed.length > 0;
  }

  private async append(
    revisions: readonly { claim: ClaimedReanalysis; original: LogRecord }[],
  ): Promise<void> {
    const readable = revisions.flatMap(({ claim, original }) => {
      const event = readOriginal(original);
      return event ? [{ claim, record: revisionOf(claim, original, event) }] : [];
    });
    const lost = revisions.filter(({ claim }) => !readable.some((one) => one.claim === claim));
    await this.lose(lost.map(({ claim }) => claim));
    if (readable.length === 0) return;
    const positions = await this.log.append(readable.map(({ record }) => record));
    await saveSentReanalysis(
      this.database,
      readable.map(({ claim }, i) => ({ ...claim, sentOffset: positions[i]!.offset })),
    );
    this.revisions.inc({ outcome: 'appended' }, readable.length);
  }

  /** Their events are not kept any more, or a payload that was too large for the log is not. */
  private async lose(claims: readonly ClaimedReanalysis[]): Promise<void> {
    await deleteRequests(this.database, claims);
    if (claims.length > 0) this.revisions.inc({ outcome: 'lost' }, claims.length);
  }

  private async dropPassed(): Promise<void> {
    if (!(await isReanalysisOverdue(this.database, OVERDUE_MS))) return;
    const committed = await this.log.committed(GROUPS.commitAnalyzer, TOPICS.commits);
    const passed = await dropPassedReanalysis(this.database, committed);
    if (passed > 0) this.revisions.inc({ outcome: 'passed' }, passed);
  }
}

function readOriginal(original: LogRecord): CommitEvent | undefined {
  try {
    return parseJson(original, commitEventSchema);
  } catch {
    return undefined;
  }
}

function revisionOf({ revision, horizon }: ClaimedReanalysis, { headers }: LogRecord, original: CommitEvent) {
  const firstHorizon = original.firstHorizon ?? original.snippetHorizon;
  const value: CommitEvent = {
    ...original,
    revision,
    firstHorizon,
    snippetHorizon: Array.from({ length: Math.max(horizon.length, firstHorizon.length) }, (_, partition) =>
      Math.max(horizon[partition] ?? 0, firstHorizon[partition] ?? 0),
    ),
  };
  return newEvent({
    topic: TOPICS.commits,
    key: repositoryKey(original.tenant, original.repository),
    tenant: original.tenant,
    source: 'commit-analyzer',
    value,
    traceparent: headers['traceparent'],
  });
}
