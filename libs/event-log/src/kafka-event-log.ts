import { setTimeout } from 'node:timers/promises';
import type { TopicSpec } from '@lineprint/contracts';
import { type Database, deleteProgress, positionOf } from '@lineprint/persistence';
import { type KafkaSettings, LineprintError, StoreError, isTransient } from '@lineprint/platform';
import {
  type Admin,
  type CompressionTypes,
  Kafka,
  KafkaJSDeleteGroupsError,
  KafkaJSProtocolError,
  type Message,
  Partitioners,
  type Producer,
  logLevel,
} from 'kafkajs';
import { LARGEST_VALUE, checkIn, checkOutIfKept } from './claim-check';
import { compressionType, registerCodecs } from './codecs';
import type { Delivery } from './delivery';
import { KafkaConsumption } from './kafka-consumption';
import { KafkaRangeReader, readerGroup } from './kafka-range-reader';
import type { ConsumeOptions, EventLog, LogRecord, OffsetRange, OutgoingRecord, RecordPosition } from './log';
import { clientSecurity } from './kafka-security';
import { partitionFor } from './partitioner';
import { sendTraced } from './record-spans';
import { groupInUse, shrinkingTopic, unknownTopic } from './topic-errors';

/** Of a produce request, uncompressed; a single compressible value may pass it. */
const LARGEST_REQUEST = LARGEST_VALUE;
/** Key lengths, header names and framing of a record, about. */
const RECORD_OVERHEAD = 100;
/** Somebody may add partitions; until this process learns of them it goes on with the ones it knows. */
const PARTITIONS_KNOWN_FOR_MS = 300_000;

/** They repeat, once for each attempt, what the call that failed says by its error. */
const CONNECTION_NAMESPACES = new Set(['Connection', 'BrokerPool']);

export interface KafkaEventLogOptions {
  readonly brokers: readonly string[];
  readonly settings: KafkaSettings;
  /** Holds values over the broker's limit. */
  readonly database: Database;
  readonly delivery: Delivery;
}

/** The log on a Kafka cluster, through kafkajs. */
export class KafkaEventLog implements EventLog {
  readonly kind = 'kafka';
  private readonly partitions = new Map<string, { readonly count: number; readonly at: number }>();
  readonly consumptions = new Set<KafkaConsumption>();
  private renewing: Promise<void> | undefined;
  private readonly retiring = new Set<Promise<void>>();

  private constructor(
    private readonly kafka: Kafka,
    private clients: Clients,
    private readonly database: Database,
    private readonly delivery: Delivery,
    private readonly compression: CompressionTypes,
  ) {}

  /** Connects. Rejects with a transient StoreError when no broker answers. */
  static async open(options: KafkaEventLogOptions): Promise<KafkaEventLog> {
    const { brokers, settings, database, delivery } = options;
    const compression = compressionType(settings.compression);
    registerCodecs();
    const kafka = new Kafka({
      clientId: delivery.service,
      ...clientSecurity(settings),
      brokers: [...brokers],
      // About ten seconds in all, in short steps, so that a broker that is back is found soon.
      retry: { initialRetryTime: 300, maxRetryTime: 1_500, retries: 8 },
      logLevel: logLevel.ERROR,
      logCreator: () => (entry) => {
        if (CONNECTION_NAMESPACES.has(entry.namespace)) return;
        delivery.report(entry.log.message, { namespace: entry.namespace, ...errorOf(entry) });
      },
    });
    return new KafkaEventLog(kafka, await connect(kafka), database, delivery, compression);
  }

  async ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    const existing = new Set(await this.ask(({ admin }) => admin.listTopics()));
    const missing = topics.filter((topic) => !existing.has(topic.name));
    if (missing.length > 0) {
      // Another process may create the same topics meanwhile: kafkajs answers false then, which is as good.
      await this.ask(({ admin }) =>
        admin.createTopics({
          // kafkajs's own wait gives up on a broker that has not heard of the topic yet.
          waitForLeaders: false,
          topics: missing.map(({ name, partitions, retentionMs }) => ({
            topic: name,
            numPartitions: partitions,
            configEntries: [{ name: 'retention.ms', value: String(retentionMs) }],
          })),
        }),
      );
    }
    for (const { name, partitions } of topics) {
      const count = await patiently(() => this.fetchPartitionCount(name));
      if (count > partitions) throw shrinkingTopic(name, count, partitions);
      if (count < partitions) await this.addPartitions(name, partitions);
      this.partitions.set(name, { count: partitions, at: Date.now() });
    }
  }

  append(records: readonly OutgoingRecord[]): Promise<RecordPosition[]> {
    return sendTraced(records, (traced) => this.sendInRequests(traced));
  }

  private async sendInRequests(records: readonly OutgoingRecord[]): Promise<RecordPosition[]> {
    const partitions = await this.partitionsOf(records);
    const positions: RecordPosition[] = [];
    let request = new ProduceRequest();
    for (const [i, record] of records.entries()) {
      const checked = await checkIn(this.database, record);
      if (!request.hasRoomFor(checked)) {
        positions.push(...(await this.send(request)));
        request = new ProduceRequest();
      }
      request.add(checked, partitions[i]!);
    }
    positions.push(...(await this.send(request)));
    return positions;
  }

  async beginningOffsets(topic: string): Promise<number[]> {
    const offsets = await patiently(() => this.ask(({ admin }) => admin.fetchTopicOffsets(topic), topic));
    return byPartition(offsets.map(({ partition, low }) => ({ partition, offset: low })));
  }

  async endOffsets(topic: string): Promise<number[]> {
    const offsets = await patiently(() => this.ask(({ admin }) => admin.fetchTopicOffsets(topic), topic));
    return byPartition(offsets.map(({ partition, high }) => ({ partition, offset: high })));
  }

  async offsetsAt(topic: string, timestamp: number): Promise<number[]> {
    return byPartition(
      await patiently(() =>
        this.ask(({ admin }) => admin.fetchTopicOffsetsByTimestamp(topic, timestamp), topic),
      ),
    );
  }

  async committed(group: string, topic: string): Promise<number[]> {
    const request = { groupId: group, topics: [topic] };
    const answer = await patiently(() => this.ask(({ admin }) => admin.fetchOffsets(request), topic));
    return byPartition(answer.find((entry) => entry.topic === topic)?.partitions ?? []);
  }

  async consume(options: ConsumeOptions): Promise<KafkaConsumption> {
    const consumption = new KafkaConsumption(options, {
      kafka: this.kafka,
      database: this.database,
      append: (records) => this.append(records),
      delivery: this.delivery,
      onStopped: () => this.consumptions.delete(consumption),
    });
    await answered(() => consumption.start(), options.topic);
    this.consumptions.add(consumption);
    return consumption;
  }

  async *read(
    topic: string,
    ranges: readonly OffsetRange[],
    signal?: AbortSignal,
  ): AsyncGenerator<LogRecord> {
    signal?.throwIfAborted();
    const [beginnings, ends] = [await this.beginningOffsets(topic), await this.endOffsets(topic)];
    const kept = ranges
      .map(({ partition, from, to }) => ({
        partition,
        from: Math.max(from, beginnings[partition] ?? 0),
        to: Math.min(to, ends[partition] ?? 0),
      }))
      .filter(({ from, to }) => from < to);
    if (kept.length === 0) return;
    const group = readerGroup();
    const { kafka } = this;
    const beginningOffsets = () => this.beginningOffsets(topic);
    const reader = new KafkaRangeReader({ kafka, group, topic, ranges: kept, beginningOffsets, signal });
    try {
      for await (const record of reader.read()) yield await checkOutIfKept(this.database, record);
    } finally {
      await this.deleteGroup(group).catch((error: unknown) => {
        this.delivery.report('The group of a read was left behind', { group, topic, error });
      });
    }
  }

  async deleteTopics(topics: readonly string[]): Promise<void> {
    const existing = new Set(await this.ask(({ admin }) => admin.listTopics()));
    const doomed = topics.filter((topic) => existing.has(topic));
    for (const topic of topics) this.partitions.delete(topic);
    if (doomed.length === 0) return;
    await this.ask(({ admin }) => admin.deleteTopics({ topics: doomed }));
    // A producer that has written to them would look for them for ten seconds before the next new topic.
    await this.renew(this.clients);
  }

  async deleteGroup(group: string): Promise<void> {
    await patiently(async () => {
      try {
        await this.ask(({ admin }) => admin.deleteGroups([group]));
      } catch (error) {
        const type = groupErrorOf(error);
        if (type === 'GROUP_ID_NOT_FOUND') return;
        throw type === 'NON_EMPTY_GROUP' ? groupInUse(group, error) : error;
      }
    });
    await deleteProgress(this.database, positionOf(group));
  }

  async ping(): Promise<void> {
    await this.ask(({ admin }) => admin.describeCluster());
  }

  /** Stops the readers and disconnects. */
  async close(): Promise<void> {
    await Promise.all([...this.consumptions].map((consumption) => consumption.stop()));
    await this.renewing?.catch(() => undefined);
    await Promise.all([...this.retiring, disconnect(this.clients)]);
  }

  /**
   * Runs a call of a client; its errors become the port's, all of them transient. A client asks for all topics
   * that it ever heard of in one request, which fails for ever once somebody has deleted one of them: if the
   * topics of this call are there, the clients are replaced by new ones and the call is repeated.
   */
  private async ask<T>(call: (clients: Clients) => Promise<T>, ...topics: string[]): Promise<T> {
    const { clients } = this;
    try {
      return await use(clients, call);
    } catch (error) {
      if (!isUnknownTopic(error)) throw portError(error);
      for (const topic of topics) await this.fetchPartitionCount(topic);
      await this.renew(clients);
    }
    return answered(() => use(this.clients, call));
  }

  private async renew(old: Clients): Promise<void> {
    if (this.clients !== old) return;
    this.renewing ??= connect(this.kafka)
      .then((clients) => {
        this.clients = clients;
        const retired = disconnect(old)
          .catch(() => undefined)
          .finally(() => this.retiring.delete(retired));
        this.retiring.add(retired);
      })
      .finally(() => {
        this.renewing = undefined;
      });
    await this.renewing;
  }

  private async send(request: ProduceRequest): Promise<RecordPosition[]> {
    if (request.isEmpty()) return [];
    const topicMessages = request.topicMessages();
    const metadata = await this.ask(
      ({ producer }) => producer.sendBatch({ acks: -1, compression: this.compression, topicMessages }),
      ...topicMessages.map(({ topic }) => topic),
    );
    const bases = new Map(metadata.map((m) => [`${m.topicName}/${m.partition}`, Number(m.baseOffset)]));
    return request.positions(bases);
  }

  private async partitionsOf(records: readonly OutgoingRecord[]): Promise<number[]> {
    for (const topic of new Set(records.map((record) => record.topic))) {
      const known = this.partitions.get(topic);
      if (known && Date.now() - known.at < PARTITIONS_KNOWN_FOR_MS) continue;
      this.partitions.set(topic, { count: await this.fetchPartitionCount(topic), at: Date.now() });
    }
    return records.map((record) => partitionFor(record.key, this.partitions.get(record.topic)!.count));
  }

  private async addPartitions(topic: string, wanted: number): Promise<void> {
    try {
      await this.ask(({ admin }) => admin.createPartitions({ topicPartitions: [{ topic, count: wanted }] }));
    } catch (error) {
      // Another process may have added them meanwhile.
      if ((await this.fetchPartitionCount(topic)) < wanted) throw error;
    }
    await patiently(async () => {
      const count = await this.fetchPartitionCount(topic);
      if (count < wanted) throw new StoreError('log-unavailable', `${topic} still has ${count} partitions`);
    });
  }

  private async fetchPartitionCount(topic: string): Promise<number> {
    // The one call that asks for no other topic.
    const { topics } = await answered(
      () => this.clients.admin.fetchTopicMetadata({ topics: [topic] }),
      topic,
    );
    return topics[0]?.partitions.length ?? 0;
  }
}

/** Records of one produce request, and where each of them will be once the broker names the first offsets. */
class ProduceRequest {
  private readonly topics = new Map<string, Message[]>();
  private readonly counts = new Map<string, number>();
  private readonly places: { readonly id: string; readonly partition: number; readonly index: number }[] = [];
  private bytes = 0;

  isEmpty(): boolean {
    return this.places.length === 0;
  }

  hasRoomFor(record: OutgoingRecord): boolean {
    return this.isEmpty() || this.bytes + sizeOf(record) <= LARGEST_REQUEST;
  }

  add(record: OutgoingRecord, partition: number): void {
    const { topic, key, value, headers } = record;
    const messages = this.topics.get(topic) ?? [];
    messages.push({ key, value: bufferOf(value), headers: { ...headers }, partition });
    this.topics.set(topic, messages);
    const id = `${topic}/${partition}`;
    const index = this.counts.get(id) ?? 0;
    this.counts.set(id, index + 1);
    this.places.push({ id, partition, index });
    this.bytes += sizeOf(record);
  }

  topicMessages(): { topic: string; messages: Message[] }[] {
    return [...this.topics].map(([topic, messages]) => ({ topic, messages }));
  }

  positions(bases: ReadonlyMap<string, number>): RecordPosition[] {
    return this.places.map(({ id, partition, index }) => {
      const base = bases.get(id);
      if (base === undefined || !Number.isSafeInteger(base)) {
        throw new StoreError('log-unavailable', `The broker did not say where it put the records of ${id}`);
      }
      return { partition, offset: base + index };
    });
  }
}

/**
 * Repeats a call that changes nothing while its error is transient, for about three seconds: kafkajs does not
 * repeat an administrator's calls, and a broker that has just started, or a topic that is just created, needs it.
 */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (const waitMs of [100, 200, 400, 800, 1600]) {
    try {
      return await call();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await setTimeout(waitMs);
    }
  }
  return call();
}

interface Clients {
  readonly admin: Admin;
  readonly producer: Producer;
  /** Calls that have not been answered. */
  readonly running: Set<Promise<unknown>>;
}

async function connect(kafka: Kafka): Promise<Clients> {
  // Of a topic that somebody has deleted it would ask for ten seconds: `patiently` repeats what is worth it.
  const admin = kafka.admin({ retry: { retries: 1 } });
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  await answered(() => Promise.all([admin.connect(), producer.connect()]));
  return { admin, producer, running: new Set() };
}

/** Once its calls have been answered. */
async function disconnect({ admin, producer, running }: Clients): Promise<void> {
  await Promise.allSettled(running);
  await Promise.all([producer.disconnect(), admin.disconnect()]);
}

async function use<T>(clients: Clients, call: (clients: Clients) => Promise<T>): Promise<T> {
  const answer = call(clients);
  clients.running.add(answer);
  try {
    return await answer;
  } finally {
    clients.running.delete(answer);
  }
}

/** Runs a call to the cluster; its errors become the port's, all of them transient. */
async function answered<T>(call: () => Promise<T>, topic?: string): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw portError(error, topic);
  }
}

function portError(error: unknown, topic?: string): LineprintError {
  if (error instanceof LineprintError) return error;
  if (topic !== undefined && isUnknownTopic(error)) return unknownTopic(topic);
  const message = error instanceof Error ? error.message : String(error);
  return new StoreError('log-unavailable', `Kafka did not do what was asked: ${message}`, error);
}

/** Why the broker did not delete the one group that it was asked to. */
function groupErrorOf(error: unknown): string | undefined {
  const cause = error instanceof StoreError ? error.cause : error;
  if (!(cause instanceof KafkaJSDeleteGroupsError)) return undefined;
  return cause.groups[0]?.error?.type;
}

function isUnknownTopic(error: unknown): boolean {
  if (error instanceof KafkaJSProtocolError && error.type === 'UNKNOWN_TOPIC_OR_PARTITION') return true;
  return error instanceof Error && error.cause !== undefined && isUnknownTopic(error.cause);
}

function errorOf(entry: { log: Record<string, unknown> }): { error?: unknown } {
  const error = entry.log['error'] ?? entry.log['stack'];
  return error === undefined ? {} : { error };
}

/** Offsets in the order of partitions, 0 where there is none (the broker says -1). */
function byPartition(offsets: readonly { readonly partition: number; readonly offset: string }[]): number[] {
  return [...offsets]
    .sort((a, b) => a.partition - b.partition)
    .map(({ offset }) => Math.max(0, Number(offset)));
}

function sizeOf(record: OutgoingRecord): number {
  const headers = Object.entries(record.headers);
  const text = headers.reduce((sum, [name, value]) => sum + name.length + value.length, record.key.length);
  return record.value.length + text + RECORD_OVERHEAD;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
