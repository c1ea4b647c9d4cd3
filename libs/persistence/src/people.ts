import {
  type MailmapConflict,
  type MailmapEntry,
  personId as personIdOf,
  type PersonKind,
} from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import type { Database, Queryable, Row, Transaction } from './database';
import { mailmapAliases, type RepositoryMailmap } from './identity/mailmap-aliases';
import { type Identity, People, type StoredAlias, type StoredPerson } from './identity/resolve-people';
import { lockTenant } from './tenants';

/** Remembers with which names user ids have come, so that addresses without a decision find their person. */
export async function noteIdentities(
  queryable: Queryable,
  rows: readonly (Identity & { readonly orgId: string })[],
): Promise<void> {
  // In one order, so that two who write at once do not wait for each other.
  await queryable.query(
    `INSERT INTO identities (org_id, user_id, name, declared)
     SELECT DISTINCT * FROM UNNEST($1::text[], $2::text[], $3::text[], $4::boolean[]) AS n
     ORDER BY 1, 2, 3, 4
     ON CONFLICT DO NOTHING`,
    [
      rows.map(({ orgId }) => orgId),
      rows.map(({ userId }) => userId),
      rows.map(({ name }) => name),
      rows.map(({ declared }) => declared),
    ],
  );
}

/** What an organisation's people were resolved to, and from what. */
interface ResolvedPeople {
  readonly stamp: string;
  readonly people: People;
}

const ORGANISATIONS_KEPT = 1_000;
/** By whoever reads: a transaction sees what others do not. */
const resolved = new WeakMap<Queryable, Map<string, ResolvedPeople>>();

// Identities are only added. The others are few.
const STAMP = `
  SELECT CONCAT_WS(' ',
    (SELECT COUNT(*) FROM identities WHERE org_id = $1),
    (SELECT md5(string_agg(a::text, ',' ORDER BY alias)) FROM person_aliases a WHERE org_id = $1),
    (SELECT md5(string_agg(p::text, ',' ORDER BY person_id)) FROM people p WHERE org_id = $1)) AS stamp`;

/**
 * Who is who in the organisation now. Rows keep the address that they came with; this says whose it is. Thousands of people
 * take a while, so it is worked out again only when something has changed.
 */
export async function resolvePeople(queryable: Queryable, orgId: string): Promise<People> {
  const [row] = await queryable.query<{ stamp: string }>(STAMP, [orgId]);
  const stamp = row?.stamp ?? '';
  const known = resolved.get(queryable) ?? new Map<string, ResolvedPeople>();
  resolved.set(queryable, known);
  const found = known.get(orgId);
  if (found?.stamp === stamp) return found.people;
  const people = await readPeople(queryable, orgId);
  if (known.size >= ORGANISATIONS_KEPT) known.clear();
  known.set(orgId, { stamp, people });
  return people;
}

async function readPeople(queryable: Queryable, orgId: string): Promise<People> {
  const aliases = await queryable.query<AliasRow>(
    'SELECT alias, person_id, by, name FROM person_aliases WHERE org_id = $1',
    [orgId],
  );
  const people = await queryable.query<{ person_id: string; name: string | null; kind: PersonKind | null }>(
    'SELECT person_id, name, person_kind AS kind FROM people WHERE org_id = $1',
    [orgId],
  );
  return new People({
    identities: await identitiesOf(queryable, orgId),
    aliases: aliases.map(({ alias, person_id, by, name }): StoredAlias => ({
      alias,
      personId: person_id,
      by,
      name,
    })),
    people: people.map(({ person_id, name, kind }): StoredPerson => ({ personId: person_id, name, kind })),
  });
}

interface AliasRow extends Row {
  alias: string;
  person_id: string;
  by: StoredAlias['by'];
  name: string | null;
}

async function identitiesOf(queryable: Queryable, orgId: string): Promise<Identity[]> {
  const rows = await queryable.query<{ user_id: string; name: string; declared: boolean }>(
    'SELECT user_id, name, declared FROM identities WHERE org_id = $1',
    [orgId],
  );
  return rows.map(({ user_id, name, declared }) => ({ userId: user_id, name, declared }));
}

/**
 * Makes two people one: all addresses of `person` are `into`'s from now on, those that come later, too. Goes before what
 * mailmaps say.
 * @throws LineprintError `person-unknown`, `people-same` where they are one already
 */
export async function mergePeople(
  database: Database,
  orgId: string,
  { person, into }: { person: string; into: string },
  decidedBy: string | null,
): Promise<void> {
  await decide(database, orgId, async (tx, people) => {
    const [from, to] = [known(people, person), known(people, into)];
    if (from === to) {
      throw new LineprintError('people-same', `${person} and ${into} are one person already: ${to}`);
    }
    await saveDecision(tx, orgId, { alias: from, personId: to }, decidedBy);
  });
}

/**
 * Takes an address out of the person that it belongs to: a person of its own from now on, whatever mailmaps and hosts say.
 * @throws LineprintError `person-unknown`, `people-same` where it is alone, `person-canonical` where others hang on it
 */
export async function splitPerson(
  database: Database,
  orgId: string,
  address: string,
  decidedBy: string | null,
): Promise<void> {
  await decide(database, orgId, async (tx, people) => {
    const person = known(people, address);
    const alias = personIdOf(address);
    if (people.aliasesOf(alias).length === 1) {
      throw new LineprintError('people-same', `${alias} is a person of its own already`);
    }
    if (person === alias) {
      throw new LineprintError(
        'person-canonical',
        `The person is called by ${alias}: split the other addresses off, or merge it into one of them first`,
      );
    }
    await saveDecision(tx, orgId, { alias, personId: alias }, decidedBy);
  });
}

/**
 * Forgets what somebody has decided of an address: mailmaps and hosts say again whose it is.
 * @throws LineprintError `decision-unknown`
 */
export async function forgetDecision(database: Database, orgId: string, address: string): Promise<void> {
  await decide(database, orgId, async (tx) => {
    const forgotten = await tx.query(
      `DELETE FROM person_aliases WHERE org_id = $1 AND alias = $2 AND by = 'manual' RETURNING alias`,
      [orgId, personIdOf(address)],
    );
    if (forgotten.length === 0) {
      throw new LineprintError('decision-unknown', `Nobody has merged or split ${personIdOf(address)}`);
    }
    await rebuildMailmapAliases(tx, orgId);
  });
}

/**
 * Sets how a person is called and what it is; null gives it back to what names and addresses say.
 * @throws LineprintError `person-unknown`
 */
export async function describePerson(
  database: Database,
  orgId: string,
  address: string,
  { name, kind }: Pick<StoredPerson, 'name' | 'kind'>,
): Promise<void> {
  await decide(database, orgId, async (tx, people) => {
    await tx.query(
      `INSERT INTO people (org_id, person_id, name, person_kind) VALUES ($1, $2, $3, $4)
       ON CONFLICT (org_id, person_id) DO UPDATE SET name = EXCLUDED.name, person_kind = EXCLUDED.person_kind`,
      [orgId, known(people, address), name, kind],
    );
  });
}

/**
 * Takes a repository's mailmap in place of the one before, and makes the aliases by mailmap anew from all of the
 * organisation: what they say does not depend on which came first. An empty one takes the repository's away.
 * @returns what this repository's says that others, or the names of its address, contradict
 */
export async function storeMailmap(
  database: Database,
  orgId: string,
  repository: string,
  entries: readonly MailmapEntry[],
): Promise<MailmapConflict[]> {
  return database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    await tx.query(
      entries.length === 0
        ? 'DELETE FROM mailmaps WHERE org_id = $1 AND repository = $2'
        : `INSERT INTO mailmaps (org_id, repository, entries) VALUES ($1, $2, $3::jsonb)
           ON CONFLICT (org_id, repository) DO UPDATE SET entries = EXCLUDED.entries, updated_at = NOW()`,
      entries.length === 0 ? [orgId, repository] : [orgId, repository, JSON.stringify(entries)],
    );
    const conflicts = await rebuildMailmapAliases(tx, orgId);
    return conflicts.filter(({ repositories }) => repositories.includes(repository));
  });
}

/** Addresses that mailmaps disagree on, and nobody has decided. */
export async function mailmapConflicts(queryable: Queryable, orgId: string): Promise<MailmapConflict[]> {
  const decided = await queryable.query<{ alias: string }>(
    `SELECT alias FROM person_aliases WHERE org_id = $1 AND by = 'manual'`,
    [orgId],
  );
  const aliases = new Set(decided.map(({ alias }) => alias));
  const { conflicts } = await readMailmaps(queryable, orgId);
  return conflicts.filter(({ alias }) => !aliases.has(alias));
}

async function rebuildMailmapAliases(tx: Transaction, orgId: string): Promise<MailmapConflict[]> {
  const { aliases, conflicts } = await readMailmaps(tx, orgId);
  await tx.query(`DELETE FROM person_aliases WHERE org_id = $1 AND by = 'mailmap'`, [orgId]);
  await tx.query(
    `INSERT INTO person_aliases (org_id, alias, person_id, by, name)
     SELECT $1, alias, person_id, 'mailmap', name FROM UNNEST($2::text[], $3::text[], $4::text[]) AS n (alias, person_id, name)
     ON CONFLICT (org_id, alias) DO NOTHING`,
    [
      orgId,
      aliases.map(({ alias }) => alias),
      aliases.map(({ personId }) => personId),
      aliases.map(({ name }) => name),
    ],
  );
  return conflicts;
}

async function readMailmaps(queryable: Queryable, orgId: string): Promise<ReturnType<typeof mailmapAliases>> {
  const mailmaps = await queryable.query<Row & RepositoryMailmap>(
    'SELECT repository, entries FROM mailmaps WHERE org_id = $1 ORDER BY repository COLLATE "C"',
    [orgId],
  );
  const names = new Map<string, string[]>();
  for (const { userId, name } of await identitiesOf(queryable, orgId)) {
    if (name !== '') names.set(userId, [...(names.get(userId) ?? []), name]);
  }
  return mailmapAliases(mailmaps, (address) => names.get(address) ?? []);
}

/** Whoever decides takes turns with whoever else does and with mailmaps. */
async function decide(
  database: Database,
  orgId: string,
  work: (tx: Transaction, people: People) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    await work(tx, await resolvePeople(tx, orgId));
  });
}

async function saveDecision(
  tx: Transaction,
  orgId: string,
  { alias, personId }: { alias: string; personId: string },
  decidedBy: string | null,
): Promise<void> {
  await tx.query(
    `INSERT INTO person_aliases (org_id, alias, person_id, by, decided_by) VALUES ($1, $2, $3, 'manual', $4)
     ON CONFLICT (org_id, alias) DO UPDATE SET person_id = EXCLUDED.person_id, by = EXCLUDED.by, name = NULL,
       decided_by = EXCLUDED.decided_by, decided_at = NOW()`,
    [orgId, alias, personId, decidedBy],
  );
}

/** The id of who has the address. @throws LineprintError `person-unknown` */
function known(people: People, address: string): string {
  const person = people.personOf(address);
  if (people.knows(person.personId)) return person.personId;
  throw new LineprintError(
    'person-unknown',
    `Nobody has committed or used an assistant as ${person.personId}`,
  );
}
