import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment, loadClientSettings, loadConfig, settingNames, unknownSettings } from './config';
import { RawCodeKeys } from './raw-code';
import { SETTING_DESCRIPTIONS } from './setting-descriptions';

const messageOf = (env: NodeJS.ProcessEnv): string => {
  try {
    loadConfig(env);
  } catch (error) {
    expect(error).toMatchObject({ code: 'config-invalid', transient: false });
    return (error as Error).message;
  }
  throw new Error('the configuration was accepted');
};

describe('the configuration', () => {
  it('is whole without any variable: embedded adapters on loopback', () => {
    expect(loadConfig({})).toMatchObject({
      databaseUrl: 'pglite:.lineprint/database',
      logUrl: 'embedded:',
      recallUrl: 'memory:',
      http: { host: '127.0.0.1', port: 7310 },
      bootstrap: { orgId: 'default', timeZone: 'UTC' },
    });
  });

  it.each([
    ['LINEPRINT_PORT', '65536'],
    ['LINEPRINT_TIME_ZONE', 'Mars/Olympus'],
    ['LINEPRINT_PORT', 'http'],
    ['LINEPRINT_BODY_LIMIT', '0'],
    ['LINEPRINT_COMMIT_BODY_LIMIT', '1.5'],
    ['LINEPRINT_PARTITIONS', '0'],
    ['LINEPRINT_CAUSAL_WAIT_MS', '-1'],
    ['LINEPRINT_PARSER_PROCESSES', '65'],
    ['LINEPRINT_LOG_LEVEL', 'loud'],
    ['LINEPRINT_RAW_CODE_KEY', Buffer.alloc(16).toString('base64')],
    ['LINEPRINT_BOOTSTRAP_LINE_KEY', Buffer.alloc(15).toString('base64')],
    ['LINEPRINT_ORG_ID', 'x'.repeat(65)],
    ['LINEPRINT_KAFKA_COMPRESSION', 'brotli'],
    ['LINEPRINT_KAFKA_SASL_MECHANISM', 'oauthbearer'],
    ['LINEPRINT_KAFKA_CA_FILE', '/nowhere/ca.pem'],
    ['LINEPRINT_DEAD_LETTER_RATIO', '1.5'],
    ['LINEPRINT_DEAD_LETTER_WINDOW', '0'],
    ['LINEPRINT_DEAD_LETTERS_TOLERATED', '-1'],
    ['LINEPRINT_SHUTDOWN_GRACE_MS', 'soon'],
    ['LINEPRINT_OTLP_URL', 'collector:4318'],
    ['LINEPRINT_LOCAL_REPOSITORIES', '/srv/shop'],
    ['LINEPRINT_LOCAL_REPOSITORIES', '{"shop":1}'],
  ])('names %s when it is %s', (variable, value) => {
    expect(messageOf({ [variable]: value })).toContain(`${variable}: `);
  });

  it('names every wrong variable at once, and no right one', () => {
    const message = messageOf({
      LINEPRINT_PORT: '-1',
      LINEPRINT_LOG_LEVEL: 'loud',
      LINEPRINT_PARTITIONS: '3',
    });
    expect(message).toContain('LINEPRINT_PORT');
    expect(message).toContain('LINEPRINT_LOG_LEVEL');
    expect(message).not.toContain('LINEPRINT_PARTITIONS');
  });

  it('does not repeat a secret in its message', () => {
    const secret = Buffer.from('a secret too short').toString('base64');
    expect(messageOf({ LINEPRINT_RAW_CODE_KEY: secret })).not.toContain(secret);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(loadConfig({ LINEPRINT_PORT: '', LINEPRINT_RAW_CODE_KEY: '' })).toEqual(loadConfig({}));
  });

  it('reads keys as bytes', () => {
    const { rawCodeKeys, bootstrap } = loadConfig({
      LINEPRINT_RAW_CODE_KEY: Buffer.alloc(32, 7).toString('base64'),
      LINEPRINT_BOOTSTRAP_LINE_KEY: Buffer.alloc(16, 8).toString('base64'),
    });
    expect(rawCodeKeys).toEqual(new RawCodeKeys([Buffer.alloc(32, 7)]));
    expect(bootstrap.lineKey).toEqual(Buffer.alloc(16, 8));
  });
});

describe('the settings of Kafka', () => {
  let directory: string;
  const file = (name: string, content: string) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'lineprint-config-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('are plain text and gzip where nothing is said', () => {
    expect(loadConfig({}).kafka).toEqual({ compression: 'gzip', tls: false });
  });

  it('come from files where they are secrets or certificates, a password without its last line break', () => {
    const { kafka } = loadConfig({
      LINEPRINT_KAFKA_TLS: 'true',
      LINEPRINT_KAFKA_CA_FILE: file('ca.pem', 'CA\n'),
      LINEPRINT_KAFKA_CERT_FILE: file('client.pem', 'CERT\n'),
      LINEPRINT_KAFKA_KEY_FILE: file('client.key', 'KEY\n'),
      LINEPRINT_KAFKA_SASL_MECHANISM: 'scram-sha-512',
      LINEPRINT_KAFKA_USERNAME: 'lineprint',
      LINEPRINT_KAFKA_PASSWORD_FILE: file('password', 'p w\n'),
    });
    expect(kafka).toEqual({
      compression: 'gzip',
      tls: true,
      ca: 'CA\n',
      cert: 'CERT\n',
      key: 'KEY\n',
      saslMechanism: 'scram-sha-512',
      username: 'lineprint',
      password: 'p w',
    });
  });

  it('are refused where half of a pair is missing, by the name of that half', () => {
    const path = file('half', 'x');
    expect(messageOf({ LINEPRINT_KAFKA_CA_FILE: path })).toContain('LINEPRINT_KAFKA_TLS: ');
    expect(messageOf({ LINEPRINT_KAFKA_TLS: 'true', LINEPRINT_KAFKA_CERT_FILE: path })).toContain(
      'LINEPRINT_KAFKA_KEY_FILE: ',
    );
    expect(messageOf({ LINEPRINT_KAFKA_TLS: 'true', LINEPRINT_KAFKA_KEY_FILE: path })).toContain(
      'LINEPRINT_KAFKA_CERT_FILE: ',
    );
    const sasl = { LINEPRINT_KAFKA_SASL_MECHANISM: 'plain' };
    expect(messageOf(sasl)).toMatch(/LINEPRINT_KAFKA_USERNAME: .*LINEPRINT_KAFKA_PASSWORD_FILE: /);
    expect(messageOf({ LINEPRINT_KAFKA_USERNAME: 'u' })).toContain('LINEPRINT_KAFKA_SASL_MECHANISM: ');
  });
});

describe('the collector of traces', () => {
  it('is ours, or the one that OpenTelemetry’s own variable names, or none', () => {
    const theirs = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    expect(loadConfig({}).otlpUrl).toBeUndefined();
    expect(loadConfig(theirs).otlpUrl).toBe('http://collector:4318');
    expect(loadConfig({ ...theirs, LINEPRINT_OTLP_URL: 'https://ours:4318' }).otlpUrl).toBe(
      'https://ours:4318',
    );
  });
});

describe('the descriptions of settings', () => {
  const described = Object.values(SETTING_DESCRIPTIONS).flat();

  it('are in docs/configuration.md, with every other variable that is read', () => {
    const named = (path: string) =>
      new Set(readFileSync(join(__dirname, path), 'utf8').match(/LINEPRINT_[A-Z_]*[A-Z]/g));
    expect([...named('../../../docs/configuration.md')].sort()).toEqual(
      expect.arrayContaining([...settingNames()].sort()),
    );
    expect(described.map(({ variable }) => variable).sort()).toEqual(settingNames().sort());
  });

  it.each(
    described.flatMap(({ variable, byDefault }) =>
      /^`[^`]+`$/.test(byDefault) ? [[variable, byDefault]] : [],
    ),
  )('%s has the default %s', (variable, byDefault) => {
    const oidc = variable.startsWith('LINEPRINT_OIDC_')
      ? { LINEPRINT_OIDC_ISSUER: 'https://id.example' }
      : {};
    expect(loadConfig({ ...oidc, [variable]: byDefault.slice(1, -1) })).toEqual(loadConfig(oidc));
  });

  it('know a variable that nothing reads from one that is read', () => {
    const env = {
      LINEPRINT_PARTITONS: '6',
      LINEPRINT_PARTITIONS: '6',
      LINEPRINT_URL: 'u',
      LINEPRINT_TEST_X: 'x',
    };
    expect(unknownSettings(env)).toEqual(['LINEPRINT_PARTITONS']);
  });
});

describe('the environment of the command line and its children', () => {
  it('has a server’s address even when nothing is set', () => {
    expect(loadClientSettings({})).toEqual({
      url: 'http://127.0.0.1:7310',
      queryUrl: undefined,
      apiKey: undefined,
      databaseUrl: undefined,
      stateDirectory: '.lineprint',
    });
    expect(
      loadClientSettings({ LINEPRINT_URL: 'https://lp.example', LINEPRINT_API_KEY: 'lp_x' }),
    ).toMatchObject({
      url: 'https://lp.example',
      apiKey: 'lp_x',
    });
  });

  it('passes ours on, with its own settings on top', () => {
    expect(childEnvironment({ LINEPRINT_PORT: '0' })).toEqual({ ...process.env, LINEPRINT_PORT: '0' });
  });
});
