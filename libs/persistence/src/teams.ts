import { personId as personIdOf } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import type { Database, Queryable, Row, Transaction } from './database';
import { lockTenant } from './tenants';

/** A group of people. Members are kept as the addresses they were named by: whose those are is asked each time. */
export interface Team {
  readonly teamId: string;
  readonly name: string;
  /** Addresses, in order. */
  readonly members: readonly string[];
}

interface TeamRow extends Row {
  team_id: string;
  name: string;
  members: string[];
}

const TEAMS = `
  SELECT t.team_id, t.name, ARRAY(
      SELECT m.person_id FROM team_members m
      WHERE m.org_id = t.org_id AND m.team_id = t.team_id ORDER BY m.person_id COLLATE "C"
    )::text[] AS members
  FROM teams t
  WHERE t.org_id = $1 AND ($2::text IS NULL OR t.team_id = $2::text)
  ORDER BY t.team_id COLLATE "C"`;

/** The organisation's teams by id. */
export async function listTeams(queryable: Queryable, orgId: string): Promise<Team[]> {
  return (await queryable.query<TeamRow>(TEAMS, [orgId, null])).map(teamOf);
}

export async function findTeam(queryable: Queryable, orgId: string, teamId: string): Promise<Team | null> {
  const [row] = await queryable.query<TeamRow>(TEAMS, [orgId, teamId]);
  return row ? teamOf(row) : null;
}

function teamOf({ team_id, name, members }: TeamRow): Team {
  return { teamId: team_id, name, members };
}

/** @throws LineprintError `team-exists` */
export async function createTeam(database: Database, orgId: string, team: Team): Promise<void> {
  await database.transaction(async (tx) => {
    const made = await tx.query(
      'INSERT INTO teams (org_id, team_id, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING team_id',
      [orgId, team.teamId, team.name],
    );
    if (made.length === 0) throw new LineprintError('team-exists', `There is a team ${team.teamId} already`);
    await writeMembers(tx, orgId, team);
  });
}

/** Puts name and members in place of those before. @throws LineprintError `team-unknown` */
export async function replaceTeam(database: Database, orgId: string, team: Team): Promise<void> {
  await database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    const renamed = await tx.query(
      'UPDATE teams SET name = $3 WHERE org_id = $1 AND team_id = $2 RETURNING team_id',
      [orgId, team.teamId, team.name],
    );
    if (renamed.length === 0) throw unknownTeam(team.teamId);
    await clearMembers(tx, orgId, team.teamId);
    await writeMembers(tx, orgId, team);
  });
}

/** @throws LineprintError `team-unknown` */
export async function deleteTeam(database: Database, orgId: string, teamId: string): Promise<void> {
  await database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    const deleted = await tx.query('DELETE FROM teams WHERE org_id = $1 AND team_id = $2 RETURNING team_id', [
      orgId,
      teamId,
    ]);
    if (deleted.length === 0) throw unknownTeam(teamId);
    await clearMembers(tx, orgId, teamId);
  });
}

async function clearMembers(tx: Transaction, orgId: string, teamId: string): Promise<void> {
  await tx.query('DELETE FROM team_members WHERE org_id = $1 AND team_id = $2', [orgId, teamId]);
}

async function writeMembers(tx: Transaction, orgId: string, { teamId, members }: Team): Promise<void> {
  await tx.query(
    `INSERT INTO team_members (org_id, team_id, person_id)
     SELECT DISTINCT $1, $2, member FROM UNNEST($3::text[]) AS member`,
    [orgId, teamId, members.map(personIdOf)],
  );
}

function unknownTeam(teamId: string): LineprintError {
  return new LineprintError('team-unknown', `There is no team ${teamId}`);
}
