import { z } from 'zod';
import { ConfigError } from './errors';

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

const configSchema = z.object({
  /** `pglite:<directory>`, `pglite:memory` or `postgres://…`. */
  databaseUrl: z.string(),
  /** `embedded:` or `kafka://host:port[,host:port]`. */
  logUrl: z.string(),
  /** `memory:` or `redis://…`. */
  recallUrl: z.string(),
  /** Whether snippets with line prints are found by their MinHash bands as well. */
  recallBands: z.enum(['true', 'false']).transform((value) => value === 'true'),
  http: z.object({
    host: z.string(),
    port: z.coerce.number().int().min(0).max(65_535),
    /** Largest body of every endpoint but `/api/v1/commits`, bytes after decompression. */
    bodyLimit: z.coerce.number().int().positive(),
    commitBodyLimit: z.coerce.number().int().positive(),
  }),
  /** Partitions of each topic when they are created. */
  partitions: z.coerce.number().int().min(1).max(1024),
  /** How long a commit waits for the snippets that preceded it before it goes on, marked late. */
  causalWaitMs: z.coerce.number().int().min(0),
  parserProcesses: z.coerce.number().int().min(1).max(64),
  logLevel: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
  /** AES-256 key for opted-in raw code: 32 bytes, base64. Without it raw code is dropped at the door. */
  rawCodeKey: z
    .string()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((key) => key.length === 32, 'must be 32 bytes in base64')
    .optional(),
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
  }),
});

export type Config = z.infer<typeof configSchema>;

/** Injection token of the process's configuration. */
export const CONFIG = Symbol('CONFIG');

/** The names of the variables, so that an error can name the one to change. */
const VARIABLES: Record<string, string> = {
  databaseUrl: 'LINEPRINT_DATABASE_URL',
  logUrl: 'LINEPRINT_LOG_URL',
  recallUrl: 'LINEPRINT_RECALL_URL',
  recallBands: 'LINEPRINT_RECALL_BANDS',
  'http.host': 'LINEPRINT_HOST',
  'http.port': 'LINEPRINT_PORT',
  'http.bodyLimit': 'LINEPRINT_BODY_LIMIT',
  'http.commitBodyLimit': 'LINEPRINT_COMMIT_BODY_LIMIT',
  partitions: 'LINEPRINT_PARTITIONS',
  causalWaitMs: 'LINEPRINT_CAUSAL_WAIT_MS',
  parserProcesses: 'LINEPRINT_PARSER_PROCESSES',
  logLevel: 'LINEPRINT_LOG_LEVEL',
  rawCodeKey: 'LINEPRINT_RAW_CODE_KEY',
  'bootstrap.orgId': 'LINEPRINT_ORG_ID',
  'bootstrap.apiKey': 'LINEPRINT_BOOTSTRAP_API_KEY',
  'bootstrap.lineKey': 'LINEPRINT_BOOTSTRAP_LINE_KEY',
  'bootstrap.timeZone': 'LINEPRINT_TIME_ZONE',
};

/**
 * Reads the environment once into a typed value: the only reader of it.
 * @throws ConfigError that names the variable and what it should hold.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const setting = (path: string): string | undefined => env[VARIABLES[path]!] || undefined;
  const parsed = configSchema.safeParse({
    databaseUrl: setting('databaseUrl') ?? 'pglite:.lineprint/database',
    logUrl: setting('logUrl') ?? 'embedded:',
    recallUrl: setting('recallUrl') ?? 'memory:',
    recallBands: setting('recallBands') ?? 'true',
    http: {
      host: setting('http.host') ?? '127.0.0.1',
      port: setting('http.port') ?? 7310,
      bodyLimit: setting('http.bodyLimit') ?? megabytes(4),
      commitBodyLimit: setting('http.commitBodyLimit') ?? megabytes(64),
    },
    partitions: setting('partitions') ?? 6,
    causalWaitMs: setting('causalWaitMs') ?? 120_000,
    parserProcesses: setting('parserProcesses') ?? 1,
    logLevel: setting('logLevel') ?? 'info',
    rawCodeKey: setting('rawCodeKey'),
    bootstrap: {
      orgId: setting('bootstrap.orgId') ?? 'default',
      apiKey: setting('bootstrap.apiKey'),
      lineKey: setting('bootstrap.lineKey'),
      timeZone: setting('bootstrap.timeZone') ?? 'UTC',
    },
  });
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => {
    const path = issue.path.join('.');
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

/** The environment of a child process: ours, with these settings. */
export function childEnvironment(settings: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...settings };
}
