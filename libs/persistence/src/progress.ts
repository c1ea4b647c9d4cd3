import type { Queryable } from './database';

/**
 * The name under which a consumption keeps where it goes on: behind the effects of a batch and its dead letters. What a
 * group publishes under its own name says of its effects only.
 */
export function positionOf(group: string): string {
  return `${group}/position`;
}

/**
 * Records the next offset that a consumer group will read of a partition, once the effects of those before it are
 * durable. A lower offset than the recorded one changes nothing.
 */
export async function saveProgress(
  tx: Queryable,
  group: string,
  topic: string,
  partition: number,
  nextOffset: number,
): Promise<void> {
  await tx.query(
    `INSERT INTO consumer_progress (consumer_group, topic, partition, next_offset) VALUES ($1, $2, $3, $4)
     ON CONFLICT (consumer_group, topic, partition) DO UPDATE
       SET next_offset = EXCLUDED.next_offset, updated_at = NOW()
       WHERE consumer_progress.next_offset < EXCLUDED.next_offset`,
    [group, topic, partition, nextOffset],
  );
}

/** Next offset by partition; a partition without effects so far is not in the map. */
export async function loadProgress(
  queryable: Queryable,
  group: string,
  topic: string,
): Promise<Map<number, number>> {
  const rows = await queryable.query<{ partition: number; next_offset: number }>(
    'SELECT partition, next_offset FROM consumer_progress WHERE consumer_group = $1 AND topic = $2',
    [group, topic],
  );
  return new Map(rows.map((row) => [row.partition, row.next_offset]));
}

/** Forgets how far a consumer group has come, in every topic. */
export async function deleteProgress(queryable: Queryable, group: string): Promise<void> {
  await queryable.query('DELETE FROM consumer_progress WHERE consumer_group = $1', [group]);
}
