import { type Command, InvalidArgumentError } from 'commander';
import { LineprintError } from '@lineprint/platform';
import { ApiClient } from '../api/api-client';
import { addresses, apiKeyOf, type ConnectionOptions, positiveInteger, withConnection } from './connection';

/** A dead letter, as `GET /api/v1/dead-letters` answers. */
interface DeadLetter {
  readonly id: string;
  readonly state: string;
  readonly key: string;
  readonly group: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly attempts: number;
  readonly deadLetteredAt: string;
  readonly bytes: number;
}

interface DeadLetterDetail extends DeadLetter {
  readonly headers: Readonly<Record<string, string>>;
  readonly sha256: string;
  readonly fields: readonly string[] | null;
}

interface DeadLetterPage {
  readonly deadLetters: readonly DeadLetter[];
  readonly next: string | null;
}

interface DecidedLetters {
  readonly letters: readonly { readonly id: string; readonly key: string; readonly takenAlong: boolean }[];
  readonly remaining: number;
  readonly unchanged: readonly string[];
  readonly unknown: readonly string[];
}

interface FilterOptions extends ConnectionOptions {
  readonly topic?: string;
  readonly code?: string;
  readonly group?: string;
  readonly json?: boolean;
}

interface DecideOptions extends FilterOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

const LARGEST_PAGE = 200;

export function addDlqCommand(program: Command): void {
  const dlq = program
    .command('dlq')
    .description('Look at records that could not be processed, and send them again or close them.');
  withFilter(dlq.command('list').description('List dead letters, the open ones unless told otherwise.'))
    .option('--state <state>', 'open, redriven, dropped or all', state, 'open')
    .option('--limit <n>', 'at most so many', positiveInteger, LARGEST_PAGE)
    .action((options: FilterOptions & { state: string; limit: number }) => list(options));
  withJson(
    withConnection(
      dlq
        .command('show <id>')
        .description(
          'Show one dead letter and its headers: of its value only size, SHA-256 and field names.',
        ),
    ),
  ).action((id: string, options: FilterOptions) => show(id, options));
  withDecision(
    dlq
      .command('redrive [ids...]')
      .description(
        'Send open dead letters to the topic they failed in, each once; earlier ones of the same key go first.',
      ),
  ).action((ids: string[], options: DecideOptions) => decide('redrive', ids, options));
  withDecision(
    dlq.command('drop [ids...]').description('Close open dead letters for good, without processing them.'),
  ).action((ids: string[], options: DecideOptions) => decide('drop', ids, options));
}

function withFilter(command: Command): Command {
  return withJson(
    withConnection(command)
      .option('--topic <name>', 'only records that failed in this topic')
      .option('--code <code>', 'only records that failed with this code')
      .option('--group <name>', 'only records that this consumer group could not process'),
  );
}

function withDecision(command: Command): Command {
  return withFilter(command)
    .option('--all', 'every open dead letter of the organisation')
    .option('--dry-run', 'only say what would be done');
}

function withJson(command: Command): Command {
  return command.option('--json', 'print the answer as JSON');
}

function state(text: string): string {
  if (['open', 'redriven', 'dropped', 'all'].includes(text)) return text;
  throw new InvalidArgumentError('Give open, redriven, dropped or all.');
}

function clientOf(options: ConnectionOptions): ApiClient {
  return new ApiClient(addresses(options).queryUrl, apiKeyOf(options));
}

function filterOf({ topic, code, group }: FilterOptions): Record<string, string> {
  return { ...(topic && { topic }), ...(code && { code }), ...(group && { group }) };
}

async function list(options: FilterOptions & { state: string; limit: number }): Promise<void> {
  const client = clientOf(options);
  const letters: DeadLetter[] = [];
  let next: string | null = null;
  do {
    const limit = Math.min(LARGEST_PAGE, options.limit - letters.length);
    const query = { ...filterOf(options), state: options.state, limit: String(limit) };
    const page: DeadLetterPage = await client.get(
      `/api/v1/dead-letters?${new URLSearchParams({ ...query, ...(next && { after: next }) })}`,
    );
    letters.push(...page.deadLetters);
    next = page.next;
  } while (next && letters.length < options.limit);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ deadLetters: letters })}\n`);
    return;
  }
  for (const letter of letters) process.stdout.write(`${line(letter)}\n`);
  process.stdout.write(`${letters.length} dead letters${next ? ', and more' : ''}.\n`);
}

function line({ id, state: is, key, code, group, attempts, deadLetteredAt }: DeadLetter): string {
  return [id, is, deadLetteredAt, code ?? '-', `${attempts}×`, group ?? '-', key].join('  ');
}

async function show(id: string, options: FilterOptions): Promise<void> {
  const path = id.split('/').map(encodeURIComponent).join('/');
  const letter = await clientOf(options).get<DeadLetterDetail>(`/api/v1/dead-letters/${path}`);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(letter)}\n`);
    return;
  }
  const headers = Object.entries(letter.headers).map(([name, value]) => `  ${name}: ${value}`);
  const value = `${letter.bytes} bytes, SHA-256 ${letter.sha256}${letter.fields ? `, fields ${letter.fields.join(', ')}` : ''}`;
  process.stdout.write([line(letter), letter.message ?? '', ...headers, `value: ${value}`, ''].join('\n'));
}

async function decide(what: 'redrive' | 'drop', ids: string[], options: DecideOptions): Promise<void> {
  const filter = filterOf(options);
  const filtered = options.all === true || Object.keys(filter).length > 0;
  if (filtered === ids.length > 0) {
    throw new LineprintError(
      'selection-missing',
      'Give ids, or a filter (--topic, --code, --group), or --all; not both.',
    );
  }
  const client = clientOf(options);
  const { dryRun = false } = options;
  const letters: DecidedLetters['letters'][number][] = [];
  let last: DecidedLetters;
  do {
    last = await client.post<DecidedLetters>(`/api/v1/dead-letters/${what}`, {
      ...(filtered ? { filter } : { ids }),
      dryRun,
    });
    letters.push(...last.letters);
  } while (!dryRun && last.remaining > 0 && last.letters.length > 0);
  const { remaining, unchanged, unknown } = last;
  if (unknown.length > 0) process.exitCode = 1;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ letters, remaining, unchanged, unknown, dryRun })}\n`);
    return;
  }
  for (const { id, key, takenAlong } of letters) {
    process.stdout.write(`${id}  ${key}${takenAlong ? '  (earlier, of the same key)' : ''}\n`);
  }
  for (const id of unchanged)
    process.stdout.write(`${id}  was decided before, or could not be decoded and so has no record to send\n`);
  for (const id of unknown) process.stdout.write(`${id}  is no dead letter of this organisation\n`);
  const done = { redrive: 'redriven', drop: 'dropped' }[what];
  const count = letters.length + (dryRun ? remaining : 0);
  process.stdout.write(`${count} dead letters ${dryRun ? `would be ${done}` : done}.\n`);
}
