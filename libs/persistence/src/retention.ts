import { LONGEST_KEPT_MS } from '@lineprint/contracts';
import type { Config } from '@lineprint/platform';
import type { Database, Queryable } from './database';
import { expireDeadLetters } from './dead-letters';
import { expireJudgedCommits } from './judged-commits';
import { dropExpiredPartitions } from './partitions';
import { expirePayloads } from './payloads';
import { expireAnalysedCommits } from './reanalysis';
import { expireLineChanges } from './repository-lines';

const DAY_MS = 86_400_000;
/** The log deletes whole segments, the newest record of which must be old enough. */
const LONGEST_SEGMENT_MS = 30 * DAY_MS;
/** Who takes a night and says nothing of it for so long has died. */
const CLAIM = "INTERVAL '1 hour'";

/** How many of what were deleted. */
export interface Expired {
  /** Tables with a month of snippets or of their prints. */
  readonly partitions: number;
  /** Snippets whose code was deleted. */
  readonly rawCode: number;
  /** Commits of which it was forgotten what they changed in the counts of lines … */
  readonly lineChanges: number;
  /** … what they used of snippets … */
  readonly judgedCommits: number;
  /** … and what they had seen of them. */
  readonly analysedCommits: number;
  /** Notes of who was shown the text of which file. */
  readonly codeReads: number;
  readonly auditEntries: number;
  readonly reconciliations: number;
  /** Values over the broker's limit. */
  readonly payloads: number;
  /** Decisions about dead letters. */
  readonly deadLetters: number;
}

/**
 * Deletes what is older than it is to be kept and what no number needs any more. Results, days, and the ledger of lines
 * stay: they are the numbers. While a replay works, what it may need stays as well.
 *
 * @param kept of each partition of `lineprint.snippets.v1` the offset of the oldest record that is kept: what can still be
 *   replayed needs its snippets, however old they are
 * @param now milliseconds since 1970
 */
export async function expire(
  database: Database,
  settings: Config['retention'],
  kept: readonly number[],
  now: number,
): Promise<Expired> {
  const before = (days: number) => new Date(now - days * DAY_MS);
  const history = before(settings.historyDays);
  const audit = before(settings.auditDays);
  const unread = new Date(now - LONGEST_KEPT_MS - LONGEST_SEGMENT_MS);
  const isFree = !(await replayWorks(database));
  return {
    partitions: isFree
      ? (await dropExpiredPartitions(database, before(settings.snippetDays), kept)).length
      : 0,
    rawCode: await expireRawCode(database, before(settings.rawCodeDays)),
    lineChanges: isFree ? await expireLineChanges(database, history) : 0,
    judgedCommits: isFree ? await expireJudgedCommits(database, history) : 0,
    analysedCommits: await expireAnalysedCommits(database, history),
    codeReads: await deleted(database, 'code_reads WHERE read_at < $1', audit),
    auditEntries: await deleted(database, 'audit_entries WHERE at < $1', audit),
    // The last one of each organisation says how it stands.
    reconciliations: await deleted(
      database,
      `reconciliations r WHERE finished_at < $1 AND EXISTS (
         SELECT 1 FROM reconciliations l WHERE l.org_id = r.org_id AND l.id > r.id AND l.finished_at IS NOT NULL)`,
      audit,
    ),
    payloads: await expirePayloads(database, unread),
    deadLetters: await expireDeadLetters(database, unread),
  };
}

async function replayWorks(queryable: Queryable): Promise<boolean> {
  const rows = await queryable.query("SELECT 1 FROM replays WHERE status IN ('running', 'paused') LIMIT 1");
  return rows.length > 0;
}

async function deleted(queryable: Queryable, from: string, before: Date): Promise<number> {
  return (await queryable.query(`DELETE FROM ${from} RETURNING 1`, [before])).length;
}

/** What of the code was looked at is in the snippet's syntax tree, which stays. */
async function expireRawCode(queryable: Queryable, before: Date): Promise<number> {
  const rows = await queryable.query(
    `UPDATE ai_code_fingerprints SET raw_code_encrypted = NULL
      WHERE created_at < $1 AND raw_code_encrypted IS NOT NULL RETURNING 1`,
    [before],
  );
  return rows.length;
}

/**
 * Does a night's work in one process, however many ask for it.
 *
 * @param now milliseconds since 1970
 * @returns null where another process has taken the night, or it is done
 */
export async function inTheNight(
  database: Database,
  now: number,
  work: () => Promise<Expired>,
): Promise<Expired | null> {
  const night = new Date(now).toISOString().slice(0, 10);
  const [taken] = await database.query(
    `INSERT INTO retention_runs AS r (night, claimed_until) VALUES ($1, NOW() + ${CLAIM})
         ON CONFLICT (night) DO UPDATE SET claimed_until = EXCLUDED.claimed_until
      WHERE r.finished_at IS NULL AND r.claimed_until < NOW()
      RETURNING 1`,
    [night],
  );
  if (!taken) return null;
  try {
    const outcome = await work();
    await database.query(
      'UPDATE retention_runs SET finished_at = NOW(), outcome = $2::jsonb WHERE night = $1',
      [night, JSON.stringify(outcome)],
    );
    return outcome;
  } catch (error) {
    // Whoever looks next does it.
    await database.query('UPDATE retention_runs SET claimed_until = NOW() WHERE night = $1', [night]);
    throw error;
  }
}
