import { DEFAULT_POLICY } from '@lineprint/contracts';
import {
  createPolicy,
  createReplay,
  type Database,
  ensurePartitions,
  type Expired,
  expire,
  insertSnippets,
  inTheNight,
  type SnippetRow,
} from '@lineprint/persistence';
import { loadConfig } from '@lineprint/platform';
import { requestReconciliation } from '@lineprint/results';
import { emptyTables, openRollupDatabase, rowsOf } from '../testing/stored-tables';

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 30, 12);
const { retention } = loadConfig({});
const ago = (days: number) => new Date(NOW - days * DAY_MS);

let database: Database;

beforeAll(async () => {
  database = await openRollupDatabase();
});
beforeEach(async () => {
  await emptyTables(database);
  await database.script('TRUNCATE retention_runs, ai_code_fingerprint_ids, recall_counters, snippet_prints');
});
afterAll(() => database.close());

function snippet(codeId: string, days: number, offset: number): SnippetRow {
  return {
    orgId: 'acme',
    codeId,
    sessionId: 's',
    userId: 'ada@example.org',
    projectId: 'shop',
    source: 'tab',
    signature: new Uint8Array(512),
    lshBuckets: new Uint8Array(64),
    language: 'typescript',
    fileExtension: 'ts',
    lineCount: 1,
    charCount: 1,
    structureHash: '0'.repeat(16),
    rawCodeEncrypted: 'secret',
    protocol: 2,
    repository: null,
    model: null,
    client: null,
    editKind: null,
    acceptedPartially: null,
    declaredBy: null,
    astSignature: null,
    partition: 0,
    offset,
    createdAt: ago(days),
    keyId: null,
    linePrints: null,
    pathKey: null,
    before: null,
    after: null,
  };
}

async function store(...snippets: SnippetRow[]): Promise<void> {
  await ensurePartitions(
    database,
    snippets.map(({ createdAt }) => createdAt),
  );
  await insertSnippets(database, snippets);
}

/** By id, whether each snippet that is left has its code. */
async function left(): Promise<Record<string, boolean>> {
  const rows = await database.query<{ code_id: string; has_code: boolean }>(
    'SELECT code_id, raw_code_encrypted IS NOT NULL AS has_code FROM ai_code_fingerprints ORDER BY code_id',
  );
  return Object.fromEntries(rows.map(({ code_id, has_code }) => [code_id, has_code]));
}

it('keeps snippets that the log can still replay, however old they are, and deletes code by its age alone', async () => {
  await store(snippet('backfilled', 400, 5), snippet('old', 600, 1), snippet('young', 10, 6));
  const expired = await expire(database, retention, [2], NOW);
  expect(expired).toMatchObject({ partitions: 2, rawCode: 1 });
  expect(await left()).toEqual({ backfilled: false, young: true });
});

it('deletes nothing that a replay which works may need', async () => {
  await store(snippet('old', 600, 1));
  await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: 'strict' });
  await createReplay(database, { orgId: 'acme', policyId: 'strict', topic: 'candidates' });
  expect(await expire(database, retention, [2], NOW)).toMatchObject({ partitions: 0 });
  expect(await left()).toEqual({ old: false });
  await database.query("UPDATE replays SET status = 'cancelled'");
  await expire(database, retention, [2], NOW);
  expect(await left()).toEqual({});
});

it('forgets who was shown which text and all reconciliations but the last, and no result', async () => {
  await database.script(`
    INSERT INTO code_reads (org_id, repository, commit_sha, path, read_at)
      VALUES ('acme', 'shop', 'a', 'old.ts', '2025-01-01'), ('acme', 'shop', 'a', 'new.ts', '2026-11-01');
    INSERT INTO commits (org_id, repository, sha, project_id, user_id, author_name, author_email, parents,
                         authored_at, committed_at, analyzed_at)
      VALUES ('acme', 'shop', 'a', 'shop', 'ada', 'Ada', 'ada@example.org', '{}', '2020-01-01', '2020-01-01', '2020-01-01')`);
  await database.script(
    "INSERT INTO audit_entries (org_id, action, target, at) VALUES ('acme', 'team.created', 'core', '2025-01-01')",
  );
  for (let i = 0; i < 2; i++) await requestReconciliation(database, 'acme', null);
  await database.query("UPDATE reconciliations SET finished_at = '2025-01-01'");
  expect(await expire(database, retention, [0], NOW)).toMatchObject({
    codeReads: 1,
    auditEntries: 1,
    reconciliations: 1,
  });
  expect(await database.query('SELECT path FROM code_reads')).toEqual([{ path: 'new.ts' }]);
  expect(await rowsOf(database, 'commits')).toHaveLength(1);
});

it('is done once in a night by one process, and by the next where that failed', async () => {
  const expired = { partitions: 1 } as Expired;
  const fails = () => inTheNight(database, NOW, () => Promise.reject(new Error('the log is away')));
  await expect(fails()).rejects.toThrow('the log is away');
  let done = 0;
  const work = async () => {
    done += 1;
    return Promise.resolve(expired);
  };
  const both = await Promise.all([1, 2].map(() => inTheNight(database, NOW, work)));
  expect(both.filter((outcome) => outcome !== null)).toEqual([expired]);
  expect(await inTheNight(database, NOW + DAY_MS / 4, work)).toBeNull();
  expect(await inTheNight(database, NOW + DAY_MS, work)).toEqual(expired);
  expect(done).toBe(2);
});
