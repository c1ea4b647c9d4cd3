import type { Database, Queryable } from './database';

/** Tables that are partitioned by the month of `created_at`, in UTC. */
const PARTITIONED = ['ai_code_fingerprints', 'snippet_prints'] as const;

/** Serialises whoever creates or drops partitions; any number that no other lock of ours has. */
const PARTITIONS_LOCK = 72707370;

interface Month {
  /** `YYYYMM`, the suffix of the partitions' names. */
  readonly suffix: string;
  readonly start: Date;
  readonly end: Date;
}

function monthOf(year: number, month: number): Month {
  const start = new Date(Date.UTC(year, month, 1));
  const end = new Date(Date.UTC(year, month + 1, 1));
  return { suffix: start.toISOString().slice(0, 7).replace('-', ''), start, end };
}

/**
 * Creates the monthly partitions that rows of these times need. Months that have theirs cost one small query
 * and no lock, whoever created them, so nothing is remembered that a rollback or an expiry would make untrue.
 * Creating one keeps writers of the table out until the surrounding transaction ends.
 */
export async function ensurePartitions(queryable: Queryable, months: Iterable<Date>): Promise<void> {
  const wanted = new Map<string, Month>();
  for (const time of months) {
    const month = monthOf(time.getUTCFullYear(), time.getUTCMonth());
    wanted.set(month.suffix, month);
  }
  if (wanted.size === 0) return;
  const names = [...wanted.keys()].flatMap((suffix) => PARTITIONED.map((table) => `${table}_${suffix}`));
  const missing = await queryable.query<{ name: string }>(
    'SELECT name FROM UNNEST($1::text[]) AS name WHERE to_regclass(name) IS NULL',
    [names],
  );
  if (missing.length === 0) return;
  const suffixes = [...new Set(missing.map(({ name }) => name.slice(-6)))].sort();
  const statements = suffixes.flatMap((suffix) => createStatements(wanted.get(suffix)!));
  // One DO block is one statement, so the lock covers all of it outside a transaction as well.
  await queryable.query(
    `DO $$ BEGIN PERFORM pg_advisory_xact_lock(${PARTITIONS_LOCK}); ${statements.join(' ')} END $$`,
  );
}

function createStatements(month: Month): string[] {
  const bounds = `FROM ('${month.start.toISOString()}') TO ('${month.end.toISOString()}')`;
  return PARTITIONED.map((table) => {
    const name = `${table}_${month.suffix}`;
    return `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table} FOR VALUES ${bounds};
      ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;`;
  });
}

/**
 * Drops every monthly partition that ends at or before `before` and of whose snippets the log has none any more, with
 * the month's rows of ai_code_fingerprint_ids, so that these code ids may come again. Answers the dropped tables' names.
 *
 * @param kept of each partition of the log's snippets the offset of the oldest record that is kept
 */
export async function dropExpiredPartitions(
  database: Database,
  before: Date,
  kept: readonly number[],
): Promise<string[]> {
  return database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [PARTITIONS_LOCK]);
    const partitions = await tx.query<{ name: string }>(
      `SELECT child.relname AS name FROM pg_inherits
         JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
        WHERE parent.relname = ANY ($1::text[]) AND child.relname ~ '_[0-9]{6}$' ORDER BY 1`,
      [PARTITIONED],
    );
    const dropped: string[] = [];
    const needed = new Set<string>();
    // Those of snippets come first, by their names.
    for (const { name } of partitions) {
      const month = monthOf(Number(name.slice(-6, -2)), Number(name.slice(-2)) - 1);
      if (month.end > before) continue;
      if (name.startsWith(PARTITIONED[0]) && (await isInLog(tx, name, kept))) needed.add(month.suffix);
      if (needed.has(month.suffix)) continue;
      await tx.query(`DROP TABLE ${name}`);
      await tx.query('DELETE FROM ai_code_fingerprint_ids WHERE created_at >= $1 AND created_at < $2', [
        month.start,
        month.end,
      ]);
      dropped.push(name);
    }
    return dropped;
  });
}

async function isInLog(tx: Queryable, name: string, kept: readonly number[]): Promise<boolean> {
  const rows = await tx.query(
    `SELECT 1 FROM UNNEST($1::bigint[]) WITH ORDINALITY AS k (low, i)
       JOIN ${name} f ON f.log_partition = k.i - 1 AND f.log_offset >= k.low LIMIT 1`,
    [kept],
  );
  return rows.length > 0;
}
