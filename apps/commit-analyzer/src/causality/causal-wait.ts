import type { LogRecord } from '@lineprint/event-log';

/** What a commit may do now. */
export type CausalVerdict = 'go' | 'wait' | 'late';

/**
 * Holds a commit back until the indexer's published progress covers the snippets that preceded it
 * (DESIGN.md «Causality»). Only the head of a partition ever waits, so one moment a partition is enough.
 */
export class CausalWait {
  private readonly waitingSince = new Map<string, { offset: number; since: number }>();

  /** @param limitMs after this long the commit goes on, marked late */
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
    if (horizon.every((end, partition) => (progress.get(partition) ?? 0) >= end)) {
      this.waitingSince.delete(slot);
      return 'go';
    }
    const waiting = this.waitingSince.get(slot);
    if (waiting?.offset !== record.offset) {
      this.waitingSince.set(slot, { offset: record.offset, since: now });
      return this.limitMs === 0 ? 'late' : 'wait';
    }
    // A clock that went backwards starts the wait anew rather than stretching it.
    if (now < waiting.since) this.waitingSince.set(slot, { offset: record.offset, since: now });
    return now - waiting.since >= this.limitMs ? 'late' : 'wait';
  }
}
