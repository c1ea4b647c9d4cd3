import type { TopicSpec } from '@lineprint/contracts';
import type { Database, Queryable, SqlValue } from '@lineprint/persistence';
import { ConfigError } from '@lineprint/platform';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_RECORDS, batchLength } from './batch-runner';
import type { Delivery } from './delivery';
import { EmbeddedConsumption } from './embedded-consumption';
import type {
  ConsumeOptions,
  EventLog,
  Headers,
  LogRecord,
  OffsetRange,
  OutgoingRecord,
  RecordPosition,
} from './log';
import { partitionFor } from './partitioner';
import { RecentRecords } from './recent-records';
import { decodedLength, decodeRecord, encodeValue } from './record-codec';
import { sendTraced } from './record-spans';
import { groupInUse, shrinkingTopic, unknownTopic } from './topic-errors';

const PURGE_EVERY_MS = 3_600_000;
/** Enough for what one stage hands to the next; a reader that is far behind reads from the database. */
const RECENT_BYTES = 8 * 1024 * 1024;
const TOPIC_TABLES = ['event_log_topics', 'event_log_ends', 'event_log_records', 'event_log_commits'];

interface StoredRecord extends Record<string, unknown> {
  readonly offset: number;
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: Headers;
  readonly recorded_at: Date;
}

/** The log as tables of the database, for one process. Readers of the process learn of appends at once. */
export class EmbeddedEventLog implements EventLog {
  readonly kind = 'embedded';
  private readonly partitions = new Map<string, number>();
  /** By group and topic. */
  private readonly readers = new Map<string, EmbeddedConsumption>();
  private readonly recent = new RecentRecords(RECENT_BYTES);
  private purgeDueAt = 0;

  constructor(
    private readonly database: Database,
    private readonly delivery: Delivery,
  ) {}

  async ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      for (const { name, partitions, retentionMs } of topics) {
        await tx.query(
          `INSERT INTO event_log_topics (topic, partitions, retention_ms) VALUES ($1, $2, $3)
           ON CONFLICT (topic) DO UPDATE SET retention_ms = EXCLUDED.retention_ms,
             partitions = GREATEST(event_log_topics.partitions, EXCLUDED.partitions)`,
          [name, partitions, retentionMs],
        );
        await tx.query(
          `INSERT INTO event_log_ends (topic, partition, end_offset)
           SELECT $1, p, 0 FROM generate_series(0, $2::int - 1) AS p ON CONFLICT DO NOTHING`,
          [name, partitions],
        );
        const existing = await readPartitions(tx, name);
        if (existing > partitions) throw shrinkingTopic(name, existing, partitions);
      }
    });
    for (const { name, partitions } of topics) this.partitions.set(name, partitions);
  }

  get consumptions(): Iterable<EmbeddedConsumption> {
    return this.readers.values();
  }

  async append(records: readonly OutgoingRecord[]): Promise<RecordPosition[]> {
    if (records.length === 0) return [];
    return sendTraced(records, (traced) => this.store(traced));
  }

  private async store(records: readonly OutgoingRecord[]): Promise<RecordPosition[]> {
    const values = await Promise.all(records.map((record) => encodeValue(record.value)));
    const partitions = await this.partitionsOf(records);
    const stored = await this.database.transaction(async (tx) => {
      const offsets = await allocateOffsets(tx, records, partitions);
      const rows = await tx.query<{ recorded_at: Date }>(
        `INSERT INTO event_log_records (topic, partition, "offset", key, value, headers)
         SELECT r.topic, r.partition, r."offset", r.key, r.value, r.headers::jsonb
         FROM UNNEST($1::text[], $2::int[], $3::bigint[], $4::text[], $5::bytea[], $6::text[])
           AS r (topic, partition, "offset", key, value, headers)
         RETURNING recorded_at`,
        [
          records.map((record) => record.topic),
          partitions,
          offsets,
          records.map((record) => record.key),
          values,
          records.map((record) => JSON.stringify(record.headers)),
        ],
      );
      // One transaction has one time.
      const timestamp = rows[0]!.recorded_at.getTime();
      return records.map((record, i) => ({
        ...record,
        partition: partitions[i]!,
        offset: offsets[i]!,
        timestamp,
      }));
    });
    for (const record of stored) this.recent.add(record);
    for (const consumption of this.readers.values()) {
      const own = stored.filter(({ topic }) => topic === consumption.topic);
      if (own.length > 0) consumption.appended(own);
    }
    return stored.map(({ partition, offset }) => ({ partition, offset }));
  }

  async beginningOffsets(topic: string): Promise<number[]> {
    return this.offsetsByPartition(
      topic,
      `SELECT r."offset" FROM event_log_records r WHERE r.topic = e.topic AND r.partition = e.partition
       ORDER BY r."offset" LIMIT 1`,
    );
  }

  async offsetsAt(topic: string, timestamp: number): Promise<number[]> {
    return this.offsetsByPartition(
      topic,
      `SELECT r."offset" FROM event_log_records r WHERE r.topic = e.topic AND r.partition = e.partition
         AND r.recorded_at >= $2
       ORDER BY r."offset" LIMIT 1`,
      [new Date(timestamp)],
    );
  }

  async endOffsets(topic: string): Promise<number[]> {
    const rows = await this.database.query<{ end_offset: number }>(
      'SELECT end_offset FROM event_log_ends WHERE topic = $1 ORDER BY partition',
      [topic],
    );
    if (rows.length === 0) throw unknownTopic(topic);
    return rows.map((row) => row.end_offset);
  }

  async committed(group: string, topic: string): Promise<number[]> {
    const rows = await this.database.query<{ next_offset: number }>(
      `SELECT COALESCE(c.next_offset, 0) AS next_offset
       FROM event_log_ends e LEFT JOIN event_log_commits c
         ON c.consumer_group = $1 AND c.topic = e.topic AND c.partition = e.partition
       WHERE e.topic = $2 ORDER BY e.partition`,
      [group, topic],
    );
    if (rows.length === 0) throw unknownTopic(topic);
    return rows.map((row) => row.next_offset);
  }

  /** Records that `group` has processed: it goes on at `nextOffset`. */
  async commit(group: string, topic: string, partition: number, nextOffset: number): Promise<void> {
    await this.database.query(
      `INSERT INTO event_log_commits (consumer_group, topic, partition, next_offset) VALUES ($1, $2, $3, $4)
       ON CONFLICT (consumer_group, topic, partition) DO UPDATE SET next_offset = EXCLUDED.next_offset`,
      [group, topic, partition, nextOffset],
    );
  }

  async *read(
    topic: string,
    ranges: readonly OffsetRange[],
    signal?: AbortSignal,
  ): AsyncGenerator<LogRecord> {
    const limits = { maxRecords: DEFAULT_MAX_RECORDS, maxBytes: DEFAULT_MAX_BYTES };
    const ends = await this.endOffsets(topic);
    for (const { partition, from, to } of ranges) {
      const end = Math.min(to, ends[partition] ?? 0);
      for (let next = from; next < end;) {
        const records = await this.readBatch(topic, partition, next, limits);
        for (const record of records) {
          signal?.throwIfAborted();
          if (record.offset < end) yield record;
        }
        next = (records.at(-1)?.offset ?? end) + 1;
      }
    }
    signal?.throwIfAborted();
  }

  async deleteTopics(topics: readonly string[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      for (const table of TOPIC_TABLES)
        await tx.query(`DELETE FROM ${table} WHERE topic = ANY($1)`, [topics]);
    });
    this.recent.clear();
    for (const topic of topics) this.partitions.delete(topic);
  }

  async deleteGroup(group: string): Promise<void> {
    if ([...this.readers.values()].some((consumption) => consumption.group === group)) {
      throw groupInUse(group);
    }
    await this.database.query('DELETE FROM event_log_commits WHERE consumer_group = $1', [group]);
  }

  /** The records from `offset` on, in order, that make one batch; none where all of them are purged. */
  async readBatch(
    topic: string,
    partition: number,
    offset: number,
    limits: { readonly maxRecords: number; readonly maxBytes: number },
  ): Promise<LogRecord[]> {
    const recent = this.recent.from(topic, partition, offset, limits.maxRecords);
    if (recent.length > 0) {
      const lengths = recent.map(({ value }) => value.length);
      return recent.slice(0, batchLength(lengths, limits.maxRecords, limits.maxBytes));
    }
    const rows = await this.database.query<StoredRecord>(
      `SELECT "offset", key, value, headers, recorded_at
       FROM (SELECT w.*, SUM(LENGTH(w.value)) OVER (ORDER BY w."offset") - LENGTH(w.value) AS bytes_before
             FROM (SELECT "offset", key, value, headers, recorded_at FROM event_log_records
                   WHERE topic = $1 AND partition = $2 AND "offset" >= $3
                   ORDER BY "offset" LIMIT $4) w) r
       WHERE bytes_before < $5 ORDER BY "offset"`,
      [topic, partition, offset, limits.maxRecords, limits.maxBytes],
    );
    // The statement limits the stored bytes; unpacked they may be many times more.
    const sizes = rows.map((row) => decodedLength(row.value));
    const batch = rows.slice(0, batchLength(sizes, limits.maxRecords, limits.maxBytes));
    return Promise.all(
      batch.map(async (row) => ({
        topic,
        partition,
        offset: row.offset,
        key: row.key,
        ...(await decodeRecord(row)),
        timestamp: row.recorded_at.getTime(),
      })),
    );
  }

  async consume(options: ConsumeOptions): Promise<EmbeddedConsumption> {
    const name = `${options.group} ${options.topic}`;
    if (this.readers.has(name)) {
      const message = `${options.group} already reads ${options.topic} here; the embedded log has one reader a group`;
      throw new ConfigError(message);
    }
    const consumption = new EmbeddedConsumption(this, options, this.delivery, () => {
      this.readers.delete(name);
    });
    this.readers.set(name, consumption);
    try {
      await consumption.start();
    } catch (error) {
      this.readers.delete(name);
      throw error;
    }
    return consumption;
  }

  /** Deletes records older than their topic's retention, read or not, as Kafka does. */
  async purge(now: number): Promise<void> {
    this.recent.clear();
    await this.database.query(
      `DELETE FROM event_log_records r USING event_log_topics t
       WHERE t.topic = r.topic AND r.recorded_at < $1::timestamptz - t.retention_ms * INTERVAL '1 millisecond'`,
      [new Date(now)],
    );
  }

  /** Called by idle readers. */
  async purgeIfDue(now: number): Promise<void> {
    if (now < this.purgeDueAt) return;
    this.purgeDueAt = now + PURGE_EVERY_MS;
    await this.purge(now);
  }

  ping(): Promise<void> {
    return this.database.ping();
  }

  /** Stops the readers. The database belongs to whoever opened it. */
  async close(): Promise<void> {
    await Promise.all([...this.readers.values()].map((consumption) => consumption.stop()));
  }

  /** What a subquery about partition `e` finds, the end of the partition where it finds nothing. */
  private async offsetsByPartition(
    topic: string,
    subquery: string,
    params: readonly SqlValue[] = [],
  ): Promise<number[]> {
    const rows = await this.database.query<{ found: number }>(
      `SELECT COALESCE((${subquery}), e.end_offset) AS found FROM event_log_ends e
       WHERE e.topic = $1 ORDER BY e.partition`,
      [topic, ...params],
    );
    if (rows.length === 0) throw unknownTopic(topic);
    return rows.map((row) => row.found);
  }

  private async partitionsOf(records: readonly OutgoingRecord[]): Promise<number[]> {
    for (const topic of new Set(records.map((record) => record.topic))) {
      if (this.partitions.has(topic)) continue;
      const partitions = await readPartitions(this.database, topic);
      if (partitions === 0) throw unknownTopic(topic);
      this.partitions.set(topic, partitions);
    }
    return records.map((record) => partitionFor(record.key, this.partitions.get(record.topic)!));
  }
}

/** 0 where the topic does not exist. */
async function readPartitions(queryable: Queryable, topic: string): Promise<number> {
  const rows = await queryable.query<{ partitions: number }>(
    'SELECT partitions FROM event_log_topics WHERE topic = $1',
    [topic],
  );
  return rows[0]?.partitions ?? 0;
}

/**
 * Offsets for the records, in the order given. The row of each partition's end stays locked until the
 * transaction ends, so a reader that sees an offset sees every one before it. Rows are locked in one order
 * everywhere, which keeps appends from waiting for each other in a circle.
 */
async function allocateOffsets(
  tx: Queryable,
  records: readonly OutgoingRecord[],
  partitions: readonly number[],
): Promise<number[]> {
  const counts = new Map<string, { topic: string; partition: number; count: number }>();
  const ends = records.map((record, i) => {
    const partition = partitions[i]!;
    const id = `${record.topic}/${partition}`;
    const end = counts.get(id) ?? { topic: record.topic, partition, count: 0 };
    end.count += 1;
    counts.set(id, end);
    return id;
  });
  const grown = [...counts.values()];
  const rows = await tx.query<{ topic: string; partition: number; first: number }>(
    `WITH grown AS (
       SELECT * FROM UNNEST($1::text[], $2::int[], $3::int[]) AS g (topic, partition, count)
     ), locked AS (
       SELECT e.topic, e.partition FROM event_log_ends e JOIN grown g USING (topic, partition)
       ORDER BY e.topic, e.partition FOR UPDATE OF e
     )
     UPDATE event_log_ends e SET end_offset = e.end_offset + g.count
     FROM locked l JOIN grown g USING (topic, partition)
     WHERE e.topic = l.topic AND e.partition = l.partition
     RETURNING e.topic, e.partition, e.end_offset - g.count AS first`,
    [grown.map((g) => g.topic), grown.map((g) => g.partition), grown.map((g) => g.count)],
  );
  const next = new Map(rows.map((row) => [`${row.topic}/${row.partition}`, row.first]));
  return ends.map((id, i) => {
    const offset = next.get(id);
    if (offset === undefined) throw unknownTopic(records[i]!.topic);
    next.set(id, offset + 1);
    return offset;
  });
}
