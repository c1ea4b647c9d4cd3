import type { CopiedRange } from '@lineprint/contracts';
import type { Queryable } from '@lineprint/persistence';
import {
  type CommitFileName,
  type FileVerdict,
  type JudgedLine,
  loadFileVerdicts,
  type PolicyPlace,
} from './file-verdicts';

/** What a policy says of the lines that a commit added to a file, wherever they stand today. */
export interface OriginLabels {
  /** Whose the commit is; null where it is not known. */
  readonly userId: string | null;
  /** Null where the policy has not judged the file. */
  readonly language: string | null;
  /**
   * @param line its number in the commit's file, from 0
   * @returns `uncounted` where it is blank, or the file did not count; `unknown` where the policy has not judged it
   */
  readonly label: (line: number) => JudgedLine | 'uncounted' | 'unknown';
}

const UNJUDGED: OriginLabels = { userId: null, language: null, label: () => 'unknown' };

/**
 * Labels lines by the verdict on the commit that added them. A line that was copied from another line of history is
 * what it is there, and its copy's author's.
 */
export async function loadLineLabels(
  queryable: Queryable,
  place: PolicyPlace,
  origins: readonly CommitFileName[],
): Promise<(origin: CommitFileName) => OriginLabels> {
  if (origins.length === 0) return () => UNJUDGED;
  const verdictOn = await loadFileVerdicts(queryable, place, origins);
  const copied = origins.flatMap((origin) =>
    copiesIn(verdictOn(origin)).map(({ fromCommit }) => ({ commit: fromCommit, path: origin.path })),
  );
  const originalOn = await loadFileVerdicts(queryable, place, copied);
  const users = await loadUsers(queryable, place, [...new Set(origins.map(({ commit }) => commit))]);
  const labels = new Map<string, OriginLabels>();
  for (const origin of origins) {
    const key = originKey(origin);
    if (labels.has(key)) continue;
    const userId = users.get(origin.commit) ?? null;
    const verdict = verdictOn(origin);
    if (!verdict) labels.set(key, { ...UNJUDGED, userId });
    else {
      const label = verdict.excluded === null ? labelsIn(origin, verdict, originalOn) : uncounted;
      labels.set(key, { userId, language: verdict.language, label });
    }
  }
  return (origin) => labels.get(originKey(origin)) ?? UNJUDGED;
}

const originKey = ({ commit, path }: CommitFileName) => `${commit} ${path}`;

const uncounted = () => 'uncounted' as const;

function labelsIn(
  { path }: CommitFileName,
  { lines, inherited }: FileVerdict,
  originalOn: (file: CommitFileName) => FileVerdict | undefined,
): OriginLabels['label'] {
  // Lines that moved here have their origin elsewhere: where lineage does not know it, nobody does.
  const others = new Map<number, JudgedLine | 'unknown'>();
  for (const range of inherited) {
    const original = range.how === 'copied' ? originalOn({ commit: range.fromCommit, path }) : undefined;
    for (let i = 0; i < range.count; i++) {
      const from = range.fromLine === undefined ? undefined : original?.lines.get(range.fromLine + i);
      others.set(range.start + i, from ?? 'unknown');
    }
  }
  return (line) => lines.get(line) ?? others.get(line) ?? 'uncounted';
}

function copiesIn(verdict: FileVerdict | undefined): CopiedRange[] {
  return (verdict?.inherited ?? []).flatMap((range) => (range.how === 'copied' ? [range] : []));
}

async function loadUsers(
  queryable: Queryable,
  { orgId, repository }: PolicyPlace,
  shas: readonly string[],
): Promise<Map<string, string>> {
  const rows = await queryable.query<{ sha: string; user_id: string }>(
    `SELECT c.* FROM UNNEST($3::text[]) AS asked (sha)
      CROSS JOIN LATERAL (
        SELECT sha, user_id FROM commits WHERE org_id = $1 AND repository = $2 AND sha = asked.sha OFFSET 0
      ) c`,
    [orgId, repository, shas],
  );
  return new Map(rows.map(({ sha, user_id }) => [sha, user_id]));
}
