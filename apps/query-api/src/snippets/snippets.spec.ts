import { encodeExplanations, type LineExplanation } from '@lineprint/attribution';
import { computeLinePrints, deriveLineKey, encodeLinePrints } from '@lineprint/fingerprint';
import { type Database, insertSnippets, type SnippetRow } from '@lineprint/persistence';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, shaOf } from '../testing/seed';
import { alignmentAnswer, type AlignmentAnswer, snippetAnswer, type SnippetAnswer } from './snippets.schema';

const CODE = 'const a = open();\n\nlet b = a.b;\nclose(a, b, 1);\nlog("closed");\n';
let database: Database;
let api: RunningApi;

function snippetRow(codeId: string, changed: Partial<SnippetRow> = {}): SnippetRow {
  const key = deriveLineKey(Buffer.alloc(16, 1), 'k1');
  return {
    codeId,
    sessionId: 'session-1',
    userId: 'Ada@acme.dev',
    projectId: 'shop',
    orgId: 'acme',
    source: 'agent',
    signature: new Uint8Array(512),
    lshBuckets: new Uint8Array(64),
    language: 'typescript',
    fileExtension: 'ts',
    lineCount: 5,
    charCount: CODE.length,
    structureHash: '0123456789abcdef',
    rawCodeEncrypted: 'a secret',
    protocol: 2,
    repository: 'acme/shop',
    model: 'm-1',
    client: 'kilo 1.2',
    editKind: 'insert',
    acceptedPartially: false,
    declaredBy: null,
    astSignature: null,
    partition: 0,
    offset: 1,
    createdAt: new Date('2026-05-01T10:00:00Z'),
    keyId: 'k1',
    linePrints: encodeLinePrints(computeLinePrints(CODE, 'typescript', key)),
    pathKey: null,
    before: null,
    after: null,
    ...changed,
  };
}

beforeAll(async () => {
  database = await openSeededDatabase();
  await database.transaction((tx) =>
    insertSnippets(tx, [
      snippetRow('s1'),
      snippetRow('old', { keyId: null, linePrints: null, protocol: 1, offset: 2 }),
      snippetRow('s2', { orgId: 'rival', offset: 3 }),
    ]),
  );
  const why: LineExplanation[] = [
    { rule: 'line', snippetLine: 0, bits: 20 },
    { rule: 'line', snippetLine: 9, bits: 11 },
    { rule: 'reflow', snippetLine: 3, bits: 6 },
    { rule: 'reflow', snippetLine: 3, bits: 5.5 },
  ];
  await seedCommit(database, {
    sha: shaOf('c1'),
    day: '2026-05-02',
    files: [
      {
        path: 'a.ts',
        results: [
          { source: 'agent', codeId: 's1', preserved: 1, modified: 2 },
          { source: 'agent', codeId: 'other', preserved: 1 },
          { source: 'tab', codeId: 'old', evidence: 'estimated', confidence: 'LOW', modified: 1 },
        ],
        lines: [
          { start: 10, count: 1, kind: 'P', result: 0 },
          { start: 11, count: 1, kind: 'P', result: 1 },
          { start: 12, count: 2, kind: 'M', result: 0 },
          { start: 20, count: 1, kind: 'M', result: 2 },
        ],
        explanations: encodeExplanations(why),
      },
    ],
  });
  await seedCommit(database, { sha: shaOf('c2'), day: '2026-05-02', user: 'bob@acme.dev' });
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});

afterAll(async () => {
  await api.close();
  await database.close();
});

const at = `repository=acme/shop&commit=${shaOf('c1')}&path=a.ts`;

describe('GET /api/v1/snippets/{codeId}', () => {
  it('answers what is known of a snippet, but not its code', async () => {
    const answer = await api.json<SnippetAnswer>('/api/v1/snippets/s1');
    expect(snippetAnswer.parse(answer)).toEqual(answer);
    expect(answer).toMatchObject({
      codeId: 's1',
      userId: 'Ada@acme.dev',
      source: 'agent',
      model: 'm-1',
      lineCount: 5,
      hasLinePrints: true,
      createdAt: '2026-05-01T10:00:00.000Z',
    });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('shows a personal key its person’s snippets, and nobody another organisation’s', async () => {
    expect(await api.json<SnippetAnswer>('/api/v1/snippets/s1', 'ada')).toMatchObject({ codeId: 's1' });
    const unknown = { status: 404, code: 'snippet-unknown' };
    expect(await api.problem('/api/v1/snippets/s1', 'eve')).toMatchObject(unknown);
    expect(await api.problem('/api/v1/snippets/s1', 'rival')).toMatchObject(unknown);
    expect(await api.problem('/api/v1/snippets/s2')).toMatchObject(unknown);
  });
});

describe('GET /api/v1/snippets/{codeId}/alignment', () => {
  it('says what became of each line of the snippet, in words as well', async () => {
    const answer = await api.json<AlignmentAnswer>(`/api/v1/snippets/s1/alignment?${at}`);
    expect(alignmentAnswer.parse(answer)).toEqual(answer);
    expect(answer.lines.map(({ line, matched, others }) => [line, matched, others])).toEqual([
      [0, { newLine: 10, rule: 'line', bits: 20, kind: 'P' }, []],
      [1, null, []],
      [2, null, []],
      [
        3,
        { newLine: 12, rule: 'reflow', bits: 6, kind: 'M' },
        [{ newLine: 13, rule: 'reflow', bits: 5.5, kind: 'M' }],
      ],
      [4, null, []],
    ]);
    expect(answer.lines.map(({ tokens }) => tokens! > 0)).toEqual([true, false, true, true, true]);
    expect(answer.words).toBe('1 of 4 lines equal, 1 spread anew, 2 gone or joined; 26 bits');
  });

  it('knows no lines of a snippet without prints', async () => {
    const answer = await api.json<AlignmentAnswer>(`/api/v1/snippets/old/alignment?${at}`);
    expect(answer.lines.every(({ tokens, matched }) => tokens === null && matched === null)).toBe(true);
    expect(answer.words).toBe('similar to what a client has sent without prints of its lines');
  });

  it('says where nothing came from the snippet, or a key may not see what did', async () => {
    const unknown = { status: 404, code: 'alignment-unknown' };
    const other = `repository=acme/shop&commit=${shaOf('c2')}&path=a.ts`;
    expect(await api.problem(`/api/v1/snippets/s1/alignment?${other}`)).toMatchObject(unknown);
    expect(await api.problem(`/api/v1/snippets/s1/alignment?${other}`, 'ada')).toMatchObject(unknown);
    expect(await api.problem(`/api/v1/snippets/s1/alignment?${at}`, 'rival')).toMatchObject({
      code: 'snippet-unknown',
    });
    expect(await api.problem('/api/v1/snippets/s1/alignment')).toMatchObject({ code: 'parameters-invalid' });
  });
});
