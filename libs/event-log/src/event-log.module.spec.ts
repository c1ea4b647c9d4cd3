import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import { GROUPS, TOPICS } from '@lineprint/contracts';
import { PersistenceModule } from '@lineprint/persistence';
import { loadConfig, type RunningService, startService } from '@lineprint/platform';
import { EmbeddedConsumption } from './embedded-consumption';
import { ConsumeBatches } from './event-log-server';
import { EventLogModule, eventLogTransport } from './event-log.module';
import { EVENT_LOG } from './event-log.tokens';
import type { Batch, BatchResult, EventLog } from './log';

jest.setTimeout(60_000);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

@Controller()
class Consumer {
  behave: (batch: Batch) => Promise<BatchResult> = (batch) =>
    Promise.resolve({ processed: batch.records.length });

  @ConsumeBatches({ topic: TOPICS.commits, group: GROUPS.commitAnalyzer })
  consume(batch: Batch): Promise<BatchResult> {
    return this.behave(batch);
  }
}

@Module({ imports: [PersistenceModule, EventLogModule], controllers: [Consumer] })
class ConsumingModule {}

describe('a service with consumers', () => {
  let service: RunningService;
  let log: EventLog;
  let consumer: Consumer;

  beforeEach(async () => {
    service = await startService({
      name: 'commit-analyzer',
      module: ConsumingModule,
      transport: eventLogTransport,
      config: loadConfig({
        LINEPRINT_DATABASE_URL: 'pglite:memory',
        LINEPRINT_PORT: '0',
        LINEPRINT_LOG_LEVEL: 'silent',
        LINEPRINT_PARTITIONS: '1',
        LINEPRINT_DEAD_LETTERS_TOLERATED: '1',
        LINEPRINT_DEAD_LETTER_RATIO: '0',
        LINEPRINT_SHUTDOWN_GRACE_MS: '100',
      }),
    });
    log = service.app.get<EventLog>(EVENT_LOG);
    consumer = service.app.get(Consumer);
  });
  afterEach(() => service.close());

  const append = (...values: string[]) =>
    log.append(
      values.map((value) => ({ topic: TOPICS.commits, key: 'k', value: Buffer.from(value), headers: {} })),
    );
  const health = async (probe: 'live' | 'ready') => {
    const response = await fetch(`${service.url}/health/${probe}`);
    const { checks } = (await response.json()) as { checks: Record<string, string> };
    return { status: response.status, consumers: checks['consumers'] };
  };
  const metrics = async (name: string) =>
    (await (await fetch(`${service.url}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith(name));

  it('is ready once they are, and tells Prometheus what they do and how far they are behind', async () => {
    await until(async () => (await health('ready')).status === 200);
    await append('a', 'b');
    await until(async () => (await log.committed(GROUPS.commitAnalyzer, TOPICS.commits))[0] === 2);
    const labels = `topic="${TOPICS.commits}",group="${GROUPS.commitAnalyzer}"`;
    expect(await metrics('lineprint_records_total')).toContain(
      `lineprint_records_total{${labels},outcome="processed",service="commit-analyzer"} 2`,
    );
    await until(async () => (await metrics('lineprint_log_lag_records')).length > 0);
    expect(await metrics('lineprint_log_lag_records')).toEqual([
      `lineprint_log_lag_records{${labels},partition="0",service="commit-analyzer"} 0`,
    ]);
  });

  it('is not ready, but alive, while too many dead letters hold one up, and says which and why', async () => {
    consumer.behave = () => {
      throw new TypeError('a bug');
    };
    await append('a', 'b', 'c');
    await until(async () => (await health('ready')).consumers?.startsWith('dead-letter-limit') ?? false);
    expect((await health('ready')).status).toBe(503);
    expect((await health('live')).status).toBe(200);
    expect(await metrics('lineprint_dead_letters_total')).toEqual([
      expect.stringContaining('code="handler-failed"'),
    ]);
  });

  it('is not alive while a handler hangs, and names it', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let hangs = false;
    consumer.behave = async (batch) => {
      hangs = true;
      await released;
      return { processed: batch.records.length };
    };
    await append('a');
    await until(() => hangs);
    expect((await health('live')).status).toBe(200);
    for (const consumption of log.consumptions) {
      // As if it had been an hour.
      if (consumption instanceof EmbeddedConsumption) consumption.lastTickAt -= 3_600_000;
    }
    expect(await health('live')).toEqual({
      status: 503,
      consumers: expect.stringMatching(
        `^${GROUPS.commitAnalyzer} on ${TOPICS.commits} has not moved for 36\\d\\d s$`,
      ),
    });
    release();
  });
});
