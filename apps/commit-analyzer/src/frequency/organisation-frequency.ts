import { CLOCK_SKEW_MS, SNIPPET_TTL_MS } from '@lineprint/contracts';
import { decodeLinePrints, LINE_PRINT_VERSION, LineCounts } from '@lineprint/fingerprint';
import { type Database, streamLinePrints } from '@lineprint/persistence';
import type { LineFrequency } from './occurrences';

/** Snippets count by the 30 days in which they were accepted. */
const EPOCH_MS = 30 * 86_400_000;
/** Counted organisations may take so much memory before the one not used for longest goes. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The snippets of one organisation, counted up to one position of each partition of the snippets' topic. */
interface CountedOrganisation {
  readonly epochs: Map<number, LineCounts>;
  /** First offset that is not counted, by partition. */
  readonly next: number[];
}

/**
 * Counts the lines of an organisation's snippets as they stood at a commit's horizon, exactly: forward by the
 * snippets in between, and back by the same, so that how far the indexer has run ahead, and which commit came
 * before, make no difference (docs/decisions/0010-document-frequency.md).
 */
export class OrganisationFrequency {
  /** The one not used for longest first. */
  private readonly counted = new Map<string, CountedOrganisation>();

  constructor(
    private readonly database: Database,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /**
   * How often lines occur in the organisation's snippets below the horizon. Valid until the next call.
   *
   * @param horizon offsets below which the indexer has stored every snippet, by partition
   * @param committedAt snippets of the epochs from 90 days before until then count
   */
  async at(
    orgId: string,
    keyId: string,
    horizon: readonly number[],
    committedAt: number,
  ): Promise<LineFrequency> {
    const key = `${orgId}\0${keyId}`;
    const organisation = this.counted.get(key) ?? { epochs: new Map<number, LineCounts>(), next: [] };
    this.counted.delete(key);
    for (let partition = 0; partition < Math.max(horizon.length, organisation.next.length); partition++) {
      const from = organisation.next[partition] ?? 0;
      const to = horizon[partition] ?? 0;
      const range = { partition, from: Math.min(from, to), end: Math.max(from, to) };
      for await (const { createdAt, linePrints } of streamLinePrints(this.database, orgId, keyId, range)) {
        addSnippet(organisation.epochs, createdAt, linePrints, to > from ? 1 : -1);
      }
      organisation.next[partition] = to;
    }
    // Only now: half of a move, cut off by an error, must not stay.
    this.counted.set(key, organisation);
    this.evict();
    return frequencyOf(organisation.epochs, committedAt);
  }

  private evict(): void {
    const sizes = [...this.counted].map(([key, { epochs }]) => ({ key, bytes: bytesOf(epochs) }));
    let bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
    for (const size of sizes.slice(0, -1)) {
      if (bytes <= this.maxBytes) return;
      this.counted.delete(size.key);
      bytes -= size.bytes;
    }
  }
}

function addSnippet(
  epochs: Map<number, LineCounts>,
  createdAt: number,
  linePrints: Uint8Array,
  change: 1 | -1,
): void {
  if (linePrints[0] !== LINE_PRINT_VERSION) return;
  const epoch = Math.floor(createdAt / EPOCH_MS);
  let counts = epochs.get(epoch);
  if (!counts) epochs.set(epoch, (counts = new LineCounts()));
  for (const { h1, h2 } of decodeLinePrints(linePrints)) {
    counts.add(h1, change);
    counts.add(h2, change);
  }
}

function frequencyOf(epochs: ReadonlyMap<number, LineCounts>, committedAt: number): LineFrequency {
  const live: LineCounts[] = [];
  const last = Math.floor((committedAt + CLOCK_SKEW_MS) / EPOCH_MS);
  for (let epoch = Math.floor((committedAt - SNIPPET_TTL_MS) / EPOCH_MS); epoch <= last; epoch++) {
    const counts = epochs.get(epoch);
    if (counts) live.push(counts);
  }
  const occurrences = (hash: bigint) => live.reduce((sum, counts) => sum + counts.get(hash), 0);
  return { exact: occurrences, abstract: occurrences };
}

function bytesOf(epochs: ReadonlyMap<number, LineCounts>): number {
  let bytes = 0;
  for (const counts of epochs.values()) bytes += counts.bytes;
  return bytes;
}
