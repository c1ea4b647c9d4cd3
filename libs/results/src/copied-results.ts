import type { CopiedRange } from '@lineprint/contracts';
import type { Queryable, Row } from '@lineprint/persistence';
import { ratioOf } from './attribution-rows';
import { type JudgedLine, loadFileVerdicts, type PolicyPlace } from './file-verdicts';
import { type DailyKey, insertResults, type ResultRow } from './results.queries';

/** That a commit has lines of which another one is the original. */
export interface CopyRow {
  readonly org_id: string;
  readonly policy_id: string;
  readonly repository: string;
  readonly from_commit: string;
  readonly commit_sha: string;
  readonly day: string;
  readonly commit_timestamp: string;
}

const OF_POLICY = 'org_id = $1 AND policy_id = $2 AND repository = $3';
const placeOf = ({ orgId, policyId, repository }: PolicyPlace) => [orgId, policyId, repository];

export async function insertCopies(tx: Queryable, rows: readonly CopyRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO commit_copies (org_id, policy_id, repository, from_commit, commit_sha, day, commit_timestamp)
     SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(org_id text, policy_id text, repository text,
            from_commit text, commit_sha text, day date, commit_timestamp timestamptz)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(rows)],
  );
}

/** Of the commits given, those that others copy lines of. */
export async function copiesOfOriginals(
  queryable: Queryable,
  place: PolicyPlace,
  shas: readonly string[],
): Promise<string[]> {
  const rows = await queryable.query<{ sha: string }>(
    `SELECT DISTINCT from_commit AS sha FROM commit_copies WHERE ${OF_POLICY} AND from_commit = ANY ($4::text[])`,
    [...placeOf(place), shas],
  );
  return rows.map(({ sha }) => sha);
}

/** The commits that copy lines of those given. */
export async function copiesOf(
  queryable: Queryable,
  place: PolicyPlace,
  shas: readonly string[],
): Promise<string[]> {
  const rows = await queryable.query<{ sha: string }>(
    `SELECT DISTINCT commit_sha AS sha FROM commit_copies WHERE ${OF_POLICY} AND from_commit = ANY ($4::text[])`,
    [...placeOf(place), shas],
  );
  return rows.map(({ sha }) => sha);
}

/** The commits that those given copy lines of. */
export async function originalsOfCopies(
  queryable: Queryable,
  place: PolicyPlace,
  shas: readonly string[],
): Promise<string[]> {
  const rows = await queryable.query<{ sha: string }>(
    `SELECT DISTINCT from_commit AS sha FROM commit_copies WHERE ${OF_POLICY} AND commit_sha = ANY ($4::text[])`,
    [...placeOf(place), shas],
  );
  return rows.map(({ sha }) => sha);
}

interface CopyFile extends Row {
  from_commit: string;
  commit_sha: string;
  user_id: string;
  project_id: string;
  day: string;
  commit_timestamp: Date;
  file_path: string;
  language: string;
  inherited: CopiedRange[];
}

/**
 * Lets the lines of commits that do not count do so in the commits that copy them and count: each line in the oldest of
 * those (by the committer's clock, then by id), as what it is in its original. Where the original counts, no copy does.
 *
 * @param originals whatever has changed of them or of their copies
 * @returns the days of rows that are gone or new
 */
export async function settleCopies(
  tx: Queryable,
  place: PolicyPlace,
  originals: readonly string[],
): Promise<DailyKey[]> {
  if (originals.length === 0) return [];
  const days = (await tx.query(
    `DELETE FROM ai_attribution_results WHERE ${OF_POLICY} AND copied_from <> '' AND copied_from = ANY ($4::text[])
     RETURNING org_id, policy_id, day::text AS date, user_id, project_id`,
    [...placeOf(place), originals],
  )) as unknown as DailyKey[];
  const copies = await tx.query<CopyFile>(
    `SELECT k.from_commit, k.commit_sha, c.user_id, c.project_id, k.day::text AS day, k.commit_timestamp,
            f.file_path, f.language, f.inherited
       FROM (SELECT * FROM commit_copies WHERE ${OF_POLICY} AND from_commit = ANY ($4::text[]) OFFSET 0) k
      CROSS JOIN LATERAL (
        SELECT 1 FROM commits WHERE org_id = $1 AND repository = $3 AND sha = k.from_commit AND NOT counted OFFSET 0
      ) original
      CROSS JOIN LATERAL (
        SELECT user_id, project_id, committed_at FROM commits
        WHERE org_id = $1 AND repository = $3 AND sha = k.commit_sha AND counted OFFSET 0
      ) c
      CROSS JOIN LATERAL (
        SELECT file_path, language, inherited FROM commit_files
        WHERE ${OF_POLICY} AND commit_sha = k.commit_sha
          AND inherited @> jsonb_build_array(jsonb_build_object('fromCommit', k.from_commit)) OFFSET 0
      ) f
      ORDER BY c.committed_at, k.commit_sha COLLATE "C", f.file_path COLLATE "C"`,
    [...placeOf(place), originals],
  );
  if (copies.length === 0) return days;
  const originalOf = ({ from_commit, file_path }: CopyFile) => ({ commit: from_commit, path: file_path });
  const verdictOn = await loadFileVerdicts(tx, place, copies.map(originalOf));
  const taken = new Set<string>();
  const rows = copies.flatMap((copy) => {
    const original = verdictOn(originalOf(copy));
    return original ? copiedRows(place, copy, original.lines, taken) : [];
  });
  await insertResults(tx, rows);
  const added = rows.map(({ day, ...row }) => ({
    org_id: row.org_id,
    policy_id: row.policy_id,
    date: day,
    user_id: row.user_id,
    project_id: row.project_id,
  }));
  return [...days, ...added];
}

const COUNT_OF = { P: 'ai_preserved_lines', M: 'ai_modified_lines', H: 'human_new_lines' } as const;

function copiedRows(
  { orgId, policyId, repository }: PolicyPlace,
  copy: CopyFile,
  original: ReadonlyMap<number, JudgedLine>,
  taken: Set<string>,
): ResultRow[] {
  type Counts = Record<(typeof COUNT_OF)[keyof typeof COUNT_OF] | 'suspect_lines', number>;
  const counts = new Map<JudgedLine['result'], Counts>();
  for (const { start: _, count, fromCommit, fromLine } of copy.inherited) {
    if (fromCommit !== copy.from_commit || fromLine === undefined) continue;
    for (let number = fromLine; number < fromLine + count; number++) {
      const line = original.get(number);
      const key = `${fromCommit} ${number} ${copy.file_path}`;
      if (!line || taken.has(key)) continue;
      taken.add(key);
      let own = counts.get(line.result);
      if (!own) {
        own = { ai_preserved_lines: 0, ai_modified_lines: 0, human_new_lines: 0, suspect_lines: 0 };
        counts.set(line.result, own);
      }
      own[COUNT_OF[line.kind]] += 1;
      if (line.kind === 'H' && line.result.confidence === 'SUSPECT') own.suspect_lines += 1;
    }
  }
  return [...counts].map(([result, lines]) => {
    const { ai_preserved_lines, ai_modified_lines, human_new_lines } = lines;
    return {
      ...result,
      ...lines,
      org_id: orgId,
      policy_id: policyId,
      repository,
      commit_sha: copy.commit_sha,
      file_path: copy.file_path,
      user_id: copy.user_id,
      project_id: copy.project_id,
      language: copy.language,
      day: copy.day,
      commit_timestamp: copy.commit_timestamp.toISOString(),
      total_lines: ai_preserved_lines + ai_modified_lines + human_new_lines,
      ai_ratio: ratioOf({
        preserved: ai_preserved_lines,
        modified: ai_modified_lines,
        human: human_new_lines,
      }),
      copied_from: copy.from_commit,
      counted: true,
    };
  });
}
