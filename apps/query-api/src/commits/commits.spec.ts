import { encodeExplanations, type LineExplanation } from '@lineprint/attribution';
import type { Database } from '@lineprint/persistence';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, shaOf } from '../testing/seed';
import {
  commitAnswer,
  commitLinesAnswer,
  commitListAnswer,
  type CommitAnswer,
  type CommitLinesAnswer,
  type CommitListAnswer,
} from './commits.schema';

let database: Database;
let api: RunningApi;

const shop = 'repository=acme/shop';
const explained: LineExplanation[] = [
  { rule: 'line', snippetLine: 0, bits: 20.5 },
  { rule: 'line', snippetLine: 1, bits: 18 },
  { rule: 'statement', snippetLine: 2, bits: 30.25 },
  { rule: 'shape', snippetLine: 5, bits: 4.5 },
];

beforeAll(async () => {
  database = await openSeededDatabase();
  // Two commits of one second: only the sha tells them apart.
  for (const digits of ['c1', 'c2', 'c3', 'c4', 'c5']) {
    await seedCommit(database, {
      sha: shaOf(digits),
      day: '2026-05-01',
      authoredAt: new Date(digits < 'c3' ? '2026-05-01T08:00:00Z' : `2026-05-01T09:00:0${digits.slice(1)}Z`),
    });
  }
  await seedCommit(database, {
    sha: shaOf('d1'),
    day: '2026-05-02',
    user: 'bob@acme.dev',
    parents: [shaOf('c5')],
    files: [
      {
        path: 'src/a.ts',
        added: 9,
        blank: 1,
        inherited: [{ start: 20, count: 2, how: 'moved', fromFile: 'src/basket.ts', fromLine: 8 }],
        results: [
          {
            source: 'tab',
            codeId: 'snippet-1',
            model: 'm-1',
            similarity: 0.875,
            bits: 91.25,
            preserved: 3,
            modified: 1,
          },
          { evidence: 'none', human: 4, suspect: 0 },
        ],
        lines: [
          { start: 0, count: 3, kind: 'P', result: 0 },
          { start: 4, count: 4, kind: 'H', result: 1 },
          { start: 8, count: 1, kind: 'M', result: 0 },
        ],
        explanations: encodeExplanations(explained),
      },
      { path: 'src/Z.ts', added: 2, excluded: 'generated' },
    ],
  });
  await seedCommit(database, {
    sha: shaOf('e1'),
    day: '2026-05-03',
    repository: 'acme/docs',
    project: 'docs',
  });
  await seedCommit(database, { sha: shaOf('f1'), day: '2026-05-04', org: 'rival', repository: 'rival/spy' });
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

describe('GET /api/v1/commits', () => {
  const list = (query: string, key?: string) => api.json<CommitListAnswer>(`/api/v1/commits?${query}`, key);
  const digitsOf = (answer: CommitListAnswer) => answer.commits.map((commit) => commit.sha.slice(0, 2));

  it('lists the organisation’s commits, newest first, with their lines', async () => {
    const answer = await list('');
    expect(commitListAnswer.parse(answer)).toEqual(answer);
    expect(digitsOf(answer)).toEqual(['e1', 'd1', 'c5', 'c4', 'c3', 'c2', 'c1']);
    expect(answer.next).toBeNull();
    expect(answer.commits[1]).toMatchObject({
      userId: 'bob@acme.dev',
      files: 2,
      lines: { added: 8, preserved: 3, modified: 1, human: 4, inherited: 2 },
      aiRatio: 0.438,
      authoredAt: '2026-05-02T12:00:00.000Z',
    });
  });

  it('pages through all commits once each, also where their times are equal', async () => {
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const answer: CommitListAnswer = await list(`${shop}&limit=2${next && `&after=${next}`}`);
      seen.push(...digitsOf(answer));
      next = answer.next;
    }
    expect(seen).toEqual(['d1', 'c5', 'c4', 'c3', 'c2', 'c1']);
  });

  it('says there is no next page when the last page is full', async () => {
    expect((await list(`${shop}&limit=6`)).next).toBeNull();
  });

  it('shows a personal key its own person’s commits only', async () => {
    expect(digitsOf(await list('limit=200', 'ada'))).toEqual(['e1', 'c5', 'c4', 'c3', 'c2', 'c1']);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'after=nonsense', 'after=WzEsMl0', 'repository='])(
    'refuses %s',
    async (query) => {
      const problem = await api.problem(`/api/v1/commits?${query}`);
      expect(problem).toMatchObject({ status: 400, code: 'parameters-invalid' });
      expect(problem.errors?.map((error) => error.path)).toEqual([query.split('=')[0]]);
    },
  );
});

describe('GET /api/v1/commits/{sha}', () => {
  const path = `/api/v1/commits/${shaOf('d1')}`;

  it('answers the commit with its files by path and their results', async () => {
    const answer = await api.json<CommitAnswer>(`${path}?${shop}`);
    expect(commitAnswer.parse(answer)).toEqual(answer);
    expect(answer.parents).toEqual([shaOf('c5')]);
    expect(answer.files.map((file) => [file.path, file.excluded])).toEqual([
      ['src/Z.ts', 'generated'],
      ['src/a.ts', null],
    ]);
    expect(answer.files[1]?.results[0]).toEqual({
      codeId: 'snippet-1',
      source: 'tab',
      model: 'm-1',
      evidence: 'matched',
      confidence: 'HIGH',
      similarity: 0.875,
      bits: 91.25,
      preserved: 3,
      modified: 1,
      human: 0,
      suspect: 0,
      copiedFrom: null,
    });
  });

  it('knows no commit of another repository, organisation or, for a personal key, person', async () => {
    const unknown = { status: 404, code: 'commit-unknown' };
    expect(await api.problem(`${path}?repository=acme/docs`)).toMatchObject(unknown);
    expect(await api.problem(`${path}?${shop}`, 'rival')).toMatchObject(unknown);
    expect(await api.problem(`${path}?${shop}`, 'ada')).toMatchObject(unknown);
  });

  it('asks for a full sha and the repository', async () => {
    const problem = await api.problem('/api/v1/commits/d1');
    expect(problem).toMatchObject({ status: 400 });
    expect(problem.errors?.map((error) => error.path).sort()).toEqual(['repository', 'sha']);
  });
});

describe('GET /api/v1/commits/{sha}/lines', () => {
  const path = `/api/v1/commits/${shaOf('d1')}/lines?${shop}`;

  it('answers each range of added lines with its origin, and of matched lines why', async () => {
    const answer = await api.json<CommitLinesAnswer>(`${path}&path=src/a.ts`);
    expect(commitLinesAnswer.parse(answer)).toEqual(answer);
    const fromTab = {
      evidence: 'matched',
      confidence: 'HIGH',
      codeId: 'snippet-1',
      source: 'tab',
      model: 'm-1',
      words: '2 of 4 lines equal, 1 wrapped anew, 1 renamed; 73 bits',
    };
    expect(answer.lines).toEqual([
      {
        start: 0,
        count: 3,
        kind: 'P',
        ...fromTab,
        explanations: explained.slice(0, 3).map((why, line) => ({ line, ...why })),
      },
      {
        start: 4,
        count: 4,
        kind: 'H',
        evidence: 'none',
        confidence: 'UNIQUE',
        codeId: null,
        source: null,
        model: null,
        words: 'nothing that is known matches',
        explanations: [],
      },
      { start: 8, count: 1, kind: 'M', ...fromTab, explanations: [{ line: 8, ...explained[3] }] },
    ]);
  });

  it('says so when the commit did not change the file', async () => {
    expect(await api.problem(`${path}&path=src/b.ts`)).toMatchObject({ status: 404, code: 'file-unknown' });
    expect(await api.problem(path)).toMatchObject({ status: 400 });
  });
});
