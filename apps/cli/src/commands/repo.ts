import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type ConnectedRepositoryAnswer as Connected,
  type ConnectedRepositoryListAnswer as ConnectedList,
  gitHosts,
} from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import { ApiClient } from '../api/api-client';
import { table } from '../terminal/table';
import { type AnswerOptions, printAnswer, withJson } from './answer';
import { addresses, apiKeyOf } from './connection';

interface AddOptions extends AnswerOptions {
  readonly host: string;
  readonly secret: string;
  readonly credential?: string;
  readonly name?: string;
  readonly project?: string;
  readonly branch?: string[];
  readonly history: number;
}

interface RotateOptions extends AnswerOptions {
  readonly secret: string;
  readonly overlap: number;
}

const REPOSITORIES = '/api/v1/connected-repositories';
const REFERENCE = 'file:PATH or env:NAME, as the process of ingest finds it';

export function addRepoCommand(program: Command): void {
  const repo = program
    .command('repo')
    .description('Connect repositories that Lineprint fetches itself when their host tells of a push.');
  withJson(repo.command('add <clone-url>').description('Connect a repository by its https:// or ssh:// URL.'))
    .addOption(new Option('--host <host>', 'whose webhooks it has').choices(gitHosts).makeOptionMandatory())
    .requiredOption('--secret <reference>', `where the webhook's secret is: ${REFERENCE}`)
    .option('--credential <reference>', `where the credential for git is: ${REFERENCE}`)
    .option('--name <name>', 'name that results carry (default: the last part of the URL)')
    .option('--project <id>', 'project that the commits belong to (default: the name)')
    .option(
      '--branch <pattern...>',
      'branches whose commits are analysed, with at most one * each (default: the default branch)',
    )
    .option('--history <n>', 'analyse the newest n commits of the past as well', wholeNumber, 0)
    .action(add);
  withJson(repo.command('list').description('List the connected repositories.')).action(list);
  withJson(
    repo.command('show <name>').description('Show a connected repository and what went wrong with it.'),
  ).action(show);
  withJson(repo.command('fetch <name>').description('Look at a connected repository now.')).action(fetchNow);
  withJson(
    repo.command('remove <name>').description('Forget a repository and its mirror. Its results stay.'),
  ).action(remove);
  withJson(
    repo
      .command('rotate-secret <name>')
      .description('Name another secret for the webhook. The one before stays good for a while.'),
  )
    .requiredOption('--secret <reference>', `where the new secret is: ${REFERENCE}`)
    .option('--overlap <hours>', 'how long the one before stays good', wholeNumber, 24)
    .action(rotateSecret);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}

/** Ingest's: it has the mirrors. */
function door(options: AnswerOptions): ApiClient {
  return new ApiClient(addresses(options).url, apiKeyOf(options));
}

/** By its name or its id. @throws LineprintError `repository-unknown` */
async function find(api: ApiClient, name: string): Promise<Connected> {
  const { repositories } = await api.get<ConnectedList>(REPOSITORIES);
  const found = repositories.find(({ repository, hookId }) => repository === name || hookId === name);
  if (found) return found;
  throw new LineprintError(
    'repository-unknown',
    `No repository ${name} is connected; \`lineprint repo list\` lists them.`,
  );
}

async function add(cloneUrl: string, options: AddOptions): Promise<void> {
  const { host, secret, credential, name, project, branch, history } = options;
  const made = await door(options).post<Connected>(REPOSITORIES, {
    cloneUrl,
    host,
    secret,
    history,
    ...(credential !== undefined && { credential }),
    ...(name !== undefined && { repository: name }),
    ...(project !== undefined && { project }),
    ...(branch !== undefined && { branches: branch }),
  });
  printAnswer(options, made, () =>
    [
      connectedText(made, addresses(options).url),
      '',
      `Tell ${host} to call the webhook's address for pushes, as JSON, with the secret that ${secret} has.`,
    ].join('\n'),
  );
}

async function list(options: AnswerOptions): Promise<void> {
  const answer = await door(options).get<ConnectedList>(REPOSITORIES);
  printAnswer(options, answer, () =>
    table(
      ['repository', 'host', 'status', 'last fetched'],
      answer.repositories.map(({ repository, host, status, fetchedAt }) => [
        repository,
        host,
        status,
        fetchedAt ?? 'never',
      ]),
      4,
    ),
  );
}

async function show(name: string, options: AnswerOptions): Promise<void> {
  const found = await find(door(options), name);
  printAnswer(options, found, () => connectedText(found, addresses(options).url));
}

async function fetchNow(name: string, options: AnswerOptions): Promise<void> {
  const api = door(options);
  const { hookId } = await find(api, name);
  const answer = await api.post<Connected>(`${REPOSITORIES}/${hookId}/fetch`);
  printAnswer(options, answer, () => `${answer.repository} is fetched now.`);
}

async function remove(name: string, options: AnswerOptions): Promise<void> {
  const api = door(options);
  const { hookId } = await find(api, name);
  const answer = await api.delete<Connected>(`${REPOSITORIES}/${hookId}`);
  printAnswer(options, answer, () => `${answer.repository} is forgotten. Remove its webhook from the host.`);
}

async function rotateSecret(name: string, options: RotateOptions): Promise<void> {
  const api = door(options);
  const { hookId } = await find(api, name);
  const { secret, overlap } = options;
  const answer = await api.post<Connected>(`${REPOSITORIES}/${hookId}/rotate-secret`, {
    secret,
    overlapHours: overlap,
  });
  printAnswer(
    options,
    answer,
    () =>
      `Deliveries are signed with ${secret} from now on; until ${answer.previousSecretUntil} also as before.`,
  );
}

function connectedText(repository: Connected, url: string): string {
  const { seen, error, branches } = repository;
  const facts: [string, string][] = [
    ['repository', repository.repository],
    ['project', repository.project],
    ['clone URL', repository.cloneUrl],
    ['webhook', `${url}${repository.webhookPath}`],
    ['branches', branches.length > 0 ? branches.join(', ') : (repository.defaultBranch ?? 'the default one')],
    ['status', error ? `${repository.status}: ${error.message} (${error.code})` : repository.status],
    ['last fetched', repository.fetchedAt ?? 'never'],
    ...Object.entries(seen).map(([branch, sha]): [string, string] => [`sent of ${branch}`, sha]),
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}
