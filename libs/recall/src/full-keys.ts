import type { Coverage, RecallEntry } from './recall-index';

/** About 100 MB. */
const MOST_KEYS = 1_000_000;

interface Full {
  readonly eventTime: number;
  readonly offset: number;
}

/**
 * Keys that have no need of a partition's further snippets, as the server has said of one: those after it in log and
 * time are surplus for the same reason. Lines that everyone writes are then not even sent.
 */
export class FullKeys {
  private generation = 0;
  private run = '';
  /** By organisation, epoch and partition. */
  private readonly keys = new Map<string, Map<number, Full>>();
  private count = 0;

  has(at: Coverage, slot: string, key: number, { eventTime, offset }: RecallEntry): boolean {
    this.follow(at);
    const full = this.keys.get(slot)?.get(key);
    return full !== undefined && eventTime >= full.eventTime && offset > full.offset;
  }

  add(at: Coverage, slot: string, key: number, { eventTime, offset }: RecallEntry): void {
    this.follow(at);
    if (this.count >= MOST_KEYS) this.clear();
    let slotKeys = this.keys.get(slot);
    if (!slotKeys) this.keys.set(slot, (slotKeys = new Map()));
    if (slotKeys.has(key)) return;
    slotKeys.set(key, { eventTime, offset });
    this.count++;
  }

  clear(): void {
    this.keys.clear();
    this.count = 0;
  }

  /** An index that has lost anything, or is another one, has room again. */
  private follow({ generation, run }: Coverage): void {
    if (generation === this.generation && run === this.run) return;
    this.clear();
    this.generation = generation;
    this.run = run;
  }
}
