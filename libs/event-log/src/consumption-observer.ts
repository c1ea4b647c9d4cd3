import type { LogRecord } from './log';

/** Told what becomes of one consumption's records; it must not throw. */
export interface ConsumptionObserver {
  /** Their effects are durable. */
  processed(records: readonly LogRecord[]): void;
  deadLettered(code: string): void;
  /** They come again, because of an error. */
  retried(records: number): void;
  /** A batch was handled, whatever came of it. */
  handled(milliseconds: number): void;
}

export type ObserveConsumption = (topic: string, group: string) => ConsumptionObserver;

const NO_OBSERVER: ConsumptionObserver = {
  processed: () => undefined,
  deadLettered: () => undefined,
  retried: () => undefined,
  handled: () => undefined,
};

export const NOBODY_OBSERVES: ObserveConsumption = () => NO_OBSERVER;
