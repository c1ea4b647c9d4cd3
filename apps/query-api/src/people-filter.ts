import { findTeam, type People, type Queryable, resolvePeople } from '@lineprint/persistence';
import { HttpProblem } from '@lineprint/platform';
import { z } from 'zod';
import type { TenantView } from './tenant-view';

/** The query parameter `team` of endpoints whose rows are people's. */
export const teamParameter = z
  .string()
  .min(1, 'must not be empty')
  .max(64, 'has at most 64 characters')
  .optional()
  .meta({ description: 'Only people of this team.' });

/** Whose rows an endpoint is asked for. */
export interface PeopleFilter {
  /** An address of the person. */
  readonly person?: string | undefined;
  readonly team?: string | undefined;
}

/** Whose rows count. */
export interface CountedPeople {
  /** The id of the one person they are of, if it is one. */
  readonly person: string | null;
  /** The user ids of the rows, under all addresses of the people; null for everybody's. */
  readonly userIds: readonly string[] | null;
}

/**
 * What a filter leaves of what a view may see.
 * @throws HttpProblem 403 `person-forbidden` when a personal view asks for somebody else, 404 `team-unknown`
 */
export async function countedPeople(
  queryable: Queryable,
  view: TenantView,
  { person, team }: PeopleFilter,
): Promise<CountedPeople> {
  if (person === undefined && team === undefined) return view;
  const people = await resolvePeople(queryable, view.orgId);
  const asked = person === undefined ? view.person : people.personOf(person).personId;
  if (view.person !== null && asked !== view.person) {
    throw new HttpProblem(
      403,
      'person-forbidden',
      'Another person',
      `This credential answers for ${view.person} only. Leave the person out, or use a key of the organisation.`,
    );
  }
  const userIds = asked === null ? null : people.aliasesOf(asked);
  if (team === undefined) return { person: asked, userIds };
  const members = await teamUserIds(queryable, view.orgId, team, people);
  return { person: asked, userIds: userIds?.filter((userId) => members.has(userId)) ?? [...members] };
}

/** All addresses of a team's members. @throws HttpProblem 404 `team-unknown` */
export async function teamUserIds(
  queryable: Queryable,
  orgId: string,
  teamId: string,
  people: People,
): Promise<ReadonlySet<string>> {
  const team = await findTeam(queryable, orgId, teamId);
  if (!team) throw unknownTeam(teamId);
  return new Set(team.members.flatMap((member) => people.aliasesOf(member)));
}

export function unknownTeam(teamId: string): HttpProblem {
  return new HttpProblem(
    404,
    'team-unknown',
    'No such team',
    `This organisation has no team ${teamId}. GET /api/v1/teams lists those it has.`,
  );
}
