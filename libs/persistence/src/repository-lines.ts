import { StoreError } from '@lineprint/platform';
import type { Database, Queryable, Row } from './database';

/** Whose lines are counted, and under which line key and version of prints. */
export interface CountedRepository {
  readonly orgId: string;
  readonly repository: string;
  readonly generation: string;
}

/** What one commit, or one part of a baseline, changed in a repository's lines; `change` is the caller's format. */
export interface StoredLineChange extends CountedRepository {
  /** From 1, without gaps, in the order of the repository's log. */
  readonly position: number;
  /** The commit's id: the first delivery counts. */
  readonly changeId: string;
  readonly change: Uint8Array;
}

/** All changes up to a position, summed. */
export type StoredLineSnapshot = Omit<StoredLineChange, 'changeId'>;

/** What the database knows of a repository's changes. */
export interface CountedChanges {
  /** Position of the newest one; 0 where there is none. */
  readonly last: number;
  /** Ids of the first and the newest one. */
  readonly firstId: string | null;
  readonly lastId: string | null;
  /** Position of each change asked for that is there. */
  readonly positions: ReadonlyMap<string, number>;
}

const OF_REPOSITORY = 'org_id = $1 AND repository = $2 AND generation = $3';

function valuesOf({ orgId, repository, generation }: CountedRepository): [string, string, string] {
  return [orgId, repository, generation];
}

/** Where the repository's changes end, and where the given ones are. */
export async function countedChanges(
  queryable: Queryable,
  counted: CountedRepository,
  changeIds: readonly string[],
): Promise<CountedChanges> {
  const rows = await queryable.query<{ change_id: string; position: number; role: string }>(
    `(SELECT change_id, position, 'first' AS role FROM repository_line_changes
       WHERE ${OF_REPOSITORY} AND position = 1)
     UNION ALL
     (SELECT change_id, position, 'last' FROM repository_line_changes
       WHERE ${OF_REPOSITORY} ORDER BY position DESC LIMIT 1)
     UNION ALL
     SELECT found.change_id, found.position, 'asked' FROM UNNEST($4::text[]) AS asked (id)
       CROSS JOIN LATERAL (
         SELECT change_id, position FROM repository_line_changes
         WHERE ${OF_REPOSITORY} AND change_id = asked.id OFFSET 0
       ) found`,
    [...valuesOf(counted), [...new Set(changeIds)]],
  );
  const first = rows.find(({ role }) => role === 'first');
  const last = rows.find(({ role }) => role === 'last');
  return {
    last: last?.position ?? 0,
    firstId: first?.change_id ?? null,
    lastId: last?.change_id ?? null,
    positions: new Map(
      rows.filter(({ role }) => role === 'asked').map((row) => [row.change_id, row.position]),
    ),
  };
}

/** Whether any commit or baseline of the repository has been counted, under whichever key. */
export async function isRepositoryCounted(
  queryable: Queryable,
  orgId: string,
  repository: string,
): Promise<boolean> {
  const rows = await queryable.query(
    'SELECT 1 FROM repository_line_changes WHERE org_id = $1 AND repository = $2 LIMIT 1',
    [orgId, repository],
  );
  return rows.length > 0;
}

/** The newest snapshot at or below a position. */
export async function lineSnapshotBelow(
  queryable: Queryable,
  counted: CountedRepository,
  position: number,
): Promise<StoredLineSnapshot | null> {
  const [row] = await queryable.query<{ position: number; change: Uint8Array }>(
    `SELECT position, change FROM repository_line_snapshots
     WHERE ${OF_REPOSITORY} AND position <= $4 ORDER BY position DESC LIMIT 1`,
    [...valuesOf(counted), position],
  );
  return row ? { ...counted, ...row } : null;
}

/** Changes a page, so that a long way from a snapshot does not fill the memory. */
const PAGE = 500;

/** The changes above `from` up to `to`, in order. */
export async function* streamLineChanges(
  queryable: Queryable,
  counted: CountedRepository,
  from: number,
  to: number,
): AsyncGenerator<StoredLineChange, void, undefined> {
  for (let page = from; page < to; page += PAGE) {
    const rows = await queryable.query<Row & { position: number; change_id: string; change: Uint8Array }>(
      `SELECT position, change_id, change FROM repository_line_changes
       WHERE ${OF_REPOSITORY} AND position > $4 AND position <= $5 ORDER BY position`,
      [...valuesOf(counted), page, Math.min(page + PAGE, to)],
    );
    for (const { position, change_id, change } of rows)
      yield { ...counted, position, changeId: change_id, change };
  }
}

/**
 * Stores changes and snapshots in one transaction. What is there already stays as it is.
 * @throws StoreError `line-changes-conflict` (transient) when another process has meanwhile put another change at
 * one of the positions: the caller's counts are not those of the database
 */
export async function saveLineChanges(
  database: Database,
  changes: readonly StoredLineChange[],
  snapshots: readonly StoredLineSnapshot[],
): Promise<void> {
  if (changes.length === 0) return;
  const places = [
    changes.map(({ orgId }) => orgId),
    changes.map(({ repository }) => repository),
    changes.map(({ generation }) => generation),
    changes.map(({ position }) => position),
    changes.map(({ changeId }) => changeId),
  ];
  await database.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO repository_line_changes (org_id, repository, generation, position, change_id, change)
       SELECT * FROM UNNEST($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::bytea[])
       ON CONFLICT DO NOTHING`,
      [...places, changes.map(({ change }) => change)],
    );
    const [stored] = await tx.query<{ count: number }>(
      `SELECT COUNT(*) AS count
       FROM UNNEST($1::text[], $2::text[], $3::text[], $4::int[], $5::text[])
         AS g (org_id, repository, generation, position, change_id)
       CROSS JOIN LATERAL (
         SELECT 1 FROM repository_line_changes c
         WHERE (c.org_id, c.repository, c.generation) = (g.org_id, g.repository, g.generation)
           AND (c.position, c.change_id) = (g.position, g.change_id) OFFSET 0
       ) there`,
      places,
    );
    if (stored!.count !== changes.length) {
      throw new StoreError(
        'line-changes-conflict',
        'Another process has counted other commits of these repositories meanwhile',
      );
    }
    for (const snapshot of snapshots) {
      await tx.query(
        `INSERT INTO repository_line_snapshots (org_id, repository, generation, position, change)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
        [...valuesOf(snapshot), snapshot.position, snapshot.change],
      );
    }
  });
}

/**
 * Forgets the changes that no replay needs any more: those at or below each repository's newest snapshot that is
 * older than `before`, and older snapshots. Their ids stay, so that a commit that comes again counts once.
 * Answers how many changes were emptied.
 */
export async function expireLineChanges(database: Database, before: Date): Promise<number> {
  return database.transaction(async (tx) => {
    const kept = `
      SELECT org_id, repository, generation, MAX(position) AS position FROM repository_line_snapshots
      WHERE counted_at < $1 GROUP BY org_id, repository, generation`;
    await tx.query(
      `DELETE FROM repository_line_snapshots s USING (${kept}) k
       WHERE (s.org_id, s.repository, s.generation) = (k.org_id, k.repository, k.generation)
         AND s.position < k.position`,
      [before],
    );
    const emptied = await tx.query(
      `UPDATE repository_line_changes c SET change = '' FROM (${kept}) k
       WHERE (c.org_id, c.repository, c.generation) = (k.org_id, k.repository, k.generation)
         AND c.position <= k.position AND c.change <> '' RETURNING 1`,
      [before],
    );
    return emptied.length;
  });
}
