import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { TOPICS, topicSpecs } from '@lineprint/contracts';
import type { EventLog } from '@lineprint/event-log';
import {
  bootstrap,
  createApiKey,
  type Database,
  expire,
  grantReader,
  type MadeReader,
  MIGRATIONS_DIRECTORY,
  migrate,
  openDatabase,
  replaceApiKey,
  revokeApiKey,
  revokeReader,
  secureRows,
} from '@lineprint/persistence';
import { addAuditCommand } from './audit';
import { LineprintError, loadClientSettings, loadConfig, type Scope } from '@lineprint/platform';

interface AdminOptions {
  readonly database?: string;
  readonly json?: boolean;
}

interface KeyOptions extends AdminOptions {
  readonly scope: string[];
  readonly replace?: string;
  readonly overlapHours: number;
  readonly revoke?: string;
}

interface ReaderOptions extends AdminOptions {
  readonly name: string;
  readonly org?: string;
  readonly passwordFile?: string;
  readonly revoke?: boolean;
}

const HOUR_MS = 3_600_000;
const MAX_OVERLAP_HOURS = 24 * 30;
const SCOPES: readonly Scope[] = ['admin', 'read', 'code', 'audit', 'ingest'];

export function addAdminCommand(program: Command): void {
  const admin = program.command('admin').description('Set up and look after an installation.');
  addAuditCommand(admin);
  withDatabase(
    admin
      .command('init')
      .description('Migrate the database; create the organisation, its line key and its first API key.'),
  ).action((options: AdminOptions) => inDatabase(options, (database) => initialise(database, options)));
  withDatabase(
    admin
      .command('reader')
      .description(
        'Make a role of Postgres that reads an organisation by SQL, for Grafana and the like: views only, changing nothing. Again after a release with new views.',
      )
      .requiredOption('--name <role>', 'its name')
      .option('--org <id>', 'an organisation that it sees (default: LINEPRINT_ORG_ID)')
      .option('--password-file <path>', 'a file with its password; by default one is made for a new role')
      .option('--revoke', 'take the organisation from its sight instead'),
  ).action((options: ReaderOptions) =>
    inDatabase(options, async (database) => {
      const { name, revoke, passwordFile } = options;
      const org = options.org ?? loadConfig().bootstrap.orgId;
      const reader = revoke
        ? { name, orgIds: await revokeReader(database, name, org), password: null }
        : await grantReader(database, name, org, passwordFile ? await passwordIn(passwordFile) : undefined);
      process.stdout.write(options.json ? `${JSON.stringify(reader)}\n` : readerText(reader));
    }),
  );
  withDatabase(
    admin
      .command('topics')
      .description(
        'Create what is missing of the topics, with LINEPRINT_PARTITIONS partitions each; refuse to have fewer of them.',
      ),
  ).action((options: AdminOptions) => inDatabase(options, (database) => ensureTopics(database, options)));
  withDatabase(
    admin
      .command('key')
      .description('Make an API key of the organisation LINEPRINT_ORG_ID, and show it this one time.')
      .addOption(
        new Option('--scope <scope...>', 'what it allows').choices(SCOPES).default(['admin'], 'admin'),
      )
      .option(
        '--replace <prefix>',
        'allow what this key allows (its part between the first two underscores), and end it after the overlap',
      )
      .option('--overlap-hours <hours>', 'how long the replaced key stays good', overlapHours, 24)
      .option('--revoke <prefix>', 'make none, but end this key at once'),
  ).action((options: KeyOptions) =>
    inDatabase(options, async (database) => {
      const { orgId } = loadConfig().bootstrap;
      if (options.revoke !== undefined) {
        await revokeApiKey(database, orgId, options.revoke);
        process.stdout.write(
          options.json ? `${JSON.stringify({ orgId, revoked: options.revoke })}\n` : 'The key is revoked.\n',
        );
        return;
      }
      const { key } =
        options.replace === undefined
          ? await createApiKey(database, { orgId, scopes: options.scope })
          : await replaceApiKey(database, orgId, options.replace, options.overlapHours * HOUR_MS);
      process.stdout.write(options.json ? `${JSON.stringify({ orgId, apiKey: key })}\n` : `${key}\n`);
    }),
  );
  withDatabase(
    admin
      .command('expire')
      .description(
        'Delete now what is kept longer than the LINEPRINT_KEEP_… settings say, as rollup does each night: months of snippets that nothing can replay any more, code, and what commits used and had seen of snippets; and large values and decisions about dead letters that no record of the log can mean any more. No result is deleted.',
      ),
  ).action((options: AdminOptions) =>
    inDatabase(options, async (database) => {
      const kept = await withLog(database, (log) => log.beginningOffsets(TOPICS.snippets));
      const expired = await expire(database, loadConfig().retention, kept, Date.now());
      process.stdout.write(
        options.json
          ? `${JSON.stringify(expired)}\n`
          : Object.entries(expired)
              .map(([what, count]) => `${what}: ${count}\n`)
              .join(''),
      );
    }),
  );
}

function withDatabase(command: Command): Command {
  return command
    .addOption(
      // Described, because the help must not show the password in it.
      new Option('--database <url>', 'database URL').default(
        loadClientSettings().databaseUrl,
        'LINEPRINT_DATABASE_URL',
      ),
    )
    .option('--json', 'print the outcome as one JSON object');
}

function overlapHours(text: string): number {
  const hours = Number(text);
  if (hours >= 0 && hours <= MAX_OVERLAP_HOURS) return hours;
  throw new InvalidArgumentError(`Give a number from 0 to ${MAX_OVERLAP_HOURS}.`);
}

async function inDatabase(options: AdminOptions, work: (database: Database) => Promise<void>): Promise<void> {
  if (!options.database) {
    throw new LineprintError('database-missing', 'Give a database: --database or LINEPRINT_DATABASE_URL.');
  }
  const database = await openDatabase(options.database);
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

/** A line break at its end does not count. */
async function passwordIn(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
}

function readerText({ name, orgIds, password }: MadeReader): string {
  return [
    orgIds.length > 0 ? `${name} sees ${orgIds.join(', ')}.` : `${name} sees no organisation.`,
    ...(password === null ? [] : [`Its password (shown once): ${password}`]),
    '',
  ].join('\n');
}

async function initialise(database: Database, options: AdminOptions): Promise<void> {
  const { bootstrap: settings, rowSecurity } = loadConfig();
  const { applied } = await migrate(database, MIGRATIONS_DIRECTORY);
  if (rowSecurity.mode !== 'off') await secureRows(database, rowSecurity.role);
  const made = await bootstrap(database, settings);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(made)}\n`);
    return;
  }
  process.stdout.write(
    [
      `Database: ${applied.length} migrations applied.`,
      `Organisation ${made.orgId}, line key ${made.keyId}.`,
      made.apiKey
        ? `Administrator API key (shown once): ${made.apiKey}`
        : 'The organisation has API keys already; none was made.',
      '',
    ].join('\n'),
  );
}

async function ensureTopics(database: Database, options: AdminOptions): Promise<void> {
  const { partitions } = loadConfig();
  const topics = topicSpecs(partitions);
  await withLog(database, (log) => log.ensureTopics(topics));
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ topics: topics.map(({ name }) => name), partitions })}\n`
      : `${topics.length} topics with ${partitions} partitions each.\n`,
  );
}

async function withLog<T>(database: Database, use: (log: EventLog) => Promise<T>): Promise<T> {
  const { logUrl, kafka } = loadConfig();
  // Few commands speak with the log, and it takes long to load.
  const { openEventLog } = await import('@lineprint/event-log');
  const log = await openEventLog(logUrl, { database, clientId: 'lineprint-admin', kafka });
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}
