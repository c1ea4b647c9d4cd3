import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createApiKey,
  findApiKey,
  generateApiKey,
  importApiKey,
  replaceApiKey,
  revokeApiKey,
} from './api-keys';
import { bootstrap } from './bootstrap';
import type { Database, SqlValue } from './database';
import { Prisma } from './generated/prisma/client';
import { countedRefsConformance } from './counted-refs-conformance';
import { hooksConformance } from './hooks-conformance';
import { expireJudgedCommits, loadJudgedCommits, saveJudgedCommits } from './judged-commits';
import { loadOrganisationLines, saveOrganisationLines } from './organisation-lines';
import {
  countedChanges,
  expireLineChanges,
  isRepositoryCounted,
  lineSnapshotBelow,
  saveLineChanges,
  type StoredLineChange,
  streamLineChanges,
} from './repository-lines';
import { MIGRATIONS_DIRECTORY, migrate } from './migrate';
import { dropExpiredPartitions, ensurePartitions } from './partitions';
import { getPayload, putPayload } from './payloads';
import { peopleConformance } from './people-conformance';
import { policiesConformance } from './policies-conformance';
import { prismaClient } from './prisma-client';
import { loadProgress, saveProgress } from './progress';
import { rawCodeConformance } from './raw-code-conformance';
import { reanalysisConformance } from './reanalysis-conformance';
import { replaysConformance } from './replays-conformance';
import {
  existingSnippets,
  insertSnippets,
  loadRecalledSnippets,
  loadSnippetPrints,
  type OffsetRange,
  type SnippetKeysSource,
  type SnippetRow,
  streamSnippetKeysSource,
} from './snippets';
import { activeLineKeys, claimProject, ensureLineKey, ensureTenant, loadTenant } from './tenants';

const anOrganisation = () => `org-${randomUUID()}`;
const aGroup = () => `group-${randomUUID()}`;

function aSnippet(row: Partial<SnippetRow> & Pick<SnippetRow, 'orgId'>): SnippetRow {
  return {
    codeId: randomUUID(),
    sessionId: 'session',
    userId: 'ada@example.org',
    projectId: 'engine',
    source: 'agent',
    signature: new Uint8Array(512).fill(7),
    lshBuckets: new Uint8Array(64).fill(9),
    language: 'typescript',
    fileExtension: '.ts',
    lineCount: 3,
    charCount: 42,
    structureHash: '0123456789abcdef',
    rawCodeEncrypted: null,
    protocol: 2,
    repository: 'acme/engine',
    model: 'some-model',
    client: 'editor/1.0',
    editKind: 'insert',
    acceptedPartially: false,
    declaredBy: null,
    astSignature: null,
    partition: 0,
    offset: 0,
    createdAt: new Date('2026-03-15T12:00:00Z'),
    keyId: 'key',
    linePrints: new Uint8Array([1, 2, 3]),
    pathKey: 'aaaaaaaaaaaaaaaa',
    before: 'bbbbbbbbbbbbbbbb',
    after: null,
    ...row,
  };
}

async function isTable(database: Database, name: string): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    name,
  ]);
  return row!.found;
}

/** What every adapter of the database port, and everything built on it, must do. `open` gives one database. */
export function databaseConformance(name: string, open: () => Promise<Database>): void {
  describe(`${name} database`, () => {
    let database: Database;

    beforeAll(async () => {
      database = await open();
      await migrate(database, MIGRATIONS_DIRECTORY);
      await database.script(`
        CREATE TABLE conformance_entries (id INT PRIMARY KEY, note TEXT NOT NULL);
        CREATE TABLE conformance_counters (id INT PRIMARY KEY, value INT NOT NULL)`);
    }, 60_000);
    afterAll(() => database.close());

    describe('values', () => {
      it('come back in the types that the port names', async () => {
        const [row] = await database.query(
          `SELECT $1::bigint AS int8, $2::numeric AS numeric, $3::date AS date, $4::timestamptz AS instant,
                  $5::bytea AS bytes, $6::jsonb AS json, $7::boolean AS bool, $8::text AS text, $9::float8 AS float,
                  $10::text[] AS texts, NULL::bytea AS nothing, COUNT(*) AS count, SUM(3) AS sum, AVG(2.5) AS avg`,
          [
            Number.MAX_SAFE_INTEGER,
            '0.125',
            '2026-02-28',
            new Date('2026-01-02T03:04:05.678Z'),
            new Uint8Array([0, 1, 255]),
            '{"a":[1,null,"\\n"]}',
            false,
            'naïve 𝛌 "quoted" \\ {},',
            0.1,
            ['a', '', 'NULL', 'with "quotes", \\ and {braces}\nand a line'],
          ],
        );
        expect(row).toStrictEqual({
          int8: Number.MAX_SAFE_INTEGER,
          numeric: 0.125,
          date: '2026-02-28',
          instant: new Date('2026-01-02T03:04:05.678Z'),
          bytes: new Uint8Array([0, 1, 255]),
          json: { a: [1, null, '\n'] },
          bool: false,
          text: 'naïve 𝛌 "quoted" \\ {},',
          float: 0.1,
          texts: ['a', '', 'NULL', 'with "quotes", \\ and {braces}\nand a line'],
          nothing: null,
          count: 1,
          sum: 3,
          avg: 2.5,
        });
      });

      it('travel as arrays, one row an element, nulls included', async () => {
        const rows = await database.query(
          `SELECT * FROM UNNEST($1::text[], $2::bytea[], $3::timestamptz[], $4::bigint[], $5::jsonb[], $6::boolean[])
             AS given (text, bytes, instant, int8, json, bool)`,
          [
            ['a "b" \\c, {d}', null],
            [new Uint8Array([0, 92, 34]), null],
            [new Date(0), null],
            [2 ** 40, null],
            ['{"x":"\\"\\\\"}', null],
            [true, null],
          ],
        );
        expect(rows).toStrictEqual([
          {
            text: 'a "b" \\c, {d}',
            bytes: new Uint8Array([0, 92, 34]),
            instant: new Date(0),
            int8: 2 ** 40,
            json: { x: '"\\' },
            bool: true,
          },
          { text: null, bytes: null, instant: null, int8: null, json: null, bool: null },
        ]);
      });

      it('take empty arrays', async () => {
        expect(await database.query('SELECT * FROM UNNEST($1::text[]) AS t', [[]])).toEqual([]);
      });

      it('have their own memory, aligned for words', async () => {
        const [row] = await database.query<{ bytes: Uint8Array }>('SELECT $1::bytea AS bytes', [
          new Uint8Array([1, 0, 0, 0]),
        ]);
        expect([...new Uint32Array(row!.bytes.buffer)]).toEqual([1]);
      });

      it('are refused, not rounded, when a number is not exact', async () => {
        await expect(database.query('SELECT 9007199254740993::bigint AS n')).rejects.toMatchObject({
          code: 'sql-value-unreadable',
          transient: false,
        });
        await expect(database.query('SELECT 9007199254740993::numeric AS n')).rejects.toMatchObject({
          code: 'sql-value-unreadable',
        });
        expect(await database.query('SELECT 1 AS still_usable')).toEqual([{ still_usable: 1 }]);
      });

      it('are cut into days in UTC, whatever the server is set to', async () => {
        const [row] = await database.query("SELECT '2026-01-01T23:30:00Z'::timestamptz::date AS day");
        expect(row).toEqual({ day: '2026-01-01' });
      });
    });

    describe('errors', () => {
      it('name the SQLSTATE of what the database refuses, and do not ask for another try', async () => {
        await database.query("INSERT INTO conformance_entries VALUES (-1, 'one')");
        await expect(
          database.query("INSERT INTO conformance_entries VALUES (-1, 'two')"),
        ).rejects.toMatchObject({
          code: 'sql-23505',
          sqlState: '23505',
          constraint: 'conformance_entries_pkey',
          transient: false,
        });
        await expect(database.query('SELEC 1')).rejects.toMatchObject({
          code: 'sql-42601',
          transient: false,
        });
        await expect(database.script('SELECT 1; SELECT * FROM missing')).rejects.toMatchObject({
          code: 'sql-42P01',
          transient: false,
        });
      });

      it('do not carry the parameters of the statement', async () => {
        const secret = 'raw code of a customer';
        const error = await database.query('SELECT * FROM missing WHERE x = $1', [secret]).catch((e) => e);
        const cause = (error as Error).cause as object;
        const carried = Object.getOwnPropertyNames(cause).map((key) => Reflect.get(cause, key));
        expect(JSON.stringify(carried)).not.toContain(secret);
      });

      it('ask for another try when two transactions conflict', async () => {
        for (const state of ['40001', '40P01']) {
          await expect(
            database.query(`DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '${state}'; END $$`),
          ).rejects.toMatchObject({ code: 'database-conflict', transient: true });
        }
      });

      it('ask for another try when the server shuts down, fails over or has no connection left', async () => {
        for (const state of ['57P01', '57P03', '08006', '53300', '25006']) {
          await expect(
            database.query(`DO $$ BEGIN RAISE EXCEPTION 'away' USING ERRCODE = '${state}'; END $$`),
          ).rejects.toMatchObject({ code: 'database-unavailable', transient: true });
        }
      });
    });

    describe('transactions', () => {
      it('keep what they did when their work resolves', async () => {
        const answer = await database.transaction(async (tx) => {
          await tx.query("INSERT INTO conformance_entries VALUES (1, 'kept')");
          return 'done';
        });
        expect(answer).toBe('done');
        expect(await database.query('SELECT note FROM conformance_entries WHERE id = 1')).toEqual([
          { note: 'kept' },
        ]);
      });

      it('leave nothing when their work throws, and pass its error on', async () => {
        const failure = new Error('the work failed');
        await expect(
          database.transaction(async (tx) => {
            await tx.query("INSERT INTO conformance_entries VALUES (2, 'lost')");
            throw failure;
          }),
        ).rejects.toBe(failure);
        expect(await database.query('SELECT * FROM conformance_entries WHERE id = 2')).toEqual([]);
      });

      it('fail with the first statement that failed, even if the work caught it', async () => {
        await expect(
          database.transaction(async (tx) => {
            await tx.query("INSERT INTO conformance_entries VALUES (3, 'lost')");
            await tx.query('SELECT * FROM missing').catch(() => undefined);
          }),
        ).rejects.toMatchObject({ code: 'sql-42P01' });
        expect(await database.query('SELECT * FROM conformance_entries WHERE id = 3')).toEqual([]);
      });

      it('do not take in queries from outside', async () => {
        let reached = () => undefined as void;
        const open = new Promise<void>((resolve) => (reached = resolve));
        const inside = database.transaction(async (tx) => {
          await tx.query("INSERT INTO conformance_entries VALUES (4, 'lost')");
          reached();
          await new Promise((resolve) => setTimeout(resolve, 20));
          throw new Error('roll back');
        });
        await open;
        const outside = database.query("INSERT INTO conformance_entries VALUES (5, 'kept')");
        await expect(inside).rejects.toThrow('roll back');
        await outside;
        expect(await database.query('SELECT id FROM conformance_entries WHERE id IN (4, 5)')).toEqual([
          { id: 5 },
        ]);
      });

      it('refuse the database itself inside their work instead of waiting for ever', async () => {
        const nested = { code: 'database-nested-use', transient: false };
        await database.transaction(async (tx) => {
          await expect(database.query('SELECT 1')).rejects.toMatchObject(nested);
          await expect(database.script('SELECT 1')).rejects.toMatchObject(nested);
          await expect(database.transaction(async () => 1)).rejects.toMatchObject(nested);
          await tx.query('SELECT 1');
        });
        expect(await database.query('SELECT 1 AS free')).toEqual([{ free: 1 }]);
      });

      it('may start work that uses the database after they have ended', async () => {
        let later: Promise<unknown> = Promise.resolve();
        let ended = () => undefined as void;
        const end = new Promise<void>((resolve) => (ended = resolve));
        await database.transaction(async (tx) => {
          await tx.query('SELECT 1');
          later = end.then(() => database.query('SELECT 2 AS two'));
        });
        ended();
        expect(await later).toEqual([{ two: 2 }]);
      });

      it('cannot be used after they have ended', async () => {
        const tx = await database.transaction(async (open) => open);
        await expect(tx.query('SELECT 1')).rejects.toMatchObject({ code: 'transaction-closed' });
      });

      it('run statements that were started together one after the other', async () => {
        const rows = await database.transaction((tx) =>
          Promise.all([10, 11, 12].map((n) => tx.query('SELECT $1::int AS n', [n]))),
        );
        expect(rows.flat()).toEqual([{ n: 10 }, { n: 11 }, { n: 12 }]);
      });

      it('started together all take effect', async () => {
        await database.query('INSERT INTO conformance_counters VALUES (1, 0)');
        await Promise.all(
          Array.from({ length: 20 }, () =>
            database.transaction(async (tx) => {
              await tx.query('SELECT value FROM conformance_counters WHERE id = 1 FOR UPDATE');
              await tx.query('UPDATE conformance_counters SET value = value + 1 WHERE id = 1');
            }),
          ),
        );
        expect(await database.query('SELECT value FROM conformance_counters')).toEqual([{ value: 20 }]);
      });
    });

    it('answers a ping', async () => {
      await expect(database.ping()).resolves.toBeUndefined();
    });

    describe('migrations', () => {
      let directory: string;
      const write = async (migration: string, sql: string) => {
        await mkdir(join(directory, migration), { recursive: true });
        await writeFile(join(directory, migration, 'migration.sql'), sql);
      };
      beforeEach(async () => {
        directory = await mkdtemp(join(tmpdir(), 'lineprint-migrations-'));
      });
      afterEach(() => rm(directory, { recursive: true }));

      it('are applied once, in order, and recorded as prisma migrate records them', async () => {
        await write('1_first', "CREATE TABLE m_order (n INT); INSERT INTO m_order VALUES (1); -- ';\n");
        await write('2_second', 'INSERT INTO m_order SELECT MAX(n) + 1 FROM m_order;');
        expect(await migrate(database, directory)).toEqual({ applied: ['1_first', '2_second'], already: [] });
        expect(await migrate(database, directory)).toEqual({ applied: [], already: ['1_first', '2_second'] });
        expect(await database.query('SELECT n FROM m_order ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
        const [record] = await database.query(
          "SELECT * FROM _prisma_migrations WHERE migration_name = '2_second'",
        );
        expect(record).toEqual({
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          checksum: 'a60ac4cde44e0c2c8aa47f9274d23d4c4ce9f8f6a7f9d45603fec4a68607c92f',
          finished_at: expect.any(Date),
          migration_name: '2_second',
          logs: null,
          rolled_back_at: null,
          started_at: expect.any(Date),
          applied_steps_count: 1,
        });
      });

      it('are applied once by replicas that start together', async () => {
        await write('3_replicas', 'CREATE TABLE m_replicas (n INT);');
        const outcomes = await Promise.all(Array.from({ length: 5 }, () => migrate(database, directory)));
        expect(outcomes.flatMap(({ applied }) => applied)).toEqual(['3_replicas']);
        expect(outcomes.flatMap(({ already }) => already)).toHaveLength(4);
      });

      it('are refused when their file was changed after they had been applied', async () => {
        await write('4_changed', 'CREATE TABLE m_changed (n INT);');
        await migrate(database, directory);
        await write('4_changed', 'CREATE TABLE m_changed (n BIGINT);');
        await expect(migrate(database, directory)).rejects.toMatchObject({ code: 'migration-changed' });
      });

      it('leave nothing behind when they fail, and can be repaired', async () => {
        await write('5_broken', 'CREATE TABLE m_broken (n INT); INSERT INTO missing VALUES (1);');
        await expect(migrate(database, directory)).rejects.toMatchObject({ code: 'sql-42P01' });
        expect(await isTable(database, 'm_broken')).toBe(false);
        await write('5_broken', 'CREATE TABLE m_broken (n INT);');
        expect(await migrate(database, directory)).toEqual({ applied: ['5_broken'], already: [] });
      });
    });

    describe('partitions', () => {
      it('are created for the months in UTC, also by several at once', async () => {
        const times = [new Date('2031-12-31T23:59:59.999Z'), new Date('2032-01-01T00:00:00Z')];
        await Promise.all(Array.from({ length: 4 }, () => ensurePartitions(database, times)));
        for (const table of ['ai_code_fingerprints', 'snippet_prints']) {
          for (const month of ['203112', '203201']) {
            expect(await isTable(database, `${table}_${month}`)).toBe(true);
          }
        }
        const orgId = anOrganisation();
        await insertSnippets(
          database,
          times.map((createdAt, offset) => aSnippet({ orgId, createdAt, offset })),
        );
        expect(
          await database.query('SELECT created_at FROM ai_code_fingerprints_203112 WHERE org_id = $1', [
            orgId,
          ]),
        ).toEqual([{ created_at: times[0] }]);
      });

      it('that were rolled back are created again', async () => {
        const time = [new Date('2033-01-01T00:00:00Z')];
        await expect(
          database.transaction(async (tx) => {
            await ensurePartitions(tx, time);
            throw new Error('roll back');
          }),
        ).rejects.toThrow('roll back');
        await database.transaction((tx) => ensurePartitions(tx, time));
        expect(await isTable(database, 'snippet_prints_203301')).toBe(true);
      });

      it('that are wholly older than a date, and not in the log any more, are dropped, with their code ids', async () => {
        const orgId = anOrganisation();
        const old = aSnippet({ orgId, createdAt: new Date('1990-05-31T23:00:00Z'), offset: 1 });
        const kept = aSnippet({ orgId, createdAt: new Date('1990-06-01T00:00:00Z'), offset: 2 });
        await insertSnippets(database, [old, kept]);
        const before = new Date('1990-06-30T00:00:00Z');
        // The log has the older one still, so that it may be replayed.
        expect(await dropExpiredPartitions(database, before, [1])).toEqual([]);
        expect(await dropExpiredPartitions(database, before, [2])).toEqual([
          'ai_code_fingerprints_199005',
          'snippet_prints_199005',
        ]);
        expect(await existingSnippets(database, orgId, [old.codeId, kept.codeId])).toEqual([kept.codeId]);
        expect(await insertSnippets(database, [old])).toEqual([old.codeId]);
      });
    });

    describe('snippets', () => {
      it('come back as they were stored', async () => {
        const orgId = anOrganisation();
        const row = aSnippet({
          orgId,
          astSignature: new Uint8Array([5, 6]),
          declaredBy: 'f'.repeat(40),
          partition: 3,
          offset: 2 ** 40,
        });
        expect(await database.transaction((tx) => insertSnippets(tx, [row]))).toEqual([row.codeId]);
        expect(await loadSnippetPrints(database, orgId, [row.codeId, 'unknown'])).toStrictEqual([
          {
            codeId: row.codeId,
            userId: row.userId,
            sessionId: row.sessionId,
            source: row.source,
            model: row.model,
            language: row.language,
            createdAt: row.createdAt.getTime(),
            protocol: row.protocol,
            signature: row.signature,
            astSignature: row.astSignature,
            lineCount: row.lineCount,
            declaredBy: row.declaredBy,
            keyId: row.keyId,
            linePrints: row.linePrints,
            pathKey: row.pathKey,
            before: row.before,
            after: row.after,
            partition: 3,
            offset: 2 ** 40,
          },
        ]);
      });

      it('without line prints have a fingerprint only', async () => {
        const orgId = anOrganisation();
        const row = aSnippet({ orgId, keyId: null, linePrints: null, protocol: 1 });
        await insertSnippets(database, [row]);
        expect(await loadSnippetPrints(database, orgId, [row.codeId])).toMatchObject([
          { codeId: row.codeId, protocol: 1, keyId: null, linePrints: null },
        ]);
      });

      it('keep the first with a code id, whatever time a later one claims', async () => {
        const orgId = anOrganisation();
        const first = aSnippet({ orgId, offset: 1, userId: 'first' });
        const later = { ...first, offset: 2, userId: 'later', createdAt: new Date('2026-07-01T00:00:00Z') };
        expect(await insertSnippets(database, [later, first])).toEqual([first.codeId]);
        expect(await insertSnippets(database, [later])).toEqual([]);
        expect(await loadSnippetPrints(database, orgId, [first.codeId])).toMatchObject([{ userId: 'first' }]);
      });

      it('that are delivered again give the same answer and are stored once', async () => {
        const orgId = anOrganisation();
        const rows = [aSnippet({ orgId, offset: 1 }), aSnippet({ orgId, offset: 2 })];
        const ids = rows.map((row) => row.codeId).sort();
        expect((await insertSnippets(database, rows)).sort()).toEqual(ids);
        expect((await insertSnippets(database, rows)).sort()).toEqual(ids);
        expect(
          await database.query('SELECT COUNT(*) AS n FROM ai_code_fingerprints WHERE org_id = $1', [orgId]),
        ).toEqual([{ n: 2 }]);
      });

      it('are numbered in their organisation in the order of the log, once and for all', async () => {
        const [orgId, otherId] = [anOrganisation(), anOrganisation()];
        const rows = [3, 1, 2].map((offset) => aSnippet({ orgId, offset }));
        const other = aSnippet({ orgId: otherId });
        await insertSnippets(database, [...rows, other]);
        const more = aSnippet({ orgId, offset: 9 });
        await insertSnippets(database, [more, rows[0]!]);
        const numbered = async (id: string) =>
          [...(await loadRecalledSnippets(database, id, [1, 2, 3, 4, 5]))]
            .map(([recallId, { offset }]) => [recallId, offset])
            .sort(([a], [b]) => a! - b!);
        expect(await numbered(orgId)).toEqual([
          [1, 1],
          [2, 2],
          [3, 3],
          [4, 9],
        ]);
        expect(await numbered(otherId)).toEqual([[1, other.offset]]);
        const [first] = (await loadRecalledSnippets(database, orgId, [1])).values();
        expect([first]).toStrictEqual(await loadSnippetPrints(database, orgId, [rows[1]!.codeId]));
      });

      it('of another organisation may have the same code id', async () => {
        const row = aSnippet({ orgId: anOrganisation() });
        const other = { ...row, orgId: anOrganisation(), userId: 'other' };
        await insertSnippets(database, [row, other]);
        expect(await loadSnippetPrints(database, other.orgId, [row.codeId])).toMatchObject([
          { userId: 'other' },
        ]);
      });

      it('are stored in any number, also by writers that overlap', async () => {
        const orgId = anOrganisation();
        const rows = Array.from({ length: 2_300 }, (_, offset) => aSnippet({ orgId, offset }));
        await Promise.all([
          database.transaction((tx) => insertSnippets(tx, rows.slice(0, 1_500))),
          database.transaction((tx) => insertSnippets(tx, rows.slice(1_000))),
        ]);
        const ids = rows.map((row) => row.codeId);
        expect(await existingSnippets(database, orgId, ids)).toHaveLength(rows.length);
        // Those that both wanted to store have two numbers, one of which nobody has.
        const numbers = Array.from({ length: 4_000 }, (_, i) => i + 1);
        expect((await loadRecalledSnippets(database, orgId, numbers)).size).toBe(rows.length);
        expect((await loadSnippetPrints(database, orgId, ids)).map((row) => row.offset)).toEqual(
          rows.map((row) => row.offset),
        );
      }, 30_000);

      it('are streamed in the order of the log, one range of a partition at a time', async () => {
        const orgId = anOrganisation();
        const partition = 40;
        const rows = Array.from({ length: 2_400 }, (_, i) =>
          aSnippet({
            orgId,
            partition: partition + (i % 2),
            offset: 5_000 - i,
            createdAt: new Date(Date.UTC(2040, 0, 1 + (i % 40))),
          }),
        );
        await insertSnippets(database, rows);
        const streamed = async (range: OffsetRange) => {
          const found: SnippetKeysSource[] = [];
          for await (const row of streamSnippetKeysSource(database, range)) found.push(row);
          return found;
        };
        const expected = rows
          .filter((row) => row.partition === partition && row.offset >= 2_700 && row.offset < 4_990)
          .sort((a, b) => a.offset - b.offset);
        const found = await streamed({ partition, from: 2_700, end: 4_990 });
        expect(found.map((row) => row.codeId)).toEqual(expected.map((row) => row.codeId));
        expect(found[0]).toMatchObject({
          orgId,
          lshBuckets: expected[0]!.lshBuckets,
          linePrints: expected[0]!.linePrints,
        });
        expect(await streamed({ partition, from: 5_001, end: 9_000 })).toEqual([]);
      }, 30_000);
    });

    describe('progress', () => {
      it('is kept by group, topic and partition and never goes backwards', async () => {
        const group = aGroup();
        await database.transaction(async (tx) => {
          await saveProgress(tx, group, 'topic', 0, 10);
          await saveProgress(tx, group, 'topic', 1, 2 ** 40);
          await saveProgress(tx, group, 'topic', 0, 4);
        });
        expect(await loadProgress(database, group, 'topic')).toEqual(
          new Map([
            [0, 10],
            [1, 2 ** 40],
          ]),
        );
        expect(await loadProgress(database, group, 'other')).toEqual(new Map());
      });

      it('is undone with the transaction of the effects', async () => {
        const group = aGroup();
        await expect(
          database.transaction(async (tx) => {
            await saveProgress(tx, group, 'topic', 0, 10);
            throw new Error('roll back');
          }),
        ).rejects.toThrow('roll back');
        expect(await loadProgress(database, group, 'topic')).toEqual(new Map());
      });
    });

    describe('replays', () => replaysConformance(() => database));
    describe('connected repositories', () => hooksConformance(() => database));
    describe('people', () => peopleConformance(() => database));
    it('replaces an API key by one that allows the same, with and without an overlap', async () => {
      const orgId = anOrganisation();
      await ensureTenant(database, { orgId, name: orgId });
      const grant = { orgId, scopes: ['read'], userId: 'ada@example.org' };
      const { key } = await createApiKey(database, grant);
      const prefixOf = (text: string) => text.split('_')[1]!;
      const second = await replaceApiKey(database, orgId, prefixOf(key), 3_600_000);
      for (const good of [key, second.key]) expect(await findApiKey(database, good)).toMatchObject(grant);
      const third = await replaceApiKey(database, orgId, prefixOf(second.key), 0);
      expect(await findApiKey(database, second.key)).toBeNull();
      await revokeApiKey(database, orgId, prefixOf(third.key));
      expect(await findApiKey(database, third.key)).toBeNull();
      const unknown = expect.objectContaining({ code: 'api-key-unknown' }) as Error;
      await expect(replaceApiKey(database, orgId, prefixOf(third.key), 0)).rejects.toEqual(unknown);
      await expect(revokeApiKey(database, 'nobody', prefixOf(key))).rejects.toEqual(unknown);
    });
    describe('raw code', () => rawCodeConformance(() => database, aSnippet));
    describe('counted refs', () => countedRefsConformance(() => database));
    describe('commits that come again', () => reanalysisConformance(() => database));

    describe('judged commits', () => {
      const judgedIn = () => ({ orgId: anOrganisation(), policyId: 'default', repository: 'acme/engine' });
      const DAY_MS = 86_400_000;
      const judged = (position: number) => ({
        position,
        sha: `sha-${position}`,
        revision: 0,
        parents: position > 1 ? [`sha-${position - 1}`, 'elsewhere'] : [],
        committedAt: position * DAY_MS,
        removedLines: new Uint8Array([position, 0, 0, 255]),
        addedLines: new Uint8Array(position > 1 ? [position, 1, 0, 255] : []),
        addedNumbers: new Uint8Array(position > 1 ? [0, position, 0, 0] : []),
        copiedLines: new Uint8Array([position, 2, 0, 255]),
        codeIds: position > 1 ? ['one "quoted"', 'two'] : [],
        uses: new Uint8Array(position > 1 ? 12 : 0),
      });
      const save = (place: ReturnType<typeof judgedIn>, ...positions: number[]) =>
        database.transaction((tx) =>
          saveJudgedCommits(
            tx,
            positions.map((position) => ({ ...place, ...judged(position) })),
          ),
        );

      it('are read from a position and a time on, or by their ids', async () => {
        const place = judgedIn();
        expect(await loadJudgedCommits(database, place, 0, 0, ['sha-1'])).toEqual({
          last: 0,
          revisions: 0,
          commits: [],
        });
        await save(place, 1, 2, 3);
        await save(place, 2, 3, 4);
        const load = (after: number, since: number, shas: string[] = []) =>
          loadJudgedCommits(database, place, after, since * DAY_MS, shas);
        expect(await load(0, 0)).toEqual({ last: 4, revisions: 0, commits: [1, 2, 3, 4].map(judged) });
        expect(await load(2, 4)).toEqual({ last: 4, revisions: 0, commits: [judged(4)] });
        expect(await load(3, 9, ['sha-2', 'sha-2', 'unknown'])).toEqual({
          last: 4,
          revisions: 0,
          commits: [judged(2)],
        });
        expect(await load(3, 0, ['sha-4'])).toEqual({ last: 4, revisions: 0, commits: [judged(4)] });
        const other = { ...place, policyId: 'strict' };
        expect(await loadJudgedCommits(database, other, 0, 0, ['sha-1'])).toEqual({
          last: 0,
          revisions: 0,
          commits: [],
        });
      });

      it('are refused, all of them, where another one has a position already', async () => {
        const place = judgedIn();
        await save(place, 1);
        const other = { ...place, ...judged(1), sha: 'other' };
        const both = [{ ...place, ...judged(2) }, other];
        await expect(database.transaction((tx) => saveJudgedCommits(tx, both))).rejects.toMatchObject({
          code: 'judged-commits-conflict',
          transient: true,
        });
        expect((await loadJudgedCommits(database, place, 0, 0, [])).commits).toEqual([judged(1)]);
      });

      it('replace what a lower revision used, at the same position, and say that something was replaced', async () => {
        const place = judgedIn();
        await save(place, 1, 2);
        const again = { ...judged(1), revision: 3, codeIds: ['three'], uses: new Uint8Array(24) };
        const saveOne = (commit: typeof again) =>
          database.transaction((tx) => saveJudgedCommits(tx, [{ ...place, ...commit }]));
        await saveOne(again);
        for (const revision of [3, 2]) await saveOne({ ...again, revision, codeIds: ['four'] });
        expect(await loadJudgedCommits(database, place, 0, 0, [])).toEqual({
          last: 2,
          revisions: 3,
          commits: [again, judged(2)],
        });
        await expect(saveOne({ ...again, revision: 4, position: 2 })).rejects.toMatchObject({
          code: 'judged-commits-conflict',
        });
      });

      it('are forgotten long after they were judged', async () => {
        const place = judgedIn();
        await save(place, 1, 2);
        await expireJudgedCommits(database, new Date(Date.now() - 60_000));
        expect((await loadJudgedCommits(database, place, 0, 0, [])).commits).toHaveLength(2);
        expect(await expireJudgedCommits(database, new Date(Date.now() + 60_000))).toBeGreaterThanOrEqual(2);
        expect((await loadJudgedCommits(database, place, 0, 0, [])).commits).toEqual([]);
      });
    });

    describe('counts of lines', () => {
      const counted = () => ({ orgId: anOrganisation(), repository: 'acme/engine', generation: 'key.1' });
      const change = (place: ReturnType<typeof counted>, position: number): StoredLineChange => ({
        ...place,
        position,
        changeId: `change-${position}`,
        change: new Uint8Array([position]),
      });
      const changesOf = async (place: ReturnType<typeof counted>, from: number, to: number) => {
        const read: StoredLineChange[] = [];
        for await (const stored of streamLineChanges(database, place, from, to)) read.push(stored);
        return read;
      };

      it('of a repository are kept by position, and found by the id of their commit', async () => {
        const place = counted();
        expect(await countedChanges(database, place, ['change-1'])).toEqual({
          last: 0,
          firstId: null,
          lastId: null,
          positions: new Map(),
        });
        const changes = [1, 2, 3].map((position) => change(place, position));
        await saveLineChanges(database, changes, []);
        await saveLineChanges(database, changes.slice(1), []);
        expect(await countedChanges(database, place, ['change-2', 'other'])).toEqual({
          last: 3,
          firstId: 'change-1',
          lastId: 'change-3',
          positions: new Map([['change-2', 2]]),
        });
        expect(await changesOf(place, 1, 3)).toEqual(changes.slice(1));
        expect(await changesOf({ ...place, generation: 'key.2' }, 0, 3)).toEqual([]);
        expect(await isRepositoryCounted(database, place.orgId, place.repository)).toBe(true);
        expect(await isRepositoryCounted(database, place.orgId, 'acme/other')).toBe(false);
      });

      it('of a repository refuse two changes at one position, and store neither them nor a snapshot', async () => {
        const place = counted();
        await saveLineChanges(database, [change(place, 1)], []);
        const others = [2, 1].map((position) => ({
          ...change(place, position),
          changeId: `other-${position}`,
        }));
        const snapshot = { ...place, position: 2, change: new Uint8Array([9]) };
        await expect(saveLineChanges(database, others, [snapshot])).rejects.toMatchObject({
          code: 'line-changes-conflict',
          transient: true,
        });
        expect(await changesOf(place, 0, 9)).toEqual([change(place, 1)]);
        expect(await lineSnapshotBelow(database, place, 9)).toBeNull();
      });

      it('of a repository are read from the newest snapshot below, and emptied below one that is old', async () => {
        const place = counted();
        const snapshots = [1, 3].map((position) => ({
          ...place,
          position,
          change: new Uint8Array([position, 0]),
        }));
        await saveLineChanges(
          database,
          [1, 2, 3, 4].map((position) => change(place, position)),
          snapshots,
        );
        expect(await lineSnapshotBelow(database, place, 2)).toEqual(snapshots[0]);
        expect(await lineSnapshotBelow(database, place, 4)).toEqual(snapshots[1]);
        await expireLineChanges(database, new Date(Date.now() + 60_000));
        expect(await lineSnapshotBelow(database, place, 2)).toBeNull();
        expect((await changesOf(place, 0, 4)).map(({ change: { length } }) => length)).toEqual([0, 0, 0, 1]);
        expect((await countedChanges(database, place, ['change-1'])).positions.get('change-1')).toBe(1);
      });

      it('of an organisation are replaced by whoever read or wrote them last', async () => {
        const orgId = anOrganisation();
        const none = { version: 0, next: [], epochs: new Map() };
        expect(await loadOrganisationLines(database, orgId, 'key.1')).toEqual(none);
        const first = { version: 0, next: [7, 2 ** 40], epochs: new Map([[3, new Uint8Array([1])]]) };
        expect(await saveOrganisationLines(database, orgId, 'key.1', first)).toBe(true);
        expect(await saveOrganisationLines(database, orgId, 'key.1', first)).toBe(false);
        const second = { version: 1, next: [8], epochs: new Map([[4, new Uint8Array([2])]]) };
        expect(await saveOrganisationLines(database, orgId, 'key.1', second)).toBe(true);
        expect(await loadOrganisationLines(database, orgId, 'key.1')).toEqual({
          version: 2,
          next: [8],
          epochs: new Map([
            [3, new Uint8Array([1])],
            [4, new Uint8Array([2])],
          ]),
        });
      });
    });

    describe('tenants', () => {
      let orgId: string;
      beforeEach(async () => {
        orgId = anOrganisation();
        await ensureTenant(database, { orgId, name: 'Acme', timeZone: 'Europe/Berlin' });
      });

      it('keep their settings when they are ensured again', async () => {
        await ensureTenant(database, { orgId, name: 'Other', timeZone: 'UTC' });
        expect(await loadTenant(database, orgId)).toEqual({
          orgId,
          timeZone: 'Europe/Berlin',
          name: 'Acme',
          dayBy: 'author',
          rawCode: false,
        });
        expect(await loadTenant(database, 'nobody')).toBeNull();
      });

      it('refuse a time zone that does not exist', async () => {
        await expect(
          ensureTenant(database, { orgId: anOrganisation(), name: 'Acme', timeZone: 'Mars/Olympus' }),
        ).rejects.toMatchObject({ code: 'time-zone-unknown' });
      });

      it('get one random line key, also from replicas that start together', async () => {
        const keys = await Promise.all(Array.from({ length: 4 }, () => ensureLineKey(database, orgId)));
        expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(1);
        expect(keys[0]!.secret).toHaveLength(32);
        expect(await activeLineKeys(database, orgId)).toEqual([keys[0]]);
      });

      it('take a given line key beside the one they have, under the same id everywhere', async () => {
        const random = await ensureLineKey(database, orgId);
        const secret = new Uint8Array(randomBytes(32));
        const given = await ensureLineKey(database, orgId, secret);
        expect(await ensureLineKey(database, orgId, secret)).toEqual(given);
        expect(await activeLineKeys(database, orgId)).toEqual([given, random]);
        expect(await ensureLineKey(database, orgId)).toEqual(given);
        const other = anOrganisation();
        await ensureTenant(database, { orgId: other, name: 'Other' });
        expect(await ensureLineKey(database, other, secret)).toEqual(given);
      });

      it('get no line key that is short, nor one for an organisation that does not exist', async () => {
        await expect(ensureLineKey(database, orgId, new Uint8Array(8))).rejects.toMatchObject({
          code: 'line-key-too-short',
        });
        await expect(ensureLineKey(database, 'nobody')).rejects.toMatchObject({ code: 'tenant-unknown' });
      });

      it('own the projects that they name first', async () => {
        const other = anOrganisation();
        await ensureTenant(database, { orgId: other, name: 'Other' });
        const project = randomUUID();
        expect(await claimProject(database, orgId, project)).toBe(true);
        expect(await claimProject(database, orgId, project)).toBe(true);
        expect(await claimProject(database, other, project)).toBe(false);
        const contested = randomUUID();
        const claims = await Promise.all(
          [orgId, other, orgId, other].map((org) => claimProject(database, org, contested)),
        );
        expect(claims[0]).toBe(claims[2]);
        expect(claims[1]).toBe(claims[3]);
        expect(claims[0]).not.toBe(claims[1]);
      });
    });

    describe('API keys', () => {
      let orgId: string;
      beforeEach(async () => {
        orgId = anOrganisation();
        await ensureTenant(database, { orgId, name: 'Acme' });
      });

      it('are found by the whole key only, and only their hash is stored', async () => {
        const { key } = await createApiKey(database, { orgId, scopes: ['ingest', 'query'], userId: 'ada' });
        expect(await findApiKey(database, key)).toEqual({
          orgId,
          scopes: ['ingest', 'query'],
          userId: 'ada',
          keyPrefix: key.split('_')[1],
        });
        expect(await findApiKey(database, key.slice(0, -1))).toBeNull();
        expect(await findApiKey(database, generateApiKey())).toBeNull();
        expect(await findApiKey(database, '')).toBeNull();
        const [stored] = await database.query('SELECT * FROM api_keys WHERE org_id = $1', [orgId]);
        expect(JSON.stringify(stored)).not.toContain(key.split('_')[2]);
      });

      it('with the right prefix and another secret are refused', async () => {
        const { key } = await createApiKey(database, { orgId, scopes: ['admin'] });
        const forged = generateApiKey();
        await database.query('UPDATE api_keys SET prefix = $1 WHERE prefix = $2', [
          forged.split('_')[1]!,
          key.split('_')[1]!,
        ]);
        expect(await findApiKey(database, forged)).toBeNull();
      });

      it('are refused once they are revoked or have expired', async () => {
        const { key: revoked } = await createApiKey(database, { orgId, scopes: ['admin'] });
        await database.query('UPDATE api_keys SET revoked_at = NOW() WHERE org_id = $1', [orgId]);
        await importApiKey(database, orgId, revoked, ['admin']);
        expect(await findApiKey(database, revoked)).toBeNull();
        const { key: expired } = await createApiKey(database, {
          orgId,
          scopes: ['admin'],
          expiresAt: new Date(0),
        });
        expect(await findApiKey(database, expired)).toBeNull();
      });

      it('of the configuration are imported as often as the service starts', async () => {
        const key = generateApiKey();
        await importApiKey(database, orgId, key, ['ingest']);
        await importApiKey(database, orgId, key, ['admin']);
        expect(await findApiKey(database, key)).toMatchObject({ orgId, scopes: ['admin'], userId: null });
      });

      it('of the configuration must be whole and nobody else’s', async () => {
        await expect(importApiKey(database, orgId, 'secret', ['admin'])).rejects.toMatchObject({
          code: 'api-key-malformed',
        });
        const { key } = await createApiKey(database, { orgId, scopes: ['query'] });
        const other = anOrganisation();
        await ensureTenant(database, { orgId: other, name: 'Other' });
        await expect(importApiKey(database, other, key, ['admin'])).rejects.toMatchObject({
          code: 'api-key-taken',
        });
        expect(await findApiKey(database, key)).toMatchObject({ orgId, scopes: ['query'] });
      });
    });

    describe('bootstrap', () => {
      it('makes one administrator’s key, however many processes start at once', async () => {
        const settings = { orgId: anOrganisation(), timeZone: 'UTC' };
        const starts = await Promise.all(Array.from({ length: 6 }, () => bootstrap(database, settings)));
        const keys = starts.flatMap(({ apiKey }) => apiKey ?? []);
        expect(keys).toHaveLength(1);
        expect(await findApiKey(database, keys[0]!)).toMatchObject({
          orgId: settings.orgId,
          scopes: ['admin'],
        });
        expect(new Set(starts.map(({ keyId }) => keyId)).size).toBe(1);
        expect(await bootstrap(database, settings)).toEqual({ ...starts[0], apiKey: null });
      });
    });

    describe('payloads', () => {
      it('come back byte for byte and keep their first value', async () => {
        const id = randomUUID();
        const bytes = new Uint8Array(randomBytes(3_000_000));
        await putPayload(database, id, bytes);
        await putPayload(database, id, new Uint8Array([1]));
        expect(Buffer.compare((await getPayload(database, id))!, bytes)).toBe(0);
        expect(await getPayload(database, randomUUID())).toBeNull();
      });
    });

    describe('policies', () => policiesConformance(() => database));

    describe('Prisma', () => {
      const models = Object.values(Prisma.ModelName);
      const snakeCase = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const columnsOf = (model: string) =>
        Object.values(Reflect.get(Prisma, `${model}ScalarFieldEnum`) as object)
          .map((field) => snakeCase(field as string))
          .sort();
      interface Column {
        readonly table: string;
        readonly column: string;
        readonly type: string;
        readonly identity: boolean;
        readonly [name: string]: unknown;
      }
      /** Of the tables that are neither partitions nor made by these tests. */
      const migratedColumns = () =>
        database.query<Column>(
          `SELECT c.table_name AS table, c.column_name AS column, c.udt_name AS type, c.is_identity = 'YES' AS identity
             FROM information_schema.columns c
             JOIN pg_class ON pg_class.relname = c.table_name AND NOT relispartition
            WHERE c.table_schema = 'public' AND relkind IN ('r', 'p')
              AND c.table_name !~ '^(m_|conformance_|_prisma)'
            ORDER BY 1, c.ordinal_position`,
        );

      it('knows every table and column of the migrations', async () => {
        const tables = new Map<string, string[]>();
        for (const { table, column } of await migratedColumns()) {
          tables.set(table, [...(tables.get(table) ?? []), column]);
        }
        const byColumns = (lists: Iterable<string[]>) => [...lists].map((list) => list.sort().join()).sort();
        expect(byColumns(models.map(columnsOf))).toEqual(byColumns(tables.values()));
      });

      it('reads a full row of every model', async () => {
        const orgId = anOrganisation();
        const createdAt = new Date('2026-08-09T10:11:12.131Z');
        await ensureTenant(database, { orgId, name: 'Prisma' });
        await ensurePartitions(database, [createdAt]);
        const checked: Record<string, string> = {
          org_id: orgId,
          source: 'tab',
          match_source: 'chat',
          evidence: 'matched',
          confidence: 'HIGH',
          topic: 'commits',
          stage: 'judge',
          status: 'running',
          state: 'dropped',
          host: 'github',
          kind: 'P',
          person_kind: 'bot',
          by: 'manual',
        };
        const valueOf = ({ column, type }: Column): SqlValue => {
          if (column in checked) return checked[column]!;
          if (type === 'timestamptz') return createdAt;
          if (type === 'date') return '2026-08-09';
          if (type === 'bytea') return new Uint8Array([1, 2]);
          if (/^jsonb?$/.test(type)) return '[1]';
          if (type === 'bool') return true;
          if (type === 'uuid') return randomUUID();
          if (type === '_text') return ['x'];
          if (type === '_int8') return [1];
          return /^(int|numeric|float)/.test(type) ? 0 : orgId.slice(-10);
        };
        const tables = new Map<string, Column[]>();
        for (const column of await migratedColumns()) {
          if (!column.identity) tables.set(column.table, [...(tables.get(column.table) ?? []), column]);
        }
        for (const [table, columns] of tables) {
          if (table === 'tenants') continue;
          await database.query(
            `INSERT INTO ${table} (${columns.map(({ column }) => `"${column}"`).join(', ')})
             VALUES (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
            columns.map(valueOf),
          );
        }
        const prisma = prismaClient(database);
        for (const model of models) {
          const delegate = Reflect.get(prisma, model[0]!.toLowerCase() + model.slice(1)) as {
            findFirst(query?: object): Promise<Record<string, unknown> | null>;
          };
          const perTenant = columnsOf(model).includes('org_id');
          const row = await delegate.findFirst(perTenant ? { where: { orgId } } : undefined);
          expect(
            Object.keys(row ?? {})
              .map(snakeCase)
              .sort(),
          ).toEqual(columnsOf(model));
        }
        const fingerprint = await prisma.aiCodeFingerprint.findFirstOrThrow({ where: { orgId } });
        expect(fingerprint).toMatchObject({ createdAt, source: 'tab', acceptedPartially: true });
        expect([...fingerprint.signature]).toEqual([1, 2]);
        const commit = await prisma.commit.findFirstOrThrow({ where: { orgId } });
        expect(commit.parents).toEqual(['x']);
        // Dozens of tables, each asked through Prisma.
      }, 60_000);

      it('writes in transactions of its own', async () => {
        const prisma = prismaClient(database);
        const orgId = anOrganisation();
        await expect(
          prisma.$transaction(async (tx) => {
            await tx.tenant.create({ data: { orgId, name: 'lost' } });
            throw new Error('roll back');
          }),
        ).rejects.toThrow('roll back');
        expect(await loadTenant(database, orgId)).toBeNull();
        await prisma.$transaction([
          prisma.tenant.create({ data: { orgId, name: 'kept' } }),
          prisma.project.create({ data: { orgId, projectId: orgId } }),
        ]);
        expect(await claimProject(database, orgId, orgId)).toBe(true);
      });
    });
  });
}
