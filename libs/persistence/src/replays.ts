import { randomBytes } from 'node:crypto';
import { LineprintError } from '@lineprint/platform';
import type { Database, Queryable, Row } from './database';
import { findPolicy } from './policies';
import { lockTenant } from './tenants';

export type ReplayTopic = 'candidates' | 'commits';

/**
 * What a replay works on: the index from snippets, candidates of its own from commits, verdicts from those, and
 * verdicts from everyone's candidates. One from candidates has only the last.
 */
export type ReplayStage = 'index' | 'analyse' | 'judge-own' | 'judge';

/**
 * `running` up to what there was at its start, `following` what comes after; `complete` when only a part was asked
 * for; `paused`, `cancelled` and `failed` ones can be resumed.
 */
export type ReplayStatus = 'running' | 'paused' | 'following' | 'complete' | 'cancelled' | 'failed';

/** Which commits get results. Everything is judged, because a commit's verdict depends on its ancestors. */
export interface ReplayFilter {
  readonly repository: string | null;
  /** By the committer's clock, the start included and the end not. */
  readonly from: Date | null;
  readonly to: Date | null;
}

export interface Replay extends ReplayFilter {
  readonly id: string;
  readonly orgId: string;
  readonly policyId: string;
  readonly topic: ReplayTopic;
  readonly stage: ReplayStage;
  readonly status: ReplayStatus;
  /** Commits a second; null for as fast as it can. */
  readonly maxRate: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  /** When it had passed what there was at its start. */
  readonly caughtUpAt: Date | null;
  readonly endedAt: Date | null;
}

export interface ReplayPartition {
  readonly stage: ReplayStage;
  readonly partition: number;
  readonly startOffset: number;
  /** The topic's end when the replay was started or resumed; null until a worker has looked. */
  readonly targetOffset: number | null;
  readonly nextOffset: number;
  /** Commits of the organisation so far, … */
  readonly judged: number;
  /** … those of them that have got results, … */
  readonly written: number;
  /** … and records without a verdict: no valid event, or one that cannot be judged. */
  readonly refused: number;
}

export interface ReplayProgress {
  readonly replay: Replay;
  readonly partitions: readonly ReplayPartition[];
  /** Commits a second over the last minute; null while nothing runs. */
  readonly rate: number | null;
}

interface ReplayColumns extends Row {
  replay_id: string;
  org_id: string;
  policy_id: string;
  topic: ReplayTopic;
  stage: ReplayStage;
  status: ReplayStatus;
  repository: string | null;
  from_time: Date | null;
  to_time: Date | null;
  max_rate: number | null;
  error_code: string | null;
  error_message: string | null;
  created_by: string | null;
  created_at: Date;
  caught_up_at: Date | null;
  ended_at: Date | null;
}

interface PartitionColumns extends Row {
  replay_id: string;
  stage: ReplayStage;
  partition: number;
  start_offset: number;
  target_offset: number | null;
  next_offset: number;
  judged: number;
  written: number;
  refused: number;
}

const COLUMNS = `replay_id, org_id, policy_id, topic, stage, status, repository, from_time, to_time, max_rate,
  error_code, error_message, created_by, created_at, caught_up_at, ended_at`;
/** As `replays_one_a_policy` has it. */
const WORKING = "('running', 'paused', 'following')";
/** Records that a replay has read of a stage. */
const READ = 'COALESCE(SUM(p.next_offset - p.start_offset), 0)::bigint';
const ID_BYTES = 6;

function replayOf(row: ReplayColumns): Replay {
  return {
    id: row.replay_id,
    orgId: row.org_id,
    policyId: row.policy_id,
    topic: row.topic,
    stage: row.stage,
    status: row.status,
    repository: row.repository,
    from: row.from_time,
    to: row.to_time,
    maxRate: row.max_rate,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    createdBy: row.created_by,
    createdAt: row.created_at,
    caughtUpAt: row.caught_up_at,
    endedAt: row.ended_at,
  };
}

function partitionOf(row: PartitionColumns): ReplayPartition {
  return {
    stage: row.stage,
    partition: row.partition,
    startOffset: row.start_offset,
    targetOffset: row.target_offset,
    nextOffset: row.next_offset,
    judged: row.judged,
    written: row.written,
    refused: row.refused,
  };
}

/** True for a replay of a part, which its policy cannot be activated after. */
export function isPartial({ repository, from, to }: ReplayFilter): boolean {
  return repository !== null || from !== null || to !== null;
}

export interface NewReplay extends Partial<ReplayFilter> {
  readonly orgId: string;
  readonly policyId: string;
  readonly topic: ReplayTopic;
  readonly maxRate?: number | null;
  readonly createdBy?: string | null;
}

/**
 * Starts a replay: workers find it running.
 * @throws LineprintError `policy-unknown`; `policy-live` for the policy that the live group judges; `replay-exists`
 * when the policy has one that runs, is paused or follows
 */
export async function createReplay(database: Database, wanted: NewReplay): Promise<Replay> {
  const { orgId, policyId, topic } = wanted;
  return database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    const policy = await findPolicy(tx, orgId, policyId);
    if (!policy) throw new LineprintError('policy-unknown', `${orgId} has no policy ${policyId}`);
    if (policy.live) {
      throw new LineprintError(
        'policy-live',
        `Policy ${policyId} is judged live: replay a copy of it under another id`,
      );
    }
    await refuseSecond(tx, orgId, policyId);
    const [row] = await tx.query<ReplayColumns>(
      `INSERT INTO replays (replay_id, org_id, policy_id, topic, stage, status, repository, from_time, to_time,
              max_rate, created_by)
       VALUES ($1, $2, $3, $4, $5, 'running', $6, $7, $8, $9, $10) RETURNING ${COLUMNS}`,
      [
        randomBytes(ID_BYTES).toString('hex'),
        orgId,
        policyId,
        topic,
        topic === 'commits' ? 'index' : 'judge',
        wanted.repository ?? null,
        wanted.from ?? null,
        wanted.to ?? null,
        wanted.maxRate ?? null,
        wanted.createdBy ?? null,
      ],
    );
    return replayOf(row!);
  });
}

async function refuseSecond(tx: Queryable, orgId: string, policyId: string): Promise<void> {
  const [other] = await tx.query<{ replay_id: string; status: string }>(
    `SELECT replay_id, status FROM replays WHERE org_id = $1 AND policy_id = $2 AND status IN ${WORKING}`,
    [orgId, policyId],
  );
  if (!other) return;
  throw new LineprintError(
    'replay-exists',
    `Policy ${policyId} has replay ${other.replay_id}, which is ${other.status}: cancel it first`,
  );
}

/** The organisation's replays, newest first. */
export async function listReplays(queryable: Queryable, orgId: string): Promise<ReplayProgress[]> {
  return withProgress(queryable, 'org_id = $1 ORDER BY created_at DESC, replay_id', [orgId]);
}

/** One replay of the organisation, or null. */
export async function findReplay(
  queryable: Queryable,
  orgId: string,
  id: string,
): Promise<ReplayProgress | null> {
  const [found] = await withProgress(queryable, 'org_id = $1 AND replay_id = $2', [orgId, id]);
  return found ?? null;
}

async function withProgress(
  queryable: Queryable,
  where: string,
  parameters: readonly string[],
): Promise<ReplayProgress[]> {
  const rows = await queryable.query<ReplayColumns & { rate: number | null }>(
    `SELECT ${COLUMNS},
            CASE WHEN status = 'running' AND sampled_before_at < NOW() THEN
              (SELECT ${READ} - r.sampled_before FROM replay_partitions p
               WHERE (p.replay_id, p.stage) = (r.replay_id, r.stage))
              / EXTRACT(EPOCH FROM NOW() - sampled_before_at)::float8 END AS rate
     FROM replays r WHERE ${where}`,
    parameters,
  );
  const partitions = await loadPartitions(
    queryable,
    rows.map((row) => row.replay_id),
  );
  return rows.map((row) => ({
    replay: replayOf(row),
    partitions: partitions.get(row.replay_id) ?? [],
    rate: row.rate,
  }));
}

async function loadPartitions(
  queryable: Queryable,
  ids: readonly string[],
): Promise<Map<string, ReplayPartition[]>> {
  const rows = await queryable.query<PartitionColumns>(
    `SELECT replay_id, stage, partition, start_offset, target_offset, next_offset, judged, written, refused
     FROM replay_partitions WHERE replay_id = ANY ($1::text[]) ORDER BY replay_id, stage, partition`,
    [ids],
  );
  const byReplay = new Map<string, ReplayPartition[]>();
  for (const row of rows) {
    const list = byReplay.get(row.replay_id);
    if (list) list.push(partitionOf(row));
    else byReplay.set(row.replay_id, [partitionOf(row)]);
  }
  return byReplay;
}

/** What a person may do to a replay, and from which statuses. */
const TRANSITIONS = {
  pause: { from: ['running', 'following'], to: 'paused' },
  resume: { from: ['paused', 'cancelled', 'failed'], to: 'running' },
  cancel: { from: ['running', 'paused', 'following', 'failed'], to: 'cancelled' },
} as const satisfies Record<string, { from: readonly ReplayStatus[]; to: ReplayStatus }>;

export type ReplayAction = keyof typeof TRANSITIONS;

/**
 * Pauses, resumes or cancels. A batch that is being written ends first; after it nothing is written any more. A
 * resumed replay goes on where it was, up to what there is now.
 * @throws LineprintError `replay-unknown`; `policy-unknown` where its policy was dropped; `replay-transition` where the
 * status does not allow it; `policy-active` for stopping what judges the policy that dashboards read; `replay-exists`
 * for resuming beside another
 */
export async function changeReplay(
  database: Database,
  orgId: string,
  id: string,
  action: ReplayAction,
): Promise<Replay> {
  const { from, to } = TRANSITIONS[action];
  return database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    const [row] = await tx.query<ReplayColumns>(
      `SELECT ${COLUMNS} FROM replays WHERE org_id = $1 AND replay_id = $2 FOR UPDATE`,
      [orgId, id],
    );
    if (!row) throw new LineprintError('replay-unknown', `${orgId} has no replay ${id}`);
    if (!(from as readonly ReplayStatus[]).includes(row.status)) {
      throw new LineprintError('replay-transition', `A replay that is ${row.status} cannot ${action}`);
    }
    const policy = await findPolicy(tx, orgId, row.policy_id);
    if (!policy) throw new LineprintError('policy-unknown', `${orgId} has no policy ${row.policy_id}`);
    if (action === 'resume') {
      if (row.status !== 'paused') await refuseSecond(tx, orgId, row.policy_id);
      await tx.query('UPDATE replay_partitions SET target_offset = NULL WHERE replay_id = $1', [id]);
      await restartWithoutTopic(tx, id);
    } else if (policy.active) {
      throw new LineprintError(
        'policy-active',
        `Replay ${id} judges the active policy ${row.policy_id}: activate another one first`,
      );
    }
    const [changed] = await tx.query<ReplayColumns>(
      `UPDATE replays SET status = $2::text, ended_at = CASE WHEN $2::text = 'cancelled' THEN NOW() END, error_code = NULL,
              error_message = NULL, sampled_at = NULL, sampled_before_at = NULL
       WHERE replay_id = $1 RETURNING ${COLUMNS}`,
      [id, to],
    );
    return replayOf(changed!);
  });
}

/** Where its topic of candidates is gone: what was judged stays judged, the rest is analysed anew. */
async function restartWithoutTopic(tx: Queryable, id: string): Promise<void> {
  const [lost] = await tx.query(
    `SELECT 1 FROM replays WHERE replay_id = $1 AND stage IN ('analyse', 'judge-own') AND NOT has_topic`,
    [id],
  );
  if (!lost) return;
  await tx.query('DELETE FROM replay_partitions WHERE replay_id = $1', [id]);
  await enterStage(tx, id, 'index');
}

/** Lets a replay go on with its next stage. */
export async function enterStage(tx: Queryable, id: string, stage: ReplayStage): Promise<void> {
  await tx.query(
    `UPDATE replays SET stage = $2, sampled = NULL, sampled_at = NULL, sampled_before = NULL, sampled_before_at = NULL
     WHERE replay_id = $1`,
    [id, stage],
  );
}

/**
 * Ends whatever judges the policy, before its rows are dropped: when the transaction has committed, nothing is
 * written under it any more.
 */
export async function endReplays(tx: Queryable, orgId: string, policyId: string): Promise<void> {
  await tx.query(
    `UPDATE replays SET status = 'cancelled', ended_at = NOW()
     WHERE org_id = $1 AND policy_id = $2 AND status IN ${WORKING}`,
    [orgId, policyId],
  );
}

/**
 * Holds the replay that judges a policy in the state in which the policy may be activated, until the caller's
 * transaction ends, and lifts its limit: dashboards are to see new commits without delay.
 * @throws LineprintError `policy-not-replayed` where no replay follows
 */
export async function requireFollowing(tx: Queryable, orgId: string, policyId: string): Promise<void> {
  const following = await tx.query(
    `UPDATE replays SET max_rate = NULL
     WHERE org_id = $1 AND policy_id = $2 AND status = 'following' RETURNING replay_id`,
    [orgId, policyId],
  );
  if (following.length > 0) return;
  throw new LineprintError(
    'policy-not-replayed',
    `Policy ${policyId} has no replay that has caught up: start one, or wait until its status is \`following\``,
  );
}

/** Whose results are kept: the policy that is judged live, and those that have a replay. */
export async function judgedPolicies(queryable: Queryable, orgId: string): Promise<string[]> {
  const rows = await queryable.query<{ policy_id: string }>(
    `SELECT policy_id FROM policies p WHERE org_id = $1 AND dropped_at IS NULL AND (live
       OR EXISTS (SELECT 1 FROM replays r WHERE (r.org_id, r.policy_id) = (p.org_id, p.policy_id)))
     ORDER BY policy_id`,
    [orgId],
  );
  return rows.map((row) => row.policy_id);
}

/** What a worker has to do with a replay. */
export interface WorkingReplay {
  readonly replay: Replay;
  readonly partitions: readonly ReplayPartition[];
}

/** The replays of every organisation that are running or following, in a stage. */
export async function workingReplays(queryable: Queryable, stage: ReplayStage): Promise<WorkingReplay[]> {
  const rows = await queryable.query<ReplayColumns>(
    `SELECT ${COLUMNS} FROM replays WHERE status IN ('running', 'following') AND stage = $1 ORDER BY replay_id`,
    [stage],
  );
  if (rows.length === 0) return [];
  const partitions = await loadPartitions(
    queryable,
    rows.map((row) => row.replay_id),
  );
  return rows.map((row) => ({
    replay: replayOf(row),
    partitions: (partitions.get(row.replay_id) ?? []).filter((partition) => partition.stage === stage),
  }));
}

/**
 * Writes down where a stage of a replay starts and how far it has to go, each unless it is known: of several workers
 * the first one decides. From now on the replay has a consumer group.
 */
export async function prepareReplay(
  database: Database,
  id: string,
  stage: ReplayStage,
  starts: readonly number[],
  targets: readonly number[],
): Promise<ReplayPartition[]> {
  return database.transaction(async (tx) => {
    await tx.query('UPDATE replays SET has_group = TRUE WHERE replay_id = $1', [id]);
    await tx.query(
      `INSERT INTO replay_partitions (replay_id, stage, partition, start_offset, target_offset, next_offset)
       SELECT $1, $2, o.partition - 1, o.start, GREATEST(o.target, o.start), o.start
       FROM UNNEST($3::bigint[], $4::bigint[]) WITH ORDINALITY AS o (start, target, partition)
       ON CONFLICT (replay_id, stage, partition) DO UPDATE SET
         target_offset = COALESCE(replay_partitions.target_offset, EXCLUDED.target_offset)`,
      [id, stage, starts, targets],
    );
    return (await loadPartitions(tx, [id])).get(id)!.filter((partition) => partition.stage === stage);
  });
}

/** Where a consumer of a replay stands. */
export interface ReplayPlace {
  readonly replayId: string;
  readonly stage: ReplayStage;
  readonly partition: number;
}

/** The next offset of a partition, or null where the replay is not to work on it (any more). */
export async function replayPosition(
  queryable: Queryable,
  { replayId, stage, partition }: ReplayPlace,
): Promise<number | null> {
  const [row] = await queryable.query<{ next_offset: number }>(
    `SELECT next_offset FROM replay_partitions JOIN replays r USING (replay_id, stage)
     WHERE replay_id = $1 AND stage = $2 AND partition = $3 AND r.status IN ('running', 'following')`,
    [replayId, stage, partition],
  );
  return row?.next_offset ?? null;
}

/** What a batch of a replay did. */
export interface ReplayStep {
  readonly from: number;
  readonly to: number;
  readonly judged: number;
  readonly written: number;
  readonly refused: number;
}

/**
 * Moves a partition on, in the transaction of the batch's effects. False, and then the transaction must have no
 * effect, when the replay has been stopped, or somebody else has moved on from there. Until the transaction ends the
 * replay's status stays as it is.
 */
export async function advanceReplay(
  tx: Queryable,
  { replayId, stage, partition }: ReplayPlace,
  { from, to, judged, written, refused }: ReplayStep,
): Promise<boolean> {
  const [working] = await tx.query(
    `SELECT 1 FROM replays WHERE replay_id = $1 AND stage = $2 AND status IN ('running', 'following') FOR SHARE`,
    [replayId, stage],
  );
  if (!working) return false;
  const moved = await tx.query(
    `UPDATE replay_partitions SET next_offset = $5, judged = judged + $6, written = written + $7,
            refused = refused + $8
     WHERE replay_id = $1 AND stage = $2 AND partition = $3 AND next_offset = $4 RETURNING 1`,
    [replayId, stage, partition, from, to, judged, written, refused],
  );
  return moved.length > 0;
}

/**
 * Locks a running replay, in a transaction, if every partition of its stage has reached its target. The caller then
 * writes what belongs to the end of the stage, and calls `finishReplay`.
 */
export async function hasCaughtUp(tx: Queryable, id: string, stage: ReplayStage): Promise<boolean> {
  const [running] = await tx.query(
    `SELECT 1 FROM replays WHERE replay_id = $1 AND stage = $2 AND status = 'running' FOR UPDATE`,
    [id, stage],
  );
  if (!running) return false;
  const [row] = await tx.query<{ reached: boolean | null }>(
    `SELECT bool_and(target_offset IS NOT NULL AND next_offset >= target_offset) AS reached
     FROM replay_partitions WHERE replay_id = $1 AND stage = $2`,
    [id, stage],
  );
  return row?.reached === true;
}

/** Lets a replay that has caught up follow what comes, or end if it was one of a part. */
export async function finishReplay(tx: Queryable, replay: Replay): Promise<void> {
  const complete = isPartial(replay);
  await tx.query(
    `UPDATE replays SET status = $2::text, caught_up_at = COALESCE(caught_up_at, NOW()),
            ended_at = CASE WHEN $2::text = 'complete' THEN NOW() END
     WHERE replay_id = $1`,
    [replay.id, complete ? 'complete' : 'following'],
  );
}

/** Ends a replay that cannot go on. One that is not working any more stays as it is. */
export async function failReplay(
  queryable: Queryable,
  id: string,
  code: string,
  message: string,
): Promise<void> {
  await queryable.query(
    `UPDATE replays SET status = 'failed', ended_at = NOW(), error_code = $2, error_message = $3
     WHERE replay_id = $1 AND status IN ('running', 'following')`,
    [id, code, message],
  );
}

/** How much further a limited replay may go now. */
export interface Pace {
  /** How many of the commits may be judged. */
  readonly granted: number;
  /** When to ask for more, in milliseconds; there if not all were granted. */
  readonly retryAfterMs?: number;
}

/**
 * Lets at most `maxRate` commits a second through, whatever the number of processes: what is granted moves on the
 * moment up to which the limit is used up, and a grant may reach a second ahead of the clock.
 *
 * @param wanted at least 1
 */
export async function paceReplay(queryable: Queryable, id: string, wanted: number): Promise<Pace> {
  const [row] = await queryable.query<{ granted: number; wait: number }>(
    `WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
     pace AS (
       SELECT replay_id, max_rate::float8 AS rate, GREATEST(paced_until, now) AS used_until,
              1 - EXTRACT(EPOCH FROM GREATEST(paced_until, now) - now)::float8 AS room, now
       FROM replays, clock WHERE replay_id = $1 AND max_rate IS NOT NULL
     ), granted AS (
       SELECT *, LEAST($2::int, GREATEST(FLOOR(room * rate), CASE WHEN room >= 1 THEN 1 ELSE 0 END)) AS granted
       FROM pace
     )
     UPDATE replays r SET paced_until = used_until + make_interval(secs => granted / rate)
     FROM granted g WHERE r.replay_id = g.replay_id
     RETURNING granted::int AS granted, EXTRACT(EPOCH FROM r.paced_until - now)::float8 AS wait`,
    [id, wanted],
  );
  if (!row || row.granted >= wanted) return { granted: wanted };
  return { granted: row.granted, retryAfterMs: Math.max(1, Math.ceil(row.wait * 1000)) };
}

/** Remembers how far a stage is, at most every half minute, so that its rate is that of the last minute. */
export async function sampleReplay(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(
    `UPDATE replays r SET sampled_before = COALESCE(sampled, read), sampled_before_at = COALESCE(sampled_at, NOW()),
            sampled = read, sampled_at = NOW()
     FROM (SELECT ${READ} AS read FROM replay_partitions p JOIN replays USING (replay_id, stage)
           WHERE replay_id = $1) now
     WHERE replay_id = $1 AND status = 'running'
       AND (sampled_at IS NULL OR sampled_at < NOW() - INTERVAL '30 seconds')`,
    [id],
  );
}

/** Ids of replays that have ended and may still have a consumer group. */
export async function endedReplayGroups(queryable: Queryable): Promise<string[]> {
  const rows = await queryable.query<{ replay_id: string }>(
    `SELECT replay_id FROM replays WHERE has_group AND status IN ('complete', 'cancelled')`,
  );
  return rows.map((row) => row.replay_id);
}

/** The replay's consumer group is gone; unless it has been resumed meanwhile. */
export async function forgetReplayGroup(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(
    `UPDATE replays SET has_group = FALSE WHERE replay_id = $1 AND status IN ('complete', 'cancelled')`,
    [id],
  );
}
