import { personId, PSEUDONYM } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import { randomBytes } from 'node:crypto';
import type { Database, Queryable, Row } from './database';
import { ACTOR_COLUMNS, keyedHash, loadErasedAddresses } from './erased-addresses';
import { resolvePeople } from './people';
import { lockTenant } from './tenants';

/** A person whom somebody wants forgotten. */
export interface Erasure {
  readonly orgId: string;
  /** What stands in the place of the person's addresses and names. */
  readonly pseudonym: string;
  readonly requestedBy: string | null;
  readonly requestedAt: Date;
  /** Null while rows may still have the person. */
  readonly finishedAt: Date | null;
  /** Since when new events have the person again. */
  readonly liftedAt: Date | null;
}

interface ErasureRow extends Row {
  org_id: string;
  pseudonym: string;
  requested_by: string | null;
  requested_at: Date;
  finished_at: Date | null;
  lifted_at: Date | null;
}

const COLUMNS = 'org_id, pseudonym, requested_by, requested_at, finished_at, lifted_at';

function erasureOf(row: ErasureRow): Erasure {
  return {
    orgId: row.org_id,
    pseudonym: row.pseudonym,
    requestedBy: row.requested_by,
    requestedAt: row.requested_at,
    finishedAt: row.finished_at,
    liftedAt: row.lifted_at,
  };
}

/**
 * Erases a person: from now on every event has a pseudonym in the place of all addresses that are the person's today,
 * and rollup rewrites what is stored. Again, or for an address that is erased already, it looks once more.
 *
 * @throws LineprintError `person-unknown`
 */
export async function requestErasure(
  database: Database,
  orgId: string,
  address: string,
  requestedBy: string | null,
): Promise<Erasure> {
  return database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    const secret = await ensureErasureKey(tx, orgId);
    const erased = (await loadErasedAddresses(tx, [orgId])).get(orgId);
    const again = PSEUDONYM.test(address) ? address : erased?.pseudonymOf(address, Date.now());
    if (again !== undefined) return reopened(tx, orgId, again);
    const people = await resolvePeople(tx, orgId);
    const person = people.personOf(address);
    if (!people.knows(person.personId) && !(await hasSnippets(tx, orgId, address))) {
      throw unknownPerson(address);
    }
    const pseudonym = `erased-${keyedHash(secret, `person ${person.personId}`).toString('hex').slice(0, 16)}`;
    const [row] = await tx.query<ErasureRow>(
      `INSERT INTO erasures (org_id, pseudonym, requested_by) VALUES ($1, $2, $3)
       ON CONFLICT (org_id, pseudonym) DO UPDATE SET requested_by = EXCLUDED.requested_by, requested_at = NOW(),
         finished_at = NULL, lifted_at = NULL
       RETURNING ${COLUMNS}`,
      [orgId, pseudonym, requestedBy],
    );
    await tx.query(
      `INSERT INTO erased_addresses (org_id, address_hash, pseudonym)
       SELECT $1, hash, $3 FROM UNNEST($2::bytea[]) AS n (hash)
       ON CONFLICT (org_id, address_hash) DO UPDATE SET pseudonym = EXCLUDED.pseudonym`,
      [orgId, person.aliases.map(({ alias }) => keyedHash(secret, personId(alias))), pseudonym],
    );
    return erasureOf(row!);
  });
}

async function ensureErasureKey(tx: Queryable, orgId: string): Promise<Uint8Array> {
  await tx.query(
    'INSERT INTO erasure_keys (org_id, secret) VALUES ($1, $2) ON CONFLICT (org_id) DO NOTHING',
    [orgId, randomBytes(32)],
  );
  const [row] = await tx.query<{ secret: Uint8Array }>('SELECT secret FROM erasure_keys WHERE org_id = $1', [
    orgId,
  ]);
  return row!.secret;
}

async function reopened(tx: Queryable, orgId: string, pseudonym: string): Promise<Erasure> {
  const [row] = await tx.query<ErasureRow>(
    `UPDATE erasures SET finished_at = NULL WHERE org_id = $1 AND pseudonym = $2 RETURNING ${COLUMNS}`,
    [orgId, pseudonym],
  );
  if (!row) throw unknownPerson(pseudonym);
  return erasureOf(row);
}

async function hasSnippets(queryable: Queryable, orgId: string, address: string): Promise<boolean> {
  const rows = await queryable.query(
    'SELECT 1 FROM ai_code_fingerprints WHERE org_id = $1 AND user_id = ANY ($2::text[]) LIMIT 1',
    [orgId, [address, personId(address)]],
  );
  return rows.length > 0;
}

function unknownPerson(address: string): LineprintError {
  return new LineprintError('person-unknown', `Nobody has committed or used an assistant as ${address}`);
}

/**
 * Lets events that are taken from now on have the person again. What came before stays the pseudonym's, after a replay as
 * well. @param address one of the person's, or the pseudonym
 * @throws LineprintError `erasure-unknown`
 */
export async function liftErasure(database: Database, orgId: string, address: string): Promise<Erasure> {
  const erased = (await loadErasedAddresses(database, [orgId])).get(orgId);
  const pseudonym = PSEUDONYM.test(address) ? address : erased?.pseudonymOf(address, Date.now());
  const [row] = await database.query<ErasureRow>(
    `UPDATE erasures SET lifted_at = COALESCE(lifted_at, NOW()) WHERE org_id = $1 AND pseudonym = $2
     RETURNING ${COLUMNS}`,
    [orgId, pseudonym ?? ''],
  );
  if (row) return erasureOf(row);
  throw new LineprintError('erasure-unknown', `${address} is not erased, or no longer`);
}

/** An organisation's erasures, the newest first. */
export async function listErasures(queryable: Queryable, orgId: string): Promise<Erasure[]> {
  const rows = await queryable.query<ErasureRow>(
    `SELECT ${COLUMNS} FROM erasures WHERE org_id = $1 ORDER BY requested_at DESC, pseudonym`,
    [orgId],
  );
  return rows.map(erasureOf);
}

export async function findErasure(
  queryable: Queryable,
  orgId: string,
  pseudonym: string,
): Promise<Erasure | null> {
  const [row] = await queryable.query<ErasureRow>(
    `SELECT ${COLUMNS} FROM erasures WHERE org_id = $1 AND pseudonym = $2`,
    [orgId, pseudonym],
  );
  return row ? erasureOf(row) : null;
}

/** Who takes one and has not finished it for so long may have died; two at once do no harm. */
const CLAIM = "INTERVAL '2 minutes'";

/** Takes the oldest erasure that waits; several processes may, each gets its own. */
export async function takeErasure(queryable: Queryable): Promise<Erasure | null> {
  const [row] = await queryable.query<ErasureRow>(
    `UPDATE erasures SET claimed_until = NOW() + ${CLAIM}
      WHERE (org_id, pseudonym) = (
        SELECT org_id, pseudonym FROM erasures
         WHERE finished_at IS NULL AND (claimed_until IS NULL OR claimed_until < NOW())
         ORDER BY requested_at LIMIT 1 FOR UPDATE SKIP LOCKED
      )
      RETURNING ${COLUMNS}`,
  );
  return row ? erasureOf(row) : null;
}

/** Says that nothing is left of the person; with `false` that somebody has to go on. */
export async function endErasure(
  queryable: Queryable,
  { orgId, pseudonym }: Pick<Erasure, 'orgId' | 'pseudonym'>,
  isFinished: boolean,
): Promise<void> {
  await queryable.query(
    `UPDATE erasures SET claimed_until = NULL, finished_at = CASE WHEN $3 THEN NOW() END
      WHERE org_id = $1 AND pseudonym = $2`,
    [orgId, pseudonym, isFinished],
  );
}

/** Opens those again of which an event has left rows that was in a service's hands when they were asked for. */
export async function reopenErasures(queryable: Queryable): Promise<void> {
  const orgs = await queryable.query<{ org_id: string }>(
    'SELECT DISTINCT org_id FROM erasures WHERE lifted_at IS NULL ORDER BY org_id',
  );
  for (const { org_id } of orgs) {
    for (const pseudonym of (await storedAddresses(queryable, org_id, EVENT_ADDRESSES)).keys()) {
      await queryable.query('UPDATE erasures SET finished_at = NULL WHERE org_id = $1 AND pseudonym = $2', [
        org_id,
        pseudonym,
      ]);
    }
  }
}

// One look-up in an index a user, however many snippets there are.
const SNIPPET_USERS = `
  WITH RECURSIVE u AS (
    SELECT MIN(user_id) AS user_id FROM ai_code_fingerprints WHERE org_id = $1
    UNION ALL
    SELECT (SELECT MIN(user_id) FROM ai_code_fingerprints f WHERE f.org_id = $1 AND f.user_id > u.user_id)
      FROM u WHERE u.user_id IS NOT NULL
  )
  SELECT user_id AS address FROM u WHERE user_id IS NOT NULL`;

const EVENT_ADDRESSES: readonly string[] = [
  SNIPPET_USERS,
  'SELECT user_id AS address FROM identities WHERE org_id = $1',
];

const ALL_ADDRESSES: readonly string[] = [
  ...EVENT_ADDRESSES,
  ...[
    ['person_aliases', 'alias'],
    ['person_aliases', 'person_id'],
    ['people', 'person_id'],
    ['team_members', 'person_id'],
    ['api_keys', 'user_id'],
    ...ACTOR_COLUMNS,
  ].map(([table, column]) => `SELECT DISTINCT ${column} AS address FROM ${table} WHERE org_id = $1`),
];

/** The addresses of erased people that an organisation's rows still have, as they have them, by pseudonym. */
export async function storedAddresses(
  queryable: Queryable,
  orgId: string,
  places: readonly string[] = ALL_ADDRESSES,
): Promise<Map<string, string[]>> {
  const stored = new Map<string, string[]>();
  const erased = (await loadErasedAddresses(queryable, [orgId])).get(orgId);
  if (!erased) return stored;
  const now = Date.now();
  const addresses = new Set<string>();
  for (const place of places) {
    const rows = await queryable.query<{ address: string | null }>(place, [orgId]);
    for (const { address } of rows) if (address !== null) addresses.add(address);
  }
  for (const address of addresses) {
    const pseudonym = erased.pseudonymOf(address, now);
    if (pseudonym !== undefined) stored.set(pseudonym, [...(stored.get(pseudonym) ?? []), address]);
  }
  return stored;
}

/** Rows a statement: it holds locks for a moment only. */
const CHUNK = 5_000;

/** Gives a person's snippets to the pseudonym, without their code. Prints stay: what is judged by them is to stay so. */
export async function eraseSnippets(
  database: Database,
  orgId: string,
  addresses: readonly string[],
  pseudonym: string,
): Promise<void> {
  for (;;) {
    const rows = await database.query(
      `UPDATE ai_code_fingerprints f SET user_id = $3::text, raw_code_encrypted = NULL
         FROM (SELECT org_id, code_id, created_at FROM ai_code_fingerprints
                WHERE org_id = $1 AND user_id = ANY ($2::text[]) LIMIT ${CHUNK}) own
        WHERE (f.org_id, f.code_id, f.created_at) = (own.org_id, own.code_id, own.created_at)
        RETURNING 1`,
      [orgId, addresses, pseudonym],
    );
    if (rows.length < CHUNK) return;
  }
}
