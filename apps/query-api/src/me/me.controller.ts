import { Controller, Get, Inject } from '@nestjs/common';
import { TENANT_DATABASE, type Database, listTeams, loadTenant, resolvePeople } from '@lineprint/persistence';
import {
  AnyCredential,
  type Config,
  CONFIG,
  CurrentPrincipal,
  hasScope,
  type Principal,
  Public,
  WithinProjects,
} from '@lineprint/platform';
import { z } from 'zod';
import { DescribesAnswer } from '../openapi/describe';
import { authSettingsAnswer, type AuthSettingsAnswer, meAnswer, type MeAnswer } from './me.schema';

const NO_PARAMETERS = z.object({});

/** Who asks, and how somebody becomes somebody. */
@Controller('api/v1')
export class MeController {
  constructor(
    @Inject(TENANT_DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('me')
  @AnyCredential()
  @WithinProjects()
  @DescribesAnswer('Who the credential stands for, and what it shows', meAnswer, NO_PARAMETERS, {
    scope: 'any',
  })
  async me(@CurrentPrincipal() principal: Principal): Promise<MeAnswer> {
    const { orgId, role, projects } = principal;
    const tenant = await loadTenant(this.database, orgId);
    const address = principal.userId ?? principal.address;
    const people = await resolvePeople(this.database, orgId);
    const person = address === undefined ? null : people.personOf(address);
    const teams = await listTeams(this.database, orgId);
    const isMember = (member: string) => people.personOf(member).personId === person?.personId;
    return {
      credential: role === undefined ? 'key' : 'token',
      role: role ?? null,
      scopes: [...principal.scopes],
      sees: seenBy(principal),
      projects: projects ? [...projects] : null,
      readsCode: hasScope(principal, 'code'),
      person: person && { ...person, aliases: person.aliases.map(({ alias }) => alias) },
      teams: teams
        .filter(({ members }) => members.some(isMember))
        .map(({ teamId, name }) => ({ teamId, name })),
      organisation: { orgId, name: tenant?.name ?? orgId, timeZone: tenant?.timeZone ?? 'UTC' },
    };
  }

  @Get('auth/settings')
  @Public()
  @DescribesAnswer('How people log in', authSettingsAnswer, NO_PARAMETERS, { scope: 'public' })
  settings(): AuthSettingsAnswer {
    const { oidc } = this.config;
    return { oidc: oidc ? { issuer: oidc.issuer, clientId: oidc.clientId, scope: oidc.scope } : null };
  }
}

function seenBy(principal: Principal): MeAnswer['sees'] {
  if (!hasScope(principal, 'read')) return 'nothing';
  if (principal.userId !== null) return 'person';
  return principal.projects ? 'projects' : 'organisation';
}
