import { CLOCK_SKEW_MS, type CommitEvent, SNIPPET_TTL_MS } from '@lineprint/contracts';
import {
  deriveLineKey,
  linePrintsFromBase64,
  recallKeys,
  snippetRecallKeys,
  textSignature,
  textSignatureWith,
} from '@lineprint/fingerprint';
import type { StoredSnippet } from '@lineprint/persistence';
import { type Posting, STOP_POSTINGS } from '@lineprint/recall';
import type { AstChunk, AstFile } from '@lineprint/syntax';
import { type AnalysedFile, analyseFile } from '../analysis/file-analysis';
import { recallCandidates, withSimilarity } from './candidate-recall';

const key = deriveLineKey(new Uint8Array(32).fill(7), 'lk_test');
const committedAt = Date.UTC(2026, 5, 1);

function commitOf(changes: Partial<CommitEvent> = {}): CommitEvent {
  return {
    tenant: 'acme',
    projectId: 'shop',
    repository: 'shop',
    sha: 'a'.repeat(40),
    parents: [],
    authorName: 'Ada',
    authorEmail: 'ada@example.org',
    committerName: 'Ada',
    committerEmail: 'ada@example.org',
    authoredAt: 0,
    committedAt,
    files: [],
    snippetHorizon: [10, 10],
    ...changes,
  };
}

const lines = (...text: string[]): AnalysedFile =>
  analyseFile(
    {
      path: 'a.ts',
      status: 'added',
      binary: false,
      addedLines: text.length,
      deletedLines: 0,
      content: text.join('\n') + '\n',
      hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: text.length, removed: [] }],
    },
    key,
  );

const file = lines('export const rate = 12;', 'export const limit = compute(rate, 99);');

/** The postings of an index that holds these snippets under every line key of the file. */
function indexOf(postings: readonly Posting[], from: AnalysedFile = file): Map<number, Posting[]> {
  const prints = linePrintsFromBase64(from.candidateFile.linePrints);
  return new Map(snippetRecallKeys({ prints }).map((name) => [name, [...postings]]));
}

const posting = (id: number, changes: Partial<Posting> = {}): Posting => ({
  id,
  eventTime: committedAt - 1000,
  partition: 0,
  offset: 0,
  ...changes,
});

const recalled = (postings: readonly Posting[], commit = commitOf()) =>
  recallCandidates(commit, [file], indexOf(postings)).map(({ id }) => id);

describe('the snippets that may be an origin', () => {
  it('lie below the commit’s horizon in their own partition', () => {
    const [below, at, otherPartition, unknownPartition] = [1, 2, 3, 4];
    const postings = [
      posting(below, { partition: 1, offset: 9 }),
      posting(at, { partition: 1, offset: 10 }),
      posting(otherPartition, { partition: 0, offset: 9 }),
      posting(unknownPartition, { partition: 2, offset: 0 }),
    ];
    expect(recalled(postings).sort()).toEqual([below, otherPartition]);
    expect(recalled(postings, commitOf({ snippetHorizon: [0, 11] })).sort()).toEqual([below, at]);
    expect(recalled(postings, commitOf({ snippetHorizon: [] }))).toEqual([]);
  });

  it('were accepted before the commit, by event time with a little skew, whenever they arrived', () => {
    const postings = [
      posting(1, { eventTime: committedAt + CLOCK_SKEW_MS }),
      posting(2, { eventTime: committedAt + CLOCK_SKEW_MS + 1 }),
    ];
    expect(recalled(postings)).toEqual([1]);
  });

  it('are judged by the committer’s time, not by the author’s, which a rebase keeps', () => {
    const early = commitOf({ authoredAt: committedAt - 2 * SNIPPET_TTL_MS });
    expect(recalled([posting(1)], early)).toEqual([1]);
  });

  it('are within their time to live', () => {
    const postings = [
      posting(1, { eventTime: committedAt - SNIPPET_TTL_MS }),
      posting(2, { eventTime: committedAt - SNIPPET_TTL_MS - 1 }),
    ];
    expect(recalled(postings)).toEqual([1]);
  });

  it('share a key that fewer than a stop key’s snippets had before the commit', () => {
    const many = Array.from({ length: STOP_POSTINGS }, (_, i) => posting(i, { offset: 0 }));
    expect(recalled(many.slice(1))).toHaveLength(STOP_POSTINGS - 1);
    expect(recalled(many)).toEqual([]);
    // Snippets that the commit cannot see do not make a key a stop key: a replay decides as the live run did.
    const later = many.map((item) => ({ ...item, offset: 99 }));
    expect(recalled([posting(77), ...later])).toEqual([77]);
  });

  it('are ranked by the keys they share, then the newest, whatever the order of index and keys', () => {
    const names = recallKeys({ prints: linePrintsFromBase64(file.candidateFile.linePrints) })
      .filter(({ kind }) => kind === 'h1')
      .map(({ key: name }) => name);
    const [oldest, newer, newest] = [3, 2, 1].map((age) => posting(age, { eventTime: committedAt - age }));
    const index = new Map<number, Posting[]>([
      [names[0]!, [newest!, newer!, oldest!]],
      [names[1]!, [oldest!]],
    ]);
    const ranked = recallCandidates(commitOf(), [file], index);
    expect(ranked.map(({ id }) => id)).toEqual([3, 1, 2]);
    const reversed = new Map([...index].reverse().map(([name, found]) => [name, [...found].reverse()]));
    const backwards = { ...file, keys: new Map([...file.keys].reverse()) };
    expect(recallCandidates(commitOf(), [backwards], reversed)).toEqual(ranked);
  });

  it('are found by each file on its own, and not at all by one without lines', () => {
    const empty = { ...file, attributable: 0 };
    const other = lines('completely.different(code, here);');
    const index = indexOf([posting(1)]);
    expect(recallCandidates(commitOf(), [empty, other, file, file], index)).toMatchObject([
      { id: 1, file: 2 },
      { id: 1, file: 3 },
    ]);
  });

  it('are 25 for a small change, one more for two lines of a larger one, and 150 for the largest', () => {
    // Each key stays below a stop key's snippets; together they name 1,000.
    const names = Array.from({ length: 100 }, (_, i) => i);
    const index = new Map(
      names.map((name) => [name, Array.from({ length: 10 }, (_, j) => posting(name * 10 + j))]),
    );
    const change = (attributable: number) => ({
      ...file,
      attributable,
      keys: new Map(names.map((name) => [name, 4])),
    });
    const found = (attributable: number) =>
      recallCandidates(commitOf(), [change(attributable)], index).length;
    expect(found(1)).toBe(26);
    expect(found(100)).toBe(75);
    expect(found(1_000)).toBe(525);
    expect(found(4_000)).toBe(250);
    expect(found(100_000)).toBe(150);
  });
});

function stored(codeId: string, text: string, changes: Partial<StoredSnippet> = {}): StoredSnippet {
  return {
    codeId,
    userId: 'ada',
    sessionId: 's',
    source: 'tab',
    model: null,
    language: 'typescript',
    createdAt: 0,
    protocol: 1,
    signature: Buffer.from(textSignature(text).buffer),
    astSignature: null,
    lineCount: 1,
    declaredBy: null,
    keyId: null,
    linePrints: null,
    pathKey: null,
    before: null,
    after: null,
    partition: 0,
    offset: 0,
    ...changes,
  };
}

describe('the reported similarity', () => {
  const text = 'export const rate = 12;\nexport const limit = compute(rate, 99);';
  const candidate = { codeId: 'a', file: 0, score: 4 };

  it('is 1 for the hunk’s own text, and names the hunk', () => {
    const two = analyseFile(
      {
        path: 'a.ts',
        status: 'modified',
        binary: false,
        addedLines: 3,
        deletedLines: 0,
        content: `let other;\n\n${text}\n`,
        hunks: [
          { oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, removed: [] },
          { oldStart: 1, oldLines: 0, newStart: 3, newLines: 2, removed: [] },
        ],
      },
      key,
    );
    const snippets = new Map([['a', stored('a', text)]]);
    expect(withSimilarity([candidate], [two], new Map(), snippets)).toEqual([
      { ...candidate, text: 1, hunk: 1 },
    ]);
  });

  it('names of a snippet without prints every hunk that is alike, of one with prints the best', () => {
    const hunk = (newStart: number) => ({ oldStart: 0, oldLines: 0, newStart, newLines: 2, removed: [] });
    const twice = analyseFile(
      {
        path: 'a.ts',
        status: 'modified',
        binary: false,
        addedLines: 4,
        deletedLines: 0,
        content: `${text}\n\n${text}\n`,
        hunks: [hunk(1), hunk(4)],
      },
      key,
    );
    const found = (snippet: StoredSnippet) =>
      withSimilarity([candidate], [twice], new Map(), new Map([['a', snippet]]));
    expect(found(stored('a', text)).map(({ text, hunk }) => [text, hunk])).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect(found(stored('a', text, { linePrints: new Uint8Array(1) }))).toHaveLength(1);
  });

  it('is 1 too for a text that was long enough for words at the client and is cut into characters now', () => {
    const words = `${'let total = prices + taxes; '.repeat(5)}`.trim();
    expect(words.length).toBe(139);
    const snippet = stored('a', '', { signature: Buffer.from(textSignatureWith(words, 'word').buffer) });
    expect(withSimilarity([candidate], [lines(words)], new Map(), new Map([['a', snippet]]))).toMatchObject([
      { text: 1 },
    ]);
  });

  it('of the syntax tree is the best chunk’s, and absent where the code was not sent', () => {
    const signature = textSignature(text);
    const chunk = (words: Uint32Array): AstChunk => ({
      kind: 'hunk',
      first: 0,
      last: 1,
      signature: words,
      bands: new Uint32Array(32),
    });
    const asts = new Map<number, AstFile>([
      [0, { status: 'parsed', chunks: [chunk(new Uint32Array(128)), chunk(signature)] }],
    ]);
    const withCode = stored('a', text, { astSignature: Buffer.from(signature.buffer) });
    expect(withSimilarity([candidate], [file], asts, new Map([['a', withCode]]))).toMatchObject([{ ast: 1 }]);
    const without = withSimilarity([candidate], [file], asts, new Map([['a', stored('a', text)]]));
    expect(without[0]).not.toHaveProperty('ast');
  });

  it('drops candidates that were deleted since they were indexed', () => {
    expect(withSimilarity([candidate], [file], new Map(), new Map())).toEqual([]);
  });
});
