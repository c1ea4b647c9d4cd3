import { BatchRunner, DEFAULT_MAX_BYTES, DEFAULT_MAX_RECORDS } from './batch-runner';
import { type Delivery, doneWithin } from './delivery';
import type { EmbeddedEventLog } from './embedded-event-log';
import type { ConsumeOptions, Consumption, RecordPosition } from './log';

/** Appends of this process wake the reader; the poll only finds those of another process. */
const POLL_MS = 250;
const STORE_BACKOFF_MS = 1_000;

/** Reads one topic for one group: a batch of each partition in turn, in one loop that owns all state. */
export class EmbeddedConsumption implements Consumption {
  readonly topic: string;
  readonly group: string;
  ready = false;
  lastTickAt = Date.now();

  private readonly runner: BatchRunner;
  private readonly stopping = new AbortController();
  /** A batch that ends after that must not be committed: somebody else may have begun it anew. */
  private givenUp = false;
  /** Next offset to read, by partition. */
  private positions: number[] = [];
  /** Ends of the partitions as last seen. */
  private ends: number[] = [];
  /** When a paused partition goes on, by partition, milliseconds since 1970. */
  private readonly pausedUntil: number[] = [];
  private running: Promise<void> = Promise.resolve();
  private woken = false;
  private interruptWait: () => void = () => undefined;

  constructor(
    private readonly log: EmbeddedEventLog,
    private readonly options: ConsumeOptions,
    private readonly delivery: Delivery,
    private readonly onStopped: () => void,
  ) {
    const { group, topic, handler } = options;
    this.topic = topic;
    this.group = group;
    const { service, report, deadLetterLimits, observe } = delivery;
    this.runner = new BatchRunner({
      group,
      service,
      handler,
      append: (records) => log.append(records),
      report,
      observer: observe(topic, group),
      deadLetterLimits,
      onTick: () => {
        this.lastTickAt = Date.now();
      },
    });
  }

  get partitions(): readonly number[] {
    return [...this.positions.keys()];
  }

  get halted(): string | undefined {
    return this.runner.halted;
  }

  async start(): Promise<void> {
    const { group, from = [] } = this.options;
    const committed = await this.log.committed(group, this.topic);
    this.positions = committed.map((offset, partition) => Math.max(offset, from[partition] ?? 0));
    this.ready = true;
    this.running = this.loop();
  }

  /** The log of this process has stored records of the topic. */
  appended(positions: readonly RecordPosition[]): void {
    for (const { partition, offset } of positions) {
      this.ends[partition] = Math.max(offset + 1, this.ends[partition] ?? 0);
    }
    this.wake();
  }

  private wake(): void {
    this.woken = true;
    this.interruptWait();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    if (!(await doneWithin(this.delivery.shutdownGraceMs, this.running))) {
      this.givenUp = true;
      const { group, topic } = this;
      this.delivery.report('A batch took longer than the grace period and is given up', { group, topic });
    }
    this.ready = false;
    this.onStopped();
  }

  private async loop(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.lastTickAt = Date.now();
      try {
        this.woken = false;
        const delivered = await this.deliverRound();
        if (!delivered) {
          await this.log.purgeIfDue(Date.now());
          await this.wait(POLL_MS);
        }
        this.ready = true;
      } catch (error) {
        this.ready = false;
        this.delivery.report('The embedded log did not answer', {
          group: this.options.group,
          topic: this.topic,
          error,
        });
        await this.wait(STORE_BACKOFF_MS);
      }
    }
  }

  /** One batch of every partition that has records and is not paused; false where there was none. */
  private async deliverRound(): Promise<boolean> {
    // Only where nothing is known to be left: another process may have appended.
    if (!this.due().some(Boolean)) this.ends = await this.log.endOffsets(this.topic);
    let delivered = false;
    for (const [partition, isDue] of this.due().entries()) {
      if (this.stopping.signal.aborted) break;
      if (!isDue) continue;
      const position = this.positions[partition] ?? 0;
      const end = this.ends[partition]!;
      await this.deliver(partition, position, end);
      delivered = true;
    }
    return delivered;
  }

  /** Of each partition whether it has records to be delivered now. */
  private due(): boolean[] {
    const now = Date.now();
    return Array.from(
      this.ends,
      (end = 0, partition) =>
        (this.positions[partition] ?? 0) < end && (this.pausedUntil[partition] ?? 0) <= now,
    );
  }

  private async deliver(partition: number, position: number, end: number): Promise<void> {
    const { group, maxRecords = DEFAULT_MAX_RECORDS, maxBytes = DEFAULT_MAX_BYTES } = this.options;
    const records = await this.log.readBatch(this.topic, partition, position, { maxRecords, maxBytes });
    if (records.length === 0) {
      // Retention has deleted what was left up to here.
      this.positions[partition] = end;
      return;
    }
    const batch = { topic: this.topic, partition, records, signal: this.stopping.signal };
    const { processed, retryAfterMs } = await this.runner.run(batch);
    if (this.givenUp) return;
    const last = records[processed - 1];
    if (last !== undefined) {
      await this.log.commit(group, this.topic, partition, last.offset + 1);
      this.positions[partition] = last.offset + 1;
    }
    if (retryAfterMs !== undefined) this.pausedUntil[partition] = Date.now() + retryAfterMs;
  }

  /** Until `ms` have passed, a paused partition is due, or somebody wakes the reader. */
  private async wait(ms: number): Promise<void> {
    if (this.woken) return;
    const now = Date.now();
    const due = this.pausedUntil.filter((at) => at > now).map((at) => at - now);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, ...due));
      this.interruptWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
