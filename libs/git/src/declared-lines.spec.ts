import type { CommitFile, DeclaredRange } from '@lineprint/contracts';
import { declaredHunks, withDeclaredLines } from './declared-lines';
import type { CommitContent } from './read-commits';

const file: CommitFile = {
  path: 'src/a.ts',
  status: 'modified',
  binary: false,
  addedLines: 9,
  deletedLines: 0,
  hunks: [
    { oldStart: 0, oldLines: 0, newStart: 3, newLines: 4, removed: [] },
    { oldStart: 9, oldLines: 1, newStart: 9, newLines: 0, removed: ['x'] },
    { oldStart: 20, oldLines: 0, newStart: 20, newLines: 5, removed: [] },
  ],
};
const commit: CommitContent = {
  sha: 'a'.repeat(40),
  parents: [],
  authorName: 'Ada',
  authorEmail: 'ada@example.org',
  committerName: 'Ada',
  committerEmail: 'ada@example.org',
  authoredAt: 0,
  committedAt: 0,
  files: [file, { ...file, path: 'src/b.ts' }],
};
const ai = (start: number, count: number, model?: string): DeclaredRange => ({
  ...{ start, count, kind: 'P', source: 'agent' },
  ...(model && { model }),
});
const human = (start: number, count: number): DeclaredRange => ({ start, count, kind: 'H' });

describe('withDeclaredLines', () => {
  it('keeps of what records say the lines that the commit adds, in the files that they name', () => {
    const records = new Map([['src/a.ts', [ai(0, 4, 'm'), human(5, 16), ai(22, 99)]]]);
    const { files } = withDeclaredLines(commit, records);
    expect(files[0]!.declaredLines).toEqual([ai(2, 2, 'm'), human(5, 1), human(19, 2), ai(22, 2)]);
    expect(files[1]).toBe(commit.files[1]);
  });

  it('changes nothing without records, or where they name other lines', () => {
    expect(withDeclaredLines(commit, undefined)).toBe(commit);
    expect(withDeclaredLines(commit, new Map([['src/a.ts', [ai(6, 13)]]]))).toEqual(commit);
  });
});

describe('declaredHunks', () => {
  const trailer = { tool: 'aider', by: 'trailer', source: 'agent', model: 'm' } as const;

  it('gives all added lines of a commit that names an AI', () => {
    const hunks = [
      { first: 2, last: 5 },
      { first: 19, last: 23 },
    ];
    expect(declaredHunks(file, trailer)).toEqual([{ source: 'agent', model: 'm', hunks }]);
    expect(declaredHunks(file, undefined)).toEqual([]);
  });

  it('gives the lines that records name by their models, and what is left to the commit, but no person’s', () => {
    const declaredLines = [ai(2, 1, 'n'), human(3, 1), ai(19, 1), ai(20, 2, 'n')];
    expect(declaredHunks({ ...file, declaredLines }, undefined)).toEqual([
      {
        source: 'agent',
        model: 'n',
        hunks: [
          { first: 2, last: 2 },
          { first: 20, last: 21 },
        ],
      },
      { source: 'agent', hunks: [{ first: 19, last: 19 }] },
    ]);
    expect(declaredHunks({ ...file, declaredLines }, trailer)[1]).toEqual({
      source: 'agent',
      model: 'm',
      hunks: [
        { first: 4, last: 5 },
        { first: 22, last: 23 },
      ],
    });
  });
});
