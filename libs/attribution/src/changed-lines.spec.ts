import type { CommitFile, Hunk } from '@lineprint/contracts';
import { analyseText, deriveLineKey } from '@lineprint/fingerprint';
import { changedLines } from './changed-lines';
import { SeededRandom } from './fixtures/seeded-random';
import type { ChangedLine } from './inherited-lines';

const KEY = deriveLineKey(new TextEncoder().encode('only a fixture, no secret'), 'fixture');
const read = (text: string) => analyseText(text, 'typescript', KEY);

function fileOf(hunks: Hunk[], fields: Partial<CommitFile>): CommitFile {
  const sum = (side: 'oldLines' | 'newLines') => hunks.reduce((total, hunk) => total + hunk[side], 0);
  return {
    path: 'berth.ts',
    status: 'modified',
    binary: false,
    addedLines: sum('newLines'),
    deletedLines: sum('oldLines'),
    hunks,
    ...fields,
  };
}

const changesOf = (file: CommitFile) =>
  changedLines(file, KEY, file.content === undefined ? undefined : read(file.content));

const printsOf = (lines: readonly ChangedLine[]) => lines.map(({ line, h1, h3 }) => ({ line, h1, h3 }));

/** The prints of some lines of a text, read in the whole of it. */
const expected = (text: readonly string[], start: number, count: number) =>
  read(text.join('\n'))
    .prints.filter(({ line }) => line >= start && line < start + count)
    .map(({ line, h1, h3 }) => ({ line, h1, h3 }));

describe('changed lines', () => {
  it('are read in the old and the new file, where a comment may begin far above', () => {
    const content = '/*\nfirst\nnew words\nlast\n*/\n';
    const hunk = { oldStart: 3, oldLines: 1, newStart: 3, newLines: 1, removed: ['old words'] };
    const [change] = changesOf(fileOf([hunk], { content })).hunks;
    expect(printsOf(change!.removed)).toEqual(expected(['/*', 'first', 'old words', 'last', '*/'], 2, 1));
    expect(printsOf(change!.added)).toEqual(expected(content.split('\n'), 2, 1));
    expect(change!.removed[0]!.h1).not.toBe(read('old words').prints[0]!.h1);
  });

  it.each([1, 2, 3, 4, 5])('are those of any change, wherever its hunks stand (seed %d)', (seed) => {
    const random = new SeededRandom(seed);
    const pool = [
      'let a = [',
      'one,',
      '];',
      '',
      'function f() {',
      '}',
      '/* open',
      'close */',
      'call(a, `',
      '`);',
    ];
    for (let round = 0; round < 50; round++) {
      const before: string[] = [];
      const after: string[] = [];
      const hunks: Hunk[] = [];
      const draw = (below: number) => Array.from({ length: random.below(below) }, () => random.pick(pool));
      for (let n = 0; n < 4; n++) {
        const same = [...draw(4), 'same();'];
        before.push(...same);
        after.push(...same);
        const [removed, added] = [draw(4), draw(4)];
        if (removed.length + added.length === 0) continue;
        hunks.push({
          oldStart: before.length + (removed.length > 0 ? 1 : 0),
          oldLines: removed.length,
          newStart: after.length + (added.length > 0 ? 1 : 0),
          newLines: added.length,
          removed,
        });
        before.push(...removed);
        after.push(...added);
      }
      const changes = changesOf(fileOf(hunks, { content: after.join('\n') })).hunks;
      hunks.forEach(({ oldStart, oldLines, newStart, newLines }, index) => {
        const { removed, added } = changes[index]!;
        if (oldLines > 0) expect(printsOf(removed)).toEqual(expected(before, oldStart - 1, oldLines));
        if (newLines > 0) expect(printsOf(added)).toEqual(expected(after, newStart - 1, newLines));
      });
    }
  });

  it('are all lines of a deleted file', () => {
    const removed = ['/* gone', 'too */', 'call();'];
    const hunk = { oldStart: 1, oldLines: 3, newStart: 0, newLines: 0, removed };
    const { hunks } = changesOf(fileOf([hunk], { status: 'deleted' }));
    expect(hunks.map((change) => printsOf(change.removed))).toEqual([expected(removed, 0, 3)]);
    expect(hunks[0]!.added).toEqual([]);
  });

  it('are read hunk by hunk where the commit does not carry the file', () => {
    const hunk = {
      oldStart: 7,
      oldLines: 1,
      newStart: 7,
      newLines: 2,
      removed: ['old();'],
      added: ['a();', 'b();'],
    };
    const [change] = changesOf(fileOf([hunk], {})).hunks;
    expect(printsOf(change!.removed)).toEqual([{ ...expected(['old();'], 0, 1)[0], line: 6 }]);
    expect(change!.added.map(({ line }) => line)).toEqual([6, 7]);
  });

  it('are read hunk by hunk where the hunks do not fit the file, as in a merge', () => {
    const hunk = { oldStart: 90, oldLines: 1, newStart: 2, newLines: 1, removed: ['old();'] };
    const [change] = changesOf(fileOf([hunk], { content: 'a();\nb();\n' })).hunks;
    expect(change!.removed.map(({ line }) => line)).toEqual([89]);
    expect(change!.added.map(({ line }) => line)).toEqual([1]);
  });

  it('are none of a file that does not count', () => {
    const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, removed: ['a'], added: ['b'] };
    expect(changesOf(fileOf([hunk], { excluded: 'vendored' })).hunks).toEqual([]);
    expect(changesOf(fileOf([hunk], { binary: true })).hunks).toEqual([]);
  });
});
