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
}

/** Makes the daily table from the results and sessions, by the definitions that stand in the migration. */
export async function seedDaily(database: Database): Promise<void> {
  await database.script(`
    DELETE FROM ai_attribution_daily;
    INSERT INTO ai_attribution_daily (date, user_id, project_id, org_id, policy_id, total_commits,
      total_files_changed, files_with_ai, total_lines, ai_preserved_lines, ai_modified_lines, human_new_lines,
      ai_attributed_lines, tab_ai_lines, chat_ai_lines, agent_ai_lines, high_confidence_lines,
      low_confidence_lines, suspect_lines, declared_ai_lines, matched_ai_lines, estimated_ai_lines)
    SELECT day, user_id, project_id, org_id, policy_id, COUNT(DISTINCT commit_sha), COUNT(DISTINCT file_path),
      COUNT(DISTINCT file_path) FILTER (WHERE p + m > 0), SUM(total_lines), SUM(p), SUM(m),
      SUM(human_new_lines), SUM(w),
      COALESCE(SUM(w) FILTER (WHERE match_source = 'tab'), 0),
      COALESCE(SUM(w) FILTER (WHERE match_source = 'chat'), 0),
      COALESCE(SUM(w) FILTER (WHERE match_source = 'agent'), 0),
      COALESCE(SUM(p + m) FILTER (WHERE confidence = 'HIGH'), 0),
      COALESCE(SUM(p + m) FILTER (WHERE confidence = 'LOW'), 0),
      SUM(suspect_lines),
      COALESCE(SUM(w) FILTER (WHERE evidence = 'declared'), 0),
      COALESCE(SUM(w) FILTER (WHERE evidence = 'matched'), 0),
      COALESCE(SUM(w) FILTER (WHERE evidence = 'estimated'), 0)
    FROM (SELECT *, ai_preserved_lines AS p, ai_modified_lines AS m,
            ai_preserved_lines + 0.5 * ai_modified_lines AS w FROM ai_attribution_results WHERE counted) r
    GROUP BY day, user_id, project_id, org_id, policy_id;
    INSERT INTO ai_attribution_daily (date, user_id, project_id, org_id, policy_id, tab_suggestions_shown,
      tab_suggestions_accepted, chat_edit_count, agent_task_count)
    SELECT day, user_id, project_id, org_id, '${POLICY}', SUM(tab_suggestions_shown),
      SUM(tab_suggestions_accepted), SUM(chat_edits), SUM(agent_tasks)
    FROM activity_sessions
    GROUP BY day, user_id, project_id, org_id
    ON CONFLICT (org_id, policy_id, date, user_id, project_id) DO UPDATE SET
      tab_suggestions_shown = EXCLUDED.tab_suggestions_shown,
      tab_suggestions_accepted = EXCLUDED.tab_suggestions_accepted,
      chat_edit_count = EXCLUDED.chat_edit_count,
      agent_task_count = EXCLUDED.agent_task_count;
    UPDATE ai_attribution_daily SET
      ai_ratio = COALESCE(ROUND(ai_attributed_lines / NULLIF(total_lines, 0), 3), 0),
      tab_accept_rate = COALESCE(ROUND(tab_suggestions_accepted::numeric / NULLIF(tab_suggestions_shown, 0), 3), 0);`);
}
