import { Body, Controller, Delete, Get, Inject, Param, Post, Put } from '@nestjs/common';
import {
  createTeam,
  TENANT_DATABASE,
  type Database,
  deleteTeam,
  findTeam,
  listTeams,
  type People,
  replaceTeam,
  resolvePeople,
  type Team,
} from '@lineprint/persistence';
import { CurrentPrincipal, type Principal, Scopes, WithinProjects } from '@lineprint/platform';
import { z } from 'zod';
import { DescribesAnswer } from '../openapi/describe';
import { parseBody, parseParameters } from '../parameters';
import { unknownTeam } from '../people-filter';
import { orProblem, type Problems } from '../problems';
import { loadTenantView } from '../tenant-view';
import {
  newTeamBody,
  teamAnswer,
  type TeamAnswer,
  teamBody,
  teamListAnswer,
  type TeamListAnswer,
  teamPath,
} from './teams.schema';

const NO_PARAMETERS = z.object({});
const example = { name: 'Platform', members: ['mara@harbour.example', 'jonas@harbour.example'] };

const PROBLEMS: Problems = {
  'team-exists': { status: 409, title: 'The id is taken' },
  'team-unknown': { status: 404, title: 'No such team' },
};

/** Groups of people, by which numbers are filtered. */
@Controller('api/v1/teams')
export class TeamsController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
  @WithinProjects()
  @DescribesAnswer('The teams by id; with a personal key those of the person', teamListAnswer, NO_PARAMETERS)
  async list(@CurrentPrincipal() principal: Principal): Promise<TeamListAnswer> {
    return { teams: await this.visible(principal) };
  }

  @Get(':id')
  @Scopes('read')
  @WithinProjects()
  @DescribesAnswer('One team', teamAnswer, NO_PARAMETERS, { path: teamPath })
  async one(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<TeamAnswer> {
    const id = idOf(path);
    const team = (await this.visible(principal)).find(({ teamId }) => teamId === id);
    if (!team) throw unknownTeam(id);
    return team;
  }

  @Post()
  @Scopes('admin')
  @DescribesAnswer('Make a team', teamAnswer, NO_PARAMETERS, {
    scope: 'admin',
    status: 201,
    body: { schema: newTeamBody, example: { teamId: 'platform', ...example } },
  })
  async create(@CurrentPrincipal() { orgId }: Principal, @Body() body: unknown): Promise<TeamAnswer> {
    const team = parseBody(newTeamBody, body);
    await orProblem(createTeam(this.database, orgId, team), PROBLEMS);
    return this.answer(orgId, team.teamId);
  }

  @Put(':id')
  @Scopes('admin')
  @DescribesAnswer('Change the name and the members of a team', teamAnswer, NO_PARAMETERS, {
    scope: 'admin',
    path: teamPath,
    body: { schema: teamBody, example },
  })
  async replace(
    @CurrentPrincipal() { orgId }: Principal,
    @Param() path: Record<string, unknown>,
    @Body() body: unknown,
  ): Promise<TeamAnswer> {
    const teamId = idOf(path);
    await orProblem(replaceTeam(this.database, orgId, { teamId, ...parseBody(teamBody, body) }), PROBLEMS);
    return this.answer(orgId, teamId);
  }

  @Delete(':id')
  @Scopes('admin')
  @DescribesAnswer('Delete a team; the people stay', teamAnswer, NO_PARAMETERS, {
    scope: 'admin',
    path: teamPath,
  })
  async remove(
    @CurrentPrincipal() { orgId }: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<TeamAnswer> {
    const teamId = idOf(path);
    const team = await this.answer(orgId, teamId);
    await orProblem(deleteTeam(this.database, orgId, teamId), PROBLEMS);
    return team;
  }

  private async visible(principal: Principal): Promise<TeamAnswer[]> {
    const { orgId, person } = await loadTenantView(this.database, principal);
    const people = await resolvePeople(this.database, orgId);
    const teams = (await listTeams(this.database, orgId)).map((team) => teamFields(team, people));
    return teams.filter(
      ({ members }) => person === null || members.some(({ personId }) => personId === person),
    );
  }

  /** @throws HttpProblem 404 `team-unknown` */
  private async answer(orgId: string, teamId: string): Promise<TeamAnswer> {
    const team = await findTeam(this.database, orgId, teamId);
    if (!team) throw unknownTeam(teamId);
    return teamFields(team, await resolvePeople(this.database, orgId));
  }
}

function idOf(path: Record<string, unknown>): string {
  return parseParameters(z.object(teamPath), path).id;
}

/** A member who was named by two addresses is there once. */
function teamFields({ teamId, name, members }: Team, people: People): TeamAnswer {
  const persons = new Map(
    members.map((member) => people.personOf(member)).map((person) => [person.personId, person]),
  );
  return {
    teamId,
    name,
    members: [...persons.values()].map((person) => ({
      personId: person.personId,
      name: person.name,
      kind: person.kind,
    })),
  };
}
