import { setTimeout as delay } from 'node:timers/promises';

export interface PollingOptions {
  /** Does what there is to do now, and ends early with the signal. @returns whether there may be more at once */
  readonly work: (signal: AbortSignal) => Promise<boolean>;
  /** Wait, in milliseconds, after work that found nothing or failed. */
  readonly idleMs: number;
  /** What `work` threw, unless it was being stopped. */
  readonly onError: (error: unknown) => void;
}

/** Looks again and again whether there is work, until it is stopped. A failure only makes it wait. */
export class Polling {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>[] = [];

  constructor(private readonly options: PollingOptions) {}

  /** Each call adds a loop of its own, so that work which takes long does not hold up all other. */
  start(): void {
    this.running.push(this.run());
  }

  /** Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const { work, idleMs, onError } = this.options;
    while (!signal.aborted) {
      let mayBeMore = false;
      try {
        mayBeMore = await work(signal);
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      if (!mayBeMore) await delay(idleMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
