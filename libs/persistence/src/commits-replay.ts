import type { Queryable } from './database';

/**
 * Lets one process at a time fill the index for a replay.
 * @param holder names the process; it may call again to go on
 * @param forMs after so long without another call the next one may
 * @returns false while somebody else does, or the replay is not in that stage any more
 */
export async function holdIndexing(
  queryable: Queryable,
  id: string,
  holder: string,
  forMs: number,
): Promise<boolean> {
  const held = await queryable.query(
    `UPDATE replays SET filled_by = $2, filled_until = NOW() + $3 * INTERVAL '1 millisecond'
     WHERE replay_id = $1 AND stage = 'index' AND status = 'running'
       AND (filled_by = $2 OR filled_until IS NULL OR filled_until < NOW()) RETURNING 1`,
    [id, holder, forMs],
  );
  return held.length > 0;
}

/** Says how far the index has been filled for a replay; never goes back. */
export async function advanceIndexing(
  queryable: Queryable,
  id: string,
  partition: number,
  next: number,
): Promise<void> {
  await queryable.query(
    `UPDATE replay_partitions SET next_offset = GREATEST(next_offset, $3)
     WHERE replay_id = $1 AND stage = 'index' AND partition = $2`,
    [id, partition, next],
  );
}

/** Says that a replay has a topic of its own. */
export async function noteReplayTopic(queryable: Queryable, id: string): Promise<void> {
  await queryable.query('UPDATE replays SET has_topic = TRUE WHERE replay_id = $1 AND NOT has_topic', [id]);
}

/** A cancelled replay may be resumed: so long it keeps what it has analysed. After that it begins anew. */
const KEPT = "INTERVAL '1 day'";
/** Whether what a topic holds is judged, or will not be. */
const IS_TOPIC_DONE = `(stage = 'judge' OR (status = 'cancelled' AND ended_at < NOW() - ${KEPT}))`;

/** Ids of replays whose topic of candidates nobody needs any more, and may still exist. */
export async function finishedReplayTopics(queryable: Queryable): Promise<string[]> {
  const rows = await queryable.query<{ replay_id: string }>(
    `SELECT replay_id FROM replays WHERE has_topic AND ${IS_TOPIC_DONE}`,
  );
  return rows.map((row) => row.replay_id);
}

/** The replay's topic is gone; unless the replay has been resumed meanwhile. */
export async function forgetReplayTopic(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(`UPDATE replays SET has_topic = FALSE WHERE replay_id = $1 AND ${IS_TOPIC_DONE}`, [
    id,
  ]);
}
