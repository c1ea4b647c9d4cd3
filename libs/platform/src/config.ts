import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from './errors';
import { RawCodeKeys } from './raw-code';
import { type Role, roles } from './roles';

/** In the order of ISO 8601, which counts them from 1. */
export const weekDays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type WeekDay = (typeof weekDays)[number];

/** Every verdict needs the organisation's days: a zone that nobody knows must not get as far as the first one. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const megabytes = (n: number) => n * 1024 * 1024;

/** `http://` says that a host on a network of one's own speaks without TLS. */
const GIT_HOST = /^(http:\/\/)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/;

const flag = () => z.enum(['true', 'false']).transform((value) => value === 'true');

/** The content of the file that a variable names: secrets and certificates are mounted, not spelled out. */
const fileContent = () =>
  z.string().transform((path, context) => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
      context.addIssue({ code: 'custom', message: `${path} cannot be read (${reason})` });
      return z.NEVER;
    }
  });

const days = (least: number) => z.coerce.number().int().min(least).max(36_500);

const kafkaSchema = z
  .object({
    /** Codec of the batches that we write; every one of them is read. */
    compression: z.enum(['none', 'gzip', 'snappy', 'lz4', 'zstd']),
    tls: flag(),
    /** PEM. Without it the certificates that Node trusts. */
    ca: fileContent().optional(),
    /** PEM, of the client, with its key. */
    cert: fileContent().optional(),
    key: fileContent().optional(),
    saslMechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
    username: z.string().optional(),
    password: fileContent()
      .transform((text) => text.replace(/\r?\n$/, ''))
      .optional(),
  })
  .superRefine(({ tls, ca, cert, key, saslMechanism, username, password }, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (!tls && (ca ?? cert ?? key) !== undefined) issue('tls', 'must be true where certificates are given');
    if ((cert === undefined) !== (key === undefined)) {
      issue(cert === undefined ? 'cert' : 'key', 'a client certificate and its key go together');
    }
    if (saslMechanism && username === undefined) issue('username', 'must be given for SASL');
    if (saslMechanism && password === undefined) issue('password', 'must be given for SASL');
    if (!saslMechanism && (username ?? password) !== undefined) {
      issue('saslMechanism', 'must be given with a user');
    }
  });

/** How a process speaks with a Kafka cluster. */
export type KafkaSettings = z.infer<typeof kafkaSchema>;

/** Symmetric ones would let whoever knows a client's secret make tokens. */
const TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** Without TLS only on this machine. */
export const ISSUER = /^(https:\/\/|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$))/;

const words = () => z.string().transform((text) => text.split(/[\s,]+/).filter((word) => word !== ''));

const oidcSchema = z.object({
  /** As tokens spell it, down to the last slash. */
  issuer: z.url({ protocol: /^https?$/ }).regex(ISSUER, 'must be an https:// address'),
  /** Of the dashboard, as the provider knows it. */
  clientId: z.string(),
  /** What a token must be meant for, at least one of these. */
  audience: words().pipe(z.array(z.string()).min(1, 'must name an audience')),
  /** What the dashboard asks for. */
  scope: z.string(),
  algorithms: words().pipe(
    z.array(z.enum(TOKEN_ALGORITHMS, `must be among ${TOKEN_ALGORITHMS.join(', ')}`)).min(1),
  ),
  clockToleranceSeconds: z.coerce.number().int().min(0).max(300),
  /** The claim with the organisation's id; without one everybody belongs to `orgId`. */
  organisationClaim: z.string().optional(),
  orgId: z.string(),
  /** The claim with somebody's roles: a list, or a text of words. */
  roleClaim: z.string(),
  /** Our roles by the names that the provider has for them. */
  roleNames: words().transform((pairs, context) => {
    const names = new Map<string, Role>();
    for (const pair of pairs) {
      const [, name, role] = /^(.+)=(\w+)$/.exec(pair) ?? [];
      if (name !== undefined && isRole(role)) names.set(name, role);
      else
        context.addIssue({
          code: 'custom',
          message: `must list pairs such as platform-team=admin; roles are ${roles.join(', ')}`,
        });
    }
    return names;
  }),
  /** The claim with the projects that a maintainer sees: a list, or a text of words. */
  projectsClaim: z.string(),
  emailClaim: z.string(),
  /** Takes an address that the provider does not call verified. */
  trustEmail: flag(),
});

function isRole(name: string | undefined): name is Role {
  return roles.some((role) => role === name);
}

const configSchema = z.object({
  /** `pglite:<directory>`, `pglite:memory` or `postgres://…`. */
  databaseUrl: z.string(),
  rowSecurity: z.object({
    /** Whether requests are answered as `role`: where it can be had, only so, or never. */
    mode: z.enum(['prefer', 'require', 'off']),
    /** Role of Postgres that sees one organisation's rows at a time. */
    role: z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be lower-case letters, digits and _, at most 63'),
  }),
  /** `embedded:` or `kafka://host:port[,host:port]`. */
  logUrl: z.string(),
  /** `memory:` or `redis://…`. */
  recallUrl: z.string(),
  /** PEM, to trust with `rediss://` instead of what Node trusts. */
  recallCa: fileContent().optional(),
  /** Whether snippets with line prints are found by their MinHash bands as well. */
  recallBands: flag(),
  http: z.object({
    host: z.string(),
    port: z.coerce.number().int().min(0).max(65_535),
    /** Largest body of every endpoint but `/api/v1/commits`, bytes after decompression. */
    bodyLimit: z.coerce.number().int().positive(),
    commitBodyLimit: z.coerce.number().int().positive(),
    /** Values in a JSON body: a small text may say much. */
    bodyValues: z.coerce.number().int().positive(),
    /** Addresses and networks of proxies whose word is taken for where a request comes from and whether by TLS. */
    trustedProxies: words(),
  }),
  /** Requests a second that a process answers, over ten seconds; 0 answers all. */
  rateLimits: z.object({
    /** Of an API key or a person who has logged in. */
    credential: z.coerce.number().min(0),
    tenant: z.coerce.number().min(0),
    /** Without a credential that counts, of one address. */
    address: z.coerce.number().min(0),
  }),
  kafka: kafkaSchema,
  /** When a consumption stops rather than empty its topic into the dead-letter topic. */
  deadLetters: z.object({
    /** Over how many of the last records dead letters are counted. */
    window: z.coerce.number().int().min(1).max(100_000),
    /** This many among them are never too many … */
    least: z.coerce.number().int().min(0),
    /** … nor is this share of them. */
    ratio: z.coerce.number().min(0).max(1),
  }),
  /** How long a stopping process waits for the batches that run before it gives them up, uncommitted. */
  shutdownGraceMs: z.coerce.number().int().min(0),
  /** Base address of an OpenTelemetry collector (OTLP over HTTP); without it nothing is traced. */
  otlpUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Partitions of each topic when they are created. */
  partitions: z.coerce.number().int().min(1).max(1024),
  /** How long a commit waits for the snippets that preceded it before it goes on, marked late. */
  causalWaitMs: z.coerce.number().int().min(0),
  parserProcesses: z.coerce.number().int().min(1).max(64),
  logLevel: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
  /** AES-256 keys for opted-in raw code: 32 bytes in base64 each, the current one first. Without any raw code is dropped at the door. */
  rawCodeKeys: words()
    .transform((texts) => texts.map((text) => Buffer.from(text, 'base64')))
    .refine(
      (keys) => keys.length > 0 && keys.every((key) => key.length === 32),
      'must be 32 bytes in base64, or several such keys, the current one first',
    )
    .transform((keys) => new RawCodeKeys(keys))
    .optional(),
  git: z.object({
    /** Where mirrors may be fetched from; from nowhere when empty. */
    hosts: z
      .string()
      .transform((text) => text.split(/[\s,]+/).filter((host) => host !== ''))
      .pipe(
        z.array(z.string().regex(GIT_HOST, 'must list hosts such as github.com or git.example.org:8443')),
      ),
    mirrorDirectory: z.string(),
    /** How often each repository is looked at, whether its host tells of pushes or not. */
    pollMs: z.coerce.number().int().min(1),
    fetchTimeoutMs: z.coerce.number().int().min(1),
    /** Largest mirror, bytes on disk. */
    maxMirrorBytes: z.coerce.number().int().positive(),
    /** Path of certificate authorities (PEM) to trust instead of git's own. */
    caFile: z.string().optional(),
    /** Path of the host keys to trust with SSH, instead of those that the user of the process knows. */
    knownHostsFile: z.string().optional(),
    /** Where repositories of the first start's organisation lie on this machine, by name: text of lines is read there. */
    localRepositories: z.string().transform((text, context) => {
      try {
        return z.record(z.string().min(1), z.string().min(1)).parse(JSON.parse(text));
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON such as {"shop":"/srv/shop"}' });
        return z.NEVER;
      }
    }),
  }),
  /** Branches that count beside the default one, with at most one `*` each, of repositories that name none themselves. */
  countedBranches: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((pattern) => pattern !== ''))
    .pipe(z.array(z.string().regex(/^[^*]*\*?[^*]*$/, 'must list branches with at most one `*` each'))),
  /** For how many days what is kept that no number needs. */
  retention: z.object({
    /** Snippets and their prints, at least; younger ones still match. */
    snippetDays: days(90),
    /** The code of organisations that opted in. */
    rawCodeDays: days(1),
    /** What commits used and had seen of snippets, and changed in the counts of lines. */
    historyDays: days(92),
    /** Who was shown which text, and what came of reconciliations. */
    auditDays: days(1),
  }),
  /** How people log in; without it API keys alone are taken. */
  oidc: oidcSchema.optional(),
  /** Holds a folder an organisation with what its connected repositories name as secrets. */
  secretsDirectory: z.string(),
  /** What a first start creates, so that an installation can be scripted. */
  bootstrap: z.object({
    orgId: z.string().min(1).max(64),
    apiKey: z.string().optional(),
    lineKey: z
      .string()
      .transform((text) => Buffer.from(text, 'base64'))
      .refine((key) => key.length >= 16, 'must be at least 16 bytes in base64')
      .optional(),
    timeZone: z.string().refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin'),
    weekStart: z.enum(weekDays, 'must be a day of the week such as sunday').optional(),
  }),
});

export type Config = z.infer<typeof configSchema>;

/** Injection token of the process's configuration. */
export const CONFIG = Symbol('CONFIG');

/** The names of the variables, so that an error can name the one to change. */
const VARIABLES: Record<string, string> = {
  databaseUrl: 'LINEPRINT_DATABASE_URL',
  'rowSecurity.mode': 'LINEPRINT_ROW_SECURITY',
  'rowSecurity.role': 'LINEPRINT_TENANT_ROLE',
  logUrl: 'LINEPRINT_LOG_URL',
  recallUrl: 'LINEPRINT_RECALL_URL',
  recallCa: 'LINEPRINT_RECALL_CA_FILE',
  recallBands: 'LINEPRINT_RECALL_BANDS',
  'http.host': 'LINEPRINT_HOST',
  'http.port': 'LINEPRINT_PORT',
  'http.bodyLimit': 'LINEPRINT_BODY_LIMIT',
  'http.commitBodyLimit': 'LINEPRINT_COMMIT_BODY_LIMIT',
  'http.bodyValues': 'LINEPRINT_BODY_VALUES',
  'http.trustedProxies': 'LINEPRINT_TRUSTED_PROXIES',
  'rateLimits.credential': 'LINEPRINT_RATE_LIMIT',
  'rateLimits.tenant': 'LINEPRINT_TENANT_RATE_LIMIT',
  'rateLimits.address': 'LINEPRINT_ADDRESS_RATE_LIMIT',
  'kafka.compression': 'LINEPRINT_KAFKA_COMPRESSION',
  'kafka.tls': 'LINEPRINT_KAFKA_TLS',
  'kafka.ca': 'LINEPRINT_KAFKA_CA_FILE',
  'kafka.cert': 'LINEPRINT_KAFKA_CERT_FILE',
  'kafka.key': 'LINEPRINT_KAFKA_KEY_FILE',
  'kafka.saslMechanism': 'LINEPRINT_KAFKA_SASL_MECHANISM',
  'kafka.username': 'LINEPRINT_KAFKA_USERNAME',
  'kafka.password': 'LINEPRINT_KAFKA_PASSWORD_FILE',
  'deadLetters.window': 'LINEPRINT_DEAD_LETTER_WINDOW',
  'deadLetters.least': 'LINEPRINT_DEAD_LETTERS_TOLERATED',
  'deadLetters.ratio': 'LINEPRINT_DEAD_LETTER_RATIO',
  shutdownGraceMs: 'LINEPRINT_SHUTDOWN_GRACE_MS',
  otlpUrl: 'LINEPRINT_OTLP_URL',
  partitions: 'LINEPRINT_PARTITIONS',
  causalWaitMs: 'LINEPRINT_CAUSAL_WAIT_MS',
  parserProcesses: 'LINEPRINT_PARSER_PROCESSES',
  logLevel: 'LINEPRINT_LOG_LEVEL',
  rawCodeKeys: 'LINEPRINT_RAW_CODE_KEY',
  'git.hosts': 'LINEPRINT_GIT_HOSTS',
  'git.mirrorDirectory': 'LINEPRINT_GIT_MIRRORS',
  'git.pollMs': 'LINEPRINT_GIT_POLL_MS',
  'git.fetchTimeoutMs': 'LINEPRINT_GIT_FETCH_TIMEOUT_MS',
  'git.maxMirrorBytes': 'LINEPRINT_GIT_MIRROR_LIMIT',
  'git.caFile': 'LINEPRINT_GIT_CA_FILE',
  'git.knownHostsFile': 'LINEPRINT_GIT_KNOWN_HOSTS',
  'git.localRepositories': 'LINEPRINT_LOCAL_REPOSITORIES',
  countedBranches: 'LINEPRINT_COUNTED_BRANCHES',
  'retention.snippetDays': 'LINEPRINT_KEEP_SNIPPETS_DAYS',
  'retention.rawCodeDays': 'LINEPRINT_KEEP_RAW_CODE_DAYS',
  'retention.historyDays': 'LINEPRINT_KEEP_HISTORY_DAYS',
  'retention.auditDays': 'LINEPRINT_KEEP_AUDIT_DAYS',
  'oidc.issuer': 'LINEPRINT_OIDC_ISSUER',
  'oidc.clientId': 'LINEPRINT_OIDC_CLIENT_ID',
  'oidc.audience': 'LINEPRINT_OIDC_AUDIENCE',
  'oidc.scope': 'LINEPRINT_OIDC_SCOPE',
  'oidc.algorithms': 'LINEPRINT_OIDC_ALGORITHMS',
  'oidc.clockToleranceSeconds': 'LINEPRINT_OIDC_CLOCK_TOLERANCE_S',
  'oidc.organisationClaim': 'LINEPRINT_OIDC_ORGANISATION_CLAIM',
  'oidc.roleClaim': 'LINEPRINT_OIDC_ROLE_CLAIM',
  'oidc.roleNames': 'LINEPRINT_OIDC_ROLES',
  'oidc.projectsClaim': 'LINEPRINT_OIDC_PROJECTS_CLAIM',
  'oidc.emailClaim': 'LINEPRINT_OIDC_EMAIL_CLAIM',
  'oidc.trustEmail': 'LINEPRINT_OIDC_TRUST_EMAIL',
  secretsDirectory: 'LINEPRINT_SECRETS_DIRECTORY',
  'bootstrap.orgId': 'LINEPRINT_ORG_ID',
  'bootstrap.apiKey': 'LINEPRINT_BOOTSTRAP_API_KEY',
  'bootstrap.lineKey': 'LINEPRINT_BOOTSTRAP_LINE_KEY',
  'bootstrap.timeZone': 'LINEPRINT_TIME_ZONE',
  'bootstrap.weekStart': 'LINEPRINT_WEEK_START',
};

/**
 * Reads the environment once into a typed value: the only reader of it.
 * @throws ConfigError that names the variable and what it should hold.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const setting = (path: string): string | undefined => env[VARIABLES[path]!] || undefined;
  const parsed = configSchema.safeParse({
    databaseUrl: setting('databaseUrl') ?? 'pglite:.lineprint/database',
    rowSecurity: {
      mode: setting('rowSecurity.mode') ?? 'prefer',
      role: setting('rowSecurity.role') ?? 'lineprint_tenant',
    },
    logUrl: setting('logUrl') ?? 'embedded:',
    recallUrl: setting('recallUrl') ?? 'memory:',
    recallCa: setting('recallCa'),
    recallBands: setting('recallBands') ?? 'true',
    http: {
      host: setting('http.host') ?? '127.0.0.1',
      port: setting('http.port') ?? 7310,
      bodyLimit: setting('http.bodyLimit') ?? megabytes(4),
      commitBodyLimit: setting('http.commitBodyLimit') ?? megabytes(64),
      bodyValues: setting('http.bodyValues') ?? 4_000_000,
      trustedProxies: setting('http.trustedProxies') ?? '',
    },
    rateLimits: {
      credential: setting('rateLimits.credential') ?? 500,
      tenant: setting('rateLimits.tenant') ?? 2_000,
      address: setting('rateLimits.address') ?? 100,
    },
    kafka: {
      compression: setting('kafka.compression') ?? 'gzip',
      tls: setting('kafka.tls') ?? 'false',
      ca: setting('kafka.ca'),
      cert: setting('kafka.cert'),
      key: setting('kafka.key'),
      saslMechanism: setting('kafka.saslMechanism'),
      username: setting('kafka.username'),
      password: setting('kafka.password'),
    },
    deadLetters: {
      window: setting('deadLetters.window') ?? 1_000,
      least: setting('deadLetters.least') ?? 20,
      ratio: setting('deadLetters.ratio') ?? 0.05,
    },
    shutdownGraceMs: setting('shutdownGraceMs') ?? 25_000,
    otlpUrl: setting('otlpUrl') ?? (env['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined),
    partitions: setting('partitions') ?? 6,
    causalWaitMs: setting('causalWaitMs') ?? 120_000,
    parserProcesses: setting('parserProcesses') ?? 1,
    logLevel: setting('logLevel') ?? 'info',
    rawCodeKeys: setting('rawCodeKeys'),
    git: {
      hosts: setting('git.hosts') ?? '',
      mirrorDirectory: setting('git.mirrorDirectory') ?? '.lineprint/mirrors',
      pollMs: setting('git.pollMs') ?? 900_000,
      fetchTimeoutMs: setting('git.fetchTimeoutMs') ?? 1_800_000,
      maxMirrorBytes: setting('git.maxMirrorBytes') ?? 20 * 1024 * megabytes(1),
      caFile: setting('git.caFile'),
      knownHostsFile: setting('git.knownHostsFile'),
      localRepositories: setting('git.localRepositories') ?? '{}',
    },
    countedBranches: setting('countedBranches') ?? '',
    retention: {
      snippetDays: setting('retention.snippetDays') ?? 120,
      rawCodeDays: setting('retention.rawCodeDays') ?? 90,
      historyDays: setting('retention.historyDays') ?? 120,
      auditDays: setting('retention.auditDays') ?? 400,
    },
    oidc: setting('oidc.issuer') && {
      issuer: setting('oidc.issuer'),
      clientId: setting('oidc.clientId') ?? 'lineprint',
      audience: setting('oidc.audience') ?? setting('oidc.clientId') ?? 'lineprint',
      scope: setting('oidc.scope') ?? 'openid email profile',
      algorithms: setting('oidc.algorithms') ?? 'RS256 PS256 ES256 EdDSA',
      clockToleranceSeconds: setting('oidc.clockToleranceSeconds') ?? 30,
      organisationClaim: setting('oidc.organisationClaim'),
      orgId: setting('bootstrap.orgId') ?? 'default',
      roleClaim: setting('oidc.roleClaim') ?? 'roles',
      roleNames: setting('oidc.roleNames') ?? '',
      projectsClaim: setting('oidc.projectsClaim') ?? 'lineprint_projects',
      emailClaim: setting('oidc.emailClaim') ?? 'email',
      trustEmail: setting('oidc.trustEmail') ?? 'false',
    },
    secretsDirectory: setting('secretsDirectory') ?? '/run/secrets/lineprint',
    bootstrap: {
      orgId: setting('bootstrap.orgId') ?? 'default',
      apiKey: setting('bootstrap.apiKey'),
      lineKey: setting('bootstrap.lineKey'),
      timeZone: setting('bootstrap.timeZone') ?? 'UTC',
      weekStart: setting('bootstrap.weekStart'),
    },
  });
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => {
    // An item of a list is named by its variable.
    const path = issue.path.filter((part) => typeof part === 'string').join('.');
    return `${VARIABLES[path] ?? path}: ${issue.message}`;
  });
  throw new ConfigError(`Wrong configuration. ${wrong.join('; ')}`);
}

/** What the command line takes from the environment when an option is left out. */
export interface ClientSettings {
  readonly url: string;
  /** Where the query API answers, if not at `url`. */
  readonly queryUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly databaseUrl: string | undefined;
  /** Where the command line keeps its state. */
  readonly stateDirectory: string;
}

export function loadClientSettings(env: NodeJS.ProcessEnv = process.env): ClientSettings {
  return {
    url: env['LINEPRINT_URL'] || 'http://127.0.0.1:7310',
    queryUrl: env['LINEPRINT_QUERY_URL'] || undefined,
    apiKey: env['LINEPRINT_API_KEY'] || undefined,
    databaseUrl: env['LINEPRINT_DATABASE_URL'] || undefined,
    stateDirectory: env['LINEPRINT_STATE_DIRECTORY'] || '.lineprint',
  };
}

/** What the command line reads. */
const CLIENT_VARIABLES = [
  'LINEPRINT_URL',
  'LINEPRINT_QUERY_URL',
  'LINEPRINT_API_KEY',
  'LINEPRINT_STATE_DIRECTORY',
];
/** What the tools and tests of the workspace read: none of it is a setting. */
const OF_THE_WORKSPACE = /^LINEPRINT_(TEST_|(KAFKA|REDIS|POSTGRES)_URL$)/;

/** Every name of a setting of the services. */
export function settingNames(): string[] {
  return Object.values(VARIABLES);
}

/** Variables of the environment that look like ours and that nothing reads: most are misspelt. */
export function unknownSettings(env: NodeJS.ProcessEnv = process.env): string[] {
  const known = new Set([...settingNames(), ...CLIENT_VARIABLES]);
  return Object.keys(env)
    .filter((name) => name.startsWith('LINEPRINT_') && !OF_THE_WORKSPACE.test(name) && !known.has(name))
    .sort();
}

/** Whether the environment says where an installation's stores are. */
export function namesStores(env: NodeJS.ProcessEnv = process.env): boolean {
  return ['databaseUrl', 'logUrl', 'recallUrl'].some((path) => env[VARIABLES[path]!]);
}

/** The environment of a child process: ours, with these settings. */
export function childEnvironment(settings: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...settings };
}
