import type { Queryable } from './database';
import type { LedgerPlace } from './line-ledger';

/** Lines of a file at a ref's tip that share an origin, as a policy has it. */
export interface HeadFileRow {
  readonly path: string;
  readonly ordinal: number;
  readonly projectId: string;
  readonly language: string;
  /** P kept from AI, M changed from AI, H human, U of unknown origin. */
  readonly kind: 'P' | 'M' | 'H' | 'U';
  readonly source: string | null;
  readonly model: string | null;
  readonly evidence: string | null;
  readonly confidence: string | null;
  readonly userId: string | null;
  readonly lines: number;
}

/** Lines of one commit and kind that came to a ref's tip and left it together. */
export interface LifeLinesRow {
  readonly projectId: string;
  readonly originCommit: string;
  readonly language: string;
  readonly kind: 'P' | 'M' | 'H';
  readonly source: string | null;
  readonly model: string | null;
  readonly userId: string;
  readonly bornAt: Date;
  readonly diedAt: Date | null;
  readonly lines: number;
}

const OF_REF = 'org_id = $1 AND policy_id = $2 AND repository = $3 AND ref = $4';
const placeOf = ({ orgId, repository, ref }: LedgerPlace, policyId: string) => [
  orgId,
  policyId,
  repository,
  ref,
];

/** Puts what a policy says of files at a ref's tip in the place of what it said. */
export async function replaceHeadFileLines(
  tx: Queryable,
  place: LedgerPlace,
  policyId: string,
  paths: readonly string[],
  rows: readonly HeadFileRow[],
): Promise<void> {
  await tx.query(`DELETE FROM head_file_lines WHERE ${OF_REF} AND path = ANY ($5::text[])`, [
    ...placeOf(place, policyId),
    paths,
  ]);
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO head_file_lines (org_id, policy_id, repository, ref, path, ordinal, project_id, language, kind, source,
                                  model, evidence, confidence, user_id, lines)
     SELECT $1, $2, $3, $4, r.*
       FROM UNNEST($5::text[], $6::int[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
                   $13::text[], $14::text[], $15::int[]) r`,
    [
      ...placeOf(place, policyId),
      rows.map(({ path }) => path),
      rows.map(({ ordinal }) => ordinal),
      rows.map(({ projectId }) => projectId),
      rows.map(({ language }) => language),
      rows.map(({ kind }) => kind),
      rows.map(({ source }) => source),
      rows.map(({ model }) => model),
      rows.map(({ evidence }) => evidence),
      rows.map(({ confidence }) => confidence),
      rows.map(({ userId }) => userId),
      rows.map(({ lines }) => lines),
    ],
  );
}

/** Puts what a policy says of the lives of commits' lines in the place of what it said. */
export async function replaceLifeLines(
  tx: Queryable,
  place: LedgerPlace,
  policyId: string,
  originCommits: readonly string[],
  rows: readonly LifeLinesRow[],
): Promise<void> {
  await tx.query(
    `DELETE FROM life_lines l USING UNNEST($5::text[]) AS asked (sha)
      WHERE l.org_id = $1 AND l.policy_id = $2 AND l.repository = $3 AND l.ref = $4 AND l.origin_commit = asked.sha`,
    [...placeOf(place, policyId), originCommits],
  );
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO life_lines (org_id, policy_id, repository, ref, project_id, origin_commit, language, kind, source, model,
                             user_id, born_at, died_at, lines)
     SELECT $1, $2, $3, $4, r.*
       FROM UNNEST($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
                   $12::timestamptz[], $13::timestamptz[], $14::int[]) r`,
    [
      ...placeOf(place, policyId),
      rows.map(({ projectId }) => projectId),
      rows.map(({ originCommit }) => originCommit),
      rows.map(({ language }) => language),
      rows.map(({ kind }) => kind),
      rows.map(({ source }) => source),
      rows.map(({ model }) => model),
      rows.map(({ userId }) => userId),
      rows.map(({ bornAt }) => bornAt),
      rows.map(({ diedAt }) => diedAt),
      rows.map(({ lines }) => lines),
    ],
  );
}
