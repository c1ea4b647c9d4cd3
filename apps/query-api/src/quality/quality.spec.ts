import { topicSpecs } from '@lineprint/contracts';
import { openEventLog } from '@lineprint/event-log';
import type { Database } from '@lineprint/persistence';
import { reconcileNext } from '@lineprint/results';
import type {
  ReconciliationAnswer,
  ReconciliationListAnswer,
} from '../reconciliations/reconciliations.schema';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, seedDaily, shaOf } from '../testing/seed';
import { qualityAnswer, type QualityAnswer } from './quality.schema';

let database: Database;
let api: RunningApi;

beforeAll(async () => {
  database = await openSeededDatabase('Europe/Berlin');
  const log = await openEventLog('embedded:', { database, clientId: 'test' });
  await log.ensureTopics(topicSpecs(1));
  await log.close();
  const shop = { day: '2026-06-15', user: 'ada@acme.dev' };
  await seedCommit(database, {
    ...shop,
    sha: shaOf('a1'),
    files: [
      {
        path: 'a.ts',
        results: [
          { source: 'chat', codeId: 'used', preserved: 4, modified: 1 },
          { source: 'agent', evidence: 'declared', preserved: 3 },
          { source: 'tab', evidence: 'estimated', confidence: 'LOW', modified: 2 },
          { source: 'tab', confidence: 'SUSPECT', evidence: 'none', human: 2, suspect: 2 },
        ],
      },
    ],
  });
  await seedCommit(database, {
    ...shop,
    sha: shaOf('a2'),
    repository: 'acme/tools',
    counted: false,
    files: [{ path: 'b.ts', results: [{ human: 7 }] }],
  });
  await seedCommit(database, { ...shop, sha: shaOf('a3'), day: '2026-01-01' });
  await database.script(`
    UPDATE commits SET late = TRUE, revision = 2, declared_tool = 'assistant' WHERE sha = '${shaOf('a1')}';
    INSERT INTO counted_repositories (org_id, repository, decided, default_ref)
    VALUES ('acme', 'acme/shop', TRUE, 'refs/heads/main');
    INSERT INTO commit_gaps (org_id, repository, missing, child) VALUES
      ('acme', 'acme/shop', 'p1', 'c1'), ('acme', 'acme/shop', 'p1', 'c2'), ('rival', 'acme/shop', 'p2', 'c1');
    INSERT INTO ai_code_fingerprint_ids (org_id, code_id, created_at, recall_id) VALUES
      ('acme', 'used', '2026-06-14T22:30:00Z', 1), ('acme', 'unused', '2026-06-15T10:00:00Z', 2),
      ('acme', 'earlier', '2026-06-08T21:59:00Z', 3), ('rival', 'theirs', '2026-06-15T10:00:00Z', 1);
    INSERT INTO reanalysis_requests (org_id, repository, sha, needed, log_partition, log_offset)
    VALUES ('acme', 'acme/shop', 'x', '{}', 0, 0);`);
  await seedDaily(database);
  api = await runApi(database, { at: '2026-06-15T10:00:00Z' });
});
afterAll(async () => {
  await api.close();
  await database.close();
});

const quality = (key?: string) => api.json<QualityAnswer>('/api/v1/data-quality?period=7d', key);

describe('GET /api/v1/data-quality', () => {
  it('says what the numbers of some days do not know', async () => {
    const answer = await quality('administrator');
    expect(qualityAnswer.parse(answer)).toEqual(answer);
    expect(answer).toEqual({
      period: { start: '2026-06-09', end: '2026-06-15' },
      commits: { counted: 1, provisional: 1, late: 1, revised: 1, declared: 1 },
      lines: { total: 12, matched: 5, declared: 3, estimated: 2, suspect: 2, provisional: 7 },
      snippets: { accepted: 2, neverMatched: 1 },
      reanalysis: { pending: 1 },
      deadLetters: { open: 0, more: false },
      repositories: {
        total: 2,
        withoutDefaultBranch: ['acme/tools'],
        gaps: [{ repository: 'acme/shop', missing: 1 }],
      },
      reconciliation: null,
    });
  });

  it('shows dead letters to administrators alone, and nothing to a person', async () => {
    expect((await quality()).deadLetters).toBeNull();
    expect(await api.problem('/api/v1/data-quality', 'ada')).toMatchObject({
      status: 403,
      code: 'person-forbidden',
    });
    expect(await quality('rival')).toMatchObject({
      commits: { counted: 0 },
      snippets: { accepted: 1, neverMatched: 1 },
      repositories: { total: 0, gaps: [] },
    });
  });

  it('shows the last reconciliation, which somebody may ask for', async () => {
    const asked = (await (
      await api.post('/api/v1/reconciliations', {}, 'administrator')
    ).json()) as ReconciliationAnswer;
    expect(asked).toMatchObject({ status: 'waiting', finishedAt: null, differences: null });
    expect((await quality()).reconciliation).toBeNull();
    await database.query(`UPDATE attribution_cells SET total_lines = 99 WHERE total_lines = 5`);
    await reconcileNext(database, new AbortController().signal);
    const made = await api.json<ReconciliationAnswer>(`/api/v1/reconciliations/${asked.id}`, 'administrator');
    expect(made).toMatchObject({ status: 'finished', differences: 3 });
    expect(made.details[0]).toMatchObject({
      table: 'attribution_cells',
      stored: { lines: 99 },
      expected: { lines: 5 },
    });
    expect((await quality()).reconciliation).toMatchObject({ differences: 3 });
    const { reconciliations } = await api.json<ReconciliationListAnswer>(
      '/api/v1/reconciliations',
      'administrator',
    );
    expect(reconciliations).toEqual([made]);
    expect(await api.problem(`/api/v1/reconciliations/${asked.id}`, 'rivalAdministrator')).toMatchObject({
      code: 'reconciliation-unknown',
    });
    expect(await api.problem('/api/v1/reconciliations')).toMatchObject({ status: 403 });
  });
});
