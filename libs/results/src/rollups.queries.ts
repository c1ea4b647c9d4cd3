import type { Queryable, Row } from '@lineprint/persistence';
import type { DailyKey } from './results.queries';

const KEYS = `keys AS MATERIALIZED (
       SELECT * FROM jsonb_to_recordset($1::jsonb)
         AS k(key int, org_id text, policy_id text, date date, user_id text, project_id text)
     )`;

/** A table of sums, of a person in a project, and of those of everybody in it, and in the organisation. */
interface Rollup {
  readonly table: string;
  /** Columns of its key beside those of a daily row. */
  readonly parts: readonly string[];
  readonly sums: readonly string[];
  /** Names the sums that are all 0 in a row that is not there. */
  readonly present: readonly string[];
  /** What of RESULTS has the key of a day, the parts and the sums of persons, by these names. */
  readonly source: string;
}

const CELLS: Rollup = {
  table: 'attribution_cells',
  parts: ['counted', 'repository', 'language', 'source', 'model', 'evidence', 'confidence'],
  sums: [
    'total_lines',
    'ai_preserved_lines',
    'ai_modified_lines',
    'human_new_lines',
    'suspect_lines',
    'similar_lines',
    'similarity',
  ],
  present: ['total_lines'],
  source: 'cells',
};

const DAYS: Rollup = {
  table: 'attribution_days',
  parts: [],
  sums: [
    'commits',
    'provisional_commits',
    'sessions',
    'tab_suggestions_shown',
    'tab_suggestions_accepted',
    'chat_edits',
    'agent_tasks',
    'survival_checks',
    'survival_similarity',
  ],
  present: ['commits', 'provisional_commits', 'sessions'],
  source: 'days',
};

/** What results and sessions say of `keys`. Results are read once: they are most of the work. */
const RESULTS = `results AS MATERIALIZED (
       SELECT k.key, r.*
         FROM keys k
        CROSS JOIN LATERAL (
         SELECT counted, repository, commit_sha, file_path, language, COALESCE(match_source, '') AS source,
                COALESCE(model, '') AS model, evidence, confidence, total_lines, ai_preserved_lines,
                ai_modified_lines, human_new_lines, suspect_lines, ai_preserved_lines + ai_modified_lines AS ai_lines,
                minhash_similarity
           FROM ai_attribution_results
          WHERE org_id = k.org_id AND policy_id = k.policy_id AND day = k.date AND user_id = k.user_id
            AND project_id = k.project_id OFFSET 0
        ) r
     ), cells AS (
       SELECT key, counted, repository, language, source, model, evidence, confidence,
              SUM(total_lines) AS total_lines, SUM(ai_preserved_lines) AS ai_preserved_lines,
              SUM(ai_modified_lines) AS ai_modified_lines, SUM(human_new_lines) AS human_new_lines,
              SUM(suspect_lines) AS suspect_lines,
              COALESCE(SUM(ai_lines) FILTER (WHERE minhash_similarity IS NOT NULL), 0) AS similar_lines,
              COALESCE(SUM(minhash_similarity * ai_lines), 0) AS similarity
         FROM results
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
       HAVING SUM(total_lines) > 0
     ), files AS (
       SELECT key, counted, repository, commit_sha, file_path, BOOL_OR(ai_lines > 0) AS has_ai
         FROM results
        GROUP BY 1, 2, 3, 4, 5
     ), ai_files AS (
       SELECT DISTINCT key, repository, file_path FROM files WHERE counted AND has_ai
     ), commits AS (
       SELECT key, COUNT(*) FILTER (WHERE counted) AS commits, COUNT(*) FILTER (WHERE NOT counted) AS provisional,
              SUM(files) FILTER (WHERE counted) AS files
         FROM (SELECT key, counted, COUNT(*) AS files FROM files GROUP BY key, counted, repository, commit_sha) c
        GROUP BY 1
     ), days AS (
       SELECT k.key, COALESCE(c.commits, 0) AS commits, COALESCE(c.provisional, 0) AS provisional_commits,
              COALESCE(c.files, 0) AS files, s.*
         FROM keys k
         LEFT JOIN commits c USING (key)
        CROSS JOIN LATERAL (
         SELECT COUNT(*) AS sessions, COALESCE(SUM(tab_suggestions_shown), 0) AS tab_suggestions_shown,
                COALESCE(SUM(tab_suggestions_accepted), 0) AS tab_suggestions_accepted,
                COALESCE(SUM(chat_edits), 0) AS chat_edits, COALESCE(SUM(agent_tasks), 0) AS agent_tasks,
                COALESCE(SUM(survived.checks), 0) AS survival_checks,
                COALESCE(SUM(survived.similarity), 0) AS survival_similarity
           FROM activity_sessions a
          CROSS JOIN LATERAL (
           SELECT SUM(checks) AS checks, SUM(checks * word_similarity) AS similarity
             FROM session_survival
            WHERE org_id = a.org_id AND session_id = a.session_id
          ) survived
          WHERE a.org_id = k.org_id AND a.day = k.date AND a.user_id = k.user_id AND a.project_id = k.project_id
        ) s
     )`;

/** A day has its row where something counts or was reported. */
const DAILY = `daily AS (
       INSERT INTO ai_attribution_daily (org_id, policy_id, date, user_id, project_id, total_commits,
              total_files_changed, files_with_ai, total_lines, ai_preserved_lines, ai_modified_lines,
              human_new_lines, ai_attributed_lines, ai_ratio, tab_ai_lines, chat_ai_lines, agent_ai_lines,
              high_confidence_lines, low_confidence_lines, suspect_lines, declared_ai_lines, matched_ai_lines,
              estimated_ai_lines, tab_suggestions_shown, tab_suggestions_accepted, tab_accept_rate,
              chat_edit_count, agent_task_count)
       SELECT k.org_id, k.policy_id, k.date, k.user_id, k.project_id, d.commits, d.files, COALESCE(f.files, 0),
              COALESCE(l.total, 0), COALESCE(l.preserved, 0), COALESCE(l.modified, 0), COALESCE(l.human, 0),
              COALESCE(l.ai, 0), COALESCE(ROUND(l.ai / l.total, 3), 0), COALESCE(l.tab, 0), COALESCE(l.chat, 0),
              COALESCE(l.agent, 0), COALESCE(l.high, 0), COALESCE(l.low, 0), COALESCE(l.suspect, 0),
              COALESCE(l.declared, 0), COALESCE(l.matched, 0), COALESCE(l.estimated, 0), d.tab_suggestions_shown,
              d.tab_suggestions_accepted,
              CASE WHEN d.tab_suggestions_shown = 0 THEN 0
                   ELSE LEAST(1, ROUND(d.tab_suggestions_accepted::numeric / d.tab_suggestions_shown, 3)) END,
              d.chat_edits, d.agent_tasks
         FROM keys k
         JOIN days d USING (key)
         LEFT JOIN (SELECT key, COUNT(*) AS files FROM ai_files GROUP BY 1) f USING (key)
         LEFT JOIN (
           SELECT key, SUM(total_lines) AS total, SUM(ai_preserved_lines) AS preserved,
                  SUM(ai_modified_lines) AS modified, SUM(human_new_lines) AS human, SUM(suspect_lines) AS suspect,
                  SUM(ai) AS ai, SUM(ai) FILTER (WHERE source = 'tab') AS tab,
                  SUM(ai) FILTER (WHERE source = 'chat') AS chat, SUM(ai) FILTER (WHERE source = 'agent') AS agent,
                  SUM(ai_preserved_lines + ai_modified_lines) FILTER (WHERE confidence = 'HIGH') AS high,
                  SUM(ai_preserved_lines + ai_modified_lines) FILTER (WHERE confidence = 'LOW') AS low,
                  SUM(ai) FILTER (WHERE evidence = 'declared') AS declared,
                  SUM(ai) FILTER (WHERE evidence = 'matched') AS matched,
                  SUM(ai) FILTER (WHERE evidence = 'estimated') AS estimated
             FROM (SELECT *, ai_preserved_lines + 0.5 * ai_modified_lines AS ai FROM cells WHERE counted) c
            GROUP BY 1
         ) l USING (key)
        WHERE d.commits > 0 OR d.sessions > 0
     )`;

/**
 * Adds what is other in persons' rows than is stored, to these and to the sums that they are in. `new_<source>` has the
 * rows that it wrote.
 */
function addChanges({ table, parts, sums, present, source }: Rollup): string {
  const columns = [...parts, ...sums].join(', ');
  const of = ['key', ...parts].join(', ');
  const key = ['org_id', 'policy_id', 'user_id', 'project_id', 'date', ...parts].join(', ');
  // The organisation's sums are not parted by repository, of which it may have thousands.
  const [repository, own, none] = parts.includes('repository')
    ? [', repository', ', c.repository', ", ''"]
    : ['', '', ''];
  const levelOf = parts.map((part) => (part === 'repository' ? 'l.repository' : part));
  const level = ['k.org_id', 'k.policy_id', 'l.user_id', 'l.project_id', 'k.date', ...levelOf].join(', ');
  return `${source}_changes AS (
       SELECT ${of}, ${sums.map((sum) => `SUM(${sum}) AS ${sum}`).join(', ')}
         FROM (
           SELECT key, ${columns} FROM ${source}
            UNION ALL
           SELECT k.key, t.*
             FROM keys k
            CROSS JOIN LATERAL (
             SELECT ${[...parts, ...sums.map((sum) => `-${sum}`)].join(', ')} FROM ${table}
              WHERE org_id = k.org_id AND policy_id = k.policy_id AND user_id = k.user_id
                AND project_id = k.project_id AND date = k.date OFFSET 0
            ) t
         ) c
        GROUP BY ${of}
       HAVING ${sums.map((sum) => `SUM(${sum}) <> 0`).join(' OR ')}
     ), new_${source} AS (
       INSERT INTO ${table} (${key}, ${sums.join(', ')})
       SELECT ${level}, ${sums.map((sum) => `SUM(c.${sum})`).join(', ')}
         FROM ${source}_changes c
         JOIN keys k USING (key)
        CROSS JOIN LATERAL (
          VALUES (k.user_id, k.project_id${own}), ('', k.project_id${own}), ('', ''${none})
        ) AS l (user_id, project_id${repository})
        GROUP BY ${level}
           ON CONFLICT (${key})
           DO UPDATE SET ${sums.map((sum) => `${sum} = ${table}.${sum} + EXCLUDED.${sum}`).join(', ')}
       RETURNING ${present.join(', ')}
     )`;
}

const isNothing = ({ present }: Rollup) => present.map((sum) => `${sum} = 0`).join(' AND ');

interface FileChange extends Row {
  readonly org_id: string;
  readonly policy_id: string;
  readonly date: string;
  readonly user_id: string;
  readonly project_id: string;
  readonly file_key: string;
  readonly added: boolean;
}

/** Files by a hash of their names: they come often, and names are long. */
const FILE_KEY = 'md5(jsonb_build_array(repository, file_path)::text)::uuid';

/** What is other in the files with AI lines that count than is stored. */
const FILE_CHANGES = `stored_files AS (
       SELECT k.key, f.file_key
         FROM keys k
        CROSS JOIN LATERAL (
         SELECT file_key FROM attribution_file_days
          WHERE org_id = k.org_id AND policy_id = k.policy_id AND user_id = k.user_id AND date = k.date
            AND project_id = k.project_id OFFSET 0
        ) f
     ), expected_files AS (
       SELECT key, ${FILE_KEY} AS file_key FROM ai_files
     ), file_changes AS (
       SELECT key, file_key, TRUE AS added
         FROM (SELECT * FROM expected_files EXCEPT SELECT * FROM stored_files) e
        UNION ALL
       SELECT key, file_key, FALSE AS added
         FROM (SELECT * FROM stored_files EXCEPT SELECT * FROM expected_files) s
     )`;

interface SumsChange extends Row {
  /** Whether rows of nothing are left among those that were written. */
  readonly emptied: boolean;
  /** Of the file; null where none has changed. */
  readonly key: number | null;
  readonly file_key: string;
  readonly added: boolean;
}

/** Writes all sums but those of files. */
async function writeSums(tx: Queryable, keys: readonly DailyKey[]): Promise<FileChange[]> {
  const params = [JSON.stringify(keys.map((day, key) => ({ ...day, key })))];
  await tx.query(
    `WITH ${KEYS}
     DELETE FROM ai_attribution_daily d USING keys k
      WHERE (d.org_id, d.policy_id, d.date, d.user_id, d.project_id)
          = (k.org_id, k.policy_id, k.date, k.user_id, k.project_id)`,
    params,
  );
  const changes = await tx.query<SumsChange>(
    `WITH ${[KEYS, RESULTS, DAILY, addChanges(CELLS), addChanges(DAYS), FILE_CHANGES].join(', ')}
     SELECT n.emptied, f.key, f.file_key, f.added
       FROM (
         SELECT EXISTS (SELECT 1 FROM new_cells WHERE ${isNothing(CELLS)})
             OR EXISTS (SELECT 1 FROM new_days WHERE ${isNothing(DAYS)}) AS emptied
       ) n
       LEFT JOIN file_changes f ON TRUE`,
    params,
  );
  if (changes.some(({ emptied }) => emptied)) {
    await deleteNothing(tx, CELLS, params);
    await deleteNothing(tx, DAYS, params);
  }
  return changes.flatMap(({ key, file_key, added }) =>
    key === null ? [] : [{ ...keys[key]!, file_key, added }],
  );
}

async function deleteNothing(tx: Queryable, rollup: Rollup, params: readonly string[]): Promise<void> {
  await tx.query(
    `WITH ${KEYS}, sums AS (
       SELECT DISTINCT k.org_id, k.policy_id, l.user_id, l.project_id, k.date
         FROM keys k
        CROSS JOIN LATERAL (
          VALUES (k.user_id, k.project_id), ('', k.project_id), ('', '')
        ) AS l (user_id, project_id)
     )
     DELETE FROM ${rollup.table} t USING sums s
      WHERE (t.org_id, t.policy_id, t.user_id, t.project_id, t.date)
          = (s.org_id, s.policy_id, s.user_id, s.project_id, s.date)
        AND ${isNothing(rollup)}`,
    params,
  );
}

const CHANGES = `changes AS MATERIALIZED (
       SELECT * FROM jsonb_to_recordset($1::jsonb)
         AS c(org_id text, policy_id text, date date, user_id text, project_id text, file_key uuid, added boolean)
     )`;

/**
 * Writes which files have AI lines on which days, and how many of them which gaps: those from a file's first day that
 * changes to the one after its last may be others.
 */
async function writeFiles(tx: Queryable, changes: readonly FileChange[]): Promise<void> {
  if (changes.length === 0) return;
  const ofFile = `org_id = t.org_id AND policy_id = t.policy_id AND file_key = t.file_key
              AND (t.project_id = '' OR project_id = t.project_id)`;
  const previous = (rows: string) => `MAX(date) FILTER (WHERE ${rows} > 0) OVER (
                PARTITION BY org_id, policy_id, project_id, file_key ORDER BY date
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
  const emptied = await tx.query(
    `WITH ${CHANGES}, removed AS (
       DELETE FROM attribution_file_days f USING changes c
        WHERE NOT c.added
          AND (f.org_id, f.policy_id, f.user_id, f.date, f.project_id, f.file_key)
            = (c.org_id, c.policy_id, c.user_id, c.date, c.project_id, c.file_key)
     ), added AS (
       INSERT INTO attribution_file_days (org_id, policy_id, user_id, date, project_id, file_key)
       SELECT org_id, policy_id, user_id, date, project_id, file_key FROM changes WHERE added
     ), levels AS (
       SELECT c.org_id, c.policy_id, l.project_id, c.file_key, c.date, c.added
         FROM changes c CROSS JOIN LATERAL (VALUES (c.project_id), ('')) AS l (project_id)
     ), touched AS (
       SELECT org_id, policy_id, project_id, file_key, MIN(date) AS first, MAX(date) AS last
         FROM levels
        GROUP BY 1, 2, 3, 4
     ), rows AS (
       -- No part of the statement sees what another one writes: those are the rows before it.
       SELECT t.org_id, t.policy_id, t.project_id, t.file_key, d.date, 1 AS before, 1 AS after
         FROM touched t
        CROSS JOIN LATERAL (
         SELECT date FROM attribution_file_days
          WHERE ${ofFile}
            AND date >= COALESCE(
              (SELECT MAX(date) FROM attribution_file_days WHERE ${ofFile} AND date < t.first), t.first)
            AND date <= COALESCE(
              (SELECT MIN(date) FROM attribution_file_days WHERE ${ofFile} AND date > t.last), t.last)
         OFFSET 0
        ) d
        UNION ALL
       SELECT org_id, policy_id, project_id, file_key, date, 0, CASE WHEN added THEN 1 ELSE -1 END FROM levels
     ), days AS (
       SELECT org_id, policy_id, project_id, file_key, date, SUM(before) AS before, SUM(after) AS after
         FROM rows
        GROUP BY 1, 2, 3, 4, 5
     ), gaps AS (
       SELECT *, ${previous('before')} AS previous_before, ${previous('after')} AS previous_after FROM days
     ), written AS (
       INSERT INTO attribution_file_gaps (org_id, policy_id, project_id, date, previous, files)
       SELECT org_id, policy_id, project_id, date, COALESCE(previous, '-infinity'), SUM(files)
         FROM (
           SELECT org_id, policy_id, project_id, date, previous_before AS previous, -1 AS files
             FROM gaps WHERE before > 0
            UNION ALL
           SELECT org_id, policy_id, project_id, date, previous_after, 1 FROM gaps WHERE after > 0
         ) g
        GROUP BY 1, 2, 3, 4, 5
       HAVING SUM(files) <> 0
           ON CONFLICT (org_id, policy_id, project_id, date, previous)
           DO UPDATE SET files = attribution_file_gaps.files + EXCLUDED.files
       RETURNING org_id, policy_id, project_id, date::text AS date, previous::text AS previous, files
     )
     SELECT org_id, policy_id, project_id, date, previous FROM written WHERE files = 0`,
    [JSON.stringify(changes)],
  );
  if (emptied.length === 0) return;
  await tx.query(
    `DELETE FROM attribution_file_gaps g
      USING jsonb_to_recordset($1::jsonb)
         AS r(org_id text, policy_id text, project_id text, date date, previous date)
      WHERE (g.org_id, g.policy_id, g.project_id, g.date, g.previous)
          = (r.org_id, r.policy_id, r.project_id, r.date, r.previous)`,
    [JSON.stringify(emptied)],
  );
}

/**
 * Brings the daily rows of the given keys, and what is summed beside them, up to what the results and sessions say:
 * daily = the sum of those that count, always.
 *
 * @param keys each once
 * @param tx holds the locks of `lockDaily`: sums of projects and of the organisation change by what is other in the rows
 *   of persons
 */
export async function recomputeDaily(tx: Queryable, keys: readonly DailyKey[]): Promise<void> {
  await writeFiles(tx, await writeSums(tx, keys));
}
