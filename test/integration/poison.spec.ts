import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deadLetterTopic, snippetEventSchema } from '@lineprint/contracts';
import { type EventLog, type LogRecord, openEventLog, readBatch } from '@lineprint/event-log';
import { type Database, MIGRATIONS_DIRECTORY, migrate, openDatabase } from '@lineprint/persistence';
import { CompressionTypes, Kafka, logLevel, Partitioners } from 'kafkajs';
import { CODECS, registerCodecs } from '../../libs/event-log/src/codecs';
import { freshDatabase, serverUrl } from '../stores';

jest.setTimeout(120_000);

const DAY_MS = 86_400_000;
const KEY = 'acme/web';

const good = JSON.parse(
  readFileSync(join(__dirname, '../../libs/contracts/src/snippets/fixtures/v1-full.json'), 'utf8'),
) as Record<string, unknown>;
const event = (codeId: string, change: Record<string, unknown> = {}) =>
  Buffer.from(JSON.stringify({ ...good, codeId, ...change }));

/** What stands between the good events of one partition, and the reason that its dead letter must name. */
const POISON: {
  name: string;
  value: Buffer;
  headers?: Record<string, string>;
  code: string;
  message: RegExp;
}[] = [
  { name: 'invalid JSON', value: Buffer.from('{"codeId": '), code: 'event-invalid', message: /not JSON/ },
  {
    name: 'a leading zero byte',
    value: Buffer.concat([Buffer.of(0, 0, 0, 0, 7), event('framed')]),
    code: 'event-invalid',
    message: /not JSON/,
  },
  {
    name: 'an unknown version',
    value: event('future', { protocol: 3 }),
    code: 'event-invalid',
    message: /protocol/,
  },
  {
    name: 'a wrong schema',
    value: event('wrong', { lineCount: 'many' }),
    code: 'event-invalid',
    message: /lineCount/,
  },
  {
    name: 'three megabytes of noise',
    value: randomBytes(3_000_000),
    code: 'event-invalid',
    message: /not JSON/,
  },
  {
    name: 'what makes the handler throw a TypeError',
    value: event('type-error'),
    code: 'handler-failed',
    message: /undefined/,
  },
];

/** A Zstandard frame that holds the bytes as they are: a producer's, for a consumer without the codec. */
function zstdFrame(bytes: Buffer): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32LE(bytes.length, 5);
  header.writeUIntLE(1 | (bytes.length << 3), 9, 3);
  return Buffer.concat([header, bytes]);
}

interface Adapter {
  readonly name: string;
  open(database: Database): Promise<EventLog>;
  /** Appends a record that this process has no codec for. */
  appendUnreadable(database: Database, topic: string, value: Buffer): Promise<void>;
}

const kafka: Adapter = {
  name: 'Kafka',
  open: (database) => openEventLog(serverUrl('KAFKA'), { database, clientId: 'poison' }),
  async appendUnreadable(_, topic, value) {
    const { zstd: _zstd, ...others } = CODECS;
    registerCodecs({
      ...others,
      zstd: { compress: async (bytes) => zstdFrame(bytes), decompress: async (b) => b },
    });
    const brokers = serverUrl('KAFKA').replace('kafka://', '').split(',');
    const client = new Kafka({ clientId: 'another-producer', brokers, logLevel: logLevel.NOTHING });
    const producer = client.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
    await producer.connect();
    const message = { key: KEY, value, partition: 0 };
    await producer.send({ topic, acks: -1, compression: CompressionTypes.ZSTD, messages: [message] });
    await producer.disconnect();
    registerCodecs(others);
  },
};

const embedded: Adapter = {
  name: 'the embedded log',
  open: (database) => openEventLog('embedded:', { database, clientId: 'poison' }),
  async appendUnreadable(database, topic, value) {
    await database.transaction(async (tx) => {
      const [end] = await tx.query<{ offset: number }>(
        `UPDATE event_log_ends SET end_offset = end_offset + 1 WHERE topic = $1 AND partition = 0
         RETURNING end_offset - 1 AS "offset"`,
        [topic],
      );
      await tx.query(
        `INSERT INTO event_log_records (topic, partition, "offset", key, value, headers)
         VALUES ($1, 0, $2, $3, $4, '{}'::jsonb)`,
        [topic, end!.offset, KEY, Buffer.concat([Buffer.of(9), value])],
      );
    });
  },
};

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.each([kafka, embedded])('poison in $name', (adapter) => {
  let stored: Awaited<ReturnType<typeof freshDatabase>>;
  let database: Database;
  let log: EventLog;
  let topic: string;
  let group: string;
  const processed: string[] = [];
  let letters: LogRecord[];

  beforeAll(async () => {
    stored = await freshDatabase();
    database = await openDatabase(stored.url);
    await migrate(database, MIGRATIONS_DIRECTORY);
    log = await adapter.open(database);
    topic = `poison.${randomUUID()}.v1`;
    group = `poison-${randomUUID()}`;
    await log.ensureTopics(
      [topic, deadLetterTopic(topic)].map((name) => ({ name, partitions: 1, retentionMs: DAY_MS })),
    );
    const append = (value: Buffer, headers: Record<string, string> = {}) =>
      log.append([{ topic, key: KEY, value, headers: { ce_id: randomUUID(), ...headers } }]);
    await append(event('good-0'));
    for (const [i, { value, headers }] of POISON.entries()) {
      await append(value, headers);
      await append(event(`good-${i + 1}`));
    }
    await adapter.appendUnreadable(database, topic, event('compressed'));
    await append(event('good-last'));

    await log.consume({
      group,
      topic,
      handler: (batch) => {
        const { events, deadLetters } = readBatch(batch, snippetEventSchema);
        for (const { event: snippet } of events) {
          if (snippet.codeId === 'type-error') void (undefined as unknown as { length: number }).length;
        }
        for (const { event: snippet } of events) {
          // A batch that fails in the middle is handed over again record by record.
          if (!processed.includes(snippet.codeId)) processed.push(snippet.codeId);
        }
        return Promise.resolve({ processed: batch.records.length, deadLetters });
      },
    });
    const [end] = await log.endOffsets(topic);
    await until(async () => (await log.committed(group, topic))[0] === end);
    const dead = deadLetterTopic(topic);
    letters = [];
    const ranges = (await log.endOffsets(dead)).map((to, partition) => ({ partition, from: 0, to }));
    for await (const letter of log.read(dead, ranges)) letters.push(letter);
  });

  afterAll(async () => {
    await log?.close();
    await database?.close();
    await stored?.drop();
    registerCodecs();
  });

  it('does not touch the good events around it: each is processed once, in order', () => {
    expect(processed).toEqual([...['good-0', ...POISON.map((_, i) => `good-${i + 1}`)], 'good-last']);
  });

  it.each(POISON.map((poison, i) => ({ ...poison, offset: 2 * i + 1 })))(
    'is dead-lettered as it was, with its reason: $name',
    ({ value, code, message, offset }) => {
      const [letter, ...more] = letters.filter(({ headers }) => headers['lp_dlq_offset'] === String(offset));
      expect(more).toEqual([]);
      expect(letter!.headers).toMatchObject({
        ce_id: expect.any(String),
        lp_dlq_topic: topic,
        lp_dlq_partition: '0',
        lp_dlq_group: group,
        lp_dlq_service: 'poison',
        lp_dlq_step: 'process',
        lp_dlq_code: code,
        lp_dlq_message: expect.stringMatching(message),
      });
      expect(value.equals(letter!.value)).toBe(true);
      expect(letter!.key).toBe(KEY);
    },
  );

  it('is dead-lettered with its bytes and its offset when no codec can read it', () => {
    const letter = letters.find(({ headers }) => headers['lp_dlq_code'] === 'record-undecodable');
    expect(letter!.headers).toMatchObject({
      lp_dlq_topic: topic,
      lp_dlq_offset: String(2 * POISON.length + 1),
      lp_dlq_step: 'decode',
      lp_dlq_message: expect.stringMatching(/compressed with zstd|has codec 9/),
    });
    expect(Buffer.from(letter!.value).includes('"codeId":"compressed"')).toBe(true);
  });

  it('is in the dead-letter topic once, and nothing else is', () => {
    expect(letters).toHaveLength(POISON.length + 1);
  });

  it('leaves a consumer that lives and takes the next event', async () => {
    await log.append([{ topic, key: KEY, value: event('afterwards'), headers: {} }]);
    await until(() => processed.includes('afterwards'));
    for (const consumption of log.consumptions) {
      expect(consumption).toMatchObject({ ready: true, halted: undefined });
    }
  });
});
