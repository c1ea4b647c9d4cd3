import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ConsumptionObserver } from './consumption-observer';
import { acceptedAt } from './event';
import type { EventLog } from './log';

/** From a tenth of a second to the three months that a backfill may reach back. */
const AGE_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600, 86_400, 604_800, 7_776_000];
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const LAG_EVERY_MS = 10_000;
const OUTCOMES = ['processed', 'dead-lettered', 'retried'] as const;

/** A replay has a group, and maybe a topic, of its own: by name each would leave series behind for good. */
const REPLAY_GROUP = /^lineprint\.replay\..*/;
const REPLAY_TOPIC = /\.replay-.*/;

function labelsOf(topic: string, group: string): { topic: string; group: string } {
  return {
    topic: topic.replace(REPLAY_TOPIC, '.replay'),
    group: group.replace(REPLAY_GROUP, 'lineprint.replay'),
  };
}

/** What Prometheus sees of a process's consumptions. */
export class LogMetrics {
  private readonly lag: Gauge<'topic' | 'group' | 'partition'>;
  private readonly age: Histogram<'topic' | 'group'>;
  private readonly records: Counter<'topic' | 'group' | 'outcome'>;
  private readonly deadLetters: Counter<'topic' | 'group' | 'code'>;
  private readonly duration: Histogram<'topic' | 'group'>;
  private timer: NodeJS.Timeout | undefined;
  private measuring: Promise<void> | undefined;

  constructor(registry: Registry) {
    const registers = [registry];
    this.lag = new Gauge({
      name: 'lineprint_log_lag_records',
      help: 'Records between a group’s committed position and the end of a partition',
      labelNames: ['topic', 'group', 'partition'],
      registers,
    });
    this.age = new Histogram({
      name: 'lineprint_event_age_seconds',
      help: 'Time from the door until the effect of an event is durable',
      labelNames: ['topic', 'group'],
      buckets: AGE_BUCKETS,
      registers,
    });
    this.records = new Counter({
      name: 'lineprint_records_total',
      help: 'Records that were processed, dead-lettered, or come again after an error',
      labelNames: ['topic', 'group', 'outcome'],
      registers,
    });
    this.deadLetters = new Counter({
      name: 'lineprint_dead_letters_total',
      help: 'Dead letters by reason',
      labelNames: ['topic', 'group', 'code'],
      registers,
    });
    this.duration = new Histogram({
      name: 'lineprint_batch_duration_seconds',
      help: 'How long a batch is handled, dead letters included',
      labelNames: ['topic', 'group'],
      buckets: DURATION_BUCKETS,
      registers,
    });
  }

  /** The observer of one consumption. */
  readonly observe = (topic: string, group: string): ConsumptionObserver => {
    const labels = labelsOf(topic, group);
    // From 0 on: of a series that begins with its first dead letter no rate is known.
    for (const outcome of OUTCOMES) this.records.inc({ ...labels, outcome }, 0);
    return {
      processed: (records) => {
        const now = Date.now();
        this.records.inc({ ...labels, outcome: 'processed' }, records.length);
        for (const record of records) this.age.observe(labels, Math.max(0, now - acceptedAt(record)) / 1000);
      },
      deadLettered: (code) => {
        this.records.inc({ ...labels, outcome: 'dead-lettered' });
        this.deadLetters.inc({ ...labels, code });
      },
      retried: (records) => this.records.inc({ ...labels, outcome: 'retried' }, records),
      handled: (milliseconds) => this.duration.observe(labels, milliseconds / 1000),
    };
  };

  /** Asks the log for the lag of its consumptions from time to time: a partition that stands still has one too. */
  watch(log: EventLog): void {
    this.timer = setInterval(() => {
      this.measuring ??= this.measureLag(log).finally(() => {
        this.measuring = undefined;
      });
    }, LAG_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.measuring;
  }

  /** Sets the lag of every partition that is assigned here; while the log does not answer the last one stands. */
  async measureLag(log: EventLog): Promise<void> {
    const measured: { topic: string; group: string; partition: number; records: number }[] = [];
    try {
      for (const { topic, group, partitions } of log.consumptions) {
        const [ends, committed] = [await log.endOffsets(topic), await log.committed(group, topic)];
        for (const partition of partitions) {
          const records = Math.max(0, (ends[partition] ?? 0) - (committed[partition] ?? 0));
          measured.push({ ...labelsOf(topic, group), partition, records });
        }
      }
    } catch {
      return;
    }
    this.lag.reset();
    for (const { records, ...labels } of measured) this.lag.inc(labels, records);
  }
}
