import type { Database } from '@lineprint/persistence';
import { ConfigError, type KafkaSettings } from '@lineprint/platform';
import { DEFAULT_DELIVERY, type Delivery } from './delivery';
import { EmbeddedEventLog } from './embedded-event-log';
import { KafkaEventLog } from './kafka-event-log';
import type { EventLog } from './log';

export interface EventLogOptions extends Partial<Omit<Delivery, 'service'>> {
  /** Holds the embedded log, or with Kafka the values over the broker's limit. Stays the caller's to close. */
  readonly database: Database;
  /** Name of this process's service, for the brokers and in dead letters. */
  readonly clientId: string;
  /** Where values over the broker's limit go; the database is the only place so far. */
  readonly payloads?: 'database';
  /** Security and compression, with Kafka; default: plain text, gzip. */
  readonly kafka?: KafkaSettings;
}

const BROKER = /^([^\s:/@[\]]+|\[[0-9a-fA-F:]+\]):\d{1,5}$/;

/**
 * Opens the log that the URL names: `embedded:` for tables of the database, `kafka://HOST:PORT[,HOST:PORT…]`
 * for a cluster. Throws ConfigError for any other, a transient StoreError when no broker answers.
 */
export async function openEventLog(url: string, options: EventLogOptions): Promise<EventLog> {
  const { database, clientId, kafka = { tls: false, compression: 'gzip' } } = options;
  const delivery: Delivery = { ...DEFAULT_DELIVERY, ...options, service: clientId };
  if (url === 'embedded:') return new EmbeddedEventLog(database, delivery);
  return KafkaEventLog.open({ brokers: kafkaBrokers(url), settings: kafka, database, delivery });
}

/** The `HOST:PORT`s of a log URL. Throws ConfigError for a URL that is none of a Kafka cluster. */
export function kafkaBrokers(url: string): string[] {
  const scheme = 'kafka://';
  const brokers = url.startsWith(scheme) ? url.slice(scheme.length).replace(/\/$/, '').split(',') : [];
  if (brokers.length > 0 && brokers.every((broker) => BROKER.test(broker))) return brokers;
  throw new ConfigError('The event log is `embedded:` or `kafka://HOST:PORT[,HOST:PORT…]`');
}
