import {
  type ActivityEvent,
  type AttributionEvent,
  DEFAULT_POLICY,
  pseudonymised,
  TOPICS,
} from '@lineprint/contracts';
import {
  createApiKey,
  createPolicy,
  createReplay,
  createTeam,
  type Database,
  findApiKey,
  findErasure,
  insertSnippets,
  loadErasedAddresses,
  mergePeople,
  reopenErasures,
  requestErasure,
  resolvePeople,
  storeMailmap,
} from '@lineprint/persistence';
import { checkTable, eraseNext, SUMMED_TABLES } from '@lineprint/results';
import { ActivityConsumer } from '../activity/activity.consumer';
import { AttributionConsumer } from '../results/attribution.consumer';
import { randomVerdict, seededRandom } from '../testing/random-verdicts';
import { allRows, batchOf, emptyTables, openRollupDatabase } from '../testing/stored-tables';

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

const ADA = 'ada@example.org';
const BOB = 'bob@example.org';
const running = new AbortController().signal;

let database: Database;
beforeAll(async () => {
  database = await openRollupDatabase();
  await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: 'strict' });
});
/** No results, commits and sessions, and both of the policies judged. */
async function reset(): Promise<void> {
  await emptyTables(database);
  await createReplay(database, { orgId: 'acme', policyId: 'strict', topic: 'candidates' });
}
beforeEach(async () => {
  await reset();
  await database.script(
    'TRUNCATE audit_entries, erasures, erased_addresses, erasure_keys, identities, person_aliases, people, mailmaps, teams, team_members, api_keys CASCADE',
  );
});
afterAll(() => database.close());

const verdicts = (seed: number): AttributionEvent[] => {
  const random = seededRandom(seed);
  return Array.from({ length: 30 }, () => randomVerdict(random));
};
const session = (userId: string, sessionId: string, tenant = 'acme'): ActivityEvent => ({
  tenant,
  projectId: 'shop',
  sessionId,
  userId,
  timestamp: Date.UTC(2026, 2, 8, 12),
  tab: { suggestionsShown: 10, suggestionsAccepted: 4, charsAccepted: 90, fingerprints: [] },
});
const sessions = [session('Ada@Example.org', 's1'), session(BOB, 's2'), session(ADA, 's3', 'rival')];

async function consume(commits: readonly unknown[], activity: readonly unknown[]): Promise<void> {
  await new AttributionConsumer(database).consume(batchOf(TOPICS.attributions, commits));
  if (activity.length > 0) await new ActivityConsumer(database).consume(batchOf(TOPICS.activity, activity));
}

/** What an event of `acme` is to whoever meets it after the erasure. */
async function withoutErased<E extends object>(events: readonly E[]): Promise<E[]> {
  const erased = (await loadErasedAddresses(database, ['acme'])).get('acme')!;
  return events.map((event) =>
    JSON.stringify(event).includes('"tenant":"acme"')
      ? (pseudonymised(event, (address) => erased.pseudonymOf(address, 0)) as E)
      : event,
  );
}

async function erased(address: string): Promise<string> {
  const { pseudonym } = await requestErasure(database, 'acme', address, null);
  while (await eraseNext(database, running));
  expect((await findErasure(database, 'acme', pseudonym))?.finishedAt).not.toBeNull();
  return pseudonym;
}

/** Rows of an organisation in which a text stands, in whatever column of whatever table. */
async function rowsWith(text: RegExp, orgId: string): Promise<string[]> {
  const tables = await database.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'org_id' AND table_name NOT LIKE 'v\\_%'`,
  );
  const found: string[] = [];
  for (const { table_name } of tables) {
    const rows = await database.query<{ row: string }>(
      `SELECT to_jsonb(t)::text AS row FROM ${table_name} t WHERE org_id = $1`,
      [orgId],
    );
    found.push(...rows.filter(({ row }) => text.test(row)).map(({ row }) => `${table_name} ${row}`));
  }
  return found;
}

async function expectReconciled(): Promise<void> {
  for (const policyId of ['default', 'strict']) {
    for (const table of SUMMED_TABLES) {
      const days = { orgId: 'acme', policyId, first: '2026-03-01', last: '2026-03-31' };
      expect(await checkTable(database, table, days)).toEqual({ differences: 0, told: [] });
    }
  }
}

describe.each([1, 2])('erasing a person of verdicts drawn with seed %i', (seed) => {
  it('leaves the tables that a replay writes which never heard of the person, and all sums right', async () => {
    await consume(verdicts(seed), sessions);
    const pseudonym = await erased(ADA);
    const tables = await allRows(database);
    await expectReconciled();
    await reset();
    await consume(await withoutErased(verdicts(seed)), await withoutErased(sessions));
    expect(await allRows(database)).toEqual(tables);
    expect(JSON.stringify(tables)).toContain(pseudonym);
    expect(await rowsWith(/\bada\b/i, 'acme')).toEqual([]);
    expect(await rowsWith(/\bada\b/i, 'rival')).not.toEqual([]);
  });

  it('with several addresses makes them one, whose days are summed', async () => {
    await consume(verdicts(seed), sessions);
    await mergePeople(database, 'acme', { person: BOB, into: ADA }, null);
    await erased('BOB@example.org');
    const tables = await allRows(database);
    await expectReconciled();
    await reset();
    await consume(await withoutErased(verdicts(seed)), await withoutErased(sessions));
    expect(await allRows(database)).toEqual(tables);
    expect(await rowsWith(/\b(ada|bob)\b/i, 'acme')).toEqual([]);
  });
});

/** The database, whose `n`th transaction from now on finds the process dead. */
function dyingAt(n: number): Database {
  let left = n;
  return {
    kind: database.kind,
    query: (sql, params) => database.query(sql, params),
    script: (sql) => database.script(sql),
    ping: () => database.ping(),
    close: () => Promise.resolve(),
    transaction: (work) => (--left === 0 ? Promise.reject(new Error('killed')) : database.transaction(work)),
  };
}

it.each([1, 2, 3])('goes on where a process died before its transaction %i', async (n) => {
  await consume(verdicts(4), sessions);
  const { pseudonym } = await requestErasure(database, 'acme', ADA, null);
  await expect(eraseNext(dyingAt(n), running)).rejects.toThrow('killed');
  expect(await eraseNext(database, running)).toBeNull();
  await database.query("UPDATE erasures SET claimed_until = NOW() - INTERVAL '1 second'");
  expect(await eraseNext(database, running)).toMatchObject({ pseudonym });
  expect(await rowsWith(/\bada\b/i, 'acme')).toEqual([]);
  await expectReconciled();
});

it('finds what an event writes that was in hand meanwhile, and adds it to the same days', async () => {
  await consume(verdicts(5).slice(0, 15), sessions);
  await erased(ADA);
  await consume(verdicts(5), sessions);
  await reopenErasures(database);
  while (await eraseNext(database, running));
  const tables = await allRows(database);
  await expectReconciled();
  await reset();
  await consume(await withoutErased(verdicts(5).slice(0, 15)), await withoutErased(sessions));
  await consume(await withoutErased(verdicts(5)), []);
  expect(await allRows(database)).toEqual(tables);
  expect(await rowsWith(/\bada\b/i, 'acme')).toEqual([]);
});

it('is the same person again when asked for twice, by address or pseudonym', async () => {
  await consume(verdicts(6), sessions);
  const pseudonym = await erased(ADA);
  const tables = await allRows(database);
  expect(await erased(ADA)).toBe(pseudonym);
  expect(await erased(pseudonym)).toBe(pseudonym);
  expect(await allRows(database)).toEqual(tables);
  await expect(requestErasure(database, 'acme', 'nobody@example.org', null)).rejects.toMatchObject({
    code: 'person-unknown',
  });
});

it('takes the person out of mailmaps, teams, keys and snippets, and leaves others there', async () => {
  const line = (name: string, email: string, other: string) => ({
    properName: name,
    properEmail: email,
    commitName: null,
    commitEmail: other,
  });
  await consume(verdicts(7), sessions);
  const lines = [line('Ada Byron', ADA, 'ada@old.example'), line('Bob B.', BOB, 'bob@old.example')];
  await storeMailmap(database, 'acme', 'shop', lines);
  await createTeam(database, 'acme', { teamId: 'core', name: 'Core', members: [ADA, BOB] });
  const { key } = await createApiKey(database, { orgId: 'acme', scopes: ['read'], userId: ADA });
  // What the audit log says of who did what to whom.
  await database.script(`
    BEGIN; SET LOCAL lineprint.actor = '${ADA}';
    INSERT INTO people (org_id, person_id, name) VALUES ('acme', '${ADA}', 'Ada Byron');
    INSERT INTO person_aliases (org_id, alias, person_id, by, name)
      VALUES ('acme', 'ada@home.example', '${ADA}', 'manual', 'Ada Byron');
    COMMIT`);
  await insertSnippets(database, [
    {
      ...{ orgId: 'acme', codeId: 'c1', sessionId: 's9', userId: 'ADA@old.example', projectId: 'shop' },
      ...{ source: 'tab', signature: new Uint8Array(512), lshBuckets: new Uint8Array(64), language: 'go' },
      ...{ fileExtension: 'go', lineCount: 1, charCount: 1, structureHash: '0123456789abcdef' },
      ...{ rawCodeEncrypted: 'v1.secret', protocol: 1, repository: null, model: null, client: null },
      ...{ editKind: null, acceptedPartially: null, declaredBy: null, astSignature: null, partition: 0 },
      ...{ offset: 0, createdAt: new Date('2026-03-08T10:00:00Z'), keyId: null, linePrints: null },
      ...{ pathKey: null, before: null, after: null },
    },
  ]);
  const pseudonym = await erased('ada@old.example');
  expect(await rowsWith(/\bada\b|v1\.secret/i, 'acme')).toEqual([]);
  expect(await findApiKey(database, key)).toBeNull();
  const entries = await database.query(
    'SELECT actor, action, target, after FROM audit_entries WHERE actor IS NOT NULL ORDER BY id',
  );
  expect(entries).toEqual([
    { actor: pseudonym, action: 'person.created', target: pseudonym, after: { person_kind: null } },
    expect.objectContaining({ actor: pseudonym, action: 'person_alias.created', target: pseudonym }),
  ]);
  const people = await resolvePeople(database, 'acme');
  expect(people.personOf('bob@old.example')).toMatchObject({ personId: BOB, name: 'Bob B.' });
  expect(people.all().map(({ personId }) => personId)).toEqual([BOB, pseudonym]);
  const [team] = await database.query(
    'SELECT ARRAY_AGG(person_id::text ORDER BY 1) AS members FROM team_members',
  );
  expect(team).toEqual({ members: [BOB, pseudonym] });
  // The mailmap comes again with every push.
  await storeMailmap(database, 'acme', 'shop', lines);
  expect(await rowsWith(/\bada\b/i, 'acme')).toEqual([]);
});
