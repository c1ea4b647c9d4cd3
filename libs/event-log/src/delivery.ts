import { NOBODY_OBSERVES, type ObserveConsumption } from './consumption-observer';
import { DEFAULT_DEAD_LETTER_LIMITS, type DeadLetterLimits } from './dead-letter-limit';
import { NO_REPORT, type Report } from './report';

/** What the consumptions of a log share, whatever the adapter. */
export interface Delivery {
  /** Name of this process's service, for dead letters. */
  readonly service: string;
  readonly report: Report;
  readonly observe: ObserveConsumption;
  readonly deadLetterLimits: DeadLetterLimits;
  /** How long `stop` waits for the running batch before it gives it up, uncommitted. */
  readonly shutdownGraceMs: number;
}

export const DEFAULT_DELIVERY: Omit<Delivery, 'service'> = {
  report: NO_REPORT,
  observe: NOBODY_OBSERVES,
  deadLetterLimits: DEFAULT_DEAD_LETTER_LIMITS,
  shutdownGraceMs: 25_000,
};

/** Waits for the work, but no longer than `ms`; answers whether it is done. Rejects as the work does. */
export async function doneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
