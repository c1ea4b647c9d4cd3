import { randomUUID } from 'node:crypto';
import type { Database } from './database';
import type { Identity } from './identity/resolve-people';
import {
  describePerson,
  forgetDecision,
  mailmapConflicts,
  mergePeople,
  noteIdentities,
  resolvePeople,
  splitPerson,
  storeMailmap,
} from './people';
import { createTeam, deleteTeam, findTeam, listTeams, replaceTeam } from './teams';
import { ensureTenant } from './tenants';

const line = (commitEmail: string, properEmail: string) => ({
  commitEmail,
  properEmail,
  properName: null,
  commitName: null,
});

/** Who is who, on every adapter. */
export function peopleConformance(database: () => Database): void {
  async function organisation(...seen: (Partial<Identity> & { userId: string })[]): Promise<string> {
    const orgId = `org-${randomUUID()}`;
    await ensureTenant(database(), { orgId, name: orgId });
    await noteIdentities(
      database(),
      seen.map((identity) => ({ orgId, name: '', declared: false, ...identity })),
    );
    return orgId;
  }
  const aliasesOf = async (orgId: string, address: string) =>
    (await resolvePeople(database(), orgId)).aliasesOf(address);

  it('remembers each identity once, and only in its organisation', async () => {
    const orgId = await organisation({ userId: 'ada@acme.dev', name: 'Ada "A" \\ Byron' });
    await organisation({ userId: 'bob@acme.dev' });
    const identity = { orgId, userId: 'ada@acme.dev', name: 'Ada', declared: false };
    await noteIdentities(database(), [identity, identity]);
    await noteIdentities(database(), [identity]);
    const people = await resolvePeople(database(), orgId);
    expect(people.all()).toMatchObject([{ personId: 'ada@acme.dev', name: 'Ada "A" \\ Byron' }]);
  });

  it('merges, splits and goes back to what mailmaps say', async () => {
    const orgId = await organisation({ userId: 'a@x' }, { userId: 'b@x' }, { userId: 'c@x' });
    await storeMailmap(database(), orgId, 'desk', [line('b@x', 'c@x')]);
    await mergePeople(database(), orgId, { person: 'C@X', into: 'a@x' }, 'root');
    expect(await aliasesOf(orgId, 'b@x')).toEqual(['a@x', 'b@x', 'c@x']);
    await splitPerson(database(), orgId, 'b@x', 'root');
    expect(await aliasesOf(orgId, 'b@x')).toEqual(['b@x']);
    expect(await aliasesOf(orgId, 'a@x')).toEqual(['a@x', 'c@x']);
    await forgetDecision(database(), orgId, 'b@x');
    expect(await aliasesOf(orgId, 'a@x')).toEqual(['a@x', 'b@x', 'c@x']);
    await forgetDecision(database(), orgId, 'c@x');
    expect(await aliasesOf(orgId, 'b@x')).toEqual(['c@x', 'b@x']);
  });

  it('refuses decisions that mean nothing', async () => {
    const orgId = await organisation({ userId: 'a@x' }, { userId: 'b@x' });
    const merge = (person: string, into: string) => mergePeople(database(), orgId, { person, into }, null);
    await expect(merge('a@x', 'nobody@x')).rejects.toMatchObject({ code: 'person-unknown' });
    await expect(merge('a@x', 'a@x')).rejects.toMatchObject({ code: 'people-same' });
    await expect(splitPerson(database(), orgId, 'a@x', null)).rejects.toMatchObject({ code: 'people-same' });
    await merge('a@x', 'b@x');
    await expect(merge('b@x', 'a@x')).rejects.toMatchObject({ code: 'people-same' });
    await expect(splitPerson(database(), orgId, 'b@x', null)).rejects.toMatchObject({
      code: 'person-canonical',
    });
    await expect(forgetDecision(database(), orgId, 'b@x')).rejects.toMatchObject({
      code: 'decision-unknown',
    });
  });

  it('takes a mailmap in place of the one before, and says what others contradict until somebody decides', async () => {
    const orgId = await organisation({ userId: 'a@x' }, { userId: 'b@x' }, { userId: 'c@x' });
    expect(await storeMailmap(database(), orgId, 'desk', [line('a@x', 'b@x')])).toEqual([]);
    const conflict = {
      code: 'mailmaps-differ',
      alias: 'a@x',
      people: ['b@x', 'c@x'],
      repositories: ['desk', 'shop'],
    };
    expect(await storeMailmap(database(), orgId, 'shop', [line('a@x', 'c@x')])).toEqual([conflict]);
    expect(await storeMailmap(database(), orgId, 'other', [line('z@x', 'c@x')])).toEqual([]);
    expect(await aliasesOf(orgId, 'a@x')).toEqual(['a@x']);
    expect(await mailmapConflicts(database(), orgId)).toEqual([conflict]);
    await mergePeople(database(), orgId, { person: 'a@x', into: 'c@x' }, null);
    expect(await mailmapConflicts(database(), orgId)).toEqual([]);
    expect(await aliasesOf(orgId, 'a@x')).toEqual(['c@x', 'a@x', 'z@x']);
    await forgetDecision(database(), orgId, 'a@x');
    await storeMailmap(database(), orgId, 'shop', []);
    expect(await aliasesOf(orgId, 'a@x')).toEqual(['b@x', 'a@x']);
  });

  it('keeps what somebody has set of a person, and gives it back', async () => {
    const orgId = await organisation({ userId: 'release@x', name: 'Release Train' });
    const describe = (name: string | null, kind: 'bot' | null) =>
      describePerson(database(), orgId, 'Release@x', { name, kind });
    const person = async () => (await resolvePeople(database(), orgId)).personOf('release@x');
    await describe('Trains', 'bot');
    expect(await person()).toMatchObject({ name: 'Trains', kind: 'bot' });
    await describe(null, null);
    expect(await person()).toMatchObject({ name: 'Release Train', kind: 'person' });
  });

  it('keeps teams with their members', async () => {
    const orgId = await organisation();
    const team = { teamId: 'platform', name: 'Platform', members: ['b@x', 'A@x', 'a@x'] };
    await createTeam(database(), orgId, team);
    await expect(createTeam(database(), orgId, team)).rejects.toMatchObject({ code: 'team-exists' });
    expect(await findTeam(database(), orgId, 'platform')).toEqual({ ...team, members: ['a@x', 'b@x'] });
    await replaceTeam(database(), orgId, { teamId: 'platform', name: 'Plattform', members: [] });
    await createTeam(database(), orgId, { teamId: 'Desk', name: 'Desk', members: ['c@x'] });
    expect(await listTeams(database(), orgId)).toEqual([
      { teamId: 'Desk', name: 'Desk', members: ['c@x'] },
      { teamId: 'platform', name: 'Plattform', members: [] },
    ]);
    await deleteTeam(database(), orgId, 'Desk');
    expect(await findTeam(database(), orgId, 'Desk')).toBeNull();
    await expect(deleteTeam(database(), orgId, 'Desk')).rejects.toMatchObject({ code: 'team-unknown' });
    await expect(
      replaceTeam(database(), orgId, { teamId: 'Desk', name: '', members: [] }),
    ).rejects.toMatchObject({ code: 'team-unknown' });
  });
}
