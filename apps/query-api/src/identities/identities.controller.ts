import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
  Query,
  StreamableFile,
} from '@nestjs/common';
import {
  TENANT_DATABASE,
  type TenantDatabase,
  describePerson,
  forgetDecision,
  mailmapConflicts,
  mergePeople,
  type Person,
  resolvePeople,
  splitPerson,
} from '@lineprint/persistence';
import { actorOf, CurrentPrincipal, HttpProblem, type Principal, Scopes } from '@lineprint/platform';
import { z } from 'zod';
import { Cursor } from '../cursor';
import { DescribesAnswer } from '../openapi/describe';
import { parseBody, parseParameters } from '../parameters';
import { orProblem, type Problems } from '../problems';
import { loadTenantView } from '../tenant-view';
import {
  addressPath,
  conflictListAnswer,
  type ConflictListAnswer,
  describeBody,
  identityAnswer,
  type IdentityAnswer,
  identityListAnswer,
  type IdentityListAnswer,
  identityListParameters,
  mergeBody,
  personLine,
  splitBody,
} from './identities.schema';
import { personLines } from './person-export';

const NO_PARAMETERS = z.object({});
const personCursor = new Cursor(z.string());

const PROBLEMS: Problems = {
  'person-unknown': { status: 404, title: 'No such person' },
  'decision-unknown': { status: 404, title: 'No such decision' },
  'people-same': { status: 409, title: 'Nothing to do' },
  'person-canonical': { status: 409, title: 'Others hang on it' },
};

/** Which addresses are whose. Nothing that is stored changes with it: results find their person when they are read. */
@Controller('api/v1/identities')
export class IdentitiesController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: TenantDatabase) {}

  @Get()
  @Scopes('read')
  @DescribesAnswer(
    'People, bots and assistants with all their addresses',
    identityListAnswer,
    identityListParameters,
  )
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<IdentityListAnswer> {
    const { kind, after, limit } = parseParameters(identityListParameters, query);
    const view = await loadTenantView(this.database, principal);
    const start = after === undefined ? '' : personCursor.decode(after);
    const people = (await resolvePeople(this.database, view.orgId))
      .all()
      .filter((person) => view.person === null || person.personId === view.person)
      .filter((person) => kind === undefined || person.kind === kind)
      .filter(({ personId }) => personId > start);
    const page = people.slice(0, limit);
    const last = people.length > limit ? page.at(-1) : undefined;
    return { people: page.map(identityFields), next: last ? personCursor.encode(last.personId) : null };
  }

  @Get('conflicts')
  @Scopes('admin')
  @DescribesAnswer('Addresses that mailmaps disagree on', conflictListAnswer, NO_PARAMETERS, {
    scope: 'admin',
  })
  async conflicts(@CurrentPrincipal() { orgId }: Principal): Promise<ConflictListAnswer> {
    return { conflicts: await mailmapConflicts(this.database, orgId) };
  }

  @Get(':address')
  @Scopes('read')
  @DescribesAnswer('Whose an address is', identityAnswer, NO_PARAMETERS, { path: addressPath })
  async one(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<IdentityAnswer> {
    return identityFields(await this.seenPerson(principal, path));
  }

  @Get(':address/export')
  @Scopes('admin')
  @DescribesAnswer('Everything that is stored of a person, as NDJSON', personLine, NO_PARAMETERS, {
    scope: 'admin',
    path: addressPath,
    mediaType: 'application/x-ndjson',
  })
  async export(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<StreamableFile> {
    const person = identityFields(await this.seenPerson(principal, path));
    const addresses = person.aliases.map(({ alias }) => alias);
    const lines = personLines(this.database.of(principal.orgId), principal.orgId, person, addresses);
    return new StreamableFile(Readable.from(lines), { type: 'application/x-ndjson; charset=utf-8' });
  }

  @Post('merge')
  @HttpCode(200)
  @Scopes('admin')
  @DescribesAnswer('Make two people one, whatever mailmaps say', identityAnswer, NO_PARAMETERS, {
    scope: 'admin',
    body: { schema: mergeBody, example: { person: 'mara@laptop.local', into: 'mara@harbour.example' } },
  })
  async merge(@CurrentPrincipal() principal: Principal, @Body() body: unknown): Promise<IdentityAnswer> {
    const wanted = parseBody(mergeBody, body);
    const { orgId } = principal;
    await orProblem(mergePeople(this.database, orgId, wanted, actorOf(principal)), PROBLEMS);
    return this.answer(orgId, wanted.into);
  }

  @Post('split')
  @HttpCode(200)
  @Scopes('admin')
  @DescribesAnswer('Make an address a person of its own', identityAnswer, NO_PARAMETERS, {
    scope: 'admin',
    body: { schema: splitBody, example: { address: 'mara@laptop.local' } },
  })
  async split(@CurrentPrincipal() principal: Principal, @Body() body: unknown): Promise<IdentityAnswer> {
    const { address } = parseBody(splitBody, body);
    const { orgId } = principal;
    await orProblem(splitPerson(this.database, orgId, address, actorOf(principal)), PROBLEMS);
    return this.answer(orgId, address);
  }

  @Delete('decisions/:address')
  @Scopes('admin')
  @DescribesAnswer('Forget that an address was merged or split', identityAnswer, NO_PARAMETERS, {
    scope: 'admin',
    path: addressPath,
  })
  async forget(
    @CurrentPrincipal() { orgId }: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<IdentityAnswer> {
    const { address } = parseParameters(z.object(addressPath), path);
    await orProblem(forgetDecision(this.database, orgId, address), PROBLEMS);
    return this.answer(orgId, address);
  }

  @Put(':address')
  @Scopes('admin')
  @DescribesAnswer(
    'Say how somebody is called and what it is; null for what commits say',
    identityAnswer,
    NO_PARAMETERS,
    {
      scope: 'admin',
      path: addressPath,
      body: { schema: describeBody, example: { name: 'Release train', kind: 'bot' } },
    },
  )
  async describe(
    @CurrentPrincipal() { orgId }: Principal,
    @Param() path: Record<string, unknown>,
    @Body() body: unknown,
  ): Promise<IdentityAnswer> {
    const { address } = parseParameters(z.object(addressPath), path);
    await orProblem(describePerson(this.database, orgId, address, parseBody(describeBody, body)), PROBLEMS);
    return this.answer(orgId, address);
  }

  private async seenPerson(principal: Principal, path: Record<string, unknown>): Promise<Person> {
    const { address } = parseParameters(z.object(addressPath), path);
    const view = await loadTenantView(this.database, principal);
    const people = await resolvePeople(this.database, view.orgId);
    const person = people.personOf(address);
    if (people.knows(person.personId) && (view.person ?? person.personId) === person.personId) return person;
    throw new HttpProblem(
      404,
      'person-unknown',
      'No such person',
      `Nobody has committed or used an assistant as ${person.personId}, or this credential may not see it.`,
    );
  }

  private async answer(orgId: string, address: string): Promise<IdentityAnswer> {
    return identityFields((await resolvePeople(this.database, orgId)).personOf(address));
  }
}

function identityFields({ personId, name, kind, aliases }: Person): IdentityAnswer {
  return { personId, name, kind, aliases: aliases.map(({ alias, by }) => ({ alias, by })) };
}
