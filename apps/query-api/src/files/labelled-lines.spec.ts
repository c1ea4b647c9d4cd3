import type { LineRun } from '@lineprint/attribution';
import type { LineKind } from '@lineprint/contracts';
import type { AttributedRange } from '../commits/attributed-lines';
import { type JudgedFile, labelledLines } from './labelled-lines';

const range = (start: number, count: number, kind: LineKind): AttributedRange => ({
  start,
  count,
  kind,
  evidence: kind === 'H' ? 'none' : 'matched',
  confidence: kind === 'H' ? 'UNIQUE' : 'HIGH',
  codeId: null,
  source: null,
  model: null,
  words: '',
  explanations:
    kind === 'H'
      ? []
      : Array.from({ length: count }, (_, i) => ({ line: start + i, rule: 'line', snippetLine: i, bits: 1 })),
});
const judged = (ranges: AttributedRange[], inherited: JudgedFile['inherited'] = []): JudgedFile => ({
  excluded: null,
  inherited,
  ranges,
});
const run = (commit: string, path: string, line: number, count: number): LineRun => ({
  origin: { commit, path },
  line,
  count,
});

/** Each labelled range as text: `start+count kind commit:path:line`. */
function labels(lineage: readonly LineRun[], verdicts: Record<string, JudgedFile>): string[] {
  return labelledLines(lineage, (commit, path) => verdicts[`${commit}:${path}`]).map(
    ({ start, count, kind, origin, copiedFrom }) =>
      [
        `${start}+${count} ${kind}`,
        ...(origin ? [`${origin.commit}:${origin.path}:${origin.line}`] : []),
        ...(copiedFrom === undefined ? [] : [`from ${copiedFrom}`]),
      ].join(' '),
  );
}

describe('the label of a line', () => {
  it('is what the verdict on the commit that added it says of it there', () => {
    const verdicts = { 'a:old.ts': judged([range(0, 2, 'P'), range(3, 4, 'H'), range(7, 1, 'M')]) };
    expect(labels([run('a', 'old.ts', 1, 8)], verdicts)).toEqual([
      '0+1 P a:old.ts:1',
      '1+1 blank a:old.ts:2',
      '2+4 H a:old.ts:3',
      '6+1 M a:old.ts:7',
      '7+1 blank a:old.ts:8',
    ]);
  });

  it('has the explanations of its own lines, numbered as in the file', () => {
    const verdicts = { 'a:f': judged([range(4, 5, 'P')]) };
    const [, second] = labelledLines([run('b', 'f', 0, 10), run('a', 'f', 6, 2)], (commit) =>
      commit === 'a' ? verdicts['a:f'] : judged([], []),
    );
    expect(second!.range).toMatchObject({
      start: 10,
      count: 2,
      explanations: [
        { line: 10, snippetLine: 2 },
        { line: 11, snippetLine: 3 },
      ],
    });
  });

  it('is that of the original where another line of history has brought the line', () => {
    const verdicts = {
      'a:f': judged([range(0, 1, 'P'), range(1, 3, 'H')]),
      'b:f': judged(
        [range(4, 1, 'M')],
        [{ start: 10, count: 3, how: 'copied', fromCommit: 'a', fromLine: 0 }],
      ),
    };
    expect(labels([run('b', 'f', 4, 1), run('b', 'f', 11, 2)], verdicts)).toEqual([
      '0+1 M b:f:4',
      '1+2 H b:f:11 from a',
    ]);
  });

  it.each([
    [
      'nobody knows where a copy came from',
      [{ start: 0, count: 2, how: 'copied', fromCommit: 'a' }] as const,
    ],
    [
      'the original has no verdict',
      [{ start: 0, count: 2, how: 'copied', fromCommit: 'z', fromLine: 0 }] as const,
    ],
    ['a moved line could not be followed', [{ start: 0, count: 2, how: 'moved', fromLine: 5 }] as const],
  ])('is unknown where %s', (_case, inherited) => {
    expect(labels([run('b', 'f', 0, 3)], { 'b:f': judged([], [...inherited]) })).toEqual([
      '0+2 unknown b:f:0',
      '2+1 blank b:f:2',
    ]);
  });

  it('is unknown where the line is older than what is known, or its commit not judged', () => {
    expect(labels([{ origin: undefined, line: 0, count: 4 }, run('a', 'f', 2, 1)], {})).toEqual([
      '0+4 unknown',
      '4+1 unknown a:f:2',
    ]);
  });

  it('says that the policy leaves the file out', () => {
    const verdicts = { 'a:f': { ...judged([]), excluded: 'generated' } };
    expect(labels([run('a', 'f', 0, 2)], verdicts)).toEqual(['0+2 excluded a:f:0']);
  });
});
