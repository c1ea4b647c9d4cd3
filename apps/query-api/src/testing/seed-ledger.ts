import { DEFAULT_POLICY } from '@lineprint/contracts';
import type { Database } from '@lineprint/persistence';
import { shaOf } from './seed';

export interface SeededHead {
  readonly org?: string;
  readonly repository?: string;
  readonly ref?: string;
  readonly project?: string;
  readonly sha?: string;
  readonly depth?: number;
  readonly at?: string;
  /** False for a branch that counts beside the default one. */
  readonly isDefault?: boolean;
}

/** Writes how far a branch's ledger is, and that the branch counts. */
export async function seedHead(database: Database, head: SeededHead): Promise<void> {
  const { org = 'acme', repository = 'acme/shop', ref = 'refs/heads/main', isDefault = true } = head;
  if (isDefault) {
    await database.query(
      'INSERT INTO counted_repositories (org_id, repository, decided, default_ref) VALUES ($1, $2, TRUE, $3)',
      [org, repository, ref],
    );
  }
  await database.query(
    `INSERT INTO line_heads (org_id, repository, ref, project_id, sha, depth, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7::timestamptz)`,
    [
      org,
      repository,
      ref,
      head.project ?? 'shop',
      head.sha ?? shaOf('aa'),
      head.depth ?? 0,
      head.at ?? '2026-06-15T00:00:00Z',
    ],
  );
}

export interface SeededHeadLines {
  readonly org?: string;
  readonly policy?: string;
  readonly repository?: string;
  readonly ref?: string;
  readonly project?: string;
  readonly path: string;
  readonly ordinal: number;
  readonly language?: string;
  readonly kind: 'P' | 'M' | 'H' | 'U';
  readonly source?: string | null;
  readonly model?: string | null;
  readonly user?: string | null;
  readonly lines: number;
}

/** Writes lines at tips as line-attributor would. */
export async function seedHeadLines(database: Database, rows: readonly SeededHeadLines[]): Promise<void> {
  for (const row of rows) {
    const isAi = row.kind === 'P' || row.kind === 'M';
    await database.query(
      `INSERT INTO head_file_lines (org_id, policy_id, repository, ref, path, ordinal, project_id, language, kind,
         source, model, evidence, confidence, user_id, lines)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
      [
        row.org ?? 'acme',
        row.policy ?? DEFAULT_POLICY.id,
        row.repository ?? 'acme/shop',
        row.ref ?? 'refs/heads/main',
        row.path,
        row.ordinal,
        row.project ?? 'shop',
        row.language ?? 'typescript',
        row.kind,
        row.source ?? null,
        row.model ?? null,
        row.kind === 'U' ? null : isAi ? 'matched' : 'none',
        row.kind === 'U' ? null : isAi ? 'HIGH' : 'UNIQUE',
        row.kind === 'U' ? null : (row.user ?? 'ada@acme.dev'),
        row.lines,
      ],
    );
  }
}

export interface SeededLife {
  readonly org?: string;
  readonly policy?: string;
  readonly repository?: string;
  readonly ref?: string;
  readonly project?: string;
  readonly commit?: string;
  readonly kind: 'P' | 'M' | 'H';
  readonly source?: string | null;
  readonly model?: string | null;
  readonly user?: string;
  readonly bornAt: string;
  readonly diedAt?: string | null;
  readonly lines: number;
}

/** Writes lives of lines as line-attributor would. */
export async function seedLives(database: Database, rows: readonly SeededLife[]): Promise<void> {
  for (const row of rows) {
    await database.query(
      `INSERT INTO life_lines (org_id, policy_id, repository, ref, project_id, origin_commit, language, kind, source,
         model, user_id, born_at, died_at, lines)
       VALUES ($1, $2, $3, $4, $5, $6, 'typescript', $7, $8, $9, $10, $11::timestamptz, $12::timestamptz, $13)`,
      [
        row.org ?? 'acme',
        row.policy ?? DEFAULT_POLICY.id,
        row.repository ?? 'acme/shop',
        row.ref ?? 'refs/heads/main',
        row.project ?? 'shop',
        row.commit ?? shaOf('aa'),
        row.kind,
        row.source ?? null,
        row.model ?? null,
        row.user ?? 'ada@acme.dev',
        row.bornAt,
        row.diedAt ?? null,
        row.lines,
      ],
    );
  }
}

export interface SeededRun {
  readonly count: number;
  /** Without it the lines are older than what is known. */
  readonly commit?: string;
  /** The file's own path where it is left out. */
  readonly path?: string;
  readonly line?: number;
}

/** Writes where the lines of a file at the tip of a repository's default branch were added. */
export async function seedRuns(
  database: Database,
  path: string,
  runs: readonly SeededRun[],
  repository = 'acme/shop',
): Promise<void> {
  let start = 0;
  for (const run of runs) {
    await database.query(
      `INSERT INTO head_runs (org_id, repository, ref, path, start_line, line_count, origin_commit, origin_path,
         origin_line)
       VALUES ('acme', $1, 'refs/heads/main', $2, $3, $4, $5, $6, $7)`,
      [
        repository,
        path,
        start,
        run.count,
        run.commit ?? null,
        run.commit === undefined ? null : (run.path ?? path),
        run.commit === undefined ? null : (run.line ?? 0),
      ],
    );
    start += run.count;
  }
}
