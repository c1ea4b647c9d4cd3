import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type MailmapAnswer, type MailmapConflict, type PersonKind, personKinds } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import { ApiClient } from '../api/api-client';
import { table } from '../terminal/table';
import { type AnswerOptions, printAnswer, withJson } from './answer';
import { addresses, apiKeyOf, type ConnectionOptions, queryApi, withConnection } from './connection';

interface Person {
  readonly personId: string;
  readonly name: string;
  readonly kind: PersonKind;
  readonly aliases: readonly { alias: string; by: string | null }[];
}

interface PersonList {
  readonly people: readonly Person[];
  readonly next: string | null;
}

interface ListOptions extends AnswerOptions {
  readonly kind?: PersonKind;
}

interface ImportOptions extends AnswerOptions {
  readonly mailmap: string;
  readonly repository?: string;
}

interface DescribeOptions extends AnswerOptions {
  readonly name?: string;
  readonly kind?: PersonKind;
}

const IDENTITIES = '/api/v1/identities';
const LARGEST_PAGE = '200';

export function addPeopleCommand(program: Command): void {
  const people = program
    .command('people')
    .description('Say which addresses are whose. Numbers follow at once; nothing is computed anew.');
  withJson(people.command('list').description('List people, bots and assistants with their addresses.'))
    .addOption(new Option('--kind <kind>', 'only these').choices(personKinds))
    .action(list);
  withJson(people.command('import').description('Take a .mailmap, as git understands it.'))
    .requiredOption('--mailmap <file>', 'the file; it takes the place of the one of the same repository')
    .option('--repository <name>', 'whose it is (default: the name of the file)')
    .action(importMailmap);
  withJson(
    people
      .command('merge <address> <into>')
      .description('Make two people one; goes before what mailmaps say.'),
  ).action(merge);
  withJson(
    people
      .command('split <address>')
      .description('Make an address a person of its own, whatever mailmaps say.'),
  ).action(split);
  withJson(
    people.command('forget <address>').description('Forget that an address was merged or split.'),
  ).action(forget);
  withJson(people.command('conflicts').description('List addresses that mailmaps disagree on.')).action(
    conflicts,
  );
  withJson(people.command('describe <address>').description('Say how somebody is called, and what it is.'))
    .option('--name <name>', 'the name (default: as commits and mailmaps say)')
    .addOption(new Option('--kind <kind>', 'the kind (default: by names and addresses)').choices(personKinds))
    .action(describePerson);
  withConnection(
    people
      .command('export <address>')
      .description('Write everything that is stored of a person, one JSON value a line.')
      .requiredOption('--output <file>', 'where to; only its owner can read it'),
  ).action(exportPerson);
  withJson(
    people
      .command('erase <address>')
      .description(
        'Take a person with all addresses out of everything that is stored, now and after replays. The lines stay in all sums, under a pseudonym. It cannot be undone.',
      )
      .option('--confirm', 'do it')
      .option('--no-wait', 'ask for it only; `people erasures` shows what came of it'),
  ).action(erase);
  withJson(people.command('erasures').description('List erased people by their pseudonyms.')).action(
    erasures,
  );
  withJson(
    people
      .command('lift <address>')
      .description('Let new events have an erased person again; what came before stays the pseudonym’s.'),
  ).action(lift);
}

interface Erasure {
  readonly pseudonym: string;
  readonly status: 'waiting' | 'finished' | 'lifted';
  readonly requestedAt: string;
}

const ERASURES = '/api/v1/erasures';
const LOOK_MS = 500;

async function exportPerson(address: string, options: ConnectionOptions & { output: string }): Promise<void> {
  const path = `${IDENTITIES}/${encodeURIComponent(address)}/export`;
  const { body } = await queryApi(options).request('GET', path);
  let end = '';
  const cutOff = new LineprintError('export-cut-off', 'The export ended too early: ask for it again.');
  if (!body) throw cutOff;
  const lines = body.pipeThrough(new TextDecoderStream());
  await writeFile(
    options.output,
    watched(lines, (text) => (end = (end + text).slice(-40))),
    { mode: 0o600 },
  );
  if (!end.endsWith('{"type":"end"}\n')) throw cutOff;
  process.stdout.write(`Written to ${options.output}.\n`);
}

async function* watched(texts: AsyncIterable<string>, see: (text: string) => void): AsyncGenerator<string> {
  for await (const text of texts) {
    see(text);
    yield text;
  }
}

interface EraseOptions extends AnswerOptions {
  readonly confirm?: boolean;
  readonly wait: boolean;
}

async function erase(address: string, options: EraseOptions): Promise<void> {
  if (!options.confirm) {
    throw new LineprintError(
      'confirmation-missing',
      `${address} would be taken out of everything that is stored, which cannot be undone: give --confirm. \`people export\` shows what there is.`,
    );
  }
  const api = queryApi(options);
  let erasure = await api.post<Erasure>(ERASURES, { address });
  while (options.wait && erasure.status === 'waiting') {
    await delay(LOOK_MS);
    erasure = await api.get<Erasure>(`${ERASURES}/${erasure.pseudonym}`);
  }
  printAnswer(options, erasure, () => erasureText(erasure));
}

async function erasures(options: AnswerOptions): Promise<void> {
  const answer = await queryApi(options).get<{ erasures: Erasure[] }>(ERASURES);
  printAnswer(options, answer, () =>
    table(
      ['pseudonym', 'asked for', 'status'],
      answer.erasures.map(({ pseudonym, requestedAt, status }) => [pseudonym, requestedAt, status]),
      3,
    ),
  );
}

async function lift(address: string, options: AnswerOptions): Promise<void> {
  const erasure = await queryApi(options).delete<Erasure>(`${ERASURES}/${encodeURIComponent(address)}`);
  printAnswer(options, erasure, () => erasureText(erasure));
}

function erasureText({ pseudonym, status }: Erasure): string {
  switch (status) {
    case 'waiting':
      return `Asked for: ${pseudonym} will stand for the person once rollup has rewritten the rows.`;
    case 'finished':
      return `${pseudonym} stands for the person; nothing else is left.`;
    case 'lifted':
      return `New events have the person again; what came before stays ${pseudonym}.`;
  }
}

async function list(options: ListOptions): Promise<void> {
  const api = queryApi(options);
  const people: Person[] = [];
  let next: string | null = null;
  do {
    const query = new URLSearchParams({
      limit: LARGEST_PAGE,
      ...(options.kind && { kind: options.kind }),
      ...(next !== null && { after: next }),
    });
    const page: PersonList = await api.get(`${IDENTITIES}?${query}`);
    people.push(...page.people);
    next = page.next;
  } while (next !== null);
  printAnswer(options, { people }, () =>
    table(
      ['person', 'name', 'kind', 'other addresses'],
      people.map(({ personId, name, kind, aliases }) => [
        personId,
        name,
        kind,
        aliases.flatMap(({ alias, by }) => (by === null ? [] : [`${alias} (${by})`])).join(', '),
      ]),
      4,
    ),
  );
}

/** Ingest takes it, as it takes those of repositories. */
async function importMailmap(options: ImportOptions): Promise<void> {
  const api = new ApiClient(addresses(options).url, apiKeyOf(options));
  const answer = await api.post<MailmapAnswer>(`${IDENTITIES}/mailmap`, {
    repository: options.repository ?? basename(options.mailmap),
    content: await mailmapText(options.mailmap),
  });
  printAnswer(options, answer, () =>
    [`${answer.entries} entries of ${answer.repository}.`, ...conflictTexts(answer.conflicts)].join('\n'),
  );
}

async function mailmapText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new LineprintError('mailmap-unreadable', `${path} cannot be read.`, { cause });
  }
}

async function merge(address: string, into: string, options: AnswerOptions): Promise<void> {
  printPerson(options, await queryApi(options).post(`${IDENTITIES}/merge`, { person: address, into }));
}

async function split(address: string, options: AnswerOptions): Promise<void> {
  printPerson(options, await queryApi(options).post(`${IDENTITIES}/split`, { address }));
}

async function forget(address: string, options: AnswerOptions): Promise<void> {
  const path = `${IDENTITIES}/decisions/${encodeURIComponent(address)}`;
  printPerson(options, await queryApi(options).delete(path));
}

async function describePerson(address: string, options: DescribeOptions): Promise<void> {
  const path = `${IDENTITIES}/${encodeURIComponent(address)}`;
  const { name = null, kind = null } = options;
  printPerson(options, await queryApi(options).put(path, { name, kind }));
}

function printPerson(options: AnswerOptions, person: Person): void {
  printAnswer(options, person, () =>
    [
      `${person.name} (${person.kind}), called by ${person.personId}`,
      ...person.aliases.flatMap(({ alias, by }) => (by === null ? [] : [`  ${alias}  ${by}`])),
    ].join('\n'),
  );
}

async function conflicts(options: AnswerOptions): Promise<void> {
  const answer = await queryApi(options).get<{ conflicts: MailmapConflict[] }>(`${IDENTITIES}/conflicts`);
  printAnswer(options, answer, () =>
    answer.conflicts.length === 0 ? 'The mailmaps agree.' : conflictTexts(answer.conflicts).join('\n'),
  );
}

function conflictTexts(found: readonly MailmapConflict[]): string[] {
  return found.map(({ code, alias, people, repositories }) => {
    const who = people.join(' or ');
    const why =
      code === 'mailmaps-differ'
        ? `by ${repositories.join(', ')}`
        : 'by the name beside it, which results do not have';
    return `${alias} is ${who}, ${why}. Decide with \`lineprint people merge\` or \`split\`.`;
  });
}
