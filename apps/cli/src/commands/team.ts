import type { Command } from 'commander';
import { personId } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import type { ApiClient } from '../api/api-client';
import { table } from '../terminal/table';
import { type AnswerOptions, printAnswer, withJson } from './answer';
import { queryApi } from './connection';

interface Team {
  readonly teamId: string;
  readonly name: string;
  readonly members: readonly { personId: string; name: string }[];
}

interface CreateOptions extends AnswerOptions {
  readonly name?: string;
  readonly member?: string[];
}

const TEAMS = '/api/v1/teams';

export function addTeamCommand(program: Command): void {
  const team = program.command('team').description('Groups of people, by which numbers are filtered.');
  withJson(team.command('list').description('List the teams.')).action(list);
  withJson(team.command('show <id>').description('Show who is in a team.')).action(show);
  withJson(team.command('create <id>').description('Make a team.'))
    .option('--name <name>', 'how people call it (default: the id)')
    .option('--member <address...>', 'any address of each of its people')
    .action(create);
  withJson(team.command('rename <id> <name>').description('Call a team otherwise.')).action(rename);
  withJson(team.command('add <id> <address...>').description('Add people to a team.')).action(add);
  withJson(team.command('remove <id> <address...>').description('Take people out of a team.')).action(remove);
  withJson(team.command('delete <id>').description('Delete a team. The people stay.')).action(drop);
}

const pathOf = (id: string) => `${TEAMS}/${encodeURIComponent(id)}`;

async function list(options: AnswerOptions): Promise<void> {
  const answer = await queryApi(options).get<{ teams: Team[] }>(TEAMS);
  printAnswer(options, answer, () =>
    table(
      ['team', 'name', 'people'],
      answer.teams.map(({ teamId, name, members }) => [teamId, name, String(members.length)]),
      2,
    ),
  );
}

async function show(id: string, options: AnswerOptions): Promise<void> {
  printTeam(options, await queryApi(options).get(pathOf(id)));
}

async function create(id: string, options: CreateOptions): Promise<void> {
  const { name = id, member: members = [] } = options;
  printTeam(options, await queryApi(options).post(TEAMS, { teamId: id, name, members }));
}

async function rename(id: string, name: string, options: AnswerOptions): Promise<void> {
  await change(id, options, () => ({ name }));
}

async function add(id: string, given: string[], options: AnswerOptions): Promise<void> {
  await change(id, options, (members) => ({ members: [...members, ...given] }));
}

/** By any address: the server knows which person that is. */
async function remove(id: string, given: string[], options: AnswerOptions): Promise<void> {
  const api = queryApi(options);
  const leaving = new Set<string>();
  for (const address of given) leaving.add(await personOf(api, address));
  await change(id, options, (members) => ({ members: members.filter((member) => !leaving.has(member)) }));
}

/** A member may be somebody who has not committed yet. */
async function personOf(api: ApiClient, address: string): Promise<string> {
  try {
    const path = `/api/v1/identities/${encodeURIComponent(address)}`;
    return (await api.get<{ personId: string }>(path)).personId;
  } catch (error) {
    if (error instanceof LineprintError && error.code === 'person-unknown') return personId(address);
    throw error;
  }
}

async function change(
  id: string,
  options: AnswerOptions,
  to: (members: string[]) => { name?: string; members?: string[] },
): Promise<void> {
  const api = queryApi(options);
  const { name, members: people } = await api.get<Team>(pathOf(id));
  const members = people.map(({ personId }) => personId);
  printTeam(options, await api.put(pathOf(id), { name, members, ...to(members) }));
}

async function drop(id: string, options: AnswerOptions): Promise<void> {
  const team = await queryApi(options).delete<Team>(pathOf(id));
  printAnswer(options, team, () => `${team.name} is deleted.`);
}

function printTeam(options: AnswerOptions, team: Team): void {
  printAnswer(options, team, () =>
    [
      `${team.teamId}: ${team.name}, ${team.members.length} people`,
      ...team.members.map(({ personId, name }) => `  ${personId}  ${name}`),
    ].join('\n'),
  );
}
