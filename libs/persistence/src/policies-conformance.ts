import { randomUUID } from 'node:crypto';
import { DEFAULT_POLICY } from '@lineprint/contracts';
import type { Database } from './database';
import {
  activePolicy,
  createPolicy,
  droppedPolicies,
  ensureFirstPolicy,
  findPolicy,
  listPolicies,
  livePolicy,
} from './policies';
import { activatePolicy, policyActivations } from './policy-activation';
import { dropPolicy } from './policy-removal';
import { createReplay, finishReplay, prepareReplay } from './replays';
import { ensureTenant } from './tenants';

const strict = { ...DEFAULT_POLICY, id: 'strict' };
const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

/** What policies do on every adapter. */
export function policiesConformance(database: () => Database): void {
  let orgId: string;
  beforeEach(async () => {
    orgId = `org-${randomUUID()}`;
    await ensureTenant(database(), { orgId, name: orgId });
  });

  const ids = async () => (await listPolicies(database(), orgId)).map(({ policy }) => policy.id);
  /** As if a worker had caught up. */
  async function follow(policyId: string): Promise<void> {
    const replay = await createReplay(database(), { orgId, policyId, topic: 'candidates' });
    await prepareReplay(database(), replay.id, 'judge', [0], [0]);
    await database().transaction((tx) => finishReplay(tx, replay));
  }
  /** One row in every table that has rows of a policy. */
  async function judge(policyId: string, commits: number): Promise<void> {
    const rows = (statement: string) => database().query(statement, [orgId, policyId, commits]);
    const shas = `FROM generate_series(1, $3::int) n`;
    await rows(`INSERT INTO commit_verdicts (org_id, policy_id, repository, commit_sha)
      SELECT $1, $2, 'engine', n::text ${shas}`);
    await rows(`INSERT INTO judged_commits (org_id, policy_id, repository, position, commit_sha, parents, committed_at,
        removed_lines, code_ids, uses)
      SELECT $1, $2, 'engine', n, n::text, '{}', NOW(), '', '{}', '' ${shas}`);
    await rows(`INSERT INTO commit_files (org_id, policy_id, repository, commit_sha, file_path, status, language,
        added_lines, deleted_lines, blank_lines, lines)
      SELECT $1, $2, 'engine', n::text, 'a.ts', 'added', 'typescript', 1, 0, 0, '[]' ${shas}`);
    await rows(`INSERT INTO ai_attribution_results (org_id, policy_id, repository, commit_sha, file_path, user_id,
        project_id, ordinal, language, evidence, confidence, total_lines, ai_preserved_lines, ai_modified_lines,
        human_new_lines, ai_ratio, day, commit_timestamp)
      SELECT $1, $2, 'engine', n::text, 'a.ts', 'ada', 'engine', 0, 'typescript', 'none', 'UNIQUE', 1, 0, 0, 1, 0,
        '2026-03-01', NOW() ${shas}`);
    await rows(`INSERT INTO commit_copies (org_id, policy_id, repository, from_commit, commit_sha, day, commit_timestamp)
      SELECT $1, $2, 'engine', 'original', n::text, '2026-03-01', NOW() ${shas}`);
    await rows(`INSERT INTO ai_attribution_daily (org_id, policy_id, date, user_id, project_id)
      SELECT $1, $2, '2026-03-01', n::text, 'engine' ${shas}`);
    await rows(`INSERT INTO attribution_cells
      SELECT $1, $2, n::text, 'engine', '2026-03-01', TRUE, 'engine', 'typescript', '', '', 'none', 'UNIQUE', 1, 0, 0,
        1, 0, 0, 0 ${shas}`);
    await rows(`INSERT INTO attribution_days
      SELECT $1, $2, n::text, 'engine', '2026-03-01', 1, 0, 0, 0, 0, 0, 0, 0, 0 ${shas}`);
    await rows(`INSERT INTO attribution_file_days
      SELECT $1, $2, n::text, '2026-03-01', 'engine', md5('a.ts')::uuid ${shas}`);
    await rows(`INSERT INTO attribution_file_gaps
      SELECT $1, $2, n::text, '2026-03-01', '-infinity', 1 ${shas}`);
    await rows(`INSERT INTO life_lines (org_id, policy_id, repository, ref, project_id, origin_commit, language, kind,
        user_id, born_at, lines)
      SELECT $1, $2, 'engine', 'refs/heads/main', 'engine', n::text, 'typescript', 'H', 'ada', NOW(), 1 ${shas}`);
    await rows(`INSERT INTO head_file_lines (org_id, policy_id, repository, ref, path, ordinal, project_id, language,
        kind, lines)
      SELECT $1, $2, 'engine', 'refs/heads/main', n::text, 0, 'engine', 'typescript', 'U', 1 ${shas}`);
    await rows(`INSERT INTO labelled_repositories (org_id, policy_id, repository)
      SELECT $1, $2, n::text ${shas}`);
    await rows(`INSERT INTO ledger_relabels (org_id, policy_id, repository, commit_sha)
      SELECT $1, $2, 'engine', n::text ${shas}`);
  }
  const verdicts = async (policyId: string) => {
    const [row] = await database().query<{ count: number }>(
      'SELECT COUNT(*) AS count FROM commit_verdicts WHERE org_id = $1 AND policy_id = $2',
      [orgId, policyId],
    );
    return row!.count;
  };

  it('begin with one that is active and live, which later defaults of the software leave alone', async () => {
    expect(await activePolicy(database(), orgId)).toBeNull();
    expect(await livePolicy(database(), orgId)).toBeNull();
    await ensureFirstPolicy(database(), orgId, DEFAULT_POLICY);
    await ensureFirstPolicy(database(), orgId, { ...DEFAULT_POLICY, engine: 'next' });
    await ensureFirstPolicy(database(), orgId, strict);
    expect(await activePolicy(database(), orgId)).toEqual(DEFAULT_POLICY);
    expect(await livePolicy(database(), orgId)).toEqual(DEFAULT_POLICY);
    expect(await ids()).toEqual(['default']);
  });

  it('may be made by several services at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => ensureFirstPolicy(database(), orgId, DEFAULT_POLICY)));
    expect(await activePolicy(database(), orgId)).toEqual(DEFAULT_POLICY);
  });

  it('are made neither active nor live by being created', async () => {
    await ensureFirstPolicy(database(), orgId, DEFAULT_POLICY);
    const about = { description: 'fewer hits', createdBy: 'ada' };
    expect(await createPolicy(database(), orgId, strict, about)).toBe(true);
    expect(await findPolicy(database(), orgId, 'strict')).toEqual({
      policy: strict,
      ...about,
      createdAt: expect.any(Date) as Date,
      active: false,
      live: false,
    });
    expect(await ids()).toEqual(['default', 'strict']);
    expect(await findPolicy(database(), `${orgId}-other`, 'strict')).toBeNull();
  });

  it('are immutable', async () => {
    expect(await createPolicy(database(), orgId, strict)).toBe(true);
    expect(await createPolicy(database(), orgId, { ...strict })).toBe(false);
    const changed = { ...strict, exclusions: [{ glob: 'gen/**' }] };
    await expect(createPolicy(database(), orgId, changed)).rejects.toEqual(code('policy-changed'));
    expect((await findPolicy(database(), orgId, 'strict'))!.policy).toEqual(strict);
  });

  it('are activated only where somebody judges every new commit under them', async () => {
    await ensureFirstPolicy(database(), orgId, DEFAULT_POLICY);
    await createPolicy(database(), orgId, strict);
    await expect(activatePolicy(database(), orgId, 'strict')).rejects.toEqual(code('policy-not-replayed'));
    await expect(activatePolicy(database(), orgId, 'missing')).rejects.toEqual(code('policy-unknown'));
    expect(await activePolicy(database(), orgId)).toEqual(DEFAULT_POLICY);
    expect(await policyActivations(database(), orgId, 10)).toEqual([]);
  });

  it('are judged live as before when another is activated, and back', async () => {
    await ensureFirstPolicy(database(), orgId, DEFAULT_POLICY);
    await createPolicy(database(), orgId, strict);
    await follow('strict');
    expect(await activatePolicy(database(), orgId, 'strict', 'ada')).toBe('default');
    expect(await activePolicy(database(), orgId)).toEqual(strict);
    expect(await livePolicy(database(), orgId)).toEqual(DEFAULT_POLICY);
    expect(await activatePolicy(database(), orgId, 'strict', 'bob')).toBe('strict');
    expect(await activatePolicy(database(), orgId, 'default', 'bob')).toBe('strict');
    expect(await activePolicy(database(), orgId)).toEqual(DEFAULT_POLICY);
    expect(await policyActivations(database(), orgId, 10)).toEqual([
      { from: 'strict', to: 'default', by: 'bob', at: expect.any(Date) as Date },
      { from: 'default', to: 'strict', by: 'ada', at: expect.any(Date) as Date },
    ]);
  });

  it('have one active, however many are activated at once', async () => {
    await ensureFirstPolicy(database(), orgId, DEFAULT_POLICY);
    await createPolicy(database(), orgId, strict);
    await follow('strict');
    const wanted = ['strict', 'default', 'strict', 'default', 'strict'];
    await Promise.all(wanted.map((id) => activatePolicy(database(), orgId, id)));
    const active = (await listPolicies(database(), orgId)).filter((policy) => policy.active);
    expect(active).toHaveLength(1);
    const [newest] = await policyActivations(database(), orgId, 1);
    expect(newest!.to).toBe(active[0]!.policy.id);
  });

  it('take their rows and their replay with them when they are dropped, and nobody else’s', async () => {
    await ensureFirstPolicy(database(), orgId, DEFAULT_POLICY);
    await createPolicy(database(), orgId, strict);
    await follow('strict');
    await judge('default', 3);
    await judge('strict', 2);
    const gone = { results: 2, files: 2, ledger: 10, verdicts: 2, copies: 2, sums: 8, days: 2 };
    expect(await dropPolicy(database(), orgId, 'strict')).toEqual(gone);
    expect([await verdicts('strict'), await verdicts('default')]).toEqual([0, 3]);
    expect(await findPolicy(database(), orgId, 'strict')).toBeNull();
    expect(await ids()).toEqual(['default']);
    await expect(activatePolicy(database(), orgId, 'strict')).rejects.toEqual(code('policy-unknown'));
  });

  it('are deleted whole, also when there are many rows, and the next time when that was interrupted', async () => {
    await createPolicy(database(), orgId, strict);
    await judge('strict', 10_001);
    expect(await dropPolicy(database(), orgId, 'strict')).toMatchObject({ verdicts: 10_001, days: 10_001 });
    await judge('strict', 1);
    expect(await dropPolicy(database(), orgId, 'strict')).toMatchObject({ verdicts: 1 });
    expect(await dropPolicy(database(), orgId, 'strict')).toMatchObject({ verdicts: 0 });
  });

  it('keep their id when they are dropped: it never means another policy', async () => {
    await createPolicy(database(), orgId, strict);
    await dropPolicy(database(), orgId, 'strict');
    await expect(createPolicy(database(), orgId, strict)).rejects.toEqual(code('policy-dropped'));
  });

  it('are not dropped while they are active or unknown', async () => {
    await ensureFirstPolicy(database(), orgId, DEFAULT_POLICY);
    await judge('default', 1);
    await expect(dropPolicy(database(), orgId, 'default')).rejects.toEqual(code('policy-active'));
    await expect(dropPolicy(database(), orgId, 'missing')).rejects.toEqual(code('policy-unknown'));
    expect(await verdicts('default')).toBe(1);
  });

  it('leave an organisation without a live one when that is dropped, also after the next start', async () => {
    await ensureFirstPolicy(database(), orgId, DEFAULT_POLICY);
    await createPolicy(database(), orgId, strict);
    await follow('strict');
    await activatePolicy(database(), orgId, 'strict');
    await dropPolicy(database(), orgId, 'default');
    expect(await livePolicy(database(), orgId)).toBeNull();
    await ensureFirstPolicy(database(), orgId, DEFAULT_POLICY);
    expect(await livePolicy(database(), orgId)).toBeNull();
    expect(await activePolicy(database(), orgId)).toEqual(strict);
  });

  it('are known as dropped to whoever would write under them', async () => {
    await createPolicy(database(), orgId, strict);
    await createPolicy(database(), orgId, { ...strict, id: 'kept' });
    await dropPolicy(database(), orgId, 'strict');
    const asked = ['strict', 'kept', 'missing'].map((policyId) => ({ orgId, policyId }));
    expect(await database().transaction((tx) => droppedPolicies(tx, asked))).toEqual(
      new Set([`${orgId} strict`]),
    );
  });
}
