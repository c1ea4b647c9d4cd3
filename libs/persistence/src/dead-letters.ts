import type { Queryable } from './database';

/** Where a dead letter is: `topic` is the dead-letter topic. */
export interface DeadLetterPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface DeadLetterDecision {
  readonly state: 'redriven' | 'dropped';
  /** Whose key asked for it: the organisation, and the person of a personal key. */
  readonly orgId: string;
  readonly decidedBy: string | null;
}

export interface DecidedDeadLetter extends DeadLetterPosition, DeadLetterDecision {
  readonly decidedAt: Date;
}

/** Those of the letters that are not open any more. */
export async function decidedDeadLetters(
  queryable: Queryable,
  letters: readonly DeadLetterPosition[],
): Promise<DecidedDeadLetter[]> {
  if (letters.length === 0) return [];
  return queryable.query<DecidedDeadLetter & Record<string, unknown>>(
    `SELECT d.topic, d.partition, d."offset", d.state, d.org_id AS "orgId", d.decided_by AS "decidedBy",
            d.decided_at AS "decidedAt"
     FROM UNNEST($1::text[], $2::int[], $3::bigint[]) AS asked (topic, partition, "offset")
       CROSS JOIN LATERAL (
         SELECT * FROM dead_letters l
         WHERE (l.topic, l.partition, l."offset") = (asked.topic, asked.partition, asked."offset") OFFSET 0
       ) d`,
    columnsOf(letters),
  );
}

/**
 * Decides about the open ones among the letters, and answers those: of two who decide at once one gets each, the
 * other waits for its commit.
 */
export async function decideDeadLetters(
  tx: Queryable,
  letters: readonly DeadLetterPosition[],
  { state, orgId, decidedBy }: DeadLetterDecision,
): Promise<DeadLetterPosition[]> {
  if (letters.length === 0) return [];
  return tx.query<DeadLetterPosition & Record<string, unknown>>(
    // In one order everywhere, so that two never wait for each other in a circle.
    `INSERT INTO dead_letters (topic, partition, "offset", state, org_id, decided_by)
     SELECT l.topic, l.partition, l."offset", $4, $5, $6
     FROM UNNEST($1::text[], $2::int[], $3::bigint[]) AS l (topic, partition, "offset")
     ORDER BY l.topic, l.partition, l."offset"
     ON CONFLICT DO NOTHING RETURNING topic, partition, "offset"`,
    [...columnsOf(letters), state, orgId, decidedBy],
  );
}

/** Forgets what was decided before a time; the letters must be gone from the log by then. Answers how many. */
export async function expireDeadLetters(queryable: Queryable, before: Date): Promise<number> {
  const rows = await queryable.query('DELETE FROM dead_letters WHERE decided_at < $1 RETURNING 1', [before]);
  return rows.length;
}

function columnsOf(letters: readonly DeadLetterPosition[]): [string[], number[], number[]] {
  return [
    letters.map(({ topic }) => topic),
    letters.map(({ partition }) => partition),
    letters.map(({ offset }) => offset),
  ];
}
