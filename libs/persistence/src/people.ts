import {
  type MailmapConflict,
  type MailmapEntry,
  personId as personIdOf,
  type PersonKind,
} from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import type { Database, Queryable, Row, Transaction } from './database';
import { ACTOR_COLUMNS, type ErasedAddresses, loadErasedAddresses } from './erased-addresses';
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

// Identities are only added, but for erasures. The others are few.
const STAMP = `
  SELECT CONCAT_WS(' ',
    (SELECT COUNT(*) FROM identities WHERE org_id = $1),
    (SELECT SUM(sweeps) FROM erasures WHERE org_id = $1),
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
 * organisation: what they say does not depend on which came first. An empty one takes the repository's away. Lines that name somebody
 * who is erased are left out.
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
    const kept = entriesOfOthers(entries, (await loadErasedAddresses(tx, [orgId])).get(orgId));
    await tx.query(
      kept.length === 0
        ? 'DELETE FROM mailmaps WHERE org_id = $1 AND repository = $2'
        : `INSERT INTO mailmaps (org_id, repository, entries) VALUES ($1, $2, $3::jsonb)
           ON CONFLICT (org_id, repository) DO UPDATE SET entries = EXCLUDED.entries, updated_at = NOW()`,
      kept.length === 0 ? [orgId, repository] : [orgId, repository, JSON.stringify(kept)],
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

function entriesOfOthers(
  entries: readonly MailmapEntry[],
  erased: ErasedAddresses | undefined,
): MailmapEntry[] {
  const now = Date.now();
  return entries.filter(({ properEmail, commitEmail }) =>
    [properEmail, commitEmail].every(
      (address) => address === null || erased?.pseudonymOf(address, now) === undefined,
    ),
  );
}

/**
 * Puts a pseudonym in the place of a person wherever people are told apart and named, but for the rows of events: teams
 * keep it, decisions and lines of mailmaps go, personal keys are revoked.
 *
 * @param tx the caller's transaction, with nothing in it that waits for others afterwards
 * @param addresses as rows have them
 */
export async function eraseIdentity(
  tx: Transaction,
  orgId: string,
  addresses: readonly string[],
  pseudonym: string,
): Promise<void> {
  await lockTenant(tx, orgId);
  const person = [orgId, addresses, pseudonym];
  await tx.query(
    `INSERT INTO people (org_id, person_id, person_kind)
     SELECT DISTINCT ON (org_id) org_id, $3::text, person_kind FROM people
      WHERE org_id = $1 AND person_id = ANY ($2::text[]) AND person_kind IS NOT NULL
     ON CONFLICT DO NOTHING`,
    person,
  );
  await tx.query(
    `INSERT INTO team_members (org_id, team_id, person_id)
     SELECT DISTINCT org_id, team_id, $3::text FROM team_members WHERE org_id = $1 AND person_id = ANY ($2::text[])
     ON CONFLICT DO NOTHING`,
    person,
  );
  await tx.query(
    `INSERT INTO identities (org_id, user_id, name, declared)
     SELECT DISTINCT org_id, $3::text, CASE name WHEN '' THEN '' ELSE $3::text END, declared
       FROM identities WHERE org_id = $1 AND user_id = ANY ($2::text[])
     ON CONFLICT DO NOTHING`,
    person,
  );
  await tx.query(
    `DELETE FROM person_aliases WHERE org_id = $1 AND (alias = ANY ($2::text[]) OR person_id = ANY ($2::text[]))`,
    [orgId, addresses],
  );
  for (const [table, column] of [
    ['people', 'person_id'],
    ['team_members', 'person_id'],
    ['identities', 'user_id'],
  ]) {
    await tx.query(`DELETE FROM ${table} WHERE org_id = $1 AND ${column} = ANY ($2::text[])`, [
      orgId,
      addresses,
    ]);
  }
  await tx.query(
    `UPDATE api_keys SET user_id = $3::text, revoked_at = COALESCE(revoked_at, NOW())
      WHERE org_id = $1 AND user_id = ANY ($2::text[])`,
    person,
  );
  for (const [table, column] of ACTOR_COLUMNS) {
    await tx.query(
      `UPDATE ${table} SET ${column} = $3::text WHERE org_id = $1 AND ${column} = ANY ($2::text[])`,
      person,
    );
  }
  await tx.query(
    `UPDATE reconciliations SET details = (
       SELECT jsonb_agg(CASE WHEN d ->> 'user' = ANY ($2::text[]) THEN d || jsonb_build_object('user', $3::text) ELSE d END
                        ORDER BY n)
         FROM jsonb_array_elements(details) WITH ORDINALITY AS e (d, n))
      WHERE org_id = $1 AND EXISTS (
        SELECT 1 FROM jsonb_array_elements(details) d WHERE d ->> 'user' = ANY ($2::text[]))`,
    person,
  );
  await eraseInAudit(tx, orgId, addresses, pseudonym);
  await eraseInMailmaps(tx, orgId);
  await tx.query('UPDATE erasures SET sweeps = sweeps + 1 WHERE org_id = $1 AND pseudonym = $2', [
    orgId,
    pseudonym,
  ]);
}

/** What entries of the audit log say of people before and after a change. Who did it, and to whom, is told apart already. */
async function eraseInAudit(
  tx: Transaction,
  orgId: string,
  addresses: readonly string[],
  pseudonym: string,
): Promise<void> {
  const erased = (column: string) => `CASE WHEN ${column} IS NOT NULL THEN COALESCE((
    SELECT jsonb_object_agg(key, CASE WHEN value #>> '{}' = ANY ($2::text[]) THEN to_jsonb($3::text) ELSE value END)
      FROM jsonb_each(${column}) WHERE NOT (key = 'name' AND target = $3::text)), '{}') END`;
  await tx.query(
    `UPDATE audit_entries SET before = ${erased('before')}, after = ${erased('after')}
      WHERE org_id = $1 AND (target = $3::text OR EXISTS (
        SELECT 1 FROM (SELECT value FROM jsonb_each_text(before) UNION ALL SELECT value FROM jsonb_each_text(after)) e
         WHERE e.value = ANY ($2::text[])))`,
    [orgId, addresses, pseudonym],
  );
}

async function eraseInMailmaps(tx: Transaction, orgId: string): Promise<void> {
  const erased = (await loadErasedAddresses(tx, [orgId])).get(orgId);
  const mailmaps = await tx.query<Row & RepositoryMailmap>(
    'SELECT repository, entries FROM mailmaps WHERE org_id = $1',
    [orgId],
  );
  for (const { repository, entries } of mailmaps) {
    const kept = entriesOfOthers(entries, erased);
    if (kept.length === entries.length) continue;
    await tx.query('UPDATE mailmaps SET entries = $3::jsonb WHERE org_id = $1 AND repository = $2', [
      orgId,
      repository,
      JSON.stringify(kept),
    ]);
  }
  await rebuildMailmapAliases(tx, orgId);
}
