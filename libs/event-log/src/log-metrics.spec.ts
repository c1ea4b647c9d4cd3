import { StoreError } from '@lineprint/platform';
import { Registry } from 'prom-client';
import type { Consumption, EventLog, LogRecord } from './log';
import { LogMetrics } from './log-metrics';

const TOPIC = 'lineprint.commits.v1';
const record = (headers: LogRecord['headers'] = {}): LogRecord => ({
  topic: TOPIC,
  partition: 0,
  offset: 0,
  key: 'acme/secret-repository',
  value: Buffer.from('{}'),
  headers,
  timestamp: Date.now() - 60_000,
});

function logOf(
  consumptions: Pick<Consumption, 'topic' | 'group' | 'partitions'>[],
  ends: number[],
): EventLog {
  const log: Pick<EventLog, 'consumptions' | 'endOffsets' | 'committed'> = {
    consumptions: consumptions as Consumption[],
    endOffsets: () => Promise.resolve(ends),
    committed: () => Promise.resolve([4, 10, 0]),
  };
  return log as EventLog;
}

describe('what Prometheus sees of a log', () => {
  let registry: Registry;
  let metrics: LogMetrics;
  beforeEach(() => {
    registry = new Registry();
    metrics = new LogMetrics(registry);
  });
  const lines = async (name: string) =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));

  it('is the outcome of each record, the reasons of dead letters, ages and durations, by topic and group', async () => {
    const observer = metrics.observe(TOPIC, 'g');
    observer.processed([record(), record({ ce_time: new Date().toISOString() })]);
    observer.deadLettered('event-invalid');
    observer.retried(3);
    observer.handled(20);
    expect(await lines('lineprint_records_total')).toEqual([
      `lineprint_records_total{topic="${TOPIC}",group="g",outcome="processed"} 2`,
      `lineprint_records_total{topic="${TOPIC}",group="g",outcome="dead-lettered"} 1`,
      `lineprint_records_total{topic="${TOPIC}",group="g",outcome="retried"} 3`,
    ]);
    expect(await lines('lineprint_dead_letters_total')).toEqual([
      `lineprint_dead_letters_total{topic="${TOPIC}",group="g",code="event-invalid"} 1`,
    ]);
    // One event is as old as the log says, the other as it says itself.
    const ages = await lines('lineprint_event_age_seconds_bucket');
    expect(ages.find((line) => line.includes('le="30"'))).toMatch(/ 1$/);
    expect(ages.find((line) => line.includes('le="+Inf"'))).toMatch(/ 2$/);
    expect(await lines('lineprint_batch_duration_seconds_count')).toHaveLength(1);
  });

  it('has every outcome from the start, so that the first dead letter is seen as a rate', async () => {
    metrics.observe(TOPIC, 'g');
    const counts = await lines('lineprint_records_total');
    expect(counts.map((line) => /outcome="(.*)"} (.*)$/.exec(line)?.slice(1))).toEqual([
      ['processed', '0'],
      ['dead-lettered', '0'],
      ['retried', '0'],
    ]);
  });

  it('is the lag of the partitions that are assigned here', async () => {
    await metrics.measureLag(logOf([{ topic: TOPIC, group: 'g', partitions: [0, 2] }], [6, 30, 5]));
    expect(await lines('lineprint_log_lag_records')).toEqual([
      `lineprint_log_lag_records{topic="${TOPIC}",group="g",partition="0"} 2`,
      `lineprint_log_lag_records{topic="${TOPIC}",group="g",partition="2"} 5`,
    ]);
    await metrics.measureLag(logOf([{ topic: TOPIC, group: 'g', partitions: [1] }], [6, 30, 5]));
    expect(await lines('lineprint_log_lag_records')).toEqual([
      `lineprint_log_lag_records{topic="${TOPIC}",group="g",partition="1"} 20`,
    ]);
  });

  it('stays as it was while the log does not answer', async () => {
    const log = logOf([{ topic: TOPIC, group: 'g', partitions: [0] }], [6]);
    await metrics.measureLag(log);
    const before = await lines('lineprint_log_lag_records');
    await metrics.measureLag({
      ...log,
      endOffsets: () => Promise.reject(new StoreError('log-unavailable', 'gone')),
    });
    expect(await lines('lineprint_log_lag_records')).toEqual(before);
  });

  it('names no replay: their series would stay for ever', async () => {
    for (const id of ['1', '2']) {
      metrics.observe(`lineprint.candidates.v1.replay-${id}`, `lineprint.replay.${id}`).retried(1);
    }
    const counts = await lines('lineprint_records_total');
    expect(counts).toHaveLength(3);
    expect(counts).toContain(
      'lineprint_records_total{topic="lineprint.candidates.v1.replay",group="lineprint.replay",outcome="retried"} 2',
    );
  });
});
