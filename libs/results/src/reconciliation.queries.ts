import type { Queryable, Row } from '@lineprint/persistence';

/** Days of one policy's results, both included, `YYYY-MM-DD`. */
export interface ReconciledDays {
  readonly orgId: string;
  readonly policyId: string;
  readonly first: string;
  readonly last: string;
}

/** A row that is not what results and sessions say. */
export interface Difference {
  readonly policy: string;
  readonly table: string;
  readonly date: string;
  readonly user: string;
  readonly project: string;
  /** What else names the row. */
  readonly key: Readonly<Record<string, unknown>>;
  /** Null where there is none. */
  readonly stored: Readonly<Record<string, unknown>> | null;
  /** Null where there should be none. */
  readonly expected: Readonly<Record<string, unknown>> | null;
}

interface DifferenceRow extends Row {
  readonly date: string;
  readonly user_id: string;
  readonly project_id: string;
  readonly key: Record<string, unknown>;
  readonly stored: Record<string, unknown> | null;
  readonly expected: Record<string, unknown> | null;
  readonly all_of_them: number;
}

/** So many differences of a table are told one by one. */
const TOLD = 20;

const RESULTS = `
  SELECT *, ai_preserved_lines + ai_modified_lines AS ai, ai_preserved_lines + 0.5 * ai_modified_lines AS weighted
    FROM ai_attribution_results
   WHERE org_id = $1 AND policy_id = $2 AND day BETWEEN $3::date AND $4::date`;
const SESSIONS = `
  SELECT a.*, s.checks, s.similarity
    FROM activity_sessions a
    LEFT JOIN (
      SELECT session_id, SUM(checks) AS checks, SUM(checks * word_similarity) AS similarity
        FROM session_survival WHERE org_id = $1 GROUP BY 1
    ) s USING (session_id)
   WHERE a.org_id = $1 AND a.day BETWEEN $3::date AND $4::date`;

const storedIn = (table: string) => `
  SELECT * FROM ${table} WHERE org_id = $1 AND policy_id = $2 AND date BETWEEN $3::date AND $4::date`;

/**
 * What each table should hold, as SQL that selects `expected` and `stored` alike: date, user, project, the rest of the key
 * and the values. It is said in other words than what writes the tables, on purpose.
 */
const CHECKS: Readonly<Record<string, { readonly expected: string; readonly stored: string }>> = {
  ai_attribution_daily: {
    expected: `
      SELECT date, user_id, project_id, '{}'::jsonb AS key, jsonb_build_object(
               'commits', SUM(commits), 'changed', SUM(changed), 'files', SUM(files), 'lines', SUM(lines),
               'preserved', SUM(preserved), 'modified', SUM(modified), 'human', SUM(human),
               'weighted', SUM(preserved) + 0.5 * SUM(modified), 'suspect', SUM(suspect), 'high', SUM(high),
               'low', SUM(low), 'tab', SUM(tab), 'chat', SUM(chat), 'agent', SUM(agent), 'matched', SUM(matched),
               'declared', SUM(declared), 'estimated', SUM(estimated), 'shown', SUM(shown),
               'accepted', SUM(accepted), 'edits', SUM(edits), 'tasks', SUM(tasks)) AS values
        FROM (
          SELECT day AS date, user_id, project_id, COUNT(DISTINCT (repository, commit_sha)) AS commits,
                 COUNT(DISTINCT (repository, commit_sha, file_path)) AS changed,
                 COUNT(DISTINCT CASE WHEN ai > 0 THEN (repository, file_path) END) AS files,
                 SUM(total_lines) AS lines, SUM(ai_preserved_lines) AS preserved, SUM(ai_modified_lines) AS modified,
                 SUM(human_new_lines) AS human, SUM(suspect_lines) AS suspect,
                 SUM(CASE confidence WHEN 'HIGH' THEN ai ELSE 0 END) AS high,
                 SUM(CASE confidence WHEN 'LOW' THEN ai ELSE 0 END) AS low,
                 SUM(CASE match_source WHEN 'tab' THEN weighted ELSE 0 END) AS tab,
                 SUM(CASE match_source WHEN 'chat' THEN weighted ELSE 0 END) AS chat,
                 SUM(CASE match_source WHEN 'agent' THEN weighted ELSE 0 END) AS agent,
                 SUM(CASE evidence WHEN 'matched' THEN weighted ELSE 0 END) AS matched,
                 SUM(CASE evidence WHEN 'declared' THEN weighted ELSE 0 END) AS declared,
                 SUM(CASE evidence WHEN 'estimated' THEN weighted ELSE 0 END) AS estimated,
                 0 AS shown, 0 AS accepted, 0 AS edits, 0 AS tasks
            FROM (${RESULTS}) r WHERE counted GROUP BY 1, 2, 3
          UNION ALL
          SELECT day, user_id, project_id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                 SUM(tab_suggestions_shown), SUM(tab_suggestions_accepted), SUM(chat_edits), SUM(agent_tasks)
            FROM (${SESSIONS}) s GROUP BY 1, 2, 3
        ) u GROUP BY 1, 2, 3`,
    stored: `
      SELECT date, user_id, project_id, '{}'::jsonb AS key, jsonb_build_object(
               'commits', total_commits, 'changed', total_files_changed, 'files', files_with_ai, 'lines', total_lines,
               'preserved', ai_preserved_lines, 'modified', ai_modified_lines, 'human', human_new_lines,
               'weighted', ai_attributed_lines, 'suspect', suspect_lines, 'high', high_confidence_lines,
               'low', low_confidence_lines, 'tab', tab_ai_lines, 'chat', chat_ai_lines, 'agent', agent_ai_lines,
               'matched', matched_ai_lines, 'declared', declared_ai_lines, 'estimated', estimated_ai_lines,
               'shown', tab_suggestions_shown, 'accepted', tab_suggestions_accepted, 'edits', chat_edit_count,
               'tasks', agent_task_count) AS values
        FROM (${storedIn('ai_attribution_daily')}) d`,
  },
  attribution_cells: {
    expected: `
      SELECT day AS date, l.user_id, l.project_id, jsonb_build_object(
               'counted', counted, 'repository', l.repository, 'language', language,
               'source', COALESCE(match_source, ''), 'model', COALESCE(model, ''), 'evidence', evidence,
               'confidence', confidence) AS key,
             jsonb_build_object('lines', SUM(total_lines), 'preserved', SUM(ai_preserved_lines),
               'modified', SUM(ai_modified_lines), 'human', SUM(human_new_lines), 'suspect', SUM(suspect_lines),
               'similar', SUM(CASE WHEN minhash_similarity IS NULL THEN 0 ELSE ai END),
               'similarity', SUM(COALESCE(minhash_similarity * ai, 0))) AS values
        FROM (${RESULTS}) r
       CROSS JOIN LATERAL (VALUES (r.user_id, r.project_id, r.repository), ('', r.project_id, r.repository),
               ('', '', '')) AS l (user_id, project_id, repository)
       WHERE total_lines > 0
       GROUP BY 1, 2, 3, 4`,
    stored: `
      SELECT date, user_id, project_id, jsonb_build_object(
               'counted', counted, 'repository', repository, 'language', language, 'source', source, 'model', model,
               'evidence', evidence, 'confidence', confidence) AS key,
             jsonb_build_object('lines', total_lines, 'preserved', ai_preserved_lines,
               'modified', ai_modified_lines, 'human', human_new_lines, 'suspect', suspect_lines,
               'similar', similar_lines, 'similarity', similarity) AS values
        FROM (${storedIn('attribution_cells')}) c`,
  },
  attribution_days: {
    expected: `
      SELECT date, l.user_id, l.project_id, '{}'::jsonb AS key, jsonb_build_object(
               'commits', SUM(commits), 'provisional', SUM(provisional), 'sessions', SUM(sessions),
               'shown', SUM(shown), 'accepted', SUM(accepted), 'edits', SUM(edits), 'tasks', SUM(tasks),
               'checks', SUM(checks), 'similarity', SUM(similarity)) AS values
        FROM (
          SELECT day AS date, user_id, project_id,
                 COUNT(DISTINCT CASE WHEN counted THEN (repository, commit_sha) END) AS commits,
                 COUNT(DISTINCT CASE WHEN NOT counted THEN (repository, commit_sha) END) AS provisional,
                 0 AS sessions, 0 AS shown, 0 AS accepted, 0 AS edits, 0 AS tasks, 0 AS checks, 0 AS similarity
            FROM (${RESULTS}) r GROUP BY 1, 2, 3
          UNION ALL
          SELECT day, user_id, project_id, 0, 0, COUNT(*), SUM(tab_suggestions_shown), SUM(tab_suggestions_accepted),
                 SUM(chat_edits), SUM(agent_tasks), COALESCE(SUM(checks), 0), COALESCE(SUM(similarity), 0)
            FROM (${SESSIONS}) s GROUP BY 1, 2, 3
        ) u
       CROSS JOIN LATERAL (VALUES (u.user_id, u.project_id), ('', u.project_id), ('', '')) AS l (user_id, project_id)
       GROUP BY 1, 2, 3`,
    stored: `
      SELECT date, user_id, project_id, '{}'::jsonb AS key, jsonb_build_object(
               'commits', commits, 'provisional', provisional_commits, 'sessions', sessions,
               'shown', tab_suggestions_shown, 'accepted', tab_suggestions_accepted, 'edits', chat_edits,
               'tasks', agent_tasks, 'checks', survival_checks, 'similarity', survival_similarity) AS values
        FROM (${storedIn('attribution_days')}) d`,
  },
  attribution_file_days: {
    expected: `
      SELECT DISTINCT day AS date, user_id, project_id, jsonb_build_object(
               'file', md5(jsonb_build_array(repository, file_path)::text)::uuid) AS key, '{}'::jsonb AS values
        FROM (${RESULTS}) r WHERE counted AND ai > 0`,
    stored: `
      SELECT date, user_id, project_id, jsonb_build_object('file', file_key) AS key, '{}'::jsonb AS values
        FROM (${storedIn('attribution_file_days')}) f`,
  },
  // The day before may be before these days, hence of all file days, which have a check of their own.
  attribution_file_gaps: {
    expected: `
      SELECT date, '' AS user_id, project_id, jsonb_build_object('previous', previous) AS key,
             jsonb_build_object('files', COUNT(*)) AS values
        FROM (
          SELECT f.file_key, l.project_id, f.date, COALESCE(MAX(b.date), '-infinity') AS previous
            FROM (SELECT DISTINCT file_key, project_id, date FROM (${storedIn('attribution_file_days')}) o) f
           CROSS JOIN LATERAL (VALUES (f.project_id), ('')) AS l (project_id)
            LEFT JOIN attribution_file_days b
              ON b.org_id = $1 AND b.policy_id = $2 AND b.file_key = f.file_key AND b.date < f.date
             AND l.project_id IN ('', b.project_id)
           GROUP BY 1, 2, 3
        ) g
       GROUP BY 1, 2, 3, 4`,
    stored: `
      SELECT date, '' AS user_id, project_id, jsonb_build_object('previous', previous) AS key,
             jsonb_build_object('files', files) AS values
        FROM (${storedIn('attribution_file_gaps')}) g`,
  },
};

/** What a table holds beside what it should, with the first differences; each look is at one moment's state. */
export interface TableCheck {
  readonly differences: number;
  readonly told: readonly Difference[];
}

/** The tables that are sums of results and sessions. */
export const SUMMED_TABLES: readonly string[] = Object.keys(CHECKS);

/** Compares what one of `SUMMED_TABLES` holds of some days with what results and sessions say. */
export async function checkTable(
  queryable: Queryable,
  table: string,
  { orgId, policyId, first, last }: ReconciledDays,
): Promise<TableCheck> {
  const check = CHECKS[table];
  if (!check) throw new Error(`${table} has no check`);
  const rows = await queryable.query<DifferenceRow>(
    `WITH expected AS MATERIALIZED (${check.expected}), stored AS MATERIALIZED (${check.stored})
     SELECT date::text AS date, user_id, project_id, key, s.values AS stored, e.values AS expected,
            COUNT(*) OVER () AS all_of_them
       FROM expected e FULL JOIN stored s USING (date, user_id, project_id, key)
      WHERE e.values IS DISTINCT FROM s.values
      ORDER BY date, user_id COLLATE "C", project_id COLLATE "C", key::text COLLATE "C"
      LIMIT ${TOLD}`,
    [orgId, policyId, first, last],
  );
  return {
    differences: rows[0]?.all_of_them ?? 0,
    told: rows.map(({ date, user_id, project_id, key, stored, expected }) => ({
      policy: policyId,
      table,
      date,
      user: user_id,
      project: project_id,
      key,
      stored,
      expected,
    })),
  };
}

/** The months in which a policy has days, each by its first and last day, and how many days. */
export async function monthsOf(
  queryable: Queryable,
  orgId: string,
  policyId: string,
): Promise<{ first: string; last: string; days: number }[]> {
  const rows = await queryable.query<{ first: string; last: string; days: number } & Row>(
    `SELECT MIN(date)::text AS first, MAX(date)::text AS last, COUNT(*) AS days
       FROM (
         SELECT day AS date FROM ai_attribution_results WHERE org_id = $1 AND policy_id = $2
         UNION SELECT day FROM activity_sessions WHERE org_id = $1
         UNION SELECT date FROM ai_attribution_daily WHERE org_id = $1 AND policy_id = $2
         UNION SELECT date FROM attribution_days WHERE org_id = $1 AND policy_id = $2
         UNION SELECT date FROM attribution_cells WHERE org_id = $1 AND policy_id = $2
         UNION SELECT date FROM attribution_file_gaps WHERE org_id = $1 AND policy_id = $2
       ) d
      GROUP BY date_trunc('month', date::timestamp)
      ORDER BY 1`,
    [orgId, policyId],
  );
  return rows;
}
