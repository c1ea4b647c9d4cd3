import type { Database, Queryable, Row } from './database';

/** The counts of an organisation's lines up to one position of the log; their format is the caller's. */
export interface StoredOrganisationLines {
  /** 0 where nothing has been stored yet. */
  readonly version: number;
  /** First offset of `lineprint.snippets.v1` that is not counted, by partition. */
  readonly next: readonly number[];
  readonly epochs: ReadonlyMap<number, Uint8Array>;
}

interface StoredColumns extends Row {
  version: number;
  next_offsets: number[];
  epoch: number | null;
  counts: Uint8Array | null;
}

/** What was stored last; nothing at version 0 if nothing was. */
export async function loadOrganisationLines(
  queryable: Queryable,
  orgId: string,
  generation: string,
): Promise<StoredOrganisationLines> {
  // One statement, so that position and counts belong together.
  const rows = await queryable.query<StoredColumns>(
    `SELECT c.version, c.next_offsets, e.epoch, e.counts FROM organisation_line_counts c
     LEFT JOIN organisation_line_epochs e ON e.org_id = c.org_id AND e.generation = c.generation
     WHERE c.org_id = $1 AND c.generation = $2`,
    [orgId, generation],
  );
  const epochs = new Map<number, Uint8Array>();
  for (const { epoch, counts } of rows) if (epoch !== null && counts) epochs.set(epoch, counts);
  return { version: rows[0]?.version ?? 0, next: rows[0]?.next_offsets ?? [], epochs };
}

/**
 * Replaces the position and the epochs given; the others must be those of the version that `stored` follows.
 *
 * @param stored with the version that was read or written last
 * @returns false, and nothing is stored, where another process has written since
 */
export async function saveOrganisationLines(
  database: Database,
  orgId: string,
  generation: string,
  { version, next, epochs }: StoredOrganisationLines,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const written = await tx.query(
      version === 0
        ? `INSERT INTO organisation_line_counts (org_id, generation, version, next_offsets)
           VALUES ($1, $2, $3::int + 1, $4::bigint[]) ON CONFLICT DO NOTHING RETURNING version`
        : `UPDATE organisation_line_counts SET version = $3::int + 1, next_offsets = $4::bigint[]
           WHERE org_id = $1 AND generation = $2 AND version = $3::int RETURNING version`,
      [orgId, generation, version, [...next]],
    );
    if (written.length === 0) return false;
    for (const [epoch, counts] of epochs) {
      await tx.query(
        `INSERT INTO organisation_line_epochs (org_id, generation, epoch, counts) VALUES ($1, $2, $3, $4)
         ON CONFLICT (org_id, generation, epoch) DO UPDATE SET counts = EXCLUDED.counts`,
        [orgId, generation, epoch, counts],
      );
    }
    return true;
  });
}
