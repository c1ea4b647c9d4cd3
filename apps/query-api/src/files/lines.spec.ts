import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeExplanations, packChange } from '@lineprint/attribution';
import type { AttributedFile, LineRange } from '@lineprint/contracts';
import { type Database, insertLineTrees } from '@lineprint/persistence';
import { seededDraws } from '../testing/random-ledger';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, shaOf } from '../testing/seed';
import { seedHead, seedRuns } from '../testing/seed-ledger';
import { fileLinesAnswer, type FileLinesAnswer } from './lines.schema';

const TEXT = ['export const a = 1;', 'export const b = 2;', '', 'old', 'export const c = 3;'];
let directory: string;
let mirrors: string;
let tip: string;
let database: Database;
let api: RunningApi;
const lines = (query: string, key?: string) =>
  api.json<FileLinesAnswer>(`/api/v1/files/lines?repository=acme/shop&${query}`, key);
const refused = (query: string, key?: string) =>
  api.problem(`/api/v1/files/lines?repository=acme/shop&${query}`, key);

function makeRepository(): string {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=Ada', '-c', 'user.email=ada@acme.dev', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '-q');
  writeFileSync(join(directory, 'a.ts'), `${TEXT.join('\n')}\n`);
  writeFileSync(join(directory, 'short.ts'), 'one line\n');
  writeFileSync(join(directory, 'package-lock.json'), '{}\n');
  git('add', '.');
  git('commit', '-q', '-m', 'all');
  return git('rev-parse', 'HEAD');
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'lineprint-files-'));
  mirrors = mkdtempSync(join(tmpdir(), 'lineprint-mirrors-'));
  tip = makeRepository();
  database = await openSeededDatabase();
  await seedHead(database, { sha: tip });
  await seedHead(database, { org: 'rival', repository: 'rival/spy', project: 'spy', sha: shaOf('f1') });
  await seedCommit(database, {
    sha: shaOf('c1'),
    day: '2026-05-01',
    files: [
      {
        path: 'first.ts',
        results: [
          { source: 'agent', model: 'm-1', codeId: 'snippet-1', bits: 40, preserved: 1, modified: 1 },
          { human: 1 },
        ],
        lines: [
          { start: 3, count: 1, kind: 'P', result: 0 },
          { start: 4, count: 1, kind: 'M', result: 0 },
          { start: 9, count: 1, kind: 'H', result: 1 },
        ],
        explanations: encodeExplanations([
          { rule: 'line', snippetLine: 0, bits: 20 },
          { rule: 'shape', snippetLine: 1, bits: 10.5 },
        ]),
      },
    ],
  });
  await seedCommit(database, {
    sha: shaOf('c2'),
    day: '2026-05-02',
    user: 'bob@acme.dev',
    files: [{ path: 'a.ts', results: [{ human: 1 }], lines: [{ start: 0, count: 1, kind: 'H', result: 0 }] }],
  });
  await seedCommit(database, {
    sha: tip,
    day: '2026-05-03',
    files: [{ path: 'package-lock.json', excluded: 'lock', added: 1 }],
  });
  await seedCommit(database, {
    sha: shaOf('e1'),
    day: '2026-05-03',
    repository: 'acme/eve',
    project: 'eve',
    user: 'eve@acme.dev',
  });
  await seedRuns(database, 'a.ts', [
    { count: 3, commit: shaOf('c1'), path: 'first.ts', line: 3 },
    { count: 1 },
    { count: 1, commit: shaOf('c2'), line: 0 },
  ]);
  execFileSync('git', ['clone', '-q', '--bare', directory, join(mirrors, 'f00d.git')]);
  await seedHead(database, { repository: 'acme/mirrored', sha: tip });
  await database.query(
    `INSERT INTO connected_repositories (hook_id, org_id, repository, host, clone_url, secret, counted_refs, history)
     VALUES ('f00d', 'acme', 'acme/mirrored', 'gitea', 'https://git.acme.dev/mirrored.git', 'env:SECRET', '{}', 0)`,
  );
  await seedRuns(database, 'short.ts', [{ count: 2, commit: shaOf('c2'), line: 4 }]);
  await seedRuns(database, 'gone.ts', [{ count: 1, commit: shaOf('c2'), line: 4 }]);
  api = await runApi(
    database,
    { at: '2026-06-16T10:00:00Z' },
    {
      LINEPRINT_ORG_ID: 'acme',
      LINEPRINT_LOCAL_REPOSITORIES: JSON.stringify({ 'acme/shop': directory }),
      LINEPRINT_GIT_MIRRORS: mirrors,
    },
  );
});

afterAll(async () => {
  await api.close();
  await database.close();
  rmSync(directory, { recursive: true });
  rmSync(mirrors, { recursive: true });
});

describe('GET /api/v1/files/lines', () => {
  it('says of all lines of a file at the tip who or what they came from, and why', async () => {
    const answer = await lines('path=a.ts');
    expect(fileLinesAnswer.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({ commit: tip, ref: 'refs/heads/main', excluded: null });
    const none = {
      copiedFrom: null,
      evidence: null,
      confidence: null,
      codeId: null,
      source: null,
      model: null,
    };
    const ofAda = {
      commit: shaOf('c1'),
      path: 'first.ts',
      author: 'Ada',
      userId: 'ada@acme.dev',
      at: '2026-05-01T12:00:00.000Z',
    };
    const fromAgent = {
      copiedFrom: null,
      evidence: 'matched',
      confidence: 'HIGH',
      codeId: 'snippet-1',
      source: 'agent',
      model: 'm-1',
      words: '1 of 2 lines equal, 1 renamed; 31 bits',
    };
    expect(answer.lines).toEqual([
      {
        start: 0,
        count: 1,
        kind: 'P',
        origin: { ...ofAda, line: 3 },
        ...fromAgent,
        explanations: [{ line: 0, rule: 'line', snippetLine: 0, bits: 20 }],
      },
      {
        start: 1,
        count: 1,
        kind: 'M',
        origin: { ...ofAda, line: 4 },
        ...fromAgent,
        explanations: [{ line: 1, rule: 'shape', snippetLine: 1, bits: 10.5 }],
      },
      {
        start: 2,
        count: 1,
        kind: 'blank',
        origin: { ...ofAda, line: 5 },
        ...none,
        words: null,
        explanations: [],
      },
      { start: 3, count: 1, kind: 'unknown', origin: null, ...none, words: null, explanations: [] },
      expect.objectContaining({
        start: 4,
        kind: 'H',
        origin: expect.objectContaining({ commit: shaOf('c2'), userId: 'bob@acme.dev' }) as unknown,
        words: 'nothing that is known matches',
      }),
    ]);
  });

  it('takes the tip’s own id for it, and says what to do for a commit that is not followed', async () => {
    expect(await lines(`path=a.ts&commit=${tip}`)).toEqual(await lines('path=a.ts'));
    expect(await refused(`path=a.ts&commit=${shaOf('ee')}`)).toMatchObject({
      status: 404,
      code: 'commit-unfollowed',
      detail: expect.stringContaining(`/api/v1/commits/${shaOf('ee')}/lines`) as string,
    });
    expect(await refused('path=none.ts')).toMatchObject({ status: 404, code: 'file-unknown' });
    expect(await refused('path=a.ts&commit=HEAD')).toMatchObject({ status: 400 });
  });

  it('answers for any commit of the history, whose file may have had another name', async () => {
    const [root, later] = [shaOf('b1'), shaOf('b2')];
    const first = new Map([
      ['first.ts', [{ origin: { commit: shaOf('c1'), path: 'first.ts' }, line: 3, count: 2 }]],
    ]);
    const renamed = new Map([
      ['first.ts', undefined],
      ['second.ts', [...first.get('first.ts')!, { origin: undefined, line: 0, count: 1 }]],
    ]);
    const at = new Date('2026-05-01T00:00:00Z');
    await insertLineTrees(database, { orgId: 'acme', repository: 'acme/shop' }, [
      {
        sha: root,
        firstParent: null,
        depth: 0,
        at,
        change: packChange(first, new Map()),
        tree: null,
        missing: [],
      },
      {
        sha: later,
        firstParent: root,
        depth: 1,
        at,
        change: packChange(renamed, first),
        tree: null,
        missing: [],
      },
    ]);
    const kindsAt = async (sha: string, path: string) =>
      (await lines(`commit=${sha}&path=${path}`)).lines.map(({ start, count, kind }) => [start, count, kind]);
    const both = [
      [0, 1, 'P'],
      [1, 1, 'M'],
    ];
    expect(await kindsAt(root, 'first.ts')).toEqual(both);
    expect(await kindsAt(later, 'second.ts')).toEqual([...both, [2, 1, 'unknown']]);
    expect(await lines(`commit=${later}&path=second.ts`)).toMatchObject({ commit: later, ref: null });
    expect(await refused(`path=first.ts&commit=${later}`)).toMatchObject({ code: 'file-unknown' });
  });

  it('shows the text to keys that may see code, and remembers each time whom', async () => {
    const readsOf = () =>
      database.query('SELECT org_id, read_by, repository, commit_sha, path FROM code_reads');
    expect(await lines('path=a.ts')).toMatchObject({ text: null, textMissing: 'scope' });
    expect(await readsOf()).toEqual([]);
    expect(await lines('path=a.ts', 'reader')).toMatchObject({ text: TEXT, textMissing: null });
    expect((await lines('path=a.ts', 'administrator')).text).toEqual(TEXT);
    const read = { org_id: 'acme', repository: 'acme/shop', commit_sha: tip, path: 'a.ts' };
    expect(await readsOf()).toEqual([
      { ...read, read_by: 'decade' },
      { ...read, read_by: 'c0ffee' },
    ]);
  });

  it('shows a personal key the text where its person works, and of others’ lines the kind alone', async () => {
    const answer = await lines('path=a.ts', 'ada');
    expect(answer.text).toEqual(TEXT);
    expect(answer.lines.map(({ kind, origin }) => [kind, origin?.userId ?? null])).toEqual([
      ['P', 'ada@acme.dev'],
      ['M', 'ada@acme.dev'],
      ['blank', 'ada@acme.dev'],
      ['unknown', null],
      ['H', null],
    ]);
    expect(answer.lines[4]).toMatchObject({ origin: null, evidence: null, words: null, explanations: [] });
    expect(await refused('path=a.ts', 'eve')).toMatchObject({ status: 404, code: 'ledger-unknown' });
  });

  it('shows another organisation neither lines nor text', async () => {
    expect(await refused('path=a.ts', 'rival')).toMatchObject({ status: 404, code: 'ledger-unknown' });
    expect(await api.problem('/api/v1/files/lines?repository=rival/spy&path=a.ts', 'rival')).toMatchObject({
      code: 'file-unknown',
    });
  });

  it('reads the text in the mirror of a connected repository', async () => {
    await seedRuns(database, 'open.ts', [{ count: 1 }], 'acme/mirrored');
    const read = (path: string) =>
      api.json<FileLinesAnswer>(`/api/v1/files/lines?repository=acme/mirrored&path=${path}`, 'reader');
    expect(await read('open.ts')).toMatchObject({ text: null, textMissing: 'missing' });
    await seedRuns(database, 'short.ts', [{ count: 1 }], 'acme/mirrored');
    expect(await read('short.ts')).toMatchObject({ text: ['one line'], textMissing: null });
  });

  it('says why there is no text', async () => {
    const missing = async (path: string) => (await lines(`path=${path}`, 'reader')).textMissing;
    await seedHead(database, { repository: 'acme/pushed', sha: tip });
    await seedRuns(database, 'a.ts', [{ count: 1 }], 'acme/pushed');
    const pushed = '/api/v1/files/lines?repository=acme/pushed&path=a.ts';
    expect(await api.json(pushed, 'reader')).toMatchObject({ text: null, textMissing: 'repository' });
    // The ledger knows two lines of it, the repository one.
    expect(await missing('short.ts')).toBe('differs');
    expect(await missing('gone.ts')).toBe('missing');
  });

  it('says why a file does not count that the commit changed, and shows its text all the same', async () => {
    const answer = await lines('path=package-lock.json', 'reader');
    expect(answer).toMatchObject({ excluded: 'lock', text: ['{}'] });
    expect(answer.lines).toEqual([
      expect.objectContaining({ start: 0, count: 1, kind: 'excluded', origin: null }),
    ]);
    expect(await lines('path=package-lock.json')).toMatchObject({ excluded: 'lock', lines: [], text: null });
  });

  it('says of each line what the verdict on its commit says, whatever the ranges are', async () => {
    const draw = seededDraws(5);
    const shas = ['d1', 'd2', 'd3', 'd4'].map(shaOf);
    for (const [i, sha] of shas.entries()) {
      const { lines: ranges, inherited } = randomRanges(draw, shas[i - 1]);
      const files = [
        {
          path: 'r.ts',
          results: [{ human: 1 }, { source: 'tab' as const, evidence: 'declared' as const }],
          lines: ranges,
          inherited,
        },
      ];
      await seedCommit(database, { sha, day: '2026-05-05', repository: 'acme/random', files });
    }
    await seedHead(database, { repository: 'acme/random', sha: tip });
    const runs = Array.from({ length: 40 }, () => {
      const commit = shas[draw(shas.length + 1)];
      return { count: 1 + draw(7), ...(commit === undefined ? {} : { commit, line: draw(60) }) };
    });
    await seedRuns(database, 'r.ts', runs, 'acme/random');
    const answer = await api.json<FileLinesAnswer>('/api/v1/files/lines?repository=acme/random&path=r.ts');
    const kinds = answer.lines.flatMap(({ count, kind }) => Array.from({ length: count }, () => kind));
    const rows = await database.query<{ kind: string }>(`
      WITH ranges AS (
        SELECT commit_sha, r.* FROM commit_files
        CROSS JOIN jsonb_to_recordset(lines || inherited)
          AS r (start int, count int, kind text, how text, "fromCommit" text, "fromLine" int)
        WHERE repository = 'acme/random'
      ), judged AS (
        SELECT commit_sha, start + i AS line, COALESCE(kind, how) AS kind, "fromCommit" AS origin,
          "fromLine" + i AS origin_line
        FROM ranges CROSS JOIN LATERAL generate_series(0, count - 1) AS i
      )
      SELECT CASE WHEN h.origin_commit IS NULL THEN 'unknown' WHEN j.kind = 'copied' THEN COALESCE(o.kind, 'unknown')
        WHEN j.kind = 'moved' THEN 'unknown' ELSE COALESCE(j.kind, 'blank') END AS kind
      FROM head_runs h
      CROSS JOIN LATERAL generate_series(0, h.line_count - 1) AS i
      LEFT JOIN judged j ON j.commit_sha = h.origin_commit AND j.line = h.origin_line + i
      LEFT JOIN judged o ON o.commit_sha = j.origin AND o.line = j.origin_line AND o.kind IN ('P', 'M', 'H')
      WHERE h.repository = 'acme/random'
      ORDER BY h.start_line + i`);
    expect(kinds).toEqual(rows.map(({ kind }) => kind));
    expect(new Set(kinds)).toEqual(new Set(['P', 'M', 'H', 'blank', 'unknown']));
  });
});

/** Ranges of a file of some 60 lines: judged, moved, copied from the commit before, or blank. */
function randomRanges(draw: (n: number) => number, before: string | undefined) {
  const lines: LineRange[] = [];
  const inherited: AttributedFile['inherited'] = [];
  for (let start = 0; start < 60;) {
    const count = 1 + draw(6);
    const kind = (['P', 'M', 'H', 'blank', 'moved', 'copied'] as const)[draw(6)]!;
    if (kind === 'P' || kind === 'M') lines.push({ start, count, kind, result: 1 });
    else if (kind === 'H') lines.push({ start, count, kind, result: 0 });
    else if (kind === 'moved') inherited.push({ start, count, how: kind, fromLine: draw(60) });
    else if (kind === 'copied' && before !== undefined) {
      inherited.push({ start, count, how: kind, fromCommit: before, fromLine: draw(60) });
    }
    start += count;
  }
  return { lines, inherited };
}
