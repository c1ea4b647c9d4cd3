import {
  changedLines,
  fileLineage,
  inheritedLines,
  isSameLineage,
  linesIn,
  treeChange,
} from '@lineprint/attribution';
import { addedSpans } from '@lineprint/capture';
import {
  type CommitFile,
  fileInconsistency,
  type Hunk,
  lineEdits,
  areFollowable,
} from '@lineprint/contracts';
import { analyseText, deriveLineKey } from '@lineprint/fingerprint';
import { fuzz, oddTexts, type SeededRandom } from '../fuzz';

jest.setTimeout(600_000);

const KEY = deriveLineKey(new Uint8Array(32).fill(7), 'fuzz');

const pool: readonly string[] = [
  'const free = berths.filter((berth) => berth.length >= vessel.length);',
  'const allowed = [',
  "  'pilot',",
  '];',
  'return free.sort(byDraught)[0];',
  'throw new NoBerthError(vessel.name, "harbour");',
  '/* a note',
  'that ends */',
  'call(`',
  '`);',
  '}',
  '{',
  '',
  '   ',
  ...oddTexts.filter((text) => text.length < 50 && !/[\n\r]/.test(text)),
];

const anyLines = (random: SeededRandom, most: number): string[] =>
  Array.from({ length: random.between(0, most) }, () => {
    const line = random.pick(pool);
    return random.between(0, 3) === 0 ? `${line} ${random.between(0, 30)}` : line;
  });

/** A file that is changed in some places, with the hunks that say so. */
function anyFile(random: SeededRandom, path: string, moved: readonly string[]) {
  const before: string[] = [];
  const after: string[] = [];
  const hunks: Hunk[] = [];
  for (let left = random.between(1, 5); left > 0; left--) {
    const same = [...anyLines(random, 5), 'same();'];
    before.push(...same);
    after.push(...same);
    const removed = random.between(0, 2) === 0 ? [...moved] : anyLines(random, 6);
    const added = random.between(0, 2) === 0 ? [...moved] : anyLines(random, 6);
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
  const sum = (side: 'oldLines' | 'newLines') => hunks.reduce((total, hunk) => total + hunk[side], 0);
  const file: CommitFile = {
    path,
    status: 'modified',
    binary: false,
    addedLines: sum('newLines'),
    deletedLines: sum('oldLines'),
    content: after.join('\n'),
    hunks,
  };
  return { before, after, file };
}

fuzz('what a client takes for added, put into the text before, gives the text after', 300, (random) => {
  const [before, after] = [anyLines(random, 25), anyLines(random, 25)];
  const kept = random.between(0, 2) === 0 ? random.shuffle([...before, ...anyLines(random, 5)]) : after;
  const end = random.pick(['', '\n', '\r\n']);
  const text = (lines: readonly string[]) => lines.join(random.pick(['\n', '\r\n'])) + end;
  const [old, now] = [text(before), text(kept)];
  const lines = now.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const spans = addedSpans(old, now);
  let next = 0;
  const isAdded = new Set<number>();
  for (const { first, last } of spans) {
    expect(first).toBeGreaterThanOrEqual(next);
    expect(last).toBeGreaterThanOrEqual(first);
    expect(last).toBeLessThan(lines.length);
    for (let line = first; line <= last; line++) isAdded.add(line);
    next = last + 1;
  }
  // What is not added stands in the old text, in this order.
  const unchanged = lines.filter((_, line) => !isAdded.has(line));
  const oldLines = old.split(/\r?\n/);
  let at = 0;
  for (const line of unchanged) {
    while (at < oldLines.length && oldLines[at] !== line) at++;
    expect(oldLines[at++]).toBe(line);
  }
  expect(addedSpans(now, now)).toEqual([]);
});

fuzz('the lines of hunks are those of the two files, each inherited once at most', 120, (random) => {
  const moved = anyLines(random, 8);
  const files = ['a.ts', 'b.ts', 'c.ts'].map((path) => anyFile(random, path, moved));
  const read = (text: string) => analyseText(text, 'typescript', KEY);
  const changes = files.map(({ file }) => changedLines(file, KEY, read(file.content!)));
  files.forEach(({ before, after, file }, i) => {
    expect(fileInconsistency(file)).toBeUndefined();
    expect(areFollowable(lineEdits(file.hunks))).toBe(true);
    const old = new Map(read(before.join('\n')).prints.map((print) => [print.line, print]));
    const now = new Map(read(after.join('\n')).prints.map((print) => [print.line, print]));
    for (const { removed, added } of changes[i]!.hunks) {
      for (const { line, h1, h3 } of removed) expect(old.get(line)).toMatchObject({ h1, h3 });
      for (const { line, h1, h3 } of added) expect(now.get(line)).toMatchObject({ h1, h3 });
    }
  });
  const ranges = inheritedLines(changes);
  expect(inheritedLines(changes)).toEqual(ranges);
  ranges.forEach((list, i) => {
    const added = new Map(
      changes[i]!.hunks.flatMap((hunk) => hunk.added.map((line) => [line.line, line] as const)),
    );
    let next = 0;
    for (const { start, count, fromFile = changes[i]!.path, fromLine } of list) {
      expect(start).toBeGreaterThanOrEqual(next);
      next = start + count;
      const from = changes.find(({ path }) => path === fromFile)!;
      const removed = new Map(
        from.hunks.flatMap((hunk) => hunk.removed.map((line) => [line.line, line] as const)),
      );
      for (let k = 0; k < count; k++) {
        const [line, old] = [added.get(start + k)!, removed.get(fromLine + k)!];
        expect(line.h1 === old.h1 || line.h3 === old.h3).toBe(true);
      }
    }
  });
  const inherited = ranges.flat().reduce((sum, { count }) => sum + count, 0);
  expect(inherited).toBeLessThanOrEqual(files.reduce((sum, { file }) => sum + file.addedLines, 0));
});

fuzz('a lineage has as many lines as its file, and those that stay keep their origin', 120, (random) => {
  const moved = anyLines(random, 8);
  const { before, after, file } = anyFile(random, 'a.ts', moved);
  const read = analyseText(file.content!, 'typescript', KEY);
  const [inherited] = inheritedLines([changedLines(file, KEY, read)]);
  const origin = { commit: 'old', path: 'a.ts' };
  const parent = new Map([
    ['a.ts', fileLineage([{ before: [], edits: [wholeFile(before.length)] }], origin)],
  ]);
  const commit = {
    sha: 'new',
    parents: ['old'],
    files: [
      { path: 'a.ts', status: 'modified' as const, edits: lineEdits(file.hunks), inherited: inherited! },
    ],
  };
  const lineage = treeChange(commit, [parent]).get('a.ts')!;
  expect(linesIn(lineage)).toBe(after.length);
  const own = lineage
    .filter((run) => run.origin?.commit === 'new')
    .reduce((sum, { count }) => sum + count, 0);
  const kept = inherited!.reduce((sum, { count }) => sum + count, 0);
  expect(own + kept).toBe(file.addedLines);
  let line = 0;
  for (const run of lineage) {
    for (let k = 0; k < run.count; k++, line++) {
      if (run.origin?.commit === 'new') expect(run.line + k).toBe(line);
      else if (!inherited!.some(({ start, count }) => line >= start && line < start + count)) {
        expect(before[run.line + k]).toBe(after[line]);
      }
    }
  }
  expect(isSameLineage(treeChange(commit, [parent]).get('a.ts')!, lineage)).toBe(true);
});

const wholeFile = (newLines: number) => ({ oldStart: 0, oldLines: 0, newStart: 0, newLines });
