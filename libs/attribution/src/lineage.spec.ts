import { fileLineage, type FileLineage, type LineEdit, linesIn, sliceLineage } from './lineage';

const at = (commit: string, path = 'a.ts') => ({ commit, path });
const old = at('old');
/** Each line as `commit:line`, `?` where nobody knows. */
const linesOf = (lineage: FileLineage) =>
  lineage.flatMap(({ origin, line, count }) =>
    Array.from({ length: count }, (_, i) => (origin ? `${origin.commit}:${line + i}` : '?')),
  );
const whole = (origin: { commit: string; path: string }, count: number): FileLineage => [
  { origin, line: 0, count },
];
const edit = (oldStart: number, oldLines: number, newStart: number, newLines: number): LineEdit => ({
  oldStart,
  oldLines,
  newStart,
  newLines,
});

describe('the lineage of a file', () => {
  it('of a new file is the commit that adds it', () => {
    const own = at('new');
    expect(fileLineage([{ before: [], edits: [edit(0, 0, 0, 3)] }], own)).toEqual(whole(own, 3));
  });

  it('keeps what an edit leaves and gives the commit what it adds', () => {
    const edits = [edit(0, 0, 0, 1), edit(2, 1, 3, 2), edit(4, 1, 6, 0)];
    const lineage = fileLineage([{ before: whole(old, 6), edits }], at('new'));
    expect(linesOf(lineage)).toEqual(['new:0', 'old:0', 'old:1', 'new:3', 'new:4', 'old:3', 'old:5']);
  });

  it('joins lines again that stood one below the other', () => {
    const removed = fileLineage([{ before: whole(old, 4), edits: [edit(2, 0, 2, 1)] }], at('new'));
    const back = fileLineage([{ before: removed, edits: [edit(2, 1, 2, 0)] }], at('newer'));
    expect(back).toEqual(whole(old, 4));
  });

  it('of a merge takes a line from the first parent that has it, and what none has is its own', () => {
    const left = { before: whole(at('left'), 3), edits: [edit(1, 0, 1, 2)] };
    const right = { before: whole(at('right'), 4), edits: [edit(0, 1, 0, 1), edit(2, 2, 2, 3)] };
    expect(linesOf(fileLineage([left, right], at('merge')))).toEqual([
      'left:0',
      'right:1',
      'merge:2',
      'left:1',
      'left:2',
    ]);
  });

  it('gives inherited lines the lineage that they had, unless the edits say that they were there', () => {
    const before = whole(old, 3);
    const moved = { start: 3, lines: sliceLineage(before, 0, 1) };
    const edits = [edit(0, 1, 0, 0), edit(3, 0, 2, 2)];
    expect(linesOf(fileLineage([{ before, edits }], at('new'), [moved]))).toEqual([
      'old:1',
      'old:2',
      'new:2',
      'old:0',
    ]);
    const wrong = { start: 0, lines: sliceLineage(before, 2, 1) };
    expect(linesOf(fileLineage([{ before, edits }], at('new'), [wrong]))).toEqual([
      'old:1',
      'old:2',
      'new:2',
      'new:3',
    ]);
  });

  it('says of lines below what is known that nobody knows', () => {
    const lineage = fileLineage([{ before: whole(old, 1), edits: [edit(4, 1, 4, 2)] }], at('new'));
    expect(linesOf(lineage)).toEqual(['old:0', '?', '?', '?', 'new:4', 'new:5']);
  });

  it('is what following each line by itself gives, over random histories', () => {
    const random = generator(20261130);
    const below = (limit: number) => Math.floor(random() * limit);
    for (let history = 0; history < 50; history++) {
      let lineage: FileLineage = [];
      let expected: string[] = [];
      for (let commit = 0; commit < 20; commit++) {
        const edits: LineEdit[] = [];
        const next: string[] = [];
        let oldAt = 0;
        while (oldAt <= expected.length) {
          const kept = below(4);
          next.push(...expected.slice(oldAt, oldAt + kept));
          oldAt += kept;
          if (oldAt > expected.length) break;
          const removed = Math.min(below(3), expected.length - oldAt);
          const added = below(3);
          if (removed + added > 0) edits.push(edit(oldAt, removed, next.length, added));
          for (let i = 0; i < added; i++) next.push(`${commit}:${next.length}`);
          oldAt += removed;
          if (removed + added === 0 && kept === 0) oldAt += 0;
          if (expected.length === 0 || oldAt >= expected.length) break;
        }
        next.push(...expected.slice(oldAt));
        lineage = fileLineage([{ before: lineage, edits }], at(`${commit}`));
        expected = next;
        expect(linesOf(lineage)).toEqual(expected);
      }
    }
  });
});

describe('a slice of a lineage', () => {
  it('has the lines asked for, unknown ones beyond the end', () => {
    const lineage: FileLineage = [...whole(old, 2), { origin: at('new'), line: 5, count: 2 }];
    expect(linesOf(sliceLineage(lineage, 1, 2))).toEqual(['old:1', 'new:5']);
    expect(linesOf(sliceLineage(lineage, 3, 3))).toEqual(['new:6', '?', '?']);
    expect(linesIn(sliceLineage(lineage, 9, 2))).toBe(2);
  });
});

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
