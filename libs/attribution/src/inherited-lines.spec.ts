import { analyseText, deriveLineKey } from '@lineprint/fingerprint';
import { SeededRandom } from './fixtures/seeded-random';
import { inheritedLines, type ChangedFile, type ChangedLine } from './inherited-lines';

const KEY = deriveLineKey(new TextEncoder().encode('only a fixture, no secret'), 'fixture');

/** The lines of a text; `at` is the number of its first line in its file. */
function linesOf(text: string, at = 0): ChangedLine[] {
  const { prints, tokenBits } = analyseText(text, 'typescript', KEY);
  return prints.map(({ line, h1, h2, h3 }, i) => ({
    line: at + line,
    ordinal: at + i,
    h1,
    h2,
    h3,
    bits: tokenBits[i]!,
  }));
}

const change = (path: string, ...hunks: [removed: string, added: string][]): ChangedFile => ({
  path,
  hunks: hunks.map(([removed, added], i) => ({
    removed: linesOf(removed, i * 1000),
    added: linesOf(added, i * 1000),
  })),
});

const BERTH = `export function berthFor(vessel: Vessel, berths: readonly Berth[]) {
  const free = berths.filter((berth) => berth.length >= vessel.length);
  if (free.length === 0) {
    return undefined;
  }
  return free.sort(byDraught)[0];
}`;
const indented = (text: string) =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

describe('inherited lines', () => {
  it('are a block that went to another file, with the place it came from', () => {
    const files = [
      change('harbour.ts', [BERTH, '']),
      { ...change('berth.ts', ['', BERTH]), status: 'added' },
    ];
    expect(inheritedLines(files)).toEqual([
      [],
      [{ start: 0, count: 7, how: 'moved', fromFile: 'harbour.ts', fromLine: 0 }],
    ]);
  });

  it('name the file they came from as it was called before the commit', () => {
    const files = [
      { ...change('quay.ts', [BERTH, '']), oldPath: 'dock.ts' },
      change('berth.ts', ['', BERTH]),
    ];
    expect(inheritedLines(files)[1]![0]!.fromFile).toBe('dock.ts');
  });

  it('are a block that went elsewhere in its file, indented anew', () => {
    const [ranges] = inheritedLines([change('harbour.ts', ['', indented(BERTH)], [BERTH, ''])]);
    expect(ranges).toEqual([{ start: 0, count: 7, how: 'moved', fromLine: 1000 }]);
  });

  it('are lines that differ from those they replace in white space, a trailing comma or quotes only', () => {
    const removed = "call(one, 'a');\nconst berths = [first, second,];\nreturn berths";
    const added = 'if (open) {\n  call(one,  "a")\n  const berths = [first, second];\n  return berths;\n}';
    expect(inheritedLines([change('a.ts', [removed, added])])).toEqual([
      [{ start: 1, count: 3, how: 'whitespace', fromLine: 0 }],
    ]);
  });

  it('are a statement that a formatter wrapped anew, in either direction', () => {
    const one = 'const free = filterBerths(allBerths, vessel.length, vessel.draught);';
    const many = 'const free = filterBerths(\n  allBerths,\n  vessel.length,\n  vessel.draught,\n);';
    expect(inheritedLines([change('a.ts', [one, many])])[0]!.map(({ count }) => count)).toEqual([
      1, 1, 1, 1, 1,
    ]);
    expect(inheritedLines([change('a.ts', [many, one])])).toEqual([
      [{ start: 0, count: 1, how: 'whitespace', fromLine: 0 }],
    ]);
  });

  it('are not the edited lines of a block that moved', () => {
    const edited = BERTH.replace('return undefined;', 'throw new NoBerthError(vessel.name);');
    const files = [change('harbour.ts', [BERTH, '']), change('berth.ts', ['', edited])];
    expect(inheritedLines(files)[1]).toEqual([
      { start: 0, count: 3, how: 'moved', fromFile: 'harbour.ts', fromLine: 0 },
      { start: 4, count: 3, how: 'moved', fromFile: 'harbour.ts', fromLine: 4 },
    ]);
  });

  it('are not a few lines that code everywhere has', () => {
    const removed = 'break;\n}\n}\nreturn total;';
    const files = [change('a.ts', [removed, '']), change('b.ts', ['', removed])];
    expect(inheritedLines(files)).toEqual([[], []]);
    expect(inheritedLines([change('a.ts', ['foo();\n}\n', 'bar(one, two);\n  }\n'])])).toEqual([[]]);
  });

  it('are a bracket alone where all of its hunk is the bracket', () => {
    expect(inheritedLines([change('a.ts', ['}', '  }'])])[0]).toHaveLength(1);
  });

  it('are a long statement that moved by itself', () => {
    const statement = `const allowed = ['pilot', 'tug', 'ferry', 'barge', 'tanker', 'trawler', 'launch', 'yacht'];`;
    const files = [change('a.ts', [statement, '']), change('b.ts', ['', statement])];
    expect(inheritedLines(files)[1]).toHaveLength(1);
  });

  it('are not copies: a removed line is inherited once, the other one somebody added', () => {
    const files = [change('a.ts', [BERTH, '']), change('b.ts', ['', BERTH]), change('c.ts', ['', BERTH])];
    expect(inheritedLines(files).map((ranges) => ranges.reduce((sum, { count }) => sum + count, 0))).toEqual([
      0, 7, 0,
    ]);
  });

  it('go to the longer of two blocks that claim them', () => {
    const part = BERTH.split('\n').slice(0, 4).join('\n');
    const files = [change('a.ts', [BERTH, '']), change('b.ts', ['', part]), change('c.ts', ['', BERTH])];
    expect(inheritedLines(files).map((ranges) => ranges.length)).toEqual([0, 0, 1]);
  });

  it('are none without removed lines', () => {
    expect(inheritedLines([change('a.ts', ['', BERTH]), change('b.ts', ['', BERTH])])).toEqual([[], []]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'are each one added line, from one removed line or statement, whatever the change (seed %d)',
    (seed) => {
      const random = new SeededRandom(seed);
      const draw = (below: number) => random.below(below);
      const pool = [
        ...BERTH.split('\n'),
        'free.push(',
        'vessel.draught,',
        ');',
        'x',
        '',
        'return free.pop();',
      ];
      const text = () => Array.from({ length: draw(12) }, () => pool[draw(pool.length)]!).join('\n');
      for (let round = 0; round < 50; round++) {
        const files = ['a.ts', 'b.ts', 'c.ts'].map((path) =>
          change(path, [text(), text()], [text(), text()]),
        );
        const ranges = inheritedLines(files);
        const taken = new Set<string>();
        ranges.forEach((list, index) => {
          const added = files[index]!.hunks.flatMap((hunk) => hunk.added);
          let next = 0;
          for (const { start, count, how, fromFile, fromLine } of list) {
            expect(start).toBeGreaterThanOrEqual(next);
            next = start + count;
            const from = files.find(({ path }) => path === (fromFile ?? files[index]!.path))!;
            for (let k = 0; k < count; k++) {
              const line = added.find((candidate) => candidate.line === start + k)!;
              const old = from.hunks
                .flatMap((hunk) => hunk.removed)
                .find((candidate) => candidate.line === fromLine + k)!;
              expect(line.h1 === old.h1 || line.h3 === old.h3).toBe(true);
              if (line.h1 === line.h3 && line.h1 === old.h1) {
                expect(taken.has(`${from.path}:${old.line}`)).toBe(false);
                taken.add(`${from.path}:${old.line}`);
              }
              if (how === 'whitespace') expect(fromFile).toBeUndefined();
            }
          }
        });
        expect(inheritedLines(files)).toEqual(ranges);
      }
    },
  );

  it('are found among 20,000 lines that repeat or move without trying all pairs', () => {
    const numbers = Array.from({ length: 20_000 }, (_, i) => i);
    const distinct = numbers.map((i) => `register(vessel${i}, berth${(i * 7919) % 20_000});`);
    const shuffled = [...distinct].sort((a, b) => (a < b ? -1 : 1));
    const same = numbers.map(() => 'register(vessel, berth);');
    for (const [removed, added] of [
      [distinct, distinct],
      [distinct, shuffled],
      [same, same.slice(1)],
      [same, distinct],
    ]) {
      const files = [change('a.ts', [removed!.join('\n'), '']), change('b.ts', ['', added!.join('\n')])];
      expect(inheritedLines(files)).toHaveLength(2);
      expect(inheritedLines([change('a.ts', [removed!.join('\n'), added!.join('\n')])])).toHaveLength(1);
    }
  });
});
