import { type KafkaSettings, StoreError } from '@lineprint/platform';
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { clientSecurity } from './kafka-security';

/** A topic as the brokers have it. */
export interface BrokerTopic {
  readonly name: string;
  readonly partitions: number;
  /** Copies of each partition: the least of its partitions. */
  readonly replication: number;
  /** Partitions of which some copy is behind. */
  readonly underReplicated: number;
  /** Copies that must have a record before it counts as written. */
  readonly minInSync: number;
  /** How long records are kept, milliseconds; -1: for ever. */
  readonly retentionMs: number;
  /** Bytes of a partition that are kept; -1: any number. */
  readonly retentionBytes: number;
  readonly cleanupPolicy: string;
  /** Largest batch that it takes, bytes. */
  readonly maxMessageBytes: number;
}

/** What a Kafka cluster says of itself. */
export interface KafkaCluster {
  readonly brokers: readonly { readonly host: string; readonly port: number }[];
  /** Of those that were asked for; one that there is not is left out. */
  readonly topics: readonly BrokerTopic[];
}

const CONFIG_NAMES = [
  'retention.ms',
  'retention.bytes',
  'cleanup.policy',
  'min.insync.replicas',
  'max.message.bytes',
];
const CONNECT_TIMEOUT_MS = 3_000;

/**
 * Asks the brokers of a log URL how topics are set up; changes nothing.
 * @throws StoreError `log-unavailable` when no broker answers
 */
export async function inspectKafka(
  brokers: readonly string[],
  settings: KafkaSettings,
  names: readonly string[],
): Promise<KafkaCluster> {
  const admin = new Kafka({
    clientId: 'lineprint-doctor',
    ...clientSecurity(settings),
    brokers: [...brokers],
    connectionTimeout: CONNECT_TIMEOUT_MS,
    retry: { retries: 1 },
    logLevel: logLevel.NOTHING,
  }).admin();
  try {
    await admin.connect();
    const cluster = await admin.describeCluster();
    const existing = new Set(await admin.listTopics());
    const topics = names.filter((name) => existing.has(name));
    const metadata = topics.length > 0 ? (await admin.fetchTopicMetadata({ topics })).topics : [];
    const configs = await configsOf(admin, topics);
    return {
      brokers: cluster.brokers.map(({ host, port }) => ({ host, port })),
      topics: metadata.map(({ name, partitions }) => {
        const config = configs.get(name);
        const number = (key: string) => Number(config?.get(key) ?? NaN);
        return {
          name,
          partitions: partitions.length,
          replication: Math.min(...partitions.map(({ replicas }) => replicas.length)),
          underReplicated: partitions.filter(({ isr, replicas }) => isr.length < replicas.length).length,
          minInSync: number('min.insync.replicas'),
          retentionMs: number('retention.ms'),
          retentionBytes: number('retention.bytes'),
          cleanupPolicy: config?.get('cleanup.policy') ?? '',
          maxMessageBytes: number('max.message.bytes'),
        };
      }),
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StoreError('log-unavailable', `Kafka did not answer: ${message}`, error);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function configsOf(
  admin: ReturnType<Kafka['admin']>,
  topics: readonly string[],
): Promise<Map<string, Map<string, string>>> {
  if (topics.length === 0) return new Map();
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({
      type: ConfigResourceTypes.TOPIC,
      name,
      configNames: CONFIG_NAMES,
    })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
}
