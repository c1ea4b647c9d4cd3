import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import {
  type ClaimedRepository,
  claimDueRepository,
  completeFetch,
  DATABASE,
  type Database,
  failFetch,
  releaseClaim,
  renewClaim,
} from '@lineprint/persistence';
import {
  type Config,
  CONFIG,
  LineprintError,
  type Logger,
  LOGGER,
  METRICS,
  Polling,
} from '@lineprint/platform';
import { Counter, type Registry } from 'prom-client';
import { MirrorSender } from './mirror-sender';

const IDLE_MS = 1_000;
/** One that is large, or whose host is slow, does not hold up all others. */
const AT_ONCE = 2;
/** A process that ended while it fetched keeps a repository so long from the others. */
const CLAIM_MS = 60_000;
const RENEW_MS = 15_000;
const FIRST_RETRY_MS = 30_000;

/**
 * Fetches the repositories that are due: because a webhook told of a push, or because they were not looked at for a
 * while, so that what a host did not deliver is found as well. Of several processes one fetches a repository.
 */
@Injectable()
export class MirrorFetcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly polling: Polling;
  private readonly fetches: Counter;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) metrics: Registry,
    private readonly sender: MirrorSender,
  ) {
    this.polling = new Polling({
      work: (signal) => this.fetchDue(signal),
      idleMs: IDLE_MS,
      onError: (error) => logger.warn({ err: error }, 'a connected repository could not be looked at'),
    });
    this.fetches = new Counter({
      name: 'lineprint_mirror_fetches_total',
      help: 'Looks at connected repositories, by outcome: sent (new commits), unchanged, failed',
      labelNames: ['outcome'],
      registers: [metrics],
    });
    // From 0 on: of a series that begins with its first failure no rate is known.
    for (const outcome of ['sent', 'unchanged', 'failed']) this.fetches.inc({ outcome }, 0);
  }

  onApplicationBootstrap(): void {
    // Where no host is allowed nothing can be connected.
    if (this.config.git.hosts.length === 0) return;
    for (let i = 0; i < AT_ONCE; i++) this.polling.start();
  }

  /** While log and database are still open. */
  beforeApplicationShutdown(): Promise<void> {
    return this.polling.stop();
  }

  private async fetchDue(stopping: AbortSignal): Promise<boolean> {
    const claimed = await claimDueRepository(this.database, CLAIM_MS);
    if (claimed) await this.fetch(claimed, stopping);
    return claimed !== null;
  }

  private async fetch(claimed: ClaimedRepository, stopping: AbortSignal): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping, lost.signal]);
    const renewal = setInterval(() => {
      renewClaim(this.database, claimed, CLAIM_MS).then(
        (held) => void (held || lost.abort()),
        () => lost.abort(),
      );
    }, RENEW_MS);
    try {
      const { accepted, ...fetched } = await this.sender.send(claimed, signal);
      await completeFetch(this.database, claimed, { ...fetched, pollMs: this.config.git.pollMs });
      this.fetches.inc({ outcome: accepted > 0 ? 'sent' : 'unchanged' });
    } catch (error) {
      if (signal.aborted) await releaseClaim(this.database, claimed);
      else await this.fail(claimed, error);
    } finally {
      clearInterval(renewal);
    }
  }

  private async fail(claimed: ClaimedRepository, error: unknown): Promise<void> {
    const known = error instanceof LineprintError;
    this.fetches.inc({ outcome: 'failed' });
    this.logger.warn({ err: error, hookId: claimed.hookId }, 'a connected repository could not be fetched');
    await failFetch(this.database, claimed, {
      code: known ? error.code : 'internal',
      message: known ? error.message : 'An error on our side; it is in the service log.',
      retryMs: Math.min(this.config.git.pollMs, FIRST_RETRY_MS * 2 ** Math.min(claimed.failures, 20)),
    });
  }
}
