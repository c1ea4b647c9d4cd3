import { LineprintError, StoreError } from '@lineprint/platform';
import { BatchRunner, type BatchRunnerOptions, batchLength } from './batch-runner';
import { NOBODY_OBSERVES } from './consumption-observer';
import { DEFAULT_DEAD_LETTER_LIMITS } from './dead-letter-limit';
import type { Batch, BatchHandler, LogRecord, OutgoingRecord } from './log';
import { undecodableHeaders } from './undecodable';

const TOPIC = 'lineprint.commits.v1';

function batchOf(values: readonly string[], signal = new AbortController().signal, first = 0): Batch {
  const records = values.map((value, i): LogRecord => ({
    topic: TOPIC,
    partition: 0,
    offset: first + i,
    key: 'k',
    value: Buffer.from(value),
    headers: {},
    timestamp: 0,
  }));
  return { topic: TOPIC, partition: 0, records, signal };
}

function runnerOf(handler: BatchHandler, options: Partial<BatchRunnerOptions> = {}) {
  const letters: OutgoingRecord[] = [];
  const runner = new BatchRunner({
    group: 'g',
    service: 'commit-analyzer',
    handler,
    append: (records) => {
      letters.push(...records);
      return Promise.resolve();
    },
    report: () => undefined,
    observer: NOBODY_OBSERVES(TOPIC, 'g'),
    deadLetterLimits: DEFAULT_DEAD_LETTER_LIMITS,
    ...options,
  });
  return { runner, letters };
}

const valuesOf = (batch: Batch) => batch.records.map((record) => Buffer.from(record.value).toString());

describe('the batch runner', () => {
  it('waits longer with each transient failure of the same record, up to ten seconds, and anew for the next', async () => {
    let fail = true;
    const { runner } = runnerOf((batch) => {
      if (fail) throw new StoreError('down', 'down');
      return Promise.resolve({ processed: batch.records.length });
    });
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 8; i++) waits.push((await runner.run(batchOf(['a']))).retryAfterMs);
    expect(waits).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    fail = false;
    expect(await runner.run(batchOf(['a']))).toEqual({ processed: 1 });
    fail = true;
    expect(await runner.run(batchOf(['b'], undefined, 1))).toEqual({ processed: 0, retryAfterMs: 200 });
  });

  it('keeps what was processed one by one before a transient failure stopped it', async () => {
    const { runner, letters } = runnerOf((batch) => {
      const values = valuesOf(batch);
      if (values.includes('poison')) throw new LineprintError('bad', 'bad');
      if (values.includes('later')) throw new StoreError('down', 'down');
      return Promise.resolve({ processed: values.length });
    });
    expect(await runner.run(batchOf(['a', 'poison', 'later', 'z']))).toEqual({
      processed: 2,
      retryAfterMs: 200,
    });
    expect(letters.map((letter) => letter.headers['lp_dlq_offset'])).toEqual(['1']);
  });

  it('counts the attempts of a dead letter, transient ones included', async () => {
    let calls = 0;
    const { runner, letters } = runnerOf(() => {
      calls += 1;
      throw calls < 3 ? new StoreError('down', 'down') : new TypeError('bug');
    });
    await runner.run(batchOf(['a']));
    await runner.run(batchOf(['a']));
    expect(await runner.run(batchOf(['a']))).toEqual({ processed: 1 });
    expect(letters[0]!.headers).toMatchObject({ lp_dlq_attempts: '3', lp_dlq_code: 'handler-failed' });
  });

  it('processes nothing when a dead letter cannot be written', async () => {
    const { runner } = runnerOf(
      (batch) =>
        Promise.resolve({
          processed: 2,
          deadLetters: [{ record: batch.records[0]!, code: 'c', message: 'm' }],
        }),
      { append: () => Promise.reject(new LineprintError('topic-unknown', 'no such topic')) },
    );
    expect(await runner.run(batchOf(['a', 'b']))).toEqual({ processed: 0, retryAfterMs: 200 });
  });

  it('does not write a dead letter of a record that will come again', async () => {
    const { runner, letters } = runnerOf((batch) =>
      Promise.resolve({
        processed: 1,
        deadLetters: batch.records.map((record) => ({ record, code: 'c', message: 'm' })),
      }),
    );
    expect(await runner.run(batchOf(['a', 'b']))).toEqual({ processed: 1 });
    expect(letters).toHaveLength(1);
  });

  it.each([{ processed: -1 }, { processed: 3 }, { processed: 0.5 }, undefined])(
    'loses nothing to a handler that answers %j',
    async (answer) => {
      const { runner, letters } = runnerOf(() => Promise.resolve(answer as { processed: number }));
      expect(await runner.run(batchOf(['a', 'b']))).toEqual({ processed: 0, retryAfterMs: 200 });
      expect(letters).toHaveLength(0);
    },
  );

  it('does not spin on a handler that processes nothing and asks for no wait', async () => {
    const { runner } = runnerOf(() => Promise.resolve({ processed: 0 }));
    expect(await runner.run(batchOf(['a']))).toEqual({ processed: 0, retryAfterMs: 200 });
  });

  it('stops going one by one once it is told to stop', async () => {
    const controller = new AbortController();
    const { runner, letters } = runnerOf((batch) => {
      if (batch.records.length > 1) throw new LineprintError('bad', 'bad');
      controller.abort();
      return Promise.resolve({ processed: 1 });
    });
    expect(await runner.run(batchOf(['a', 'b', 'c'], controller.signal))).toEqual({ processed: 1 });
    expect(letters).toHaveLength(0);
  });
});

describe('a record that never reaches the handler', () => {
  const readable = (batch: Batch) => Promise.resolve({ processed: batch.records.length });
  const withHeaders = (batch: Batch, index: number, headers: LogRecord['headers']): Batch => ({
    ...batch,
    records: batch.records.map((record, i) => (i === index ? { ...record, headers } : record)),
  });

  it('is dead-lettered with its reason when it cannot be read, and its neighbours go on', async () => {
    const seen: string[] = [];
    const { runner, letters } = runnerOf((batch) => {
      seen.push(...valuesOf(batch));
      return readable(batch);
    });
    const batch = withHeaders(batchOf(['a', '?', 'b']), 1, {
      ce_id: '1',
      ...undecodableHeaders('no such codec'),
    });
    expect(await runner.run(batch)).toEqual({ processed: 3 });
    expect(seen).toEqual(['a', 'b']);
    expect(letters).toHaveLength(1);
    expect(letters[0]!.headers).toMatchObject({
      ce_id: '1',
      lp_dlq_step: 'decode',
      lp_dlq_code: 'record-undecodable',
      lp_dlq_message: 'The record cannot be read: no such codec',
    });
    expect(letters[0]!.headers).not.toHaveProperty('lp_undecodable');
  });

  it('is dead-lettered when its claim is void, and waits when the payloads cannot be asked', async () => {
    let answer: Error = new StoreError('database-unavailable', 'gone');
    const { runner, letters } = runnerOf(readable, {
      open: (record) => (record.offset === 1 ? Promise.reject(answer) : Promise.resolve(record)),
    });
    expect(await runner.run(batchOf(['a', 'claim', 'b']))).toEqual({ processed: 0, retryAfterMs: 200 });
    expect(letters).toHaveLength(0);
    answer = new LineprintError('claim-missing', 'deleted');
    expect(await runner.run(batchOf(['a', 'claim', 'b']))).toEqual({ processed: 3 });
    expect(letters.map(({ headers }) => [headers['lp_dlq_step'], headers['lp_dlq_code']])).toEqual([
      ['claim', 'claim-missing'],
    ]);
  });

  it('counts where a handler stops short: the batch goes on behind it', async () => {
    const { runner, letters } = runnerOf(() => Promise.resolve({ processed: 1, retryAfterMs: 50 }));
    const batch = withHeaders(batchOf(['a', '?', 'b']), 1, undecodableHeaders('damaged'));
    expect(await runner.run(batch)).toEqual({ processed: 2, retryAfterMs: 50 });
    expect(letters).toHaveLength(1);
  });

  it('needs no handler: a batch of such records calls none', async () => {
    let calls = 0;
    const { runner } = runnerOf(() => {
      calls += 1;
      return Promise.resolve({ processed: 0 });
    });
    expect(await runner.run(withHeaders(batchOf(['?']), 0, undecodableHeaders('damaged')))).toEqual({
      processed: 1,
    });
    expect(calls).toBe(0);
  });
});

describe('a dead letter', () => {
  it('says where it comes from, what failed where, how often and since when, and with which versions', async () => {
    const { runner, letters } = runnerOf(() => {
      throw new LineprintError('commit-unreadable', 'no such object');
    });
    const headers = { ce_id: '1', traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` };
    const record = { ...batchOf(['bad']).records[0]!, headers, timestamp: Date.UTC(2026, 0, 2), offset: 7 };
    await runner.run({ ...batchOf(['bad']), records: [record] });
    expect(letters).toEqual([
      {
        topic: `${TOPIC}.dlq`,
        key: 'k',
        value: Buffer.from('bad'),
        headers: {
          ...headers,
          lp_dlq_topic: TOPIC,
          lp_dlq_partition: '0',
          lp_dlq_offset: '7',
          lp_dlq_timestamp: '2026-01-02T00:00:00.000Z',
          lp_dlq_group: 'g',
          lp_dlq_service: 'commit-analyzer',
          lp_dlq_step: 'process',
          lp_dlq_code: 'commit-unreadable',
          lp_dlq_message: 'no such object',
          lp_dlq_attempts: '1',
          lp_dlq_first_failed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          lp_dlq_versions: expect.stringMatching(/^lineprint \d.*, node \d/),
        },
      },
    ]);
  });
});

describe('too many dead letters', () => {
  const deadLetterLimits = { window: 10, least: 2, ratio: 0.05 };
  let bad = true;
  const strict: BatchHandler = (batch) =>
    Promise.resolve({
      processed: batch.records.length,
      deadLetters: batch.records
        .filter(() => bad)
        .map((record) => ({ record, code: 'event-invalid', message: 'no such shape' })),
    });
  beforeEach(() => {
    bad = true;
  });

  it('hold the partition at the record that would be one too many, and say why in words', async () => {
    const { runner, letters } = runnerOf(strict, { deadLetterLimits });
    expect(await runner.run(batchOf(['a', 'b', 'c', 'd']))).toEqual({ processed: 2, retryAfterMs: 30_000 });
    expect(letters).toHaveLength(2);
    expect(runner.halted).toBe(
      `dead-letter-limit: 2 of the last 2 records of ${TOPIC} went to its dead-letter topic; ` +
        'g holds partition 0 at offset 2 (event-invalid: no such shape)',
    );
    expect(await runner.run(batchOf(['c', 'd'], undefined, 2))).toEqual({
      processed: 0,
      retryAfterMs: 30_000,
    });
    expect(letters).toHaveLength(2);
  });

  it('do so as well when a handler throws for each of them', async () => {
    const { runner, letters } = runnerOf(
      () => {
        throw new TypeError('a bug');
      },
      { deadLetterLimits },
    );
    expect(await runner.run(batchOf(['a', 'b', 'c']))).toEqual({ processed: 2, retryAfterMs: 30_000 });
    expect(letters).toHaveLength(2);
  });

  it('are over once the cause is gone: the partition goes on where it stood', async () => {
    const { runner } = runnerOf(strict, { deadLetterLimits });
    await runner.run(batchOf(['a', 'b', 'c']));
    bad = false;
    expect(await runner.run(batchOf(['c'], undefined, 2))).toEqual({ processed: 1 });
    expect(runner.halted).toBeUndefined();
  });

  it('are counted once although a failed write made them come again', async () => {
    let down = true;
    const { runner } = runnerOf(strict, {
      deadLetterLimits,
      append: () => (down ? Promise.reject(new StoreError('down', 'down')) : Promise.resolve()),
    });
    for (let i = 0; i < 5; i++) await runner.run(batchOf(['a', 'b']));
    down = false;
    expect(await runner.run(batchOf(['a', 'b']))).toEqual({ processed: 2 });
    expect(runner.halted).toBeUndefined();
  });

  it('of a partition that was lost hold nobody', async () => {
    const { runner } = runnerOf(strict, { deadLetterLimits });
    await runner.run(batchOf(['a', 'b', 'c']));
    runner.keepOnly([1, 2]);
    expect(runner.halted).toBeUndefined();
  });
});

describe('a batch', () => {
  it('has at least one record, at most the records asked for, and about the bytes', () => {
    expect(batchLength([], 5, 10)).toBe(0);
    expect(batchLength([100, 1], 5, 10)).toBe(1);
    expect(batchLength([4, 4, 4], 5, 10)).toBe(2);
    expect(batchLength([1, 1, 1, 1], 3, 10)).toBe(3);
  });
});
