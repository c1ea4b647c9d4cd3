import { noteIdentities, type Queryable } from '@lineprint/persistence';

export interface SessionRow {
  readonly org_id: string;
  readonly session_id: string;
  readonly user_id: string;
  readonly project_id: string;
  readonly day: string;
  readonly reported_at: string;
  readonly tab_suggestions_shown: number;
  readonly tab_suggestions_accepted: number;
  readonly tab_chars_accepted: number;
  readonly chat_edits: number;
  readonly chat_additions: number;
  readonly chat_deletions: number;
  readonly agent_tasks: number;
  readonly agent_additions: number;
  readonly agent_deletions: number;
  readonly survival: readonly SurvivalRow[];
}

/** How completions stood some time after they were accepted: means over the checks, from 0 to 1. */
export interface SurvivalRow {
  readonly after_seconds: number;
  readonly checks: number;
  readonly still_in_code: number;
  readonly word_similarity: number;
  readonly char_similarity: number;
}

/** A session reports running totals: the newest report replaces the earlier ones, and an older one changes nothing. */
export async function upsertSessions(tx: Queryable, rows: readonly SessionRow[]): Promise<void> {
  const newest = await tx.query<{ org_id: string; session_id: string }>(
    `INSERT INTO activity_sessions (org_id, session_id, user_id, project_id, day, reported_at,
            tab_suggestions_shown, tab_suggestions_accepted, tab_chars_accepted, chat_edits, chat_additions,
            chat_deletions, agent_tasks, agent_additions, agent_deletions)
     SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(org_id text, session_id text, user_id text, project_id text,
            day date, reported_at timestamptz, tab_suggestions_shown int, tab_suggestions_accepted int,
            tab_chars_accepted int, chat_edits int, chat_additions int, chat_deletions int, agent_tasks int,
            agent_additions int, agent_deletions int)
     ON CONFLICT (org_id, session_id) DO UPDATE SET
            user_id = EXCLUDED.user_id, project_id = EXCLUDED.project_id, day = EXCLUDED.day,
            reported_at = EXCLUDED.reported_at, tab_suggestions_shown = EXCLUDED.tab_suggestions_shown,
            tab_suggestions_accepted = EXCLUDED.tab_suggestions_accepted,
            tab_chars_accepted = EXCLUDED.tab_chars_accepted, chat_edits = EXCLUDED.chat_edits,
            chat_additions = EXCLUDED.chat_additions, chat_deletions = EXCLUDED.chat_deletions,
            agent_tasks = EXCLUDED.agent_tasks, agent_additions = EXCLUDED.agent_additions,
            agent_deletions = EXCLUDED.agent_deletions
      WHERE activity_sessions.reported_at < EXCLUDED.reported_at
     RETURNING org_id, session_id`,
    [JSON.stringify(rows)],
  );
  await noteIdentities(
    tx,
    rows.map(({ org_id, user_id }) => ({ orgId: org_id, userId: user_id, name: '', declared: false })),
  );
  const written = new Set(newest.map(({ org_id, session_id }) => `${org_id}\u0000${session_id}`));
  await replaceSurvival(
    tx,
    rows.filter(({ org_id, session_id }) => written.has(`${org_id}\u0000${session_id}`)),
  );
}

async function replaceSurvival(tx: Queryable, sessions: readonly SessionRow[]): Promise<void> {
  await tx.query(
    `DELETE FROM session_survival s USING jsonb_to_recordset($1::jsonb) AS k(org_id text, session_id text)
      WHERE (s.org_id, s.session_id) = (k.org_id, k.session_id)`,
    [JSON.stringify(sessions)],
  );
  await tx.query(
    `INSERT INTO session_survival (org_id, session_id, after_seconds, checks, still_in_code, word_similarity,
            char_similarity)
     SELECT k.org_id, k.session_id, s.after_seconds, s.checks, s.still_in_code, s.word_similarity, s.char_similarity
       FROM jsonb_to_recordset($1::jsonb) AS k(org_id text, session_id text, survival jsonb)
      CROSS JOIN LATERAL jsonb_to_recordset(k.survival) AS s(after_seconds int, checks int, still_in_code int,
            word_similarity numeric, char_similarity numeric)`,
    [JSON.stringify(sessions)],
  );
}

export interface SessionPlace {
  readonly org_id: string;
  readonly session_id: string;
  readonly user_id: string;
  readonly project_id: string;
  readonly day: string;
}

/** Where the given sessions count now. */
export async function sessionPlaces(
  tx: Queryable,
  sessions: readonly { org_id: string; session_id: string }[],
): Promise<SessionPlace[]> {
  const rows = await tx.query(
    `SELECT s.org_id, s.session_id, s.user_id, s.project_id, s.day::text AS day
       FROM activity_sessions s
       JOIN jsonb_to_recordset($1::jsonb) AS k(org_id text, session_id text) USING (org_id, session_id)`,
    [JSON.stringify(sessions)],
  );
  return rows as unknown as SessionPlace[];
}

/** The user of each session as its fingerprints name it, for reports that name none. */
export async function usersOfSessions(
  tx: Queryable,
  sessions: readonly { org_id: string; session_id: string }[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ org_id: string; session_id: string; user_id: string }>(
    `SELECT f.org_id, f.session_id, MIN(f.user_id) AS user_id
       FROM ai_code_fingerprints f
       JOIN jsonb_to_recordset($1::jsonb) AS k(org_id text, session_id text) USING (org_id, session_id)
      GROUP BY 1, 2`,
    [JSON.stringify(sessions)],
  );
  return new Map(rows.map((row) => [`${row.org_id}\u0000${row.session_id}`, row.user_id]));
}
