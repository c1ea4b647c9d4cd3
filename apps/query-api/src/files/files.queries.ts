import type { Queryable } from '@lineprint/persistence';
import { z } from 'zod';
import { Cursor } from '../cursor';
import { HEAD_LINES, type HeadFilter, headValues, KIND_SUMS, type KindSums } from '../head/head.queries';
import type { TenantView } from '../tenant-view';
import type { FileOrder } from './files.schema';

export interface FileRow extends KindSums {
  path: string;
  language: string;
  rank: number;
  last_sha: string | null;
  last_at: Date | null;
  last_user: string | null;
}

const weighted = `SUM(CASE l.kind WHEN 'P' THEN l.lines WHEN 'M' THEN 0.5 * l.lines ELSE 0 END)`;

/** What the first file of the order has most of. Ratios are rounded, so that a cursor holds them exactly. */
const ranks: Readonly<Record<FileOrder, string>> = {
  lines: 'SUM(l.lines)',
  ai: weighted,
  ratio: `ROUND(COALESCE(${weighted} / NULLIF(SUM(l.lines) FILTER (WHERE l.kind <> 'U'), 0), 0), 3)`,
  path: '0',
};

// The page is cut before its files' commits are looked at.
const page = (order: FileOrder) => `
  SELECT f.*, c.sha AS last_sha, c.committed_at AS last_at, c.user_id AS last_user
  FROM (
    SELECT * FROM (
      SELECT l.ref, l.path, MIN(l.language COLLATE "C") AS language, ${KIND_SUMS}, ${ranks[order]} AS rank
      ${HEAD_LINES}
      GROUP BY l.ref, l.path
    ) f
    WHERE $8::numeric IS NULL OR f.rank < $8::numeric
      OR (f.rank = $8::numeric AND f.path COLLATE "C" > $9::text)
    ORDER BY f.rank DESC, f.path COLLATE "C"
    LIMIT $10
  ) f
  LEFT JOIN LATERAL (
    SELECT c.sha, c.committed_at, c.user_id
    FROM (
      SELECT DISTINCT origin_commit FROM head_runs
      WHERE org_id = $1 AND repository = $7 AND ref = f.ref AND path = f.path OFFSET 0
    ) r
    CROSS JOIN LATERAL (
      SELECT * FROM commits
      WHERE org_id = $1 AND repository = $7 AND sha = r.origin_commit
        AND ($5::text[] IS NULL OR user_id = ANY ($5::text[])) OFFSET 0
    ) c
    ORDER BY c.committed_at DESC, c.sha
    LIMIT 1
  ) c ON TRUE
  ORDER BY f.rank DESC, f.path COLLATE "C"`;

export const fileCursor = new Cursor(z.tuple([z.number(), z.string()]));

/** One page of the files at a branch's tip that have lines which are not blank. */
export async function filePage(
  queryable: Queryable,
  view: TenantView,
  filter: HeadFilter,
  asked: {
    repository: string;
    order: FileOrder;
    after: ReturnType<typeof fileCursor.decode> | null;
    limit: number;
  },
): Promise<FileRow[]> {
  const [rank, path] = asked.after ?? [null, null];
  return queryable.query<FileRow>(page(asked.order), [
    ...headValues(view, filter),
    asked.repository,
    rank,
    path,
    asked.limit,
  ]);
}
