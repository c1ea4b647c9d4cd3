import type { Queryable } from '@lineprint/persistence';

/** How many commits each policy has judged. */
export async function judgedCommits(queryable: Queryable, orgId: string): Promise<Map<string, number>> {
  const rows = await queryable.query<{ policy_id: string; commits: number }>(
    'SELECT policy_id, COUNT(*) AS commits FROM commit_verdicts WHERE org_id = $1 GROUP BY policy_id',
    [orgId],
  );
  return new Map(rows.map((row) => [row.policy_id, row.commits]));
}

export interface PolicyReplay {
  readonly id: string;
  readonly status: string;
}

/** The replay of each policy: of several the one that works, else the newest. */
export async function policyReplays(queryable: Queryable, orgId: string): Promise<Map<string, PolicyReplay>> {
  const rows = await queryable.query<{ policy_id: string; replay_id: string; status: string }>(
    `SELECT DISTINCT ON (policy_id) policy_id, replay_id, status FROM replays WHERE org_id = $1
     ORDER BY policy_id, status IN ('running', 'paused', 'following') DESC, created_at DESC`,
    [orgId],
  );
  return new Map(rows.map((row) => [row.policy_id, { id: row.replay_id, status: row.status }]));
}
