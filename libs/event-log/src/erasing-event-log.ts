import { pseudonymised, type TopicSpec } from '@lineprint/contracts';
import { type Database, type ErasedAddresses, loadErasedAddresses } from '@lineprint/persistence';
import { acceptedAt } from './event';
import type {
  Consumption,
  ConsumeOptions,
  EventLog,
  LogRecord,
  OffsetRange,
  OutgoingRecord,
  RecordPosition,
} from './log';

/** How long it is taken as known whom an organisation has erased. */
const KNOWN_MS = 1_000;
const ORGANISATIONS_KEPT = 10_000;

interface KnownErased {
  readonly at: number;
  readonly erased: ErasedAddresses | undefined;
}

/**
 * A log through which nobody passes who is erased, in neither direction: a record that names one has a pseudonym there.
 * What the log keeps stays as it is until its retention ends, so that every consumption, replays included, meets the
 * pseudonym alone. A record that was read just before somebody was erased may still have left a row: rollup finds it.
 */
export class ErasingEventLog implements EventLog {
  private readonly known = new Map<string, KnownErased>();

  constructor(
    private readonly log: EventLog,
    private readonly database: Database,
  ) {}

  get kind(): EventLog['kind'] {
    return this.log.kind;
  }

  get consumptions(): Iterable<Consumption> {
    return this.log.consumptions;
  }

  async append(records: readonly OutgoingRecord[]): Promise<RecordPosition[]> {
    return this.log.append(await this.withoutErased(records, () => Date.now()));
  }

  consume(options: ConsumeOptions): Promise<Consumption> {
    return this.log.consume({
      ...options,
      handler: async (batch) => {
        const records = await this.withoutErased(batch.records, ({ timestamp }) => timestamp);
        return options.handler({ ...batch, records });
      },
    });
  }

  async *read(
    topic: string,
    ranges: readonly OffsetRange[],
    signal?: AbortSignal,
  ): AsyncGenerator<LogRecord, void, undefined> {
    for await (const record of this.log.read(topic, ranges, signal)) {
      yield* await this.withoutErased([record], ({ timestamp }) => timestamp);
    }
  }

  ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    return this.log.ensureTopics(topics);
  }

  beginningOffsets(topic: string): Promise<number[]> {
    return this.log.beginningOffsets(topic);
  }

  endOffsets(topic: string): Promise<number[]> {
    return this.log.endOffsets(topic);
  }

  offsetsAt(topic: string, timestamp: number): Promise<number[]> {
    return this.log.offsetsAt(topic, timestamp);
  }

  committed(group: string, topic: string): Promise<number[]> {
    return this.log.committed(group, topic);
  }

  deleteTopics(topics: readonly string[]): Promise<void> {
    return this.log.deleteTopics(topics);
  }

  deleteGroup(group: string): Promise<void> {
    return this.log.deleteGroup(group);
  }

  ping(): Promise<void> {
    return this.log.ping();
  }

  close(): Promise<void> {
    return this.log.close();
  }

  /** @param takenAt when the log took a record whose headers do not say since when it is under way */
  private async withoutErased<R extends OutgoingRecord>(
    records: readonly R[],
    takenAt: (record: R) => number,
  ): Promise<R[]> {
    const erasedBy = await this.erasedBy(records.map(tenantOf));
    return records.map((record) => {
      const erased = erasedBy.get(tenantOf(record));
      if (!erased) return record;
      const value = parsed(record.value);
      const at = acceptedAt({ headers: record.headers, timestamp: takenAt(record) });
      const without = pseudonymised(value, (address) => erased.pseudonymOf(address, at));
      return without === value ? record : { ...record, value: Buffer.from(JSON.stringify(without), 'utf8') };
    });
  }

  private async erasedBy(tenants: readonly string[]): Promise<Map<string, ErasedAddresses>> {
    const now = Date.now();
    if (this.known.size >= ORGANISATIONS_KEPT) this.known.clear();
    const wanted = [...new Set(tenants)].filter((tenant) => tenant !== '');
    const unknown = wanted.filter((tenant) => {
      const known = this.known.get(tenant);
      return known === undefined || Math.abs(now - known.at) >= KNOWN_MS;
    });
    if (unknown.length > 0) {
      const loaded = await loadErasedAddresses(this.database, unknown);
      for (const tenant of unknown) this.known.set(tenant, { at: now, erased: loaded.get(tenant) });
    }
    return new Map(
      wanted.flatMap((tenant) => {
        const erased = this.known.get(tenant)?.erased;
        return erased ? [[tenant, erased]] : [];
      }),
    );
  }
}

function tenantOf({ headers }: OutgoingRecord): string {
  return headers['lp_tenant'] ?? '';
}

/** Undefined for what is no JSON: whoever consumes it says so. */
function parsed(value: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}
