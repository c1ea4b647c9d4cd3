import type { Queryable, Row } from '@lineprint/persistence';

/** Where a page of the list ended. */
export interface AuditPosition {
  /** Down to the microsecond. */
  readonly at: string;
  readonly kind: string;
  readonly id: number;
}

export interface AuditFilter {
  readonly actor: string | null;
  readonly action: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly after: AuditPosition | null;
  readonly limit: number;
}

interface AuditRow extends Row {
  key: string;
  kind: string;
  id: number;
  at: Date;
  actor: string | null;
  action: string;
  target: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

// Each of the two is read from the end of its index, as far as a page goes.
const ENTRIES = `
  WITH changes AS (
    SELECT at, 'change' AS kind, id, actor, action, target, before, after FROM audit_entries
    WHERE org_id = $1 AND ($2::text IS NULL OR actor = $2::text)
      AND ($3::text IS NULL OR action = $3::text OR action LIKE $3::text || '.%')
      AND ($4::timestamptz IS NULL OR at >= $4::timestamptz) AND ($5::timestamptz IS NULL OR at < $5::timestamptz)
      AND ($6::timestamptz IS NULL OR (at, 'change', id) < ($6::timestamptz, $7::text, $8::bigint))
    ORDER BY at DESC, id DESC LIMIT $9
  ), reads AS (
    SELECT read_at, 'read' AS kind, id, read_by, 'code.read', repository || ' ' || commit_sha || ' ' || path,
      NULL::jsonb, NULL::jsonb
    FROM code_reads
    WHERE org_id = $1 AND ($2::text IS NULL OR read_by = $2::text)
      AND ($3::text IS NULL OR $3::text IN ('code', 'code.read'))
      AND ($4::timestamptz IS NULL OR read_at >= $4::timestamptz) AND ($5::timestamptz IS NULL OR read_at < $5::timestamptz)
      AND ($6::timestamptz IS NULL OR (read_at, 'read', id) < ($6::timestamptz, $7::text, $8::bigint))
    ORDER BY read_at DESC, id DESC LIMIT $9
  )
  SELECT at::text AS key, * FROM (SELECT * FROM changes UNION ALL SELECT * FROM reads) AS entries
  ORDER BY at DESC, kind DESC, id DESC LIMIT $9`;

/** Who did what, newest first. */
export function auditEntries(queryable: Queryable, orgId: string, filter: AuditFilter): Promise<AuditRow[]> {
  const { actor, action, from, to, after, limit } = filter;
  return queryable.query<AuditRow>(ENTRIES, [
    orgId,
    actor,
    action,
    from,
    to,
    after?.at ?? null,
    after?.kind ?? null,
    after?.id ?? null,
    limit,
  ]);
}
