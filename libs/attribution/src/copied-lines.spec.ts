import type { CandidateFile } from '@lineprint/contracts';
import { linePrintsToBase64 } from '@lineprint/fingerprint';
import { addedLines, findCopiedLines } from './copied-lines';
import { encodeTokenBits } from './line-weights';

/** A file whose attributable lines have these numbers as hashes; negative ones are brackets. Each list is a hunk. */
function fileOf(hunks: readonly (readonly number[])[], path = 'aa'): CandidateFile {
  const lines = hunks.flat();
  let first = 0;
  return {
    path: `${path}.ts`,
    status: 'modified',
    language: 'typescript',
    addedLines: lines.length,
    deletedLines: 0,
    blankLines: 0,
    inherited: [],
    linePrints: linePrintsToBase64(
      lines.map((n, line) => {
        const hash = BigInt(1000 + n);
        return { line, h1: hash, h2: hash, h3: hash, bloom: 0n, tokens: 5 };
      }),
    ),
    tokenBits: encodeTokenBits(lines.map((n) => (n < 0 ? 1 : 20))),
    occurrences: '',
    pathKeys: [path.padStart(16, '0')],
    hunks: hunks.map((hunk) => ({ first, last: (first += hunk.length) - 1 })),
  };
}

/** The copied lines' hashes, where another line of history has added the lines of `originals`. */
function copied(files: readonly CandidateFile[], originals: readonly CandidateFile[]): number[] {
  const added = addedLines(originals);
  const found = findCopiedLines(files, (wanted) =>
    added
      .filter(({ place }) => place === wanted)
      .map(({ number }) => ({ fromCommit: 'c', fromLine: number })),
  );
  for (const { fromCommit, fromLine, hash } of found) {
    expect(fromCommit).toBe('c');
    expect(added.some((line) => line.number === fromLine && line.hash === hash)).toBe(true);
  }
  return found.map(({ hash }) => hash - 1000);
}

describe('copied lines', () => {
  it('are a hunk of which each line has an original, however little it says', () => {
    expect(copied([fileOf([[1, 2], [-3]])], [fileOf([[2, -3, 1]])])).toEqual([1, 2, -3]);
  });

  it('are a block in a hunk that says enough, without the edited lines around it', () => {
    expect(copied([fileOf([[1, 2, -3, 8, 4, 5, 6]])], [fileOf([[1, 2, -3, 7, 4, 5, 6]])])).toEqual([
      ...[1, 2, -3],
      ...[4, 5, 6],
    ]);
  });

  it('are not a line or a bracket that happens to be equal', () => {
    expect(copied([fileOf([[8, 1, -2, 9]])], [fileOf([[1, -2]])])).toEqual([]);
    expect(copied([fileOf([[8, -1, -2, -3, -4]])], [fileOf([[-1, -2, -3, -4]])])).toEqual([]);
  });

  it('are those of the same file only', () => {
    expect(copied([fileOf([[1, 2]], 'bb')], [fileOf([[1, 2]], 'aa')])).toEqual([]);
  });

  it('have an original of their own each; a block that is none leaves its originals to others', () => {
    expect(
      copied(
        [
          fileOf([
            [1, 2],
            [1, 2],
          ]),
        ],
        [fileOf([[1, 2]])],
      ),
    ).toEqual([1, 2]);
    expect(copied([fileOf([[9, 1], [1]])], [fileOf([[1]])])).toEqual([1]);
  });

  it('are none where nothing was added elsewhere, or the file has no key', () => {
    expect(copied([fileOf([[1, 2]])], [])).toEqual([]);
    expect(addedLines([{ ...fileOf([[1]]), pathKeys: [] }])).toEqual([]);
  });
});
