import { randomUUID } from 'node:crypto';
import type { Database } from '@lineprint/persistence';
import type { EventLog } from './log';
import { holdLease, oldestWaiting, releaseLease, removeRelayed, waitingRecords } from './outbox';
import type { Report } from './report';

const POLL_MS = 1_000;
const BATCH = { maxRecords: 200, maxBytes: 8 * 1024 * 1024 };
/** A relay that is silent for so long is taken for dead; an append that takes longer may come twice. */
const LEASE_MS = 10_000;

export interface OutboxRelayOptions {
  readonly database: Database;
  readonly log: Pick<EventLog, 'append'>;
  readonly report: Report;
}

/**
 * Moves the outbox to the log: appends in the order of ids, then deletes what the log has. Killed in between, its
 * successor appends again, with the same `ce_id`. Any number of processes may run one: a lease lets one at a time
 * work. A log that does not answer stops it until the log does, so that nothing overtakes.
 */
export class OutboxRelay {
  private readonly holder = randomUUID();
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private leading = false;
  private woken = false;
  private interruptWait: () => void = () => undefined;
  /** When the oldest record that waits was enqueued, as the last round saw it, milliseconds since 1970. */
  private oldest: number | undefined;

  constructor(private readonly options: OutboxRelayOptions) {}

  start(): void {
    this.running = this.loop();
  }

  /** Something has been enqueued and committed: relay it now instead of within a second. */
  wake(): void {
    this.woken = true;
    this.interruptWait();
  }

  /** How long the oldest record has waited, milliseconds; 0 where none waits. */
  age(now: number): number {
    return this.oldest === undefined ? 0 : Math.max(0, now - this.oldest);
  }

  /** Finishes the batch that is being appended and gives the lease back. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.interruptWait();
    await this.running;
    if (!this.leading) return;
    // Another relay takes over all the same, only later.
    await releaseLease(this.options.database, this.holder).catch(() => undefined);
  }

  private async loop(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.woken = false;
      try {
        await this.drain();
      } catch (error) {
        this.options.report('The outbox could not be relayed', { error });
      }
      await this.wait();
    }
  }

  private async drain(): Promise<void> {
    const { database, log } = this.options;
    while (!this.stopping.signal.aborted) {
      this.oldest = await oldestWaiting(database);
      if (this.oldest === undefined) return;
      this.leading = await holdLease(database, this.holder, LEASE_MS);
      if (!this.leading) return;
      const waiting = await waitingRecords(database, BATCH);
      await log.append(waiting.map(({ record }) => record));
      await removeRelayed(
        database,
        waiting.map(({ id }) => id),
      );
    }
  }

  private async wait(): Promise<void> {
    if (this.woken || this.stopping.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      this.interruptWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
