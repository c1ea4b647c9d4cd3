import type { Queryable, Row } from './database';

/** A commit as the snippets that arrive after it find it. */
export interface AnalysedCommit {
  readonly orgId: string;
  readonly repository: string;
  readonly sha: string;
  readonly projectId: string;
  /** Milliseconds since 1970. */
  readonly committedAt: number;
  /** Position of the record in `lineprint.commits.v1`. */
  readonly partition: number;
  readonly offset: number;
  /** 0 for the original. */
  readonly revision: number;
  /** First offset of `lineprint.snippets.v1` that it has not seen, by partition. */
  readonly horizon: readonly number[];
  /** What it should have seen: beyond `horizon` where the causal wait ran out. */
  readonly needed: readonly number[];
}

/** A snippet that has just been stored. */
export interface ArrivedSnippet {
  readonly orgId: string;
  readonly projectId: string;
  readonly repository: string | null;
  /** When it was accepted. */
  readonly createdAt: Date;
  /** Position in `lineprint.snippets.v1`. */
  readonly partition: number;
  readonly offset: number;
}

export interface ReanalysisLimits {
  /** A snippet that is older than a commit by more can be no origin of its lines. */
  readonly maxAgeMs: number;
  /** So many commits of a repository come again for one batch of snippets, those nearest to the snippets. */
  readonly maxCommits: number;
}

/** How many commits are to come again, and how many should but are too many. */
export interface RequestedReanalysis {
  readonly requested: number;
  readonly leftOut: number;
}

/** A commit that is to be appended again. */
export interface ClaimedReanalysis {
  readonly orgId: string;
  readonly repository: string;
  readonly sha: string;
  /** The original's position in `lineprint.commits.v1`. */
  readonly partition: number;
  readonly offset: number;
  /** Of the new record. */
  readonly revision: number;
  /** What it has to see: offsets of `lineprint.snippets.v1`, by partition. */
  readonly horizon: readonly number[];
  /** Until when nobody else appends it. */
  readonly claimedUntil: Date;
}

type CommitKey = Pick<AnalysedCommit, 'orgId' | 'repository' | 'sha'>;

/**
 * Lets those take turns who store snippets and those who store what a commit has seen, until their transactions end:
 * each looks for what the other has stored, and at the same time neither would find it.
 */
async function lockReanalysis(tx: Queryable, orgIds: Iterable<string>): Promise<void> {
  for (const orgId of [...new Set(orgIds)].sort()) {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text AS locked', [
      `reanalysis/${orgId}`,
    ]);
  }
}

/** SQL: the greater of two arrays, element by element; what is missing is 0. */
const greaterOf = (a: string, b: string) =>
  `ARRAY(SELECT GREATEST(x, y) FROM UNNEST(${a}, ${b}) WITH ORDINALITY AS u (x, y, i) ORDER BY i)`;

/** SQL: the commit of alias `a` is in a snippet's time, and has not seen its offset. */
const mayHold = (from: string, to: string, offset: string) =>
  `a.committed_at >= ${from} AND a.committed_at <= ${to} + $7 * INTERVAL '1 millisecond'
   AND COALESCE(a.horizon[$5::int + 1], 0) <= ${offset}`;

/**
 * Asks for another analysis of the commits that should have known some of the snippets: made not before them, in their
 * project or repository, judged without them. Commits that follow one of these in its repository come again as well,
 * because they are judged by what their ancestors have used.
 *
 * @param tx the transaction that stores the snippets
 * @param snippets of one partition
 */
export async function requestReanalysis(
  tx: Queryable,
  snippets: readonly ArrivedSnippet[],
  { maxAgeMs, maxCommits }: ReanalysisLimits,
): Promise<RequestedReanalysis> {
  const [first] = snippets;
  if (!first) return { requested: 0, leftOut: 0 };
  await lockReanalysis(
    tx,
    snippets.map(({ orgId }) => orgId),
  );
  const [row] = await tx.query<{ requested: number; late: number; kept: number }>(
    `WITH given AS (
       SELECT * FROM UNNEST($1::text[], $2::text[], $3::text[], $4::timestamptz[], $6::bigint[])
         AS g (org_id, project_id, repository, created_at, "offset")
     ), places AS (
       SELECT org_id, project_id, repository, MIN(created_at) AS since, MAX(created_at) AS until, MAX("offset") AS last
       FROM given GROUP BY org_id, project_id, repository
     ), touched AS (
       SELECT DISTINCT c.org_id, c.repository, c.sha, c.project_id, c.committed_at, c.horizon, c.log_offset
       FROM places p CROSS JOIN LATERAL (
         SELECT * FROM analysed_commits a
         WHERE a.org_id = p.org_id AND a.project_id = p.project_id AND ${mayHold('p.since', 'p.until', 'p.last')}
         UNION ALL
         SELECT * FROM analysed_commits a
         WHERE a.org_id = p.org_id AND a.repository = p.repository AND ${mayHold('p.since', 'p.until', 'p.last')}
         OFFSET 0
       ) c
     ), late AS (
       SELECT a.org_id, a.repository, a.sha, a.log_offset, MAX(g."offset") + 1 AS next
       FROM touched a JOIN given g
         ON g.org_id = a.org_id AND (g.project_id = a.project_id OR g.repository = a.repository)
        AND ${mayHold('g.created_at', 'g.created_at', 'g."offset"')}
       GROUP BY a.org_id, a.repository, a.sha, a.log_offset
     ), affected AS (
       SELECT c.org_id, c.repository, c.sha, c.log_partition, c.log_offset, late.next
       FROM (SELECT org_id, repository, MIN(log_offset) AS first FROM late GROUP BY org_id, repository) f
       CROSS JOIN LATERAL (
         SELECT * FROM analysed_commits a
         WHERE a.org_id = f.org_id AND a.repository = f.repository AND a.log_offset >= f.first
         ORDER BY a.log_offset LIMIT $8
       ) c
       LEFT JOIN late ON late.org_id = c.org_id AND late.repository = c.repository AND late.sha = c.sha
     ), requested AS (
       INSERT INTO reanalysis_requests AS r (org_id, repository, sha, needed, log_partition, log_offset)
       SELECT org_id, repository, sha,
              CASE WHEN next IS NULL THEN '{}' ELSE ARRAY_FILL(0::bigint, ARRAY[$5::int]) || next END,
              log_partition, log_offset
       FROM affected ORDER BY org_id, repository, sha
       ON CONFLICT (org_id, repository, sha) DO UPDATE
         SET needed = ${greaterOf('r.needed', 'EXCLUDED.needed')}, extended_at = NOW()
       RETURNING 1
     )
     SELECT (SELECT COUNT(*) FROM requested) AS requested, (SELECT COUNT(*) FROM late) AS late,
            (SELECT COUNT(*) FROM affected WHERE next IS NOT NULL) AS kept`,
    [
      snippets.map(({ orgId }) => orgId),
      snippets.map(({ projectId }) => projectId),
      snippets.map(({ repository }) => repository),
      snippets.map(({ createdAt }) => createdAt),
      first.partition,
      snippets.map(({ offset }) => offset),
      maxAgeMs,
      maxCommits,
    ],
  );
  const { requested, late, kept } = row!;
  return { requested, leftOut: late - kept };
}

interface StoredAnalysis extends Row {
  org_id: string;
  repository: string;
  sha: string;
  log_partition: number;
  log_offset: number;
  revision: number;
  horizon: number[];
}

interface StoredRequest extends Row {
  org_id: string;
  repository: string;
  sha: string;
  needed: number[];
  log_partition: number;
  log_offset: number;
  sent_offset: number | null;
}

/**
 * Stores what commits have seen, and settles which of them come again: a request is done with once a revision has seen
 * what it asked for, and comes after the revisions of all commits before it.
 *
 * @param commits in the order of the log; of two with one id the higher revision counts, else the first
 */
export async function saveAnalysedCommits(
  tx: Queryable,
  commits: readonly AnalysedCommit[],
  { maxAgeMs }: Pick<ReanalysisLimits, 'maxAgeMs'>,
): Promise<void> {
  if (commits.length === 0) return;
  await lockReanalysis(
    tx,
    commits.map(({ orgId }) => orgId),
  );
  const newest = new Map<string, AnalysedCommit>();
  for (const commit of commits) {
    const known = newest.get(keyOf(commit));
    if (!known || known.revision < commit.revision) newest.set(keyOf(commit), commit);
  }
  const rows = JSON.stringify(
    [...newest.values()].map((commit) => ({
      org_id: commit.orgId,
      repository: commit.repository,
      sha: commit.sha,
      project_id: commit.projectId,
      committed_at: new Date(commit.committedAt).toISOString(),
      log_partition: commit.partition,
      log_offset: commit.offset,
      revision: commit.revision,
      horizon: commit.horizon,
    })),
  );
  const given = `jsonb_to_recordset($1::jsonb) AS g (org_id text, repository text, sha text, project_id text,
    committed_at timestamptz, log_partition int, log_offset bigint, revision int, horizon jsonb)`;
  await tx.query(
    `INSERT INTO analysed_commits AS a (org_id, repository, sha, project_id, committed_at, log_partition, log_offset,
            revision, horizon)
     SELECT org_id, repository, sha, project_id, committed_at, log_partition, log_offset, revision,
            ARRAY(SELECT e::bigint FROM jsonb_array_elements_text(horizon) WITH ORDINALITY AS h (e, i) ORDER BY i)
     FROM ${given} ORDER BY org_id, repository, sha
     ON CONFLICT (org_id, repository, sha) DO UPDATE
       SET revision = EXCLUDED.revision, horizon = EXCLUDED.horizon, analysed_at = NOW()
       WHERE a.revision < EXCLUDED.revision`,
    [rows],
  );
  const stored = await tx.query<StoredAnalysis>(
    `SELECT a.org_id, a.repository, a.sha, a.log_partition, a.log_offset, a.revision, a.horizon FROM ${given}
     CROSS JOIN LATERAL (
       SELECT * FROM analysed_commits c
       WHERE (c.org_id, c.repository, c.sha) = (g.org_id, g.repository, g.sha) OFFSET 0
     ) a`,
    [rows],
  );
  const unseen = await unseenSnippets(tx, stored, maxAgeMs);
  const requests = await tx.query<StoredRequest>(
    `SELECT r.* FROM (SELECT DISTINCT org_id, repository FROM ${given}) p
     CROSS JOIN LATERAL (
       SELECT org_id, repository, sha, needed, log_partition, log_offset, sent_offset FROM reanalysis_requests q
       WHERE (q.org_id, q.repository) = (p.org_id, p.repository) OFFSET 0
     ) r`,
    [rows],
  );
  const { open, done } = settle(commits, stored, unseen, requests);
  await deleteRequests(tx, done);
  await tx.query(
    `INSERT INTO reanalysis_requests AS r (org_id, repository, sha, needed, log_partition, log_offset)
     SELECT org_id, repository, sha,
            ARRAY(SELECT e::bigint FROM jsonb_array_elements_text(needed) WITH ORDINALITY AS n (e, i) ORDER BY i),
            log_partition, log_offset
     FROM jsonb_to_recordset($1::jsonb) AS g (org_id text, repository text, sha text, needed jsonb, log_partition int,
       log_offset bigint)
     ON CONFLICT (org_id, repository, sha) DO UPDATE
       SET needed = EXCLUDED.needed, sent_offset = NULL, claimed_until = NULL, extended_at = NOW()`,
    [JSON.stringify(open)],
  );
}

/** By commit: what it needs to see of the snippets that are stored but that it has not seen. */
async function unseenSnippets(
  tx: Queryable,
  stored: readonly StoredAnalysis[],
  maxAgeMs: number,
): Promise<Map<string, number[]>> {
  const rows = await tx.query<{
    org_id: string;
    repository: string;
    sha: string;
    partition: number;
    next: number;
  }>(
    `SELECT c.org_id, c.repository, c.sha, seen.partition::int AS partition, late.next
     FROM UNNEST($1::text[], $2::text[], $3::text[]) AS g (org_id, repository, sha)
     CROSS JOIN LATERAL (
       SELECT * FROM analysed_commits a
       WHERE (a.org_id, a.repository, a.sha) = (g.org_id, g.repository, g.sha) OFFSET 0
     ) c
     CROSS JOIN LATERAL (
       SELECT h.i - 1 AS partition, h.next FROM UNNEST(c.horizon) WITH ORDINALITY AS h (next, i)
     ) seen
     CROSS JOIN LATERAL (
       SELECT MAX(f.log_offset) + 1 AS next
       FROM (
         -- By their place in the log alone: few have come since, but a planner would read all of the time span.
         SELECT * FROM ai_code_fingerprints WHERE log_partition = seen.partition AND log_offset >= seen.next OFFSET 0
       ) f
       WHERE f.org_id = c.org_id
         AND f.created_at <= c.committed_at AND f.created_at >= c.committed_at - $4 * INTERVAL '1 millisecond'
         AND (f.project_id = c.project_id OR f.repository = c.repository) AND f.declared_by IS NULL
     ) late
     WHERE late.next IS NOT NULL`,
    [
      stored.map(({ org_id }) => org_id),
      stored.map(({ repository }) => repository),
      stored.map(({ sha }) => sha),
      maxAgeMs,
    ],
  );
  const unseen = new Map<string, number[]>();
  for (const { org_id, repository, sha, partition, next } of rows) {
    const key = keyOf({ orgId: org_id, repository, sha });
    unseen.set(key, union(unseen.get(key) ?? [], [...Array<number>(partition).fill(0), next]));
  }
  return unseen;
}

type OpenRequest = Omit<StoredRequest, 'sent_offset'>;

/** What becomes of the requests for the commits, and of those that come before them. */
function settle(
  commits: readonly AnalysedCommit[],
  stored: readonly StoredAnalysis[],
  unseen: ReadonlyMap<string, readonly number[]>,
  requests: readonly StoredRequest[],
): { open: OpenRequest[]; done: CommitKey[] } {
  const analyses = new Map(stored.map((row) => [keyOf({ ...row, orgId: row.org_id }), row]));
  const pending = new Map(requests.map((row) => [keyOf({ ...row, orgId: row.org_id }), row]));
  const open = new Map<string, OpenRequest>();
  const done = new Map<string, CommitKey>();
  for (const commit of commits) {
    const key = keyOf(commit);
    const { log_partition, log_offset, revision, horizon } = analyses.get(key)!;
    const request = pending.get(key);
    // A newer revision has taken over, or is on its way.
    if (commit.revision < revision || (request?.sent_offset ?? -1) > commit.offset) continue;
    const needed = union(union(request?.needed ?? [], commit.needed), unseen.get(key) ?? []);
    const isAhead = [...pending.values()].some(
      (other) =>
        other.org_id === commit.orgId &&
        other.repository === commit.repository &&
        other.log_offset < log_offset &&
        (other.sent_offset === null || other.sent_offset > commit.offset),
    );
    if (!isAhead && needed.every((next, partition) => next <= (horizon[partition] ?? 0))) {
      if (request) done.set(key, commit);
      open.delete(key);
      pending.delete(key);
      continue;
    }
    const { orgId: org_id, repository, sha } = commit;
    const again = { org_id, repository, sha, needed, log_partition, log_offset };
    open.set(key, again);
    done.delete(key);
    pending.set(key, { ...again, sent_offset: null });
  }
  return { open: [...open.values()], done: [...done.values()] };
}

/** Takes requests back. */
export async function deleteRequests(tx: Queryable, commits: readonly CommitKey[]): Promise<void> {
  if (commits.length === 0) return;
  await tx.query(
    `DELETE FROM reanalysis_requests r USING UNNEST($1::text[], $2::text[], $3::text[]) AS g (org_id, repository, sha)
     WHERE (r.org_id, r.repository, r.sha) = (g.org_id, g.repository, g.sha)`,
    keyColumns(commits),
  );
}

/** What the waiting requests need of the snippets, by partition; null where none waits. */
export async function neededOffsets(queryable: Queryable): Promise<number[] | null> {
  const rows = await queryable.query<{ needed: number[] }>(
    'SELECT DISTINCT needed FROM reanalysis_requests WHERE sent_offset IS NULL',
  );
  return rows.length === 0 ? null : rows.reduce<number[]>((all, { needed }) => union(all, needed), []);
}

export interface ReanalysisClaim {
  /** Next offset of `lineprint.snippets.v1` that the indexer will read, by partition. */
  readonly indexed: readonly number[];
  /** A repository's requests wait until none has been added for so long, … */
  readonly quietMs: number;
  /** … but no longer than this: one revision serves a storm of snippets. */
  readonly longestMs: number;
  /** So long nobody else gets them. */
  readonly claimMs: number;
  readonly limit: number;
}

/**
 * Takes the commits that are to be appended again now, in the order of their originals: all of a repository or none, so
 * that the order of a repository is kept. Those whose snippets are not indexed yet wait. Requests for commits that are
 * not known any more are dropped.
 */
export async function claimReanalysis(
  queryable: Queryable,
  { indexed, quietMs, longestMs, claimMs, limit }: ReanalysisClaim,
): Promise<ClaimedReanalysis[]> {
  const rows = await queryable.query<
    StoredRequest & { claimed_until: Date; revision: number | null; horizon: number[] | null }
  >(
    `WITH ready AS (
       SELECT org_id, repository FROM reanalysis_requests
       WHERE sent_offset IS NULL
       GROUP BY org_id, repository
       HAVING (MAX(extended_at) < NOW() - $2 * INTERVAL '1 millisecond'
               OR MIN(requested_at) < NOW() - $3 * INTERVAL '1 millisecond')
          AND BOOL_AND(claimed_until IS NULL OR claimed_until <= NOW())
          AND BOOL_AND(NOT EXISTS (
            SELECT 1 FROM UNNEST(needed, $1::bigint[]) AS u (n, h) WHERE n > COALESCE(h, 0)
          ))
     ), picked AS (
       SELECT r.org_id, r.repository, r.sha FROM reanalysis_requests r JOIN ready USING (org_id, repository)
       WHERE r.sent_offset IS NULL ORDER BY r.log_partition, r.log_offset LIMIT $5
     ), claimed AS (
       UPDATE reanalysis_requests r
       -- JavaScript's times have no microseconds
       SET claimed_until = DATE_TRUNC('milliseconds', NOW() + $4 * INTERVAL '1 millisecond')
       FROM picked p
       WHERE (r.org_id, r.repository, r.sha) = (p.org_id, p.repository, p.sha)
         AND r.sent_offset IS NULL AND (r.claimed_until IS NULL OR r.claimed_until <= NOW())
       RETURNING r.*
     )
     SELECT c.*, known.revision, known.horizon FROM claimed c
     LEFT JOIN LATERAL (
       SELECT revision, horizon FROM analysed_commits a
       WHERE (a.org_id, a.repository, a.sha) = (c.org_id, c.repository, c.sha) OFFSET 0
     ) known ON TRUE
     ORDER BY c.log_partition, c.log_offset`,
    [indexed, quietMs, longestMs, claimMs, limit],
  );
  const key = (row: StoredRequest) => ({ orgId: row.org_id, repository: row.repository, sha: row.sha });
  await deleteRequests(queryable, rows.filter(({ revision }) => revision === null).map(key));
  return rows.flatMap((row) =>
    row.revision === null
      ? []
      : [
          {
            ...key(row),
            partition: row.log_partition,
            offset: row.log_offset,
            revision: row.revision + 1,
            horizon: union(row.needed, row.horizon ?? []),
            claimedUntil: row.claimed_until,
          },
        ],
  );
}

/** Notes where the revisions are; those that were analysed meanwhile are done with, or asked for again. */
export async function saveSentReanalysis(
  queryable: Queryable,
  sent: readonly (ClaimedReanalysis & { readonly sentOffset: number })[],
): Promise<void> {
  if (sent.length === 0) return;
  await queryable.query(
    `UPDATE reanalysis_requests r SET sent_offset = g.sent_offset, claimed_until = NULL, extended_at = NOW()
     FROM UNNEST($1::text[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[])
       AS g (org_id, repository, sha, sent_offset, claimed_until)
     WHERE (r.org_id, r.repository, r.sha) = (g.org_id, g.repository, g.sha) AND r.claimed_until = g.claimed_until`,
    [
      ...keyColumns(sent),
      sent.map(({ sentOffset }) => sentOffset),
      sent.map(({ claimedUntil }) => claimedUntil),
    ],
  );
}

/** Requests whose revision has been in the log for so long without being analysed. */
export async function isReanalysisOverdue(queryable: Queryable, overdueMs: number): Promise<boolean> {
  const rows = await queryable.query(
    `SELECT 1 FROM reanalysis_requests
     WHERE sent_offset IS NOT NULL AND extended_at < NOW() - $1 * INTERVAL '1 millisecond' LIMIT 1`,
    [overdueMs],
  );
  return rows.length > 0;
}

/**
 * Gives up revisions that were passed without being analysed, as dead letters are. Answers how many.
 * @param committed next offset of `lineprint.commits.v1` that commit-analyzer will read, by partition
 */
export async function dropPassedReanalysis(
  queryable: Queryable,
  committed: readonly number[],
): Promise<number> {
  const rows = await queryable.query(
    `DELETE FROM reanalysis_requests r USING UNNEST($1::bigint[]) WITH ORDINALITY AS c (next, i)
     WHERE r.log_partition = c.i - 1 AND r.sent_offset < c.next RETURNING 1`,
    [committed],
  );
  return rows.length;
}

/** Forgets what commits have seen that were analysed before a time: they do not come again. Answers how many. */
export async function expireAnalysedCommits(queryable: Queryable, before: Date): Promise<number> {
  const rows = await queryable.query('DELETE FROM analysed_commits WHERE analysed_at < $1 RETURNING 1', [
    before,
  ]);
  return rows.length;
}

function union(a: readonly number[], b: readonly number[]): number[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => Math.max(a[i] ?? 0, b[i] ?? 0));
}

function keyOf({ orgId, repository, sha }: CommitKey): string {
  return `${orgId}\0${repository}\0${sha}`;
}

function keyColumns(commits: readonly CommitKey[]): [string[], string[], string[]] {
  return [
    commits.map(({ orgId }) => orgId),
    commits.map(({ repository }) => repository),
    commits.map(({ sha }) => sha),
  ];
}
