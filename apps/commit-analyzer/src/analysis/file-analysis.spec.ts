import type { CommitFile, Hunk } from '@lineprint/contracts';
import {
  computeLinePrints,
  deriveLineKey,
  hex64,
  linePrintsFromBase64,
  pathKey,
  RECALL_LANES,
  recallKeys,
  recallLane,
  textBands,
  textSignature,
} from '@lineprint/fingerprint';
import { analyseFile } from './file-analysis';

const key = deriveLineKey(new Uint8Array(32).fill(7), 'lk_test');

const hunk = (newStart: number, newLines: number, added?: string[]): Hunk => ({
  oldStart: 0,
  oldLines: 0,
  newStart,
  newLines,
  removed: [],
  ...(added ? { added } : {}),
});

/** A file of which `hunks` are new: [first line, how many], counted from 1 as git does. */
function fileOf(
  content: string | undefined,
  hunks: readonly Hunk[],
  changes: Partial<CommitFile> = {},
): CommitFile {
  return {
    path: 'src/a.ts',
    status: 'modified',
    binary: false,
    addedLines: hunks.reduce((sum, { newLines }) => sum + newLines, 0),
    deletedLines: 0,
    ...(content === undefined ? {} : { content }),
    hunks: [...hunks],
    ...changes,
  };
}

const added = (content: string, changes: Partial<CommitFile> = {}) =>
  fileOf(content, [hunk(1, content.replace(/\n$/, '').split('\n').length)], changes);

function linesOf(file: CommitFile) {
  const { candidateFile } = analyseFile(file, key);
  return {
    lines: linePrintsFromBase64(candidateFile.linePrints).map(({ line }) => line),
    blank: candidateFile.blankLines,
    tokenBits: Buffer.from(candidateFile.tokenBits, 'base64').length / 2,
    hunks: candidateFile.hunks.map(({ first, last }) => [first, last]),
  };
}

const h1 = (text: string, line: number) =>
  hex64(computeLinePrints(text, 'typescript', key).find((print) => print.line === line)!.h1);

describe('the added lines of a file', () => {
  it('are those of its hunks, by their numbers in the new file, without the blank ones', () => {
    const content = 'const a = 1;\n\nconst b = 2;\nconst c = 3;\n  \t\nconst d = 4;\n';
    expect(linesOf(fileOf(content, [hunk(2, 2), hunk(5, 2)]))).toEqual({
      lines: [2, 5],
      blank: 2,
      tokenBits: 2,
      hunks: [
        [0, 0],
        [1, 1],
      ],
    });
  });

  it('leave out hunks that only remove, and hunks of blank lines', () => {
    const content = 'const a = 1;\n\n\nconst b = 2;\n';
    expect(linesOf(fileOf(content, [hunk(0, 0), hunk(2, 2), hunk(4, 1)]))).toEqual({
      lines: [3],
      blank: 2,
      tokenBits: 1,
      hunks: [[0, 0]],
    });
  });

  it('are the same whether lines end in LF or CRLF, and whether the last one ends at all', () => {
    const content = 'function f(a: number) {\n\n  return a + 1;\n}\n';
    const expected = analyseFile(added(content), key);
    for (const variant of [content.slice(0, -1), content.replaceAll('\n', '\r\n')]) {
      const actual = analyseFile(added(variant), key);
      expect(actual.candidateFile).toEqual(expected.candidateFile);
    }
    expect(expected.candidateFile.blankLines).toBe(1);
  });

  it('end at line feeds alone, as git counts them', () => {
    const content = 'const a = 1;\rconst b = 2;\u2028const c = 3;\fconst d = 4;\u0085\nconst e = 5;\n';
    expect(linesOf(added(content))).toMatchObject({ lines: [0, 1], blank: 0 });
  });

  it('are read in the light of the whole file: a line inside a comment is one', () => {
    const code = 'const a = 1;\nconst b = 2;\n';
    const whole = fileOf(`/*\n${code}*/\n`, [hunk(3, 1)]);
    const alone = fileOf(undefined, [hunk(3, 1, ['const b = 2;'])]);
    const print = (file: CommitFile) =>
      linePrintsFromBase64(analyseFile(file, key).candidateFile.linePrints)[0]!;
    expect(print(whole).line).toBe(2);
    expect(print(alone).line).toBe(2);
    expect(print(whole).h1).not.toBe(print(alone).h1);
  });

  it('come from the hunks where the content was left out', () => {
    const lines = ['const a = 1;', '', 'const b = 2;', 'const c = 3;'];
    const file = fileOf(undefined, [hunk(11, 3, lines.slice(0, 3)), hunk(101, 1, lines.slice(3))]);
    expect(linesOf(file)).toEqual({
      lines: [10, 12, 100],
      blank: 1,
      tokenBits: 3,
      hunks: [
        [0, 1],
        [2, 2],
      ],
    });
    const { candidateFile } = analyseFile(file, key);
    expect(candidateFile.hunks.every(({ before, after }) => !before && !after)).toBe(true);
  });

  it('carry a weight of at most 16 bits each, in 64ths of a bit', () => {
    const { candidateFile } = analyseFile(added('const averyuncommonname = compute(1, 2);\n}\n'), key);
    const bits = Buffer.from(candidateFile.tokenBits, 'base64');
    expect(bits.length).toBe(4);
    expect(bits.readUInt16LE(0)).toBeGreaterThan(bits.readUInt16LE(2));
  });
});

describe('a file that does not count', () => {
  const none = { lines: [], blank: 0, tokenBits: 0, hunks: [] };

  it('has no lines when the pusher excluded it, and says why', () => {
    const file = fileOf('{}\n', [], { path: 'package-lock.json', excluded: 'lock', addedLines: 900 });
    expect(linesOf(file)).toEqual(none);
    const analysed = analyseFile(file, key);
    expect(analysed.candidateFile).toMatchObject({ excluded: 'lock', addedLines: 900 });
    expect([...analysed.keys]).toEqual([]);
    expect(analysed.attributable).toBe(0);
  });

  it('is a binary one, as `binary`', () => {
    const file = fileOf(undefined, [], { path: 'logo.png', binary: true });
    expect(linesOf(file)).toEqual(none);
    expect(analyseFile(file, key).candidateFile.excluded).toBe('binary');
  });

  it('is a deleted one, without being excluded', () => {
    const file = fileOf(undefined, [], { status: 'deleted', deletedLines: 5 });
    expect(linesOf(file)).toEqual(none);
    expect(analyseFile(file, key).candidateFile.excluded).toBeUndefined();
  });

  it.each(['vendor/lib.go', 'docs/guide.md', 'package-lock.json', 'a.min.js'])(
    'is not %s when the pusher, who knows .gitattributes, sent its lines',
    (path) => {
      const { candidateFile } = analyseFile(added('one two three\n', { path }), key);
      expect(candidateFile.excluded).toBeUndefined();
      expect(linePrintsFromBase64(candidateFile.linePrints)).toHaveLength(1);
    },
  );
});

describe('a commit that contradicts itself', () => {
  it.each<[string, CommitFile]>([
    ['hunks add more than `addedLines`', fileOf('a\nb\n', [hunk(1, 2)], { addedLines: 1 })],
    ['hunks add less than `addedLines`', fileOf('a\nb\n', [hunk(1, 1)], { addedLines: 2 })],
    ['`addedLines` come without any hunk', fileOf('a\nb\n', [], { addedLines: 2 })],
    ['a hunk lies behind the end of the content', fileOf('a', [hunk(2, 1)])],
    ['a hunk carries fewer lines than it adds', fileOf(undefined, [hunk(1, 2, ['a'])])],
    ['a line of a hunk is two', fileOf(undefined, [hunk(1, 1, ['a\nb'])])],
    ['neither content nor lines are there', fileOf(undefined, [hunk(1, 2)])],
  ])('is refused when %s', (_fault, file) => {
    expect(() => analyseFile(file, key)).toThrow(
      expect.objectContaining({ code: 'commit-inconsistent', transient: false }) as Error,
    );
  });

  it.each<[string, CommitFile]>([
    ['overlap', fileOf('const a = 1;\nconst b = 2;\nconst c = 3;\n', [hunk(1, 2), hunk(2, 2)])],
    ['come in the wrong order', fileOf('const a = 1;\nconst b = 2;\n', [hunk(2, 1), hunk(1, 1)])],
    [
      'overlap where the content was left out',
      fileOf(undefined, [hunk(1, 2, ['const a = 1;', 'const b = 2;']), hunk(2, 1, ['const b = 2;'])]),
    ],
    ['start before the first line', fileOf('const a = 1;\n', [hunk(0, 1)])],
  ])('is refused when its hunks %s', (_fault, file) => {
    expect(() => analyseFile(file, key)).toThrow(
      expect.objectContaining({ code: 'commit-inconsistent', transient: false }) as Error,
    );
  });
});

describe('the keys of a file', () => {
  const content = [
    'import { a } from "a";',
    '',
    'export function price(quantity: number): number {',
    '  return quantity * RATE;',
    '}',
    'export const RATE = 12;',
    '',
  ].join('\n');
  const file = fileOf(content, [hunk(3, 3)]);

  const isContext = (name: number) => recallLane(name) === RECALL_LANES.context;

  it('hold every line key of the hunk, and its text bands', () => {
    const { keys } = analyseFile(file, key);
    const text = content.split('\n').slice(2, 5).join('\n');
    const prints = computeLinePrints(content, 'typescript', key).filter(({ line }) => line >= 2 && line <= 4);
    const expected = recallKeys({ prints, textBands: textBands(textSignature(text)) });
    for (const { key: name, weight } of expected) expect(keys.get(name)).toBe(weight);
  });

  it('ask for the neighbours of each added line, inside the hunk and around it', () => {
    const { keys } = analyseFile(file, key);
    const at = pathKey('src/a.ts', key);
    const context = (before: number, after: number) =>
      recallKeys({
        prints: [],
        pathKey: at,
        before: h1(content, before),
        after: h1(content, after),
      }).map(({ key: name }) => name);
    // A snippet for the whole hunk, for its first line, for its last.
    for (const name of [...context(0, 5), ...context(0, 3), ...context(3, 5)])
      expect(keys.has(name)).toBe(true);
    expect([...keys.keys()].filter(isContext)).toHaveLength(2 * 3);
  });

  it('ask under the old path of a renamed file as well', () => {
    const renamed = { ...file, status: 'renamed' as const, oldPath: 'src/old.ts' };
    const { keys, candidateFile } = analyseFile(renamed, key);
    expect(candidateFile.pathKeys).toEqual([pathKey('src/a.ts', key), pathKey('src/old.ts', key)]);
    expect([...keys.keys()].filter(isContext)).toHaveLength(4 * 3);
  });

  it('name the nearest lines that are not blank as neighbours of the hunk', () => {
    const { candidateFile } = analyseFile(file, key);
    expect(candidateFile.hunks).toEqual([
      { first: 0, last: 2, before: h1(content, 0), after: h1(content, 5) },
    ]);
    expect(analyseFile(added(content), key).candidateFile.hunks[0]).toEqual({ first: 0, last: 4 });
  });

  it('differ under another key, so that a stored index says nothing without it', () => {
    const other = deriveLineKey(new Uint8Array(32).fill(8), 'lk_other');
    const names = (k: typeof key) =>
      [...analyseFile(file, k).keys.keys()].filter((name) => recallLane(name) !== RECALL_LANES.text);
    expect(names(other).filter((name) => names(key).includes(name))).toEqual([]);
  });
});

describe('inherited lines', () => {
  const content = 'first();\nmoved(1);\nmoved(2);\n\nlast();\n';
  const inherited = [{ start: 1, count: 2, how: 'moved' as const, fromFile: 'src/b.ts', fromLine: 7 }];
  const { candidateFile, prints, spans } = analyseFile(added(content), key, inherited);

  it('are not attributable, but reconcile with what git counts', () => {
    expect(prints.map(({ line }) => line)).toEqual([0, 4]);
    expect(candidateFile).toMatchObject({ addedLines: 5, blankLines: 1, inherited });
  });

  it('divide their hunk and are the neighbours of what is left of it', () => {
    expect(candidateFile.hunks).toEqual([
      { first: 0, last: 0, after: h1(content, 1) },
      { first: 1, last: 1, before: h1(content, 2) },
    ]);
    expect(spans).toEqual([
      { first: 0, last: 0 },
      { first: 3, last: 4 },
    ]);
  });

  it('leave nothing to recall of a hunk that holds only them', () => {
    const all = [{ start: 0, count: 2, how: 'whitespace' as const, fromLine: 0 }];
    const analysed = analyseFile(added('moved(1);\nmoved(2);\n'), key, all);
    expect([...analysed.keys.keys()]).toEqual([]);
    expect(analysed.candidateFile).toMatchObject({ hunks: [], blankLines: 0 });
  });
});

describe('the text signatures of a hunk', () => {
  const ofLength = (length: number) => {
    const line = 'some words to be cut into shingles of three, ';
    return line.repeat(Math.ceil(length / line.length)).slice(0, length);
  };

  it.each([
    [99, 1],
    [100, 2],
    [199, 2],
    [200, 2],
    [399, 2],
    [400, 1],
  ])('of %i characters are %i, the seed’s first', (length, count) => {
    const text = ofLength(length);
    const [ways] = analyseFile(added(text, { path: 'a.txt' }), key).hunkSignatures;
    expect(ways).toHaveLength(count);
    expect([...ways![0]!]).toEqual([...textSignature(text)]);
    if (count === 2) expect([...ways![1]!]).not.toEqual([...ways![0]!]);
  });

  it('are none where there is no shingle', () => {
    expect(analyseFile(added('ab', { path: 'a.txt' }), key).hunkSignatures).toEqual([[]]);
  });

  it('are those of the text that a client accepted, also where git stores CRLF', () => {
    const content = 'const tide = levelAt(noon);\nconst wind = forceAt(noon);\n';
    const signatures = (text: string) => analyseFile(added(text), key).hunkSignatures;
    expect(signatures(content.replaceAll('\n', '\r\n'))).toEqual(signatures(content));
  });

  it('are one entry for each hunk that has lines, as are the spans', () => {
    const content = 'const a = 1;\n\nconst b = 2;\n';
    const analysed = analyseFile(fileOf(content, [hunk(1, 1), hunk(2, 1), hunk(3, 1)]), key);
    expect(analysed.hunkSignatures).toHaveLength(2);
    expect(analysed.spans).toEqual([
      { first: 0, last: 0 },
      { first: 2, last: 2 },
    ]);
  });
});
