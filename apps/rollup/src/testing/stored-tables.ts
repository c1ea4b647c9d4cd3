import { DEFAULT_POLICY, REFS_EVENT } from '@lineprint/contracts';
import type { Batch } from '@lineprint/event-log';
import {
  type Database,
  ensureFirstPolicy,
  ensureTenant,
  MIGRATIONS_DIRECTORY,
  migrate,
  openDatabase,
} from '@lineprint/persistence';

/** What rollup writes. */
const TABLES = [
  'commits',
  'commit_verdicts',
  'commit_files',
  'ai_attribution_results',
  'ai_attribution_daily',
  'attribution_cells',
  'attribution_days',
  'attribution_file_days',
  'attribution_file_gaps',
  'activity_sessions',
  'session_survival',
  'counted_repositories',
  'repository_refs',
  'commit_gaps',
  'commit_copies',
] as const;
type Table = (typeof TABLES)[number];
type StoredRow = Record<string, string | number | boolean | null>;

/** An empty database: `acme` counts by the author's clock in UTC, `rival` by the committer's in New York. */
export async function openRollupDatabase(): Promise<Database> {
  const database = await openDatabase('pglite:memory');
  await migrate(database, MIGRATIONS_DIRECTORY);
  await ensureTenant(database, { orgId: 'acme', name: 'acme' });
  await ensureTenant(database, { orgId: 'rival', name: 'rival', timeZone: 'America/New_York' });
  for (const orgId of ['acme', 'rival']) await ensureFirstPolicy(database, orgId, DEFAULT_POLICY);
  await database.query("UPDATE tenants SET day_by = 'committer' WHERE org_id = 'rival'");
  return database;
}

export async function emptyTables(database: Database): Promise<void> {
  await database.script(`TRUNCATE ${TABLES.join(', ')}, consumer_progress, ai_code_fingerprints, replays`);
}

/** A table's rows in a fixed order, without what tells when and in which order they were written. */
export async function rowsOf(database: Database, table: Table): Promise<StoredRow[]> {
  const rows = await database.query<{ row: StoredRow }>(
    `SELECT to_jsonb(t) - 'id' - 'analyzed_at' AS row FROM ${table} t ORDER BY 1`,
  );
  return rows.map(({ row }) => row);
}

export async function allRows(database: Database): Promise<Record<string, StoredRow[]>> {
  const tables: Record<string, StoredRow[]> = {};
  for (const table of TABLES) tables[table] = await rowsOf(database, table);
  return tables;
}

/** A batch of partition 0 with the given values, a string as it stands, anything else as JSON; of refs with their type. */
export function batchOf(topic: string, values: readonly unknown[], firstOffset = 0): Batch {
  return {
    topic,
    partition: 0,
    signal: new AbortController().signal,
    records: values.map((value, i) => ({
      topic,
      partition: 0,
      offset: firstOffset + i,
      key: 'key',
      value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
      headers: isRefs(value) ? { ce_type: REFS_EVENT } : ({} as Record<string, string>),
      timestamp: 0,
    })),
  };
}

const isRefs = (value: unknown) => typeof value === 'object' && value !== null && 'refs' in value;
