import type { Source } from '@lineprint/contracts';
import type { Queryable, Row } from '@lineprint/persistence';
import type { TenantView } from '../tenant-view';

export interface SnippetRow extends Row {
  code_id: string;
  session_id: string;
  user_id: string;
  project_id: string;
  repository: string | null;
  source: Source;
  model: string | null;
  client: string | null;
  language: string;
  file_extension: string;
  line_count: number;
  char_count: number;
  edit_kind: string | null;
  accepted_partially: boolean | null;
  declared_by: string | null;
  protocol: number;
  created_at: Date;
  /** Packed by libs/fingerprint; null where its client sends none. */
  line_prints: Uint8Array | null;
}

// By way of the ids' table, whose created_at names the partition.
const SNIPPET = `
  SELECT f.*, p.line_prints
  FROM ai_code_fingerprint_ids id
  CROSS JOIN LATERAL (
    SELECT code_id, session_id, user_id, project_id, repository, source, model, client, language, file_extension,
      line_count, char_count, edit_kind, accepted_partially, declared_by, protocol, created_at
    FROM ai_code_fingerprints
    WHERE (org_id, code_id, created_at) = (id.org_id, id.code_id, id.created_at) OFFSET 0
  ) f
  LEFT JOIN LATERAL (
    SELECT line_prints FROM snippet_prints
    WHERE (org_id, code_id, created_at) = (id.org_id, id.code_id, id.created_at) OFFSET 0
  ) p ON TRUE
  WHERE id.org_id = $1 AND id.code_id = $2`;

/** A snippet of the organisation, without its code. */
export async function findSnippet(
  queryable: Queryable,
  { orgId }: TenantView,
  codeId: string,
): Promise<SnippetRow | null> {
  const [row] = await queryable.query<SnippetRow>(SNIPPET, [orgId, codeId]);
  return row ?? null;
}
