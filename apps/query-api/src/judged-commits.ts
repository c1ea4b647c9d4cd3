/**
 * SQL that is true of a commit that a policy has judged: what another policy alone has seen is not there under this
 * one. The organisation is `$1`. `OFFSET 0` keeps it a look-up by key: PGlite, which has no statistics, would join
 * each commit with all verdicts.
 */
export function isJudged(policy: string, repository: string, sha: string): string {
  return `EXISTS (
      SELECT 1 FROM commit_verdicts v
      WHERE v.org_id = $1 AND v.policy_id = ${policy} AND v.repository = ${repository} AND v.commit_sha = ${sha}
      OFFSET 0)`;
}
