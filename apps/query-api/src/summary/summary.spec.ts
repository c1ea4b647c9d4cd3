import type { Database } from '@lineprint/persistence';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, shaOf } from '../testing/seed';
import { summaryAnswer, type Figures, type SummaryAnswer } from './summary.schema';

let database: Database;
let api: RunningApi;
const summary = (query = '', key?: string) => api.json<SummaryAnswer>(`/api/v1/summary?${query}`, key);

beforeAll(async () => {
  database = await openSeededDatabase();
  await seedCommit(database, {
    sha: shaOf('a1'),
    day: '2026-06-15',
    files: [
      {
        path: 'src/cart.ts',
        added: 29,
        blank: 3,
        inherited: [
          { start: 30, count: 3, how: 'moved', fromFile: 'src/basket.ts', fromLine: 8 },
          { start: 60, count: 1, how: 'whitespace', fromLine: 50 },
        ],
        results: [
          { source: 'tab', confidence: 'HIGH', preserved: 6, modified: 2 },
          { source: 'chat', confidence: 'LOW', modified: 4 },
          // A weak match: it has a source and evidence, but its lines are human.
          { source: 'tab', confidence: 'SUSPECT', human: 3, suspect: 3 },
          { human: 7 },
        ],
      },
      { path: 'package-lock.json', language: 'json', added: 900, blank: 4, excluded: 'lock' },
    ],
  });
  await seedCommit(database, {
    sha: shaOf('a2'),
    day: '2026-06-16',
    user: 'bob@acme.dev',
    repository: 'acme/tools',
    project: 'tools',
    parents: [shaOf('a1'), shaOf('a0')],
    files: [
      {
        path: 'run.py',
        language: 'python',
        added: 11,
        blank: 1,
        results: [
          { source: 'agent', evidence: 'declared', preserved: 6 },
          { source: 'agent', evidence: 'estimated', confidence: 'LOW', preserved: 1, modified: 1 },
          { human: 2 },
        ],
      },
    ],
  });
  await seedCommit(database, {
    sha: shaOf('a1'),
    day: '2026-06-15',
    policy: 'strict',
    files: [{ path: 'src/cart.ts', blank: 50, results: [{ source: 'chat', preserved: 1000 }] }],
  });
  // On a branch that is not merged: beside all figures.
  await seedCommit(database, {
    sha: shaOf('a3'),
    day: '2026-06-16',
    repository: 'acme/tools',
    project: 'tools',
    counted: false,
    files: [
      {
        path: 'run.py',
        added: 12,
        blank: 2,
        results: [{ source: 'tab', preserved: 3, modified: 2 }, { human: 5 }],
      },
    ],
  });
  await database.query(`INSERT INTO projects (project_id, org_id) VALUES ('tools', 'acme')`);
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

describe('GET /api/v1/summary', () => {
  it('splits the added lines in six ways, each field by its definition', async () => {
    const answer = await summary();
    expect(summaryAnswer.parse(answer)).toEqual(answer);
    expect(answer).toEqual({
      commits: 1,
      merges: 1,
      lines: { added: 32, preserved: 13, modified: 7, human: 12, inherited: 4, excluded: 900, blank: 4 },
      aiRatio: 0.516,
      aiRatioMatched: 0.281,
      aiRatioDeclared: 0.188,
      bySource: {
        tab: { lines: 8, aiLines: 8, high: 8, weighted: 7, ratio: 0.875 },
        chat: { lines: 4, aiLines: 4, high: 0, weighted: 2, ratio: 0.5 },
        agent: { lines: 8, aiLines: 8, high: 6, weighted: 7.5, ratio: 0.938 },
        human: { lines: 12, aiLines: 0, high: 0, weighted: 0, ratio: 0 },
      },
      byLanguage: {
        typescript: { lines: 22, aiLines: 12, high: 8, weighted: 9, ratio: 0.409 },
        python: { lines: 10, aiLines: 8, high: 6, weighted: 7.5, ratio: 0.75 },
      },
      byPerson: {
        'ada@acme.dev': { lines: 22, aiLines: 12, high: 8, weighted: 9, ratio: 0.409 },
        'bob@acme.dev': { lines: 10, aiLines: 8, high: 6, weighted: 7.5, ratio: 0.75 },
      },
      byProject: {
        shop: { lines: 22, aiLines: 12, high: 8, weighted: 9, ratio: 0.409 },
        tools: { lines: 10, aiLines: 8, high: 6, weighted: 7.5, ratio: 0.75 },
      },
      byConfidence: {
        HIGH: { lines: 14, aiLines: 14, high: 14, weighted: 13, ratio: 0.929 },
        LOW: { lines: 6, aiLines: 6, high: 0, weighted: 3.5, ratio: 0.583 },
        SUSPECT: { lines: 3, aiLines: 0, high: 0, weighted: 0, ratio: 0 },
        UNIQUE: { lines: 9, aiLines: 0, high: 0, weighted: 0, ratio: 0 },
      },
      byEvidence: {
        matched: { lines: 12, aiLines: 12, high: 8, weighted: 9, ratio: 0.75 },
        declared: { lines: 6, aiLines: 6, high: 6, weighted: 6, ratio: 1 },
        estimated: { lines: 2, aiLines: 2, high: 0, weighted: 1.5, ratio: 0.75 },
        none: { lines: 12, aiLines: 0, high: 0, weighted: 0, ratio: 0 },
      },
      provisional: {
        commits: 1,
        merges: 0,
        lines: { added: 10, preserved: 3, modified: 2, human: 5 },
        aiRatio: 0.4,
      },
    });
    expect(await api.json('/api/v1/summary/commits')).toEqual({ commits: 2, merges: 1 });
  });

  it.each([
    ['', 'organisation'],
    ['repository=acme/shop', 'organisation'],
    ['project_id=tools', 'organisation'],
    ['repository=nowhere', 'organisation'],
    ['', 'ada'],
  ])('adds up to the same lines in every split for "%s" and the key of %s', async (query, key) => {
    const answer = await summary(query, key);
    const { added, preserved, modified, human } = answer.lines;
    expect(preserved + modified + human).toBe(added);
    const splits: Record<string, Figures>[] = [
      answer.bySource,
      answer.byLanguage,
      answer.byProject,
      answer.byPerson,
      answer.byConfidence,
      answer.byEvidence,
    ];
    for (const split of splits) {
      const total = (figure: keyof Figures) =>
        Object.values(split).reduce((sum, part) => sum + part[figure], 0);
      expect(total('lines')).toBe(added);
      expect(total('aiLines')).toBe(preserved + modified);
      expect(total('high')).toBe(answer.byConfidence.HIGH.lines);
      expect(total('weighted')).toBe(preserved + modified / 2);
    }
  });

  it('narrows to a repository, a project and a personal key’s person', async () => {
    expect((await summary('repository=acme/tools')).lines).toMatchObject({
      added: 10,
      excluded: 0,
      blank: 1,
    });
    expect(await summary('project_id=shop')).toMatchObject({
      commits: 1,
      merges: 0,
      lines: { excluded: 900 },
    });
    expect(Object.keys((await summary('', 'ada')).byPerson)).toEqual(['ada@acme.dev']);
  });

  it('has the fixed keys and zeros where there is nothing', async () => {
    const answer = await summary('', 'rival');
    expect(summaryAnswer.parse(answer)).toEqual(answer);
    expect(answer.aiRatio).toBe(0);
    expect(Object.keys(answer.bySource)).toEqual(['tab', 'chat', 'agent', 'human']);
    expect(answer.byLanguage).toEqual({});
  });

  it('refuses another organisation’s project', async () => {
    expect(await api.problem('/api/v1/summary?project_id=spy')).toMatchObject({
      status: 403,
      code: 'project-forbidden',
    });
  });
});
