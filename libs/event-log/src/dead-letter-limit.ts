export interface DeadLetterLimits {
  /** Over how many of the last records of a consumption dead letters are counted. */
  readonly window: number;
  /** This many among them are never too many … */
  readonly least: number;
  /** … nor is this share of them, 0 to 1. */
  readonly ratio: number;
}

export const DEFAULT_DEAD_LETTER_LIMITS: DeadLetterLimits = { window: 1_000, least: 20, ratio: 0.05 };

/**
 * Tells a few bad records from a topic that cannot be read at all: a sliding window over the outcomes of one
 * consumption's last records, all its partitions together.
 */
export class DeadLetterLimit {
  /** Of the last records, oldest first: whether each was dead-lettered. */
  private recent: readonly boolean[] = [];

  constructor(private readonly limits: DeadLetterLimits) {}

  /** How many of the next records may pass; the first that may not would be one dead letter too many. */
  admitted(next: readonly boolean[]): number {
    const { window, least, ratio } = this.limits;
    const all = [...this.recent, ...next];
    let letters = 0;
    for (const [i, isLetter] of all.entries()) {
      if (isLetter) letters += 1;
      if (all[i - window]) letters -= 1;
      if (i < this.recent.length || !isLetter) continue;
      if (letters > Math.max(least, ratio * Math.min(i + 1, window))) return i - this.recent.length;
    }
    return next.length;
  }

  /** Remembers records that have passed. */
  passed(outcomes: readonly boolean[]): void {
    this.recent = [...this.recent, ...outcomes].slice(-this.limits.window);
  }

  /** Of the last records how many were dead-lettered. */
  get state(): { readonly letters: number; readonly records: number } {
    return { letters: this.recent.filter(Boolean).length, records: this.recent.length };
  }
}
