import type { RepositoryHistory } from './repository-history';

/** About; the replays that follow the live policy take their share of it. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The histories that the judges of this process have loaded: together they take no more than so much memory, however many
 * policies are judged beside the live one. Each judge has its own, since it alone knows what it has stored.
 */
export class LoadedHistories {
  /** The one not used for longest first. */
  private readonly loaded = new Map<string, RepositoryHistory>();
  private judges = 0;

  /** @param maxBytes before the one not used for longest goes; the last one stays, whatever it takes */
  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** What the keys of one more judge begin with. */
  newJudge(): string {
    return `${this.judges++}\0`;
  }

  get(key: string): RepositoryHistory | undefined {
    return this.loaded.get(key);
  }

  /** As the one just used. */
  keep(key: string, history: RepositoryHistory): void {
    this.loaded.delete(key);
    this.loaded.set(key, history);
  }

  forget(key: string): void {
    this.loaded.delete(key);
  }

  /** To be called when histories have grown. Who works with one that goes is not disturbed: it is loaded anew next time. */
  evict(): void {
    let bytes = 0;
    for (const history of this.loaded.values()) bytes += history.bytes;
    for (const [key, history] of this.loaded) {
      if (bytes <= this.maxBytes || this.loaded.size === 1) return;
      this.loaded.delete(key);
      bytes -= history.bytes;
    }
  }
}
