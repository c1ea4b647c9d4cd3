import {
  DEFAULT_POLICY,
  type AttributedFile,
  type Confidence,
  type Evidence,
  type LineRange,
  type Source,
} from '@lineprint/contracts';
import {
  claimProject,
  ensureFirstPolicy,
  ensureTenant,
  MIGRATIONS_DIRECTORY,
  migrate,
  noteIdentities,
  openDatabase,
  type Database,
} from '@lineprint/persistence';
import { type DailyKey, recomputeDaily } from '@lineprint/results';

const POLICY = DEFAULT_POLICY.id;

// A database in memory takes seconds to start on a busy machine: jest's 5 s are too short for a hook.
jest.setTimeout(60_000);

export interface SeededResult {
  readonly source?: Source;
  readonly evidence?: Evidence;
  readonly confidence?: Confidence;
  readonly codeId?: string;
  readonly model?: string;
  readonly similarity?: number;
  readonly bits?: number;
  readonly preserved?: number;
  readonly modified?: number;
  readonly human?: number;
  readonly suspect?: number;
  readonly copiedFrom?: string;
}

export interface SeededFile {
  readonly path: string;
  readonly language?: string;
  readonly results?: readonly SeededResult[];
  readonly lines?: readonly LineRange[];
  readonly added?: number;
  readonly blank?: number;
  readonly inherited?: AttributedFile['inherited'];
  readonly excluded?: string;
  readonly explanations?: string;
}

export interface SeededCommit {
  readonly sha: string;
  readonly day: string;
  readonly org?: string;
  readonly policy?: string;
  readonly repository?: string;
  readonly project?: string;
  readonly user?: string;
  readonly authorName?: string;
  readonly authoredAt?: Date;
  readonly parents?: readonly string[];
  /** False for provisional work. */
  readonly counted?: boolean;
  readonly files?: readonly SeededFile[];
}

export interface SeededSession {
  readonly id: string;
  readonly day: string;
  readonly user?: string;
  readonly project?: string;
  readonly shown?: number;
  readonly accepted?: number;
  readonly chatEdits?: number;
  readonly agentTasks?: number;
  /** Checks of its completions ten minutes after they were accepted, and how similar they were found by words. */
  readonly survival?: { readonly checks: number; readonly similarity: number };
}

/** A full sha that starts with the given digits. */
export const shaOf = (digits: string) => digits.padEnd(40, '0');

/** An empty database migrated, with the organisations `acme` and `rival`, one active policy each. */
export async function openSeededDatabase(timeZone = 'UTC', url = 'pglite:memory'): Promise<Database> {
  const database = await openDatabase(url);
  await migrate(database, MIGRATIONS_DIRECTORY);
  for (const [org, project] of [
    ['acme', 'shop'],
    ['rival', 'spy'],
  ] as const) {
    await ensureTenant(database, { orgId: org, name: org, timeZone });
    await ensureFirstPolicy(database, org, DEFAULT_POLICY);
    await claimProject(database, org, project);
  }
  return database;
}

/** Writes a commit and its results as rollup would, but not its daily rows. */
export async function seedCommit(database: Database, commit: SeededCommit): Promise<void> {
  const org = commit.org ?? 'acme';
  const policy = commit.policy ?? POLICY;
  const repository = commit.repository ?? 'acme/shop';
  const project = commit.project ?? 'shop';
  const user = commit.user ?? 'ada@acme.dev';
  const name = commit.authorName ?? 'Ada';
  const counted = commit.counted ?? true;
  const authoredAt = commit.authoredAt ?? new Date(`${commit.day}T12:00:00Z`);
  await database.query(
    `INSERT INTO commits (org_id, repository, sha, project_id, user_id, author_name, author_email, parents,
       authored_at, committed_at, counted)
     VALUES ($1, $2, $3, $4, $5::text, $9, $5::text, $6::text[], $7::timestamptz, $7::timestamptz, $8)
     ON CONFLICT DO NOTHING`,
    [org, repository, commit.sha, project, user, commit.parents ?? [], authoredAt, counted, name],
  );
  await noteIdentities(database, [{ orgId: org, userId: user, name, declared: false }]);
  await database.query(
    `INSERT INTO commit_verdicts (org_id, policy_id, repository, commit_sha) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING`,
    [org, policy, repository, commit.sha],
  );
  for (const file of commit.files ?? []) {
    await database.query(
      `INSERT INTO commit_files (org_id, policy_id, repository, commit_sha, file_path, status, language,
         added_lines, deleted_lines, blank_lines, excluded, lines, inherited_lines, inherited, explanations)
       VALUES ($1, $2, $3, $4, $5, 'modified', $6, $7, 0, $8, $9, $10::jsonb, $11, $12::jsonb,
         decode($13, 'base64'))`,
      [
        org,
        policy,
        repository,
        commit.sha,
        file.path,
        file.language ?? 'typescript',
        file.added ?? 0,
        file.blank ?? 0,
        file.excluded ?? null,
        JSON.stringify(file.lines ?? []),
        (file.inherited ?? []).reduce((sum, range) => sum + range.count, 0),
        JSON.stringify(file.inherited ?? []),
        file.explanations ?? '',
      ],
    );
    for (const [ordinal, result] of (file.results ?? []).entries()) {
      const { preserved = 0, modified = 0, human = 0 } = result;
      const total = preserved + modified + human;
      await database.query(
        `INSERT INTO ai_attribution_results (commit_sha, file_path, user_id, project_id, org_id, repository,
           policy_id, ordinal, language, matched_code_id, match_source, model, evidence, minhash_similarity,
           evidence_bits, confidence, total_lines, ai_preserved_lines, ai_modified_lines, human_new_lines,
           suspect_lines, ai_ratio, day, commit_timestamp, copied_from, counted)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
           $22, $23::date, $24, $25, $26)`,
        [
          commit.sha,
          file.path,
          user,
          project,
          org,
          repository,
          policy,
          ordinal,
          file.language ?? 'typescript',
          result.codeId ?? null,
          result.source ?? null,
          result.model ?? null,
          result.evidence ?? (result.source ? 'matched' : 'none'),
          result.similarity ?? null,
          result.bits ?? 0,
          result.confidence ?? (result.source ? 'HIGH' : 'UNIQUE'),
          total,
          preserved,
          modified,
          human,
          result.suspect ?? 0,
          total === 0 ? 0 : Number(((preserved + 0.5 * modified) / total).toFixed(3)),
          commit.day,
          authoredAt,
          result.copiedFrom ?? '',
          counted,
        ],
      );
    }
  }
}

export async function seedSession(database: Database, session: SeededSession): Promise<void> {
  await database.query(
    `INSERT INTO activity_sessions (org_id, session_id, user_id, project_id, day, reported_at,
       tab_suggestions_shown, tab_suggestions_accepted, tab_chars_accepted, chat_edits, chat_additions,
       chat_deletions, agent_tasks, agent_additions, agent_deletions)
     VALUES ('acme', $1, $2, $3, $4::date, NOW(), $5, $6, 0, $7, 0, 0, $8, 0, 0)`,
    [
      session.id,
      session.user ?? 'ada@acme.dev',
      session.project ?? 'shop',
      session.day,
      session.shown ?? 0,
      session.accepted ?? 0,
      session.chatEdits ?? 0,
      session.agentTasks ?? 0,
    ],
  );
  if (!session.survival) return;
  await database.query(
    `INSERT INTO session_survival (org_id, session_id, after_seconds, checks, still_in_code, word_similarity,
       char_similarity)
     VALUES ('acme', $1, 600, $2, 0, $3, 0)`,
    [session.id, session.survival.checks, session.survival.similarity],
  );
}

/** Sums the days of what was seeded, as rollup does. */
export async function seedDaily(database: Database): Promise<void> {
  const days = await database.query(
    `SELECT org_id, policy_id, day::text AS date, user_id, project_id FROM ai_attribution_results
     UNION
     SELECT org_id, $1::text, day::text, user_id, project_id FROM activity_sessions`,
    [POLICY],
  );
  await database.transaction((tx) => recomputeDaily(tx, days as unknown as DailyKey[]));
}
