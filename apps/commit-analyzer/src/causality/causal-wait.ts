import type { LogRecord } from '@lineprint/event-log';

/** What a commit may do now. */
export type CausalVerdict = 'go' | 'wait' | 'late';

/**
 * Time between two questions counts for no more than this: asked seldom means that a store was gone, and then the
 * indexer could not come forward either.
 */
const LONGEST_STEP_MS = 1_000;

interface Waiting {
  readonly offset: number;
  /** Snippets that the indexer still had to pass when last asked. */
  readonly missing: number;
  /** Time in which it did not come nearer. */
  readonly waitedMs: number;
  readonly askedAt: number;
}

/**
 * Holds a commit back until the indexer's published progress covers the snippets that preceded it
 * (docs/decisions/0002-causal-horizon.md). An indexer that comes nearer is waited for however far it is behind: the limit is for
 * one that stands still. Only the head of a partition ever waits, so one moment a partition is enough.
 */
export class CausalWait {
  private readonly waiting = new Map<string, Waiting>();

  /** @param limitMs after this long without progress the commit goes on, marked late */
  constructor(private readonly limitMs: number) {}

  /**
   * @param horizon end offsets of the snippets topic when the commit was accepted, by partition
   * @param progress next offset the indexer will read, by partition
   * @param now milliseconds since 1970
   */
  judge(
    record: Pick<LogRecord, 'topic' | 'partition' | 'offset'>,
    horizon: readonly number[],
    progress: ReadonlyMap<number, number>,
    now: number,
  ): CausalVerdict {
    const slot = `${record.topic}/${record.partition}`;
    const missing = horizon.reduce((sum, end, p) => sum + Math.max(0, end - (progress.get(p) ?? 0)), 0);
    if (missing === 0) {
      this.waiting.delete(slot);
      return 'go';
    }
    const before = this.waiting.get(slot);
    const stands = before?.offset === record.offset && missing >= before.missing;
    // A clock that went backwards adds nothing.
    const step = stands ? Math.min(LONGEST_STEP_MS, Math.max(0, now - before.askedAt)) : 0;
    const waitedMs = (stands ? before.waitedMs : 0) + step;
    this.waiting.set(slot, { offset: record.offset, missing, waitedMs, askedAt: now });
    return waitedMs >= this.limitMs ? 'late' : 'wait';
  }
}
