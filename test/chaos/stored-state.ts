import { isDeepStrictEqual } from 'node:util';
import { GROUPS, TOPICS } from '@lineprint/contracts';
import type { EventLog } from '@lineprint/event-log';
import { type Database, loadProgress, positionOf } from '@lineprint/persistence';

/** Who reads what; where each goes on is in the database as well, beside its effects. */
const READERS = [
  { group: GROUPS.indexer, topic: TOPICS.snippets },
  { group: GROUPS.commitAnalyzer, topic: TOPICS.commits },
  { group: GROUPS.lineAttributor, topic: TOPICS.candidates },
  { group: GROUPS.ledger, topic: TOPICS.candidates },
  { group: GROUPS.rollupAttributions, topic: TOPICS.attributions },
  { group: GROUPS.rollupActivity, topic: TOPICS.activity },
];

/**
 * Whether every reader's offsets, and what it publishes of them, are the topics' ends, and nothing waits in a table.
 * Tables are looked at after the offsets, since who commits one may have left a request there; that no topic has grown
 * meanwhile says that no request was served without its readers having been looked at.
 */
export async function everythingIsRead(log: EventLog, database: Database): Promise<boolean> {
  const ends = await endsOfTopics(log);
  for (const { group, topic } of READERS) {
    const committed = await log.committed(group, topic);
    const progress = await loadProgress(database, positionOf(group), topic);
    for (const [partition, end] of ends[topic]!.entries()) {
      if (committed[partition] !== end) return false;
      if ((progress.get(partition) ?? 0) !== end) return false;
    }
  }
  for (const table of ['outbox', 'reanalysis_requests', 'ledger_requests']) {
    if ((await database.query(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0) return false;
  }
  return isDeepStrictEqual(await endsOfTopics(log), ends);
}

async function endsOfTopics(log: EventLog): Promise<Record<string, readonly number[]>> {
  const ends: Record<string, readonly number[]> = {};
  for (const { topic } of READERS) ends[topic] ??= await log.endOffsets(topic);
  return ends;
}

/**
 * What an organisation has in the tables, and which columns are left out: the organisation itself, ids and times that
 * the database gives, places in the log, which repetitions move, and how often a commit was analysed again.
 */
const TABLES: Record<string, readonly string[]> = {
  ai_code_fingerprints: ['id', 'log_partition', 'log_offset'],
  ai_code_fingerprint_ids: [],
  snippet_prints: [],
  recall_counters: [],
  repository_line_changes: ['counted_at'],
  judged_commits: ['judged_at', 'revision'],
  commits: ['analyzed_at', 'revision'],
  commit_verdicts: ['revision'],
  commit_files: [],
  ai_attribution_results: ['id', 'analyzed_at'],
  ai_attribution_daily: ['id'],
  followed_commits: ['arrived'],
  line_trees: [],
  line_heads: [],
  head_runs: [],
  line_lives: ['id'],
  head_file_lines: [],
  life_lines: ['ordinal'],
};

/** Those of them that each policy has rows of its own in. */
const BY_POLICY = [
  'judged_commits',
  'commit_verdicts',
  'commit_files',
  'ai_attribution_results',
  'ai_attribution_daily',
  'head_file_lines',
  'life_lines',
];

/** Each table's rows as JSON, sorted: equal for two organisations that were sent the same. */
export async function storedTables(database: Database, orgId: string): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const table of Object.keys(TABLES)) tables[table] = await storedRows(database, table, orgId, null);
  return tables;
}

/** The same of one policy: equal for two that say the same. */
export async function storedResults(
  database: Database,
  orgId: string,
  policyId: string,
): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const table of BY_POLICY) tables[table] = await storedRows(database, table, orgId, policyId);
  return tables;
}

async function storedRows(
  database: Database,
  table: string,
  orgId: string,
  policyId: string | null,
): Promise<string[]> {
  const without = ['org_id', ...TABLES[table]!, ...(policyId === null ? [] : ['policy_id'])];
  const rows = await database.query<{ row: string }>(
    `SELECT (to_jsonb(t) - $2::text[])::text AS row FROM ${table} t
     WHERE org_id = $1${policyId === null ? '' : ' AND policy_id = $3'}`,
    [orgId, without, ...(policyId === null ? [] : [policyId])],
  );
  return rows.map(({ row }) => row).sort();
}

/** Positions of a repository's rows, in order: from 1 without a hole, or something was lost or doubled. */
export async function positions(
  database: Database,
  table: 'judged_commits' | 'repository_line_changes',
  orgId: string,
): Promise<number[]> {
  const rows = await database.query<{ position: number }>(
    `SELECT position FROM ${table} WHERE org_id = $1 ORDER BY position`,
    [orgId],
  );
  return rows.map(({ position }) => position);
}
