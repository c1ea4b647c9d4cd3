import { randomBytes } from 'node:crypto';
import type { GitHost } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import type { Database, Queryable, Row } from './database';

export interface NewConnectedRepository {
  readonly orgId: string;
  /** The name that results carry. */
  readonly repository: string;
  readonly projectId: string | null;
  readonly host: GitHost;
  readonly cloneUrl: string;
  /** Where the credential of a fetch is (`env:NAME`, `file:PATH`), never what it is. */
  readonly credential: string | null;
  /** Where the secret is with which the host signs. */
  readonly secret: string;
  /** Branches that are analysed, with at most one `*` each; the default branch where there are none. */
  readonly countedRefs: readonly string[];
  /** How many commits of the past are analysed when it is first fetched. */
  readonly history: number;
  readonly createdBy: string | null;
}

/** A repository that Lineprint fetches itself. */
export interface ConnectedRepository extends NewConnectedRepository {
  /** The part of the webhook's address that nobody can guess. */
  readonly hookId: string;
  /** A secret that is still good until `previousUntil`. */
  readonly previousSecret: string | null;
  readonly previousUntil: Date | null;
  /** As the host said the last time; null before the first fetch. */
  readonly defaultBranch: string | null;
  /** The last commit of each counted branch that went to the log, by branch. */
  readonly seen: Readonly<Record<string, string>>;
  /** When it is to be fetched next. */
  readonly dueAt: Date;
  /** When it was last fetched without a fault; null before. */
  readonly fetchedAt: Date | null;
  readonly failures: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdAt: Date;
}

/** One that a process fetches; nobody else does until its claim ends. */
export interface ClaimedRepository extends ConnectedRepository {
  readonly claim: string;
}

interface Columns extends Row {
  hook_id: string;
  org_id: string;
  repository: string;
  project_id: string | null;
  host: GitHost;
  clone_url: string;
  credential: string | null;
  secret: string;
  previous_secret: string | null;
  previous_until: Date | null;
  counted_refs: string[];
  default_branch: string | null;
  history: number;
  seen: Record<string, string>;
  due_at: Date;
  fetched_at: Date | null;
  failures: number;
  error_code: string | null;
  error_message: string | null;
  created_by: string | null;
  created_at: Date;
}

const COLUMNS = `hook_id, org_id, repository, project_id, host, clone_url, credential, secret, previous_secret,
  previous_until, counted_refs, default_branch, history, seen, due_at, fetched_at, failures, error_code,
  error_message, created_by, created_at`;
const ID_BYTES = 16;
const MILLISECONDS = "INTERVAL '1 millisecond'";

/** Deliveries that are remembered of a hook: for so long, and so many. */
const DELIVERIES_KEPT = 10_000;
const DELIVERY_KEPT = "INTERVAL '7 days'";

function repositoryOf(row: Columns): ConnectedRepository {
  return {
    hookId: row.hook_id,
    orgId: row.org_id,
    repository: row.repository,
    projectId: row.project_id,
    host: row.host,
    cloneUrl: row.clone_url,
    credential: row.credential,
    secret: row.secret,
    previousSecret: row.previous_secret,
    previousUntil: row.previous_until,
    countedRefs: row.counted_refs,
    defaultBranch: row.default_branch,
    history: row.history,
    seen: row.seen,
    dueAt: row.due_at,
    fetchedAt: row.fetched_at,
    failures: row.failures,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

/**
 * Connects a repository: it is due at once.
 * @throws LineprintError `repository-connected` when the organisation has one of this name
 */
export async function connectRepository(
  queryable: Queryable,
  wanted: NewConnectedRepository,
): Promise<ConnectedRepository> {
  const [row] = await queryable.query<Columns>(
    `INSERT INTO connected_repositories (hook_id, org_id, repository, project_id, host, clone_url, credential, secret,
            counted_refs, history, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text[], $10, $11)
     ON CONFLICT (org_id, repository) DO NOTHING RETURNING ${COLUMNS}`,
    [
      randomBytes(ID_BYTES).toString('hex'),
      wanted.orgId,
      wanted.repository,
      wanted.projectId,
      wanted.host,
      wanted.cloneUrl,
      wanted.credential,
      wanted.secret,
      wanted.countedRefs,
      wanted.history,
      wanted.createdBy,
    ],
  );
  if (row) return repositoryOf(row);
  throw new LineprintError(
    'repository-connected',
    `A repository ${wanted.repository} is connected already: remove it first, or give another name`,
  );
}

/** Those of an organisation, by name. */
export async function listConnectedRepositories(
  queryable: Queryable,
  orgId: string,
): Promise<ConnectedRepository[]> {
  const rows = await queryable.query<Columns>(
    `SELECT ${COLUMNS} FROM connected_repositories WHERE org_id = $1 ORDER BY repository`,
    [orgId],
  );
  return rows.map(repositoryOf);
}

export async function findConnectedRepository(
  queryable: Queryable,
  hookId: string,
): Promise<ConnectedRepository | null> {
  const [row] = await queryable.query<Columns>(
    `SELECT ${COLUMNS} FROM connected_repositories WHERE hook_id = $1`,
    [hookId],
  );
  return row ? repositoryOf(row) : null;
}

/** Forgets the repository, not its results. False if there is none. */
export async function disconnectRepository(
  queryable: Queryable,
  orgId: string,
  hookId: string,
): Promise<boolean> {
  const rows = await queryable.query(
    'DELETE FROM connected_repositories WHERE hook_id = $1 AND org_id = $2 RETURNING 1',
    [hookId, orgId],
  );
  return rows.length > 0;
}

/** Names another secret; the one before stays good for `overlapMs`. Null if there is no such repository. */
export async function rotateHookSecret(
  queryable: Queryable,
  orgId: string,
  hookId: string,
  secret: string,
  overlapMs: number,
): Promise<ConnectedRepository | null> {
  const [row] = await queryable.query<Columns>(
    `UPDATE connected_repositories
     SET previous_secret = secret, previous_until = NOW() + $4 * ${MILLISECONDS}, secret = $3
     WHERE hook_id = $1 AND org_id = $2 RETURNING ${COLUMNS}`,
    [hookId, orgId, secret, overlapMs],
  );
  return row ? repositoryOf(row) : null;
}

/**
 * Remembers a delivery, and has the repository fetched where that is worth it.
 * @returns false for one that was here before, by its id or by its bytes: nothing is done then
 */
export async function acceptDelivery(
  database: Database,
  hookId: string,
  delivery: { readonly id: string; readonly bodyHash: Uint8Array; readonly fetch: boolean },
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const taken = await tx.query(
      `INSERT INTO webhook_deliveries (hook_id, delivery_id, body_hash) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING 1`,
      [hookId, delivery.id, delivery.bodyHash],
    );
    if (taken.length === 0) return false;
    await tx.query(
      `DELETE FROM webhook_deliveries
       WHERE hook_id = $1 AND (received_at < NOW() - ${DELIVERY_KEPT} OR received_at < (
         SELECT received_at FROM webhook_deliveries WHERE hook_id = $1
         ORDER BY received_at DESC OFFSET $2 LIMIT 1))`,
      [hookId, DELIVERIES_KEPT],
    );
    if (delivery.fetch) await requestFetch(tx, hookId);
    return true;
  });
}

/** Has a repository fetched as soon as somebody can; once more if it is being fetched. */
export async function requestFetch(queryable: Queryable, hookId: string): Promise<void> {
  await queryable.query(
    // The wall clock: a fetch that began after this transaction did may not have what the host tells of. A clock may
    // tell the claim's moment again.
    'UPDATE connected_repositories SET due_at = GREATEST(CLOCK_TIMESTAMP(), claimed_at) WHERE hook_id = $1',
    [hookId],
  );
}

/** Takes the repository that has been due for longest, for `claimMs`; null if none is. */
export async function claimDueRepository(
  queryable: Queryable,
  claimMs: number,
): Promise<ClaimedRepository | null> {
  const claim = randomBytes(ID_BYTES).toString('hex');
  const [row] = await queryable.query<Columns>(
    `UPDATE connected_repositories
     SET claim = $1, claimed_at = GREATEST(CLOCK_TIMESTAMP(), due_at + INTERVAL '1 microsecond'),
         claimed_until = NOW() + $2 * ${MILLISECONDS}
     WHERE hook_id = (
       SELECT hook_id FROM connected_repositories
       WHERE due_at <= NOW() AND (claimed_until IS NULL OR claimed_until < NOW())
       ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${COLUMNS}`,
    [claim, claimMs],
  );
  return row ? { ...repositoryOf(row), claim } : null;
}

type Claim = Pick<ClaimedRepository, 'hookId' | 'claim'>;

/** Keeps a claim for another `claimMs`. False where it is lost: the repository is somebody else's, or removed. */
export async function renewClaim(
  queryable: Queryable,
  { hookId, claim }: Claim,
  claimMs: number,
): Promise<boolean> {
  const rows = await queryable.query(
    `UPDATE connected_repositories SET claimed_until = NOW() + $3 * ${MILLISECONDS}
     WHERE hook_id = $1 AND claim = $2 RETURNING 1`,
    [hookId, claim, claimMs],
  );
  return rows.length > 0;
}

/** Ends a claim after a fetch: what was asked for meanwhile is due at once, else after `pollMs`. */
export async function completeFetch(
  queryable: Queryable,
  { hookId, claim }: Claim,
  fetched: {
    readonly seen: Readonly<Record<string, string>>;
    readonly defaultBranch: string | null;
    readonly pollMs: number;
  },
): Promise<void> {
  await queryable.query(
    `UPDATE connected_repositories
     SET seen = $3::jsonb, default_branch = $4, fetched_at = NOW(), failures = 0, error_code = NULL,
         error_message = NULL, ${RELEASED}
     WHERE hook_id = $1 AND claim = $2`,
    [hookId, claim, JSON.stringify(fetched.seen), fetched.defaultBranch, fetched.pollMs],
  );
}

/** Ends a claim after a fault: it is due again after `retryMs`, or when a webhook says so. */
export async function failFetch(
  queryable: Queryable,
  { hookId, claim }: Claim,
  { code, message, retryMs }: { readonly code: string; readonly message: string; readonly retryMs: number },
): Promise<void> {
  await queryable.query(
    `UPDATE connected_repositories
     SET failures = failures + 1, error_code = $3, error_message = $4, ${RELEASED}
     WHERE hook_id = $1 AND claim = $2`,
    [hookId, claim, code, message, retryMs],
  );
}

/** Ends a claim without a fetch: whoever comes next takes the repository up. */
export async function releaseClaim(queryable: Queryable, { hookId, claim }: Claim): Promise<void> {
  await queryable.query(
    'UPDATE connected_repositories SET claim = NULL, claimed_until = NULL WHERE hook_id = $1 AND claim = $2',
    [hookId, claim],
  );
}

const RELEASED = `claim = NULL, claimed_until = NULL,
  due_at = CASE WHEN due_at >= claimed_at THEN due_at ELSE NOW() + $5 * ${MILLISECONDS} END`;
