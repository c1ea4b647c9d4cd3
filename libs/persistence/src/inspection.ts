import type { Database, Queryable } from './database';

/** What the server of a database says of itself. */
export interface DatabaseServer {
  /** As Postgres says it, e.g. `15.8`. */
  readonly version: string;
  /** 15 of `15.8`. */
  readonly major: number;
  /** Its clock, milliseconds since 1970. */
  readonly now: number;
  /** Of the database, with indexes. */
  readonly bytes: number;
}

export async function databaseServer(queryable: Queryable): Promise<DatabaseServer> {
  const [row] = await queryable.query<{ version: string; number: number; now: Date; bytes: number }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
            clock_timestamp() AS now, pg_database_size(current_database()) AS bytes`,
  );
  const { version, number, now, bytes } = row!;
  return { version: version.split(' ')[0]!, major: Math.floor(number / 10_000), now: now.getTime(), bytes };
}

/** What waits in tables to be worked at. */
export interface Backlog {
  /** Records that have not reached the log yet, and the age of the oldest, milliseconds. */
  readonly outbox: { readonly records: number; readonly oldestMs: number };
  /** Repositories of which the ledger of lines has something to do. */
  readonly ledger: number;
  /** Commits that are to be analysed again because of snippets that came late, and the age of the oldest request. */
  readonly reanalysis: { readonly commits: number; readonly oldestMs: number };
}

export async function backlog(queryable: Queryable): Promise<Backlog> {
  const [row] = await queryable.query<{
    records: number;
    outbox_age: number | null;
    commits: number;
    commits_age: number | null;
  }>(
    `SELECT (SELECT COUNT(*) FROM outbox) AS records,
            (SELECT EXTRACT(EPOCH FROM clock_timestamp() - MIN(created_at)) * 1000 FROM outbox) AS outbox_age,
            (SELECT COUNT(*) FROM reanalysis_requests) AS commits,
            (SELECT EXTRACT(EPOCH FROM clock_timestamp() - MIN(requested_at)) * 1000
               FROM reanalysis_requests) AS commits_age`,
  );
  const age = (ms: number | null) => Math.max(0, Math.round(ms ?? 0));
  return {
    outbox: { records: row!.records, oldestMs: age(row!.outbox_age) },
    ledger: await ledgerBacklog(queryable),
    reanalysis: { commits: row!.commits, oldestMs: age(row!.commits_age) },
  };
}

/** Repositories of which the ledger of lines has something to do. */
export async function ledgerBacklog(queryable: Queryable): Promise<number> {
  const [row] = await queryable.query<{ repositories: number }>(
    'SELECT COUNT(*) AS repositories FROM (SELECT DISTINCT org_id, repository FROM ledger_requests) r',
  );
  return row!.repositories;
}

/** Rows that refer to what is not there, by what they are. */
export interface OrphanedRows {
  readonly what: string;
  /** At most MOST_ORPHANS + 1. */
  readonly rows: number;
}

/** So many are counted. */
export const MOST_ORPHANS = 1_000;

const ORPHANS: Readonly<Record<string, string>> = {
  'verdicts on unknown commits': `
    commit_verdicts v WHERE NOT EXISTS (
      SELECT 1 FROM commits c
       WHERE (c.org_id, c.repository, c.sha) = (v.org_id, v.repository, v.commit_sha))`,
  'results without a verdict': `
    ai_attribution_results r WHERE NOT EXISTS (
      SELECT 1 FROM commit_verdicts v
       WHERE (v.org_id, v.policy_id, v.repository, v.commit_sha)
           = (r.org_id, r.policy_id, r.repository, r.commit_sha))`,
  'snippets of unknown organisations': `
    ai_code_fingerprint_ids i WHERE NOT EXISTS (SELECT 1 FROM tenants t WHERE t.org_id = i.org_id)`,
  'snippets without their number': `
    ai_code_fingerprints f WHERE NOT EXISTS (
      SELECT 1 FROM ai_code_fingerprint_ids i WHERE (i.org_id, i.code_id) = (f.org_id, f.code_id))`,
  'line prints without their snippet': `
    snippet_prints p WHERE NOT EXISTS (
      SELECT 1 FROM ai_code_fingerprint_ids i WHERE (i.org_id, i.code_id) = (p.org_id, p.code_id))`,
  'labelled lines without a head': `
    head_file_lines l WHERE NOT EXISTS (
      SELECT 1 FROM line_heads h WHERE (h.org_id, h.repository, h.ref) = (l.org_id, l.repository, l.ref))`,
  'lives of lines without a head': `
    life_lines l WHERE NOT EXISTS (
      SELECT 1 FROM line_heads h WHERE (h.org_id, h.repository, h.ref) = (l.org_id, l.repository, l.ref))`,
};

/**
 * Rows that refer to what is not there: none but after somebody has changed the tables by hand, or a restoration went
 * wrong. Reads the whole tables.
 *
 * @param limitMs how long each of its statements may take, milliseconds
 */
export async function orphanedRows(database: Database, limitMs: number): Promise<OrphanedRows[]> {
  const found: OrphanedRows[] = [];
  for (const [what, from] of Object.entries(ORPHANS)) {
    const rows = await database.transaction(async (tx) => {
      await tx.query("SELECT set_config('statement_timeout', $1, true)", [String(limitMs)]);
      const [row] = await tx.query<{ rows: number }>(
        `SELECT COUNT(*) AS rows FROM (SELECT 1 FROM ${from} LIMIT ${MOST_ORPHANS + 1}) o`,
      );
      return row!.rows;
    });
    if (rows > 0) found.push({ what, rows });
  }
  return found;
}

/** How many dead letters of a dead-letter topic that are still kept were decided. @param beginnings by partition */
export async function decidedCount(
  queryable: Queryable,
  topic: string,
  beginnings: readonly number[],
): Promise<number> {
  const [row] = await queryable.query<{ decided: number }>(
    `SELECT COUNT(*) AS decided FROM UNNEST($2::bigint[]) WITH ORDINALITY AS b (low, i)
       JOIN dead_letters d ON d.topic = $1 AND d.partition = b.i - 1 AND d."offset" >= b.low`,
    [topic, beginnings],
  );
  return row!.decided;
}
