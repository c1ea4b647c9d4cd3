import type { Queryable, Row } from '@lineprint/persistence';
import type { DailyKey } from './results.queries';

const KEYS = `keys AS (
       SELECT * FROM jsonb_to_recordset($1::jsonb)
         AS k(org_id text, policy_id text, date date, user_id text, project_id text)
     )`;

/** A table of sums, of a person in a project, and of those of everybody in it, and in the organisation. */
interface Rollup {
  readonly table: string;
  /** Columns of its key beside those of a daily row. */
  readonly parts: readonly string[];
  readonly sums: readonly string[];
  /** Names the sums that are all 0 in a row that is not there. */
  readonly present: readonly string[];
  /** SQL that selects parts and sums, in this order, for each of `keys` as `k`, with its columns in front. */
  readonly source: string;
}

const resultsOf = (columns: string) => `
      SELECT ${columns} FROM ai_attribution_results
       WHERE org_id = k.org_id AND policy_id = k.policy_id AND day = k.date AND user_id = k.user_id
         AND project_id = k.project_id`;
const KEY_COLUMNS = 'org_id, policy_id, user_id, project_id, date';
const OF_KEY = KEY_COLUMNS.replace(/\w+/g, 'k.$&');

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
  source: `
    SELECT ${OF_KEY}, r.*
      FROM keys k
     CROSS JOIN LATERAL (${resultsOf(`
             counted, repository, language, COALESCE(match_source, '') AS source, COALESCE(model, '') AS model,
             evidence, confidence, SUM(total_lines), SUM(ai_preserved_lines), SUM(ai_modified_lines),
             SUM(human_new_lines), SUM(suspect_lines),
             COALESCE(SUM(ai_preserved_lines + ai_modified_lines)
               FILTER (WHERE minhash_similarity IS NOT NULL), 0),
             COALESCE(SUM(minhash_similarity * (ai_preserved_lines + ai_modified_lines)), 0)`)}
       GROUP BY 1, 2, 3, 4, 5, 6, 7
      HAVING SUM(total_lines) > 0
     ) r`,
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
  source: `
    SELECT ${OF_KEY}, r.commits, r.provisional, s.sessions, s.shown, s.accepted, s.edits, s.tasks, s.checks,
           s.similarity
      FROM keys k
     CROSS JOIN LATERAL (${resultsOf(`
             COUNT(DISTINCT (repository, commit_sha)) FILTER (WHERE counted) AS commits,
             COUNT(DISTINCT (repository, commit_sha)) FILTER (WHERE NOT counted) AS provisional`)}
     ) r
     CROSS JOIN LATERAL (
      SELECT COUNT(*) AS sessions, COALESCE(SUM(tab_suggestions_shown), 0) AS shown,
             COALESCE(SUM(tab_suggestions_accepted), 0) AS accepted, COALESCE(SUM(chat_edits), 0) AS edits,
             COALESCE(SUM(agent_tasks), 0) AS tasks, COALESCE(SUM(survived.checks), 0) AS checks,
             COALESCE(SUM(survived.similarity), 0) AS similarity
        FROM activity_sessions a
       CROSS JOIN LATERAL (
        SELECT SUM(checks) AS checks, SUM(checks * word_similarity) AS similarity
          FROM session_survival
         WHERE org_id = a.org_id AND session_id = a.session_id
       ) survived
       WHERE a.org_id = k.org_id AND a.day = k.date AND a.user_id = k.user_id AND a.project_id = k.project_id
     ) s
     WHERE r.commits > 0 OR r.provisional > 0 OR s.sessions > 0`,
};

/** Adds rows of persons, as `changed` has them, to the sums that they are in, or with the sign `-` takes them away. */
function sumUp({ table, parts, sums }: Rollup, sign: '' | '-'): string {
  // The organisation's sums are not parted by repository, of which it may have thousands.
  const partsOf = parts.map((part) => (part === 'repository' ? 'l.repository' : part));
  const key = ['org_id', 'policy_id', 'user_id', 'project_id', 'date', ...parts].join(', ');
  const [repository, none] = parts.includes('repository') ? [', repository', ", ''"] : ['', ''];
  return `
    INSERT INTO ${table} (${key}, ${sums.join(', ')})
    SELECT org_id, policy_id, '', l.project_id, date, ${[...partsOf, ...sums.map((sum) => `${sign}SUM(${sum})`)].join(', ')}
      FROM changed c
     CROSS JOIN LATERAL (VALUES (c.project_id${repository}), (''${none})) AS l (project_id${repository})
     GROUP BY ${['org_id', 'policy_id', 'l.project_id', 'date', ...partsOf].join(', ')}
        ON CONFLICT (${key})
        DO UPDATE SET ${sums.map((sum) => `${sum} = ${table}.${sum} + EXCLUDED.${sum}`).join(', ')}`;
}

async function recompute(tx: Queryable, rollup: Rollup, keys: readonly DailyKey[]): Promise<void> {
  const { table, parts, sums, present, source } = rollup;
  const params = [JSON.stringify(keys)];
  await tx.query(
    `WITH ${KEYS}, changed AS (
       DELETE FROM ${table} t USING keys k
        WHERE (t.org_id, t.policy_id, t.user_id, t.project_id, t.date) = (${OF_KEY})
       RETURNING t.*
     ) ${sumUp(rollup, '-')}`,
    params,
  );
  await tx.query(
    `WITH ${KEYS}, changed AS (
       INSERT INTO ${table} (${[KEY_COLUMNS, ...parts, ...sums].join(', ')}) ${source}
       RETURNING *
     ) ${sumUp(rollup, '')}`,
    params,
  );
  await tx.query(
    `WITH ${KEYS}, sums AS (
       SELECT DISTINCT k.org_id, k.policy_id, l.project_id, k.date
         FROM keys k CROSS JOIN LATERAL (VALUES (k.project_id), ('')) AS l (project_id)
     )
     DELETE FROM ${table} t USING sums s
      WHERE (t.org_id, t.policy_id, t.user_id, t.project_id, t.date)
          = (s.org_id, s.policy_id, '', s.project_id, s.date)
        AND ${present.map((sum) => `t.${sum} = 0`).join(' AND ')}`,
    params,
  );
}

interface FileChange extends Row {
  readonly org_id: string;
  readonly policy_id: string;
  readonly date: string;
  readonly user_id: string;
  readonly project_id: string;
  readonly file_key: string;
  readonly added: boolean;
}

const FILE_COLUMNS = `${KEY_COLUMNS}, file_key`;
/** Files by a hash of their names: they come often, and names are long. */
const FILE_KEY = 'md5(jsonb_build_array(repository, file_path)::text)::uuid';

/** What is other in the files with AI lines that count than is stored. */
async function fileChanges(tx: Queryable, keys: readonly DailyKey[]): Promise<FileChange[]> {
  return tx.query<FileChange>(
    `WITH ${KEYS}, stored AS (
       SELECT ${OF_KEY}, f.file_key
         FROM keys k
        CROSS JOIN LATERAL (
         SELECT file_key FROM attribution_file_days
          WHERE org_id = k.org_id AND policy_id = k.policy_id AND user_id = k.user_id AND date = k.date
            AND project_id = k.project_id OFFSET 0
        ) f
     ), expected AS (
       SELECT DISTINCT ${OF_KEY}, f.file_key
         FROM keys k
        CROSS JOIN LATERAL (${resultsOf(`${FILE_KEY} AS file_key`)}
            AND counted AND ai_preserved_lines + ai_modified_lines > 0 OFFSET 0
        ) f
     )
     SELECT *, TRUE AS added FROM (SELECT * FROM expected EXCEPT SELECT * FROM stored) e
     UNION ALL
     SELECT *, FALSE AS added FROM (SELECT * FROM stored EXCEPT SELECT * FROM expected) s`,
    [JSON.stringify(keys)],
  );
}

const CHANGES = `jsonb_to_recordset($1::jsonb)
         AS c(org_id text, policy_id text, date date, user_id text, project_id text, file_key uuid, added boolean)`;

interface Gap extends Row {
  readonly org_id: string;
  readonly policy_id: string;
  readonly project_id: string;
  readonly date: string;
  /** The day before with AI lines in the same file; `-infinity` where there is none. */
  readonly previous: string;
  readonly files: number;
}

/** How many of the files that change have which gaps: from their first day that changes to the one after their last. */
async function gapsOf(tx: Queryable, changes: readonly FileChange[]): Promise<Gap[]> {
  const ofFile = `org_id = t.org_id AND policy_id = t.policy_id AND file_key = t.file_key
              AND (t.project_id = '' OR project_id = t.project_id)`;
  return tx.query<Gap>(
    `WITH touched AS (
       SELECT c.org_id, c.policy_id, l.project_id, c.file_key, MIN(c.date) AS first, MAX(c.date) AS last
         FROM ${CHANGES}
        CROSS JOIN LATERAL (VALUES (c.project_id), ('')) AS l (project_id)
        GROUP BY 1, 2, 3, 4
     ), days AS (
       SELECT t.*, d.date, LAG(d.date) OVER (
                PARTITION BY t.org_id, t.policy_id, t.project_id, t.file_key ORDER BY d.date
              ) AS previous
         FROM touched t
        CROSS JOIN LATERAL (
         SELECT DISTINCT date FROM attribution_file_days
          WHERE ${ofFile}
            AND date >= COALESCE(
              (SELECT MAX(date) FROM attribution_file_days WHERE ${ofFile} AND date < t.first), t.first)
            AND date <= COALESCE(
              (SELECT MIN(date) FROM attribution_file_days WHERE ${ofFile} AND date > t.last), t.last)
         OFFSET 0
        ) d
     )
     SELECT org_id, policy_id, project_id, date::text AS date,
            COALESCE(previous::text, '-infinity') AS previous, COUNT(*) AS files
       FROM days WHERE date >= first
      GROUP BY 1, 2, 3, 4, 5`,
    [JSON.stringify(changes)],
  );
}

/** What is other in the counts of gaps, where it is. */
function differenceOf(before: readonly Gap[], after: readonly Gap[]): Gap[] {
  const counts = new Map<string, Gap>();
  for (const [gaps, times] of [
    [before, -1],
    [after, 1],
  ] as const) {
    for (const { files, ...gap } of gaps) {
      const key = JSON.stringify(Object.values(gap));
      counts.set(key, { ...gap, files: (counts.get(key)?.files ?? 0) + times * files } as Gap);
    }
  }
  return [...counts.values()].filter(({ files }) => files !== 0);
}

async function addGaps(tx: Queryable, gaps: readonly Gap[]): Promise<void> {
  const rows = `jsonb_to_recordset($1::jsonb)
         AS r(org_id text, policy_id text, project_id text, date date, previous date, files int)`;
  const params = [JSON.stringify(gaps)];
  await tx.query(
    `INSERT INTO attribution_file_gaps (org_id, policy_id, project_id, date, previous, files)
     SELECT org_id, policy_id, project_id, date, previous, files FROM ${rows}
         ON CONFLICT (org_id, policy_id, project_id, date, previous)
         DO UPDATE SET files = attribution_file_gaps.files + EXCLUDED.files`,
    params,
  );
  await tx.query(
    `DELETE FROM attribution_file_gaps g USING ${rows}
      WHERE (g.org_id, g.policy_id, g.project_id, g.date, g.previous)
          = (r.org_id, r.policy_id, r.project_id, r.date, r.previous) AND g.files = 0`,
    params,
  );
}

async function recomputeFiles(tx: Queryable, keys: readonly DailyKey[]): Promise<void> {
  const changes = await fileChanges(tx, keys);
  if (changes.length === 0) return;
  const before = await gapsOf(tx, changes);
  const params = [JSON.stringify(changes)];
  await tx.query(
    `DELETE FROM attribution_file_days f USING ${CHANGES}
      WHERE NOT c.added
        AND (f.org_id, f.policy_id, f.user_id, f.date, f.project_id, f.file_key)
          = (c.org_id, c.policy_id, c.user_id, c.date, c.project_id, c.file_key)`,
    params,
  );
  await tx.query(
    `INSERT INTO attribution_file_days (${FILE_COLUMNS})
     SELECT ${FILE_COLUMNS} FROM ${CHANGES} WHERE c.added`,
    params,
  );
  await addGaps(tx, differenceOf(before, await gapsOf(tx, changes)));
}

/**
 * Brings what is summed beside the daily rows of the given keys up to what results and sessions say.
 *
 * @param tx holds the locks of `lockDaily`: sums of projects and of the organisation change by what is other in the rows
 *   of persons
 */
export async function recomputeRollups(tx: Queryable, keys: readonly DailyKey[]): Promise<void> {
  await recompute(tx, CELLS, keys);
  await recompute(tx, DAYS, keys);
  await recomputeFiles(tx, keys);
}
