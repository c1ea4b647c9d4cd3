import { LineprintError, StoreError } from '@lineprint/platform';
import { BatchRunner, batchLength } from './batch-runner';
import type { Batch, BatchHandler, LogRecord, OutgoingRecord } from './log';

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

function runnerOf(handler: BatchHandler, append?: (records: readonly OutgoingRecord[]) => Promise<unknown>) {
  const letters: OutgoingRecord[] = [];
  const runner = new BatchRunner({
    group: 'g',
    handler,
    append:
      append ??
      ((records) => {
        letters.push(...records);
        return Promise.resolve();
      }),
    report: () => undefined,
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
      () => Promise.reject(new LineprintError('topic-unknown', 'no such topic')),
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

describe('a batch', () => {
  it('has at least one record, at most the records asked for, and about the bytes', () => {
    expect(batchLength([], 5, 10)).toBe(0);
    expect(batchLength([100, 1], 5, 10)).toBe(1);
    expect(batchLength([4, 4, 4], 5, 10)).toBe(2);
    expect(batchLength([1, 1, 1, 1], 3, 10)).toBe(3);
  });
});
