import type { Source } from '@lineprint/contracts';
import type { Queryable, Row, SqlValue } from './database';
import { ensurePartitions } from './partitions';

/** One snippet: a row of `ai_code_fingerprints` and, where it has line prints, of `snippet_prints`. */
export interface SnippetRow {
  readonly codeId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly projectId: string;
  readonly orgId: string;
  readonly source: Source;
  /** 128 little-endian uint32 words. */
  readonly signature: Uint8Array;
  /** 16 little-endian uint32 words. */
  readonly lshBuckets: Uint8Array;
  readonly language: string;
  readonly fileExtension: string;
  readonly lineCount: number;
  readonly charCount: number;
  /** 16 hex digits. */
  readonly structureHash: string;
  /** Encrypted by the caller; stored as it is. */
  readonly rawCodeEncrypted: string | null;
  readonly protocol: number;
  readonly repository: string | null;
  readonly model: string | null;
  readonly client: string | null;
  readonly editKind: string | null;
  readonly acceptedPartially: boolean | null;
  /** Sha of the commit that declared an AI, where the snippet was made from one. */
  readonly declaredBy: string | null;
  readonly astSignature: Uint8Array | null;
  /** Position in `lineprint.snippets.v1`. */
  readonly partition: number;
  readonly offset: number;
  /** When the code was accepted, by the client's clock. */
  readonly createdAt: Date;
  readonly keyId: string | null;
  /** Packed prints of libs/fingerprint; stored only together with `keyId`. */
  readonly linePrints: Uint8Array | null;
  readonly pathKey: string | null;
  /** H1 of the nearest non-blank line before and after. */
  readonly before: string | null;
  readonly after: string | null;
}

/** A snippet as verification needs it. */
export interface StoredSnippet {
  readonly codeId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly source: Source;
  readonly model: string | null;
  readonly language: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly protocol: number;
  readonly signature: Uint8Array;
  readonly astSignature: Uint8Array | null;
  readonly lineCount: number;
  readonly declaredBy: string | null;
  readonly keyId: string | null;
  readonly linePrints: Uint8Array | null;
  readonly pathKey: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** Position in `lineprint.snippets.v1`. */
  readonly partition: number;
  readonly offset: number;
}

/** A snippet as the recall index is filled from it. */
export interface SnippetKeysSource extends StoredSnippet {
  readonly orgId: string;
  /** Its number in the organisation, from 1. */
  readonly recallId: number;
  readonly lshBuckets: Uint8Array;
}

/** [column, its type, the row's value], in the order of the parameters. */
const columns: readonly (readonly [string, string, (row: SnippetRow) => SqlValue])[] = [
  ['org_id', 'text', (row) => row.orgId],
  ['code_id', 'text', (row) => row.codeId],
  ['session_id', 'text', (row) => row.sessionId],
  ['user_id', 'text', (row) => row.userId],
  ['project_id', 'text', (row) => row.projectId],
  ['source', 'text', (row) => row.source],
  ['signature', 'bytea', (row) => row.signature],
  ['lsh_buckets', 'bytea', (row) => row.lshBuckets],
  ['language', 'text', (row) => row.language],
  ['file_extension', 'text', (row) => row.fileExtension],
  ['line_count', 'int', (row) => row.lineCount],
  ['char_count', 'int', (row) => row.charCount],
  ['structure_hash', 'text', (row) => row.structureHash],
  ['raw_code_encrypted', 'text', (row) => row.rawCodeEncrypted],
  ['protocol', 'smallint', (row) => row.protocol],
  ['repository', 'text', (row) => row.repository],
  ['model', 'text', (row) => row.model],
  ['client', 'text', (row) => row.client],
  ['edit_kind', 'text', (row) => row.editKind],
  ['accepted_partially', 'boolean', (row) => row.acceptedPartially],
  ['declared_by', 'text', (row) => row.declaredBy],
  ['ast_signature', 'bytea', (row) => row.astSignature],
  ['log_partition', 'int', (row) => row.partition],
  ['log_offset', 'bigint', (row) => row.offset],
  ['created_at', 'timestamptz', (row) => row.createdAt],
];
const printColumns: typeof columns = [
  ['key_id', 'text', (row) => row.keyId],
  ['line_prints', 'bytea', (row) => row.linePrints],
  ['path_key', 'text', (row) => row.pathKey],
  ['before_h1', 'text', (row) => row.before],
  ['after_h1', 'text', (row) => row.after],
];
const allColumns = [...columns, ...printColumns];
const names = (list: typeof columns) => list.map(([name]) => name).join(', ');

/**
 * Sorted, so that two writers of the same code ids wait for each other instead of deadlocking. A row counts
 * as stored if it is inserted now or if an earlier delivery of the same log record inserted it. New ones are
 * numbered in their organisation, in the order of the log; where another writer has just stored one, its number
 * is left out.
 *
 * Here and below, `LATERAL (… OFFSET 0)` makes one lookup by primary key a row, in one partition. A plain join
 * is planned by statistics, which PGlite never has and a fresh Postgres not yet: it then reads whole partitions.
 */
const INSERT = `
  WITH given AS (
    SELECT DISTINCT ON (org_id, code_id) *
    FROM UNNEST(${allColumns.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')}) AS g (${names(allColumns)})
    ORDER BY org_id, code_id, log_partition, log_offset
  ), fresh AS (
    SELECT given.org_id, given.code_id,
      ROW_NUMBER() OVER (PARTITION BY given.org_id ORDER BY log_partition, log_offset) AS n
    FROM given LEFT JOIN LATERAL (
      SELECT 1 AS stored FROM ai_code_fingerprint_ids i
      WHERE (i.org_id, i.code_id) = (given.org_id, given.code_id) OFFSET 0
    ) known ON TRUE
    WHERE known.stored IS NULL
  ), counters AS (
    INSERT INTO recall_counters (org_id, next_id)
    SELECT org_id, COUNT(*) + 1 FROM fresh GROUP BY org_id ORDER BY org_id
    ON CONFLICT (org_id) DO UPDATE SET next_id = recall_counters.next_id + EXCLUDED.next_id - 1
    RETURNING org_id, next_id
  ), claimed AS (
    INSERT INTO ai_code_fingerprint_ids (org_id, code_id, created_at, recall_id)
    SELECT org_id, code_id, created_at, next_id - COUNT(*) OVER (PARTITION BY org_id) + n - 1
    FROM given JOIN fresh USING (org_id, code_id) JOIN counters USING (org_id)
    ORDER BY org_id, code_id
    ON CONFLICT (org_id, code_id) DO NOTHING
    RETURNING org_id, code_id
  ), fingerprints AS (
    INSERT INTO ai_code_fingerprints (${names(columns)})
    SELECT ${names(columns)} FROM given JOIN claimed USING (org_id, code_id)
  ), prints AS (
    INSERT INTO snippet_prints (org_id, code_id, created_at, ${names(printColumns)})
    SELECT org_id, code_id, created_at, ${names(printColumns)} FROM given JOIN claimed USING (org_id, code_id)
    WHERE line_prints IS NOT NULL AND key_id IS NOT NULL
  )
  SELECT code_id FROM claimed
  UNION ALL
  SELECT code_id FROM given
    CROSS JOIN LATERAL (
      SELECT 1 FROM ai_code_fingerprints f
      WHERE (f.org_id, f.code_id, f.created_at) = (given.org_id, given.code_id, given.created_at)
        AND (f.log_partition, f.log_offset) = (given.log_partition, given.log_offset)
      OFFSET 0
    ) stored
  WHERE (org_id, code_id) NOT IN (SELECT org_id, code_id FROM claimed)`;

const MAX_ROWS = 1_000;
/** Arrays of bytes travel in hex, so a statement is about twice this long. */
const MAX_BYTES = 16 * 1024 * 1024;

function sizeOf(row: SnippetRow): number {
  const bytes = row.signature.length + (row.linePrints?.length ?? 0) + (row.astSignature?.length ?? 0);
  return 512 + bytes + (row.rawCodeEncrypted?.length ?? 0);
}

function* chunksOf(rows: readonly SnippetRow[]): Generator<SnippetRow[]> {
  let chunk: SnippetRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = sizeOf(row);
    if (chunk.length > 0 && (chunk.length === MAX_ROWS || bytes + size > MAX_BYTES)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(row);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/**
 * Stores snippets and creates the partitions they need. The first snippet with a code id wins in its
 * organisation, within a batch the one with the lowest position in the log. Answers the code ids whose stored
 * snippet is the row given: a redelivered record gets the same answer as the first time, a later record that
 * reuses a code id is left out.
 */
export async function insertSnippets(tx: Queryable, rows: readonly SnippetRow[]): Promise<string[]> {
  await ensurePartitions(
    tx,
    rows.map((row) => row.createdAt),
  );
  const stored: string[] = [];
  // Two writers take the organisations' counters in one order.
  const inOrder = [...rows].sort((a, b) => (a.orgId < b.orgId ? -1 : a.orgId > b.orgId ? 1 : 0));
  for (const chunk of chunksOf(inOrder)) {
    const params = allColumns.map(([, , value]) => chunk.map(value)) as SqlValue[];
    const inserted = await tx.query<{ code_id: string }>(INSERT, params);
    stored.push(...inserted.map((row) => row.code_id));
  }
  return stored;
}

const STORED = `
  f.org_id, f.code_id, f.user_id, f.session_id, f.source, f.model, f.language, f.created_at, f.protocol,
  f.signature, f.lsh_buckets, f.ast_signature, f.line_count, f.declared_by, f.log_partition, f.log_offset,
  p.key_id, p.line_prints, p.path_key, p.before_h1, p.after_h1`;
const PRINTS_OF_F = `
  LEFT JOIN LATERAL (
    SELECT * FROM snippet_prints s
    WHERE (s.org_id, s.code_id, s.created_at) = (f.org_id, f.code_id, f.created_at) OFFSET 0
  ) p ON TRUE`;
const IN_LOG_ORDER = 'ORDER BY f.log_partition, f.log_offset';

interface StoredColumns extends Row {
  org_id: string;
  code_id: string;
  user_id: string;
  session_id: string;
  source: Source;
  model: string | null;
  language: string;
  created_at: Date;
  protocol: number;
  signature: Uint8Array;
  lsh_buckets: Uint8Array;
  ast_signature: Uint8Array | null;
  line_count: number;
  declared_by: string | null;
  log_partition: number;
  log_offset: number;
  key_id: string | null;
  line_prints: Uint8Array | null;
  path_key: string | null;
  before_h1: string | null;
  after_h1: string | null;
}

function storedSnippet(row: StoredColumns): StoredSnippet {
  return {
    codeId: row.code_id,
    userId: row.user_id,
    sessionId: row.session_id,
    source: row.source,
    model: row.model,
    language: row.language,
    createdAt: row.created_at.getTime(),
    protocol: row.protocol,
    signature: row.signature,
    astSignature: row.ast_signature,
    lineCount: row.line_count,
    declaredBy: row.declared_by,
    keyId: row.key_id,
    linePrints: row.line_prints,
    pathKey: row.path_key,
    before: row.before_h1,
    after: row.after_h1,
    partition: row.log_partition,
    offset: row.log_offset,
  };
}

/** Those of the code ids that the organisation has a snippet of. */
export async function existingSnippets(
  queryable: Queryable,
  orgId: string,
  codeIds: readonly string[],
): Promise<string[]> {
  if (codeIds.length === 0) return [];
  const rows = await queryable.query<{ code_id: string }>(
    'SELECT code_id FROM ai_code_fingerprint_ids WHERE org_id = $1 AND code_id = ANY ($2::text[])',
    [orgId, codeIds],
  );
  return rows.map((row) => row.code_id);
}

/** Snippets of one organisation by code id, in the order of their position in the log; unknown ids are left out. */
export async function loadSnippetPrints(
  queryable: Queryable,
  orgId: string,
  codeIds: readonly string[],
): Promise<StoredSnippet[]> {
  if (codeIds.length === 0) return [];
  // By way of the ids' table, whose created_at names the partition.
  const rows = await queryable.query<StoredColumns>(
    `SELECT ${STORED} FROM UNNEST($2::text[]) AS wanted (code_id)
     CROSS JOIN LATERAL (
       SELECT * FROM ai_code_fingerprint_ids i
       WHERE i.org_id = $1 AND i.code_id = wanted.code_id OFFSET 0
     ) id
     CROSS JOIN LATERAL (
       SELECT * FROM ai_code_fingerprints s
       WHERE (s.org_id, s.code_id, s.created_at) = (id.org_id, id.code_id, id.created_at) OFFSET 0
     ) f ${PRINTS_OF_F} ${IN_LOG_ORDER}`,
    [orgId, [...new Set(codeIds)]],
  );
  return rows.map(storedSnippet);
}

/** Snippets of one organisation by their numbers in it; unknown ones are left out. */
export async function loadRecalledSnippets(
  queryable: Queryable,
  orgId: string,
  recallIds: readonly number[],
): Promise<Map<number, StoredSnippet>> {
  if (recallIds.length === 0) return new Map();
  const rows = await queryable.query<StoredColumns & { recall_id: number }>(
    `SELECT ${STORED}, id.recall_id FROM UNNEST($2::bigint[]) AS wanted (recall_id)
     CROSS JOIN LATERAL (
       SELECT * FROM ai_code_fingerprint_ids i
       WHERE i.org_id = $1 AND i.recall_id = wanted.recall_id OFFSET 0
     ) id
     CROSS JOIN LATERAL (
       SELECT * FROM ai_code_fingerprints s
       WHERE (s.org_id, s.code_id, s.created_at) = (id.org_id, id.code_id, id.created_at) OFFSET 0
     ) f ${PRINTS_OF_F}`,
    [orgId, [...new Set(recallIds)]],
  );
  return new Map(rows.map((row) => [row.recall_id, storedSnippet(row)]));
}

/** Offsets a page: so many index entries at most, whatever the planner knows of the table. */
const PAGE_OFFSETS = 1_000;

/** A part of one partition of `lineprint.snippets.v1`. */
export interface OffsetRange {
  readonly partition: number;
  readonly from: number;
  /** The first offset that does not belong to it. */
  readonly end: number;
}

/**
 * Every organisation's snippets from a range of the log, in order, a page at a time: what the recall index is
 * filled from.
 */
export async function* streamSnippetKeysSource(
  database: Queryable,
  { partition, from, end }: OffsetRange,
): AsyncGenerator<SnippetKeysSource, void, undefined> {
  const [range] = await database.query<{ first: number | null; last: number | null }>(
    `SELECT MIN(log_offset) AS first, MAX(log_offset) AS last FROM ai_code_fingerprints
     WHERE log_partition = $1 AND log_offset >= $2 AND log_offset < $3`,
    [partition, from, end],
  );
  const { first, last } = range!;
  if (first === null || last === null) return;
  for (let offset = first; offset <= last; offset += PAGE_OFFSETS) {
    const rows = await database.query<StoredColumns & { recall_id: number }>(
      `SELECT ${STORED}, id.recall_id FROM ai_code_fingerprints f ${PRINTS_OF_F}
       CROSS JOIN LATERAL (
         SELECT recall_id FROM ai_code_fingerprint_ids i
         WHERE (i.org_id, i.code_id) = (f.org_id, f.code_id) OFFSET 0
       ) id
       WHERE f.log_partition = $1 AND f.log_offset BETWEEN $2 AND $3 ${IN_LOG_ORDER}`,
      [partition, offset, Math.min(offset + PAGE_OFFSETS - 1, last)],
    );
    for (const row of rows) {
      yield {
        ...storedSnippet(row),
        orgId: row.org_id,
        recallId: row.recall_id,
        lshBuckets: row.lsh_buckets,
      };
    }
  }
}

/** Offset after that of the last snippet of a partition that is stored; 0 where none is. */
export async function endOfSnippets(queryable: Queryable, partition: number): Promise<number> {
  const [row] = await queryable.query<{ end_offset: number | null }>(
    'SELECT MAX(log_offset) + 1 AS end_offset FROM ai_code_fingerprints WHERE log_partition = $1',
    [partition],
  );
  return row?.end_offset ?? 0;
}

/** The line prints of one snippet, packed. */
export interface CountedSnippet {
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly linePrints: Uint8Array;
}

/**
 * One organisation's snippets from a range of the log that have prints under a key, in order.
 *
 * @param notAfter leaves out those that were accepted after this time, milliseconds since 1970
 */
export async function* streamLinePrints(
  database: Queryable,
  orgId: string,
  keyId: string,
  { partition, from, end }: OffsetRange,
  notAfter?: number,
): AsyncGenerator<CountedSnippet, void, undefined> {
  for (let next = from; next < end;) {
    const rows = await database.query<{
      log_offset: number;
      created_at: Date;
      key_id: string | null;
      line_prints: Uint8Array | null;
    }>(
      `SELECT f.log_offset, f.created_at, p.key_id, p.line_prints FROM ai_code_fingerprints f ${PRINTS_OF_F}
       WHERE f.org_id = $1 AND f.log_partition = $2 AND f.log_offset >= $3 AND f.log_offset < $4
         AND f.created_at <= COALESCE($6::timestamptz, 'infinity')
       ORDER BY f.log_offset LIMIT $5`,
      [orgId, partition, next, end, PAGE_OFFSETS, notAfter === undefined ? null : new Date(notAfter)],
    );
    for (const { created_at, key_id, line_prints } of rows) {
      if (line_prints && key_id === keyId) yield { createdAt: created_at.getTime(), linePrints: line_prints };
    }
    if (rows.length < PAGE_OFFSETS) return;
    next = rows.at(-1)!.log_offset + 1;
  }
}
