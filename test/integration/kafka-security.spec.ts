import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { deadLetterTopic } from '@lineprint/contracts';
import { type EventLog, openEventLog } from '@lineprint/event-log';
import type { Database } from '@lineprint/persistence';
import { type KafkaSettings, loadConfig } from '@lineprint/platform';

jest.setTimeout(120_000);

const DAY_MS = 86_400_000;

/** What `tools/servers/secure-kafka.mjs` prints. */
interface SecureBroker {
  /** TLS and a login. */
  readonly loginUrl: string;
  /** TLS and client certificates. */
  readonly certificateUrl: string;
  readonly plainUrl: string;
  readonly username: string;
  readonly password: string;
  /** `authority.pem`, `client.pem`, `client.key`; a `stranger.pem` that signed nothing of it; the broker's `data`. */
  readonly folder: string;
}

/** No value here is over the broker's limit; how far a group's effects reach it does not know. */
const noDatabase = { query: () => Promise.resolve([]) } as unknown as Database;

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('a broker that asks who we are', () => {
  const program = fork(join(__dirname, '../../tools/servers/secure-kafka.mjs'), [], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(program, 'exit');
  let broker: SecureBroker;
  const logs: EventLog[] = [];

  const file = (name: string) => join(broker.folder, name);
  const settings = (variables: Record<string, string>): KafkaSettings =>
    loadConfig({ LINEPRINT_KAFKA_TLS: 'true', LINEPRINT_KAFKA_CA_FILE: file('authority.pem'), ...variables })
      .kafka;
  const login = (mechanism: string, passwordFile = 'password') =>
    settings({
      LINEPRINT_KAFKA_SASL_MECHANISM: mechanism,
      LINEPRINT_KAFKA_USERNAME: broker.username,
      LINEPRINT_KAFKA_PASSWORD_FILE: file(passwordFile),
    });
  const open = async (url: string, kafka?: KafkaSettings) => {
    const log = await openEventLog(url, {
      database: noDatabase,
      clientId: 'secure',
      ...(kafka ? { kafka } : {}),
    });
    logs.push(log);
    return log;
  };
  /** Writes a record and reads it as a group: every kind of connection that a service has. */
  const roundTrip = async (log: EventLog): Promise<string[]> => {
    const topic = `secure.${randomUUID()}.v1`;
    await log.ensureTopics([{ name: topic, partitions: 1, retentionMs: DAY_MS }]);
    await log.append([{ topic, key: 'k', value: Buffer.from('secret'), headers: {} }]);
    const seen: string[] = [];
    await log.consume({
      group: `group-${randomUUID()}`,
      topic,
      handler: (batch) => {
        seen.push(...batch.records.map(({ value }) => Buffer.from(value).toString()));
        return Promise.resolve({ processed: batch.records.length });
      },
    });
    await until(() => seen.length > 0);
    return seen;
  };

  beforeAll(async () => {
    const [line] = (await once(createInterface({ input: program.stdout! }), 'line')) as [string];
    broker = JSON.parse(line) as SecureBroker;
    writeFileSync(file('password'), `${broker.password}\n`);
    writeFileSync(file('wrong-password'), 'wrong\n');
  });

  afterEach(async () => {
    await Promise.all(logs.splice(0).map((log) => log.close()));
  });

  afterAll(async () => {
    if (program.connected) program.disconnect();
    await ended;
  });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])(
    'lets us in by TLS and a password: %s',
    async (mechanism) => {
      expect(await roundTrip(await open(broker.loginUrl, login(mechanism)))).toEqual(['secret']);
    },
  );

  it('lets us in by TLS and a client certificate', async () => {
    const certificate = settings({
      LINEPRINT_KAFKA_CERT_FILE: file('client.pem'),
      LINEPRINT_KAFKA_KEY_FILE: file('client.key'),
    });
    expect(await roundTrip(await open(broker.certificateUrl, certificate))).toEqual(['secret']);
  });

  it.each(['plain', 'scram-sha-512'])('refuses a wrong password: %s', async (mechanism) => {
    await expect(open(broker.loginUrl, login(mechanism, 'wrong-password'))).rejects.toMatchObject({
      code: 'log-unavailable',
      message: expect.stringMatching(/authentication failed/i),
    });
  });

  it('refuses a client without a certificate, and one of a stranger’s', async () => {
    const strange = settings({
      LINEPRINT_KAFKA_CERT_FILE: file('strange-client.pem'),
      LINEPRINT_KAFKA_KEY_FILE: file('strange-client.key'),
    });
    for (const kafka of [settings({}), strange]) {
      await expect(open(broker.certificateUrl, kafka)).rejects.toMatchObject({ code: 'log-unavailable' });
    }
  });

  it('is refused by us when another authority has signed its certificate', async () => {
    const trusting = settings({ LINEPRINT_KAFKA_CA_FILE: file('stranger.pem') });
    await expect(open(broker.certificateUrl, trusting)).rejects.toMatchObject({
      code: 'log-unavailable',
      message: expect.stringMatching(/certificate|self.signed|verify/i),
    });
  });

  it('cannot stop us with a batch that was damaged on its disk: that one is dead-lettered, the rest processed', async () => {
    const log = await open(broker.plainUrl, { tls: false, compression: 'none' });
    const topic = `damaged.${randomUUID()}.v1`;
    const dead = deadLetterTopic(topic);
    await log.ensureTopics([topic, dead].map((name) => ({ name, partitions: 1, retentionMs: DAY_MS })));
    for (const value of ['before', 'untouched-original', 'after']) {
      await log.append([{ topic, key: 'k', value: Buffer.from(value), headers: {} }]);
    }
    const segment = join(broker.folder, 'data', `${topic}-0`, '00000000000000000000.log');
    const at = readFileSync(segment).indexOf('untouched-original');
    const descriptor = openSync(segment, 'r+');
    writeSync(descriptor, Buffer.from('XX'), 0, 2, at);
    closeSync(descriptor);

    const seen: string[] = [];
    const group = `group-${randomUUID()}`;
    await log.consume({
      group,
      topic,
      handler: (batch) => {
        seen.push(...batch.records.map(({ value }) => Buffer.from(value).toString()));
        return Promise.resolve({ processed: batch.records.length });
      },
    });
    await until(async () => (await log.committed(group, topic))[0] === 3);
    expect(seen).toEqual(['before', 'after']);
    const letters = [];
    for await (const letter of log.read(dead, [{ partition: 0, from: 0, to: 10 }])) letters.push(letter);
    expect(letters.map(({ headers }) => headers)).toEqual([
      expect.objectContaining({
        lp_dlq_offset: '1',
        lp_dlq_code: 'record-undecodable',
        lp_dlq_message: expect.stringContaining('checksum'),
      }),
    ]);
    expect(Buffer.from(letters[0]!.value).toString('latin1')).toContain('XXtouched-original');
  });
});
