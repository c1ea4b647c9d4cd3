import { CLOCK_SKEW_MS, SNIPPET_TTL_MS } from '@lineprint/contracts';
import { decodeLinePrints, LINE_PRINT_VERSION, LineCounts } from '@lineprint/fingerprint';
import {
  type CountedSnippet,
  type Database,
  loadOrganisationLines,
  saveOrganisationLines,
  streamLinePrints,
} from '@lineprint/persistence';
import type { LineFrequency } from './occurrences';

/** Snippets count by the 30 days in which they were accepted. */
const EPOCH_MS = 30 * 86_400_000;

export interface OrganisationFrequencyLimits {
  /** Counted organisations may take so much memory before the one not used for longest goes. */
  readonly maxBytes: number;
  /** Counts are stored once they have moved by so many snippets, and by about a quarter of those that are counted. */
  readonly minMoves: number;
}

const LIMITS: OrganisationFrequencyLimits = { maxBytes: 256 * 1024 * 1024, minMoves: 10_000 };
/** For a replay: what it moves far back is of no use to whoever starts next. */
export const NEVER_STORED: OrganisationFrequencyLimits = { ...LIMITS, minMoves: Infinity };
/** Four times what a snippet of usual length takes. */
const BYTES_A_MOVE = 1_600;

/** The snippets of one organisation, counted up to one position of each partition of the snippets' topic. */
interface CountedOrganisation {
  readonly epochs: Map<number, LineCounts>;
  /** First offset that is not counted, by partition. */
  readonly next: number[];
  /** The version that is stored; undefined once another process has taken that over. */
  version: number | undefined;
  /** Snippets by which the counts have moved since, and the epochs that have. */
  moves: number;
  readonly changed: Set<number>;
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
    private readonly limits = LIMITS,
  ) {}

  /**
   * How often lines occur in the organisation's snippets below the horizon. Valid until the next call.
   *
   * @param horizon offsets below which the indexer has stored every snippet, by partition
   * @param committedAt snippets of the epochs from 90 days before until then count
   * @param late a second horizon, up to which snippets count as well that are not after the commit itself
   */
  async at(
    orgId: string,
    keyId: string,
    horizon: readonly number[],
    committedAt: number,
    late: readonly number[] = horizon,
  ): Promise<LineFrequency> {
    const generation = `${keyId}.${LINE_PRINT_VERSION}`;
    const key = `${orgId}\0${generation}`;
    const organisation = this.counted.get(key) ?? (await this.load(orgId, generation));
    // Half of a move, cut off by an error, must not stay.
    this.counted.delete(key);
    for (let partition = 0; partition < Math.max(horizon.length, organisation.next.length); partition++) {
      const from = organisation.next[partition] ?? 0;
      const to = horizon[partition] ?? 0;
      const range = { partition, from: Math.min(from, to), end: Math.max(from, to) };
      for await (const snippet of streamLinePrints(this.database, orgId, keyId, range)) {
        move(organisation, snippet, to > from ? 1 : -1);
      }
      organisation.next[partition] = to;
    }
    await this.saveIfDue(orgId, generation, organisation);
    this.counted.set(key, organisation);
    this.evict();
    const live = liveEpochs(organisation.epochs, committedAt);
    return frequencyOf([...live, ...(await this.late(orgId, keyId, horizon, committedAt, late))]);
  }

  /** The counts of snippets between two horizons that were made before the commit. */
  private async late(
    orgId: string,
    keyId: string,
    horizon: readonly number[],
    committedAt: number,
    late: readonly number[],
  ): Promise<LineCounts[]> {
    const epochs = new Map<number, LineCounts>();
    for (const [partition, end] of late.entries()) {
      const range = { partition, from: horizon[partition] ?? 0, end };
      if (range.from >= end) continue;
      for await (const snippet of streamLinePrints(this.database, orgId, keyId, range, committedAt))
        add(epochs, snippet, 1);
    }
    return liveEpochs(epochs, committedAt);
  }

  private async load(orgId: string, generation: string): Promise<CountedOrganisation> {
    const { version, next, epochs } = await loadOrganisationLines(this.database, orgId, generation);
    return {
      epochs: new Map([...epochs].map(([epoch, counts]) => [epoch, LineCounts.decode(counts)])),
      next: [...next],
      version,
      moves: 0,
      changed: new Set(),
    };
  }

  private async saveIfDue(
    orgId: string,
    generation: string,
    organisation: CountedOrganisation,
  ): Promise<void> {
    const { version, next, epochs, changed, moves } = organisation;
    const due = Math.max(this.limits.minMoves, bytesOf(epochs) / BYTES_A_MOVE);
    if (version === undefined || moves < due) return;
    const packed = new Map([...changed].map((epoch) => [epoch, epochs.get(epoch)!.encode()]));
    const isOurs = await saveOrganisationLines(this.database, orgId, generation, {
      version,
      next,
      epochs: packed,
    });
    organisation.version = isOurs ? version + 1 : undefined;
    organisation.moves = 0;
    changed.clear();
  }

  private evict(): void {
    const sizes = [...this.counted].map(([key, { epochs }]) => ({ key, bytes: bytesOf(epochs) }));
    let bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
    for (const size of sizes.slice(0, -1)) {
      if (bytes <= this.limits.maxBytes) return;
      this.counted.delete(size.key);
      bytes -= size.bytes;
    }
  }
}

function move(organisation: CountedOrganisation, snippet: CountedSnippet, change: 1 | -1): void {
  const epoch = add(organisation.epochs, snippet, change);
  if (epoch === undefined) return;
  organisation.changed.add(epoch);
  organisation.moves++;
}

/** Answers the epoch that has changed; undefined where the snippet's prints are of another version. */
function add(
  epochs: Map<number, LineCounts>,
  { createdAt, linePrints }: CountedSnippet,
  change: 1 | -1,
): number | undefined {
  if (linePrints[0] !== LINE_PRINT_VERSION) return undefined;
  const epoch = Math.floor(createdAt / EPOCH_MS);
  let counts = epochs.get(epoch);
  if (!counts) epochs.set(epoch, (counts = new LineCounts()));
  for (const { h1, h2 } of decodeLinePrints(linePrints)) {
    counts.add(h1, change);
    counts.add(h2, change);
  }
  return epoch;
}

/** Those from which snippets may count for a commit. */
function liveEpochs(epochs: ReadonlyMap<number, LineCounts>, committedAt: number): LineCounts[] {
  const live: LineCounts[] = [];
  const last = Math.floor((committedAt + CLOCK_SKEW_MS) / EPOCH_MS);
  for (let epoch = Math.floor((committedAt - SNIPPET_TTL_MS) / EPOCH_MS); epoch <= last; epoch++) {
    const counts = epochs.get(epoch);
    if (counts) live.push(counts);
  }
  return live;
}

function frequencyOf(live: readonly LineCounts[]): LineFrequency {
  const occurrences = (hash: bigint) => live.reduce((sum, counts) => sum + counts.get(hash), 0);
  return { exact: occurrences, abstract: occurrences };
}

function bytesOf(epochs: ReadonlyMap<number, LineCounts>): number {
  let bytes = 0;
  for (const counts of epochs.values()) bytes += counts.bytes;
  return bytes;
}
