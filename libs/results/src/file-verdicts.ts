import type { CopiedRange, InheritedRange, LineKind, LineRange } from '@lineprint/contracts';
import type { Queryable, RepositoryPlace, Row } from '@lineprint/persistence';
import type { ResultRow } from './results.queries';

/** A repository as one policy judges it. */
export interface PolicyPlace extends RepositoryPlace {
  readonly policyId: string;
}

/** A file of a commit. */
export interface CommitFileName {
  readonly commit: string;
  readonly path: string;
}

/** What a row of results says of its lines. */
export type Judgement = Pick<
  ResultRow,
  | 'ordinal'
  | 'matched_code_id'
  | 'match_source'
  | 'model'
  | 'evidence'
  | 'minhash_similarity'
  | 'evidence_bits'
  | 'confidence'
>;

/** What a line is that a commit added. Lines of one result share it. */
export interface JudgedLine {
  readonly kind: LineKind;
  readonly result: Judgement;
}

/** What a policy says of the lines that a commit added to a file. */
export interface FileVerdict {
  readonly language: string;
  /** Why the file does not count, if so. */
  readonly excluded: string | null;
  /** By their numbers in the commit's file, from 0. */
  readonly lines: ReadonlyMap<number, JudgedLine>;
  readonly inherited: readonly (InheritedRange | CopiedRange)[];
}

interface FileColumns extends Row {
  commit_sha: string;
  file_path: string;
  language: string;
  excluded: string | null;
  lines: LineRange[];
  inherited: (InheritedRange | CopiedRange)[];
  results: Judgement[];
}

const OF_POLICY = 'org_id = $1 AND policy_id = $2 AND repository = $3';

/**
 * What a policy says of files of commits; nothing of files that it has not judged, or that have no lines.
 */
export async function loadFileVerdicts(
  queryable: Queryable,
  { orgId, policyId, repository }: PolicyPlace,
  files: readonly CommitFileName[],
): Promise<(file: CommitFileName) => FileVerdict | undefined> {
  const key = ({ commit, path }: CommitFileName) => `${commit} ${path}`;
  const asked = [...new Map(files.map((file) => [key(file), file])).values()];
  if (asked.length === 0) return () => undefined;
  const rows = await queryable.query<FileColumns>(
    `SELECT f.*,
            (SELECT COALESCE(jsonb_agg(to_jsonb(r)), '[]') FROM (
               SELECT ordinal, matched_code_id, match_source, model, evidence, minhash_similarity,
                      evidence_bits::numeric AS evidence_bits, confidence
                 FROM ai_attribution_results
                WHERE ${OF_POLICY} AND commit_sha = f.commit_sha AND file_path = f.file_path AND copied_from = ''
             ) r) AS results
       FROM UNNEST($4::text[], $5::text[]) AS asked (sha, path)
      CROSS JOIN LATERAL (
        SELECT commit_sha, file_path, language, excluded, lines, inherited FROM commit_files
        WHERE ${OF_POLICY} AND commit_sha = asked.sha AND file_path = asked.path OFFSET 0
      ) f`,
    [orgId, policyId, repository, asked.map(({ commit }) => commit), asked.map(({ path }) => path)],
  );
  const verdicts = new Map(
    rows.map((row) => [key({ commit: row.commit_sha, path: row.file_path }), fileVerdict(row)]),
  );
  return (file) => verdicts.get(key(file));
}

function fileVerdict({ language, excluded, lines, inherited, results }: FileColumns): FileVerdict {
  const byOrdinal = new Map(results.map((result) => [result.ordinal, result]));
  const judged = new Map<number, JudgedLine>();
  for (const { start, count, kind, result } of lines) {
    const line = { kind, result: byOrdinal.get(result)! };
    for (let number = start; number < start + count; number++) judged.set(number, line);
  }
  return { language, excluded, lines: judged, inherited };
}
