import type { AttributedFile, CandidateFile } from '@lineprint/contracts';
import { attributeCommit } from './attribute-commit';
import { decodeExplanations, encodeExplanations, type LineExplanation } from './explanation';
import { encodeContextLines } from './context-lines';
import { fileOf, inputOf, lineHashOf, pathKeyOf, snippetOf } from './fixtures/commit';
import { encodeOccurrences, encodeTokenBits } from './line-weights';
import type { Snippet } from './snippet';

const LOCK = [
  'export class SluiceGate extends WaterwayStructure {',
  '  private readonly actuator = new HydraulicActuator(this.controller, "sluice-east");',
  '  openTo(percentage: number, deadline: Instant): Promise<GateReport> {',
  '    const clamped = Math.min(MAXIMUM_OPENING, Math.max(0, percentage));',
  '    return this.actuator.drive({ target: clamped, deadline, retries: RETRY_LIMIT });',
  '  }',
  '}',
];

const SNIPPET = snippetOf('s1', LOCK.join('\n'), {
  pathKey: pathKeyOf('sluice.ts'),
  before: lineHashOf("import { WaterwayStructure } from './waterway';"),
});

/** The explanation of each matched line, by its number in the new file. */
function explained(attributed: AttributedFile): Map<number, LineExplanation> {
  const matched = attributed.lines.flatMap(({ start, count, result }) =>
    attributed.results[result]!.evidence === 'matched'
      ? Array.from({ length: count }, (_, k) => start + k)
      : [],
  );
  const explanations = decodeExplanations(attributed.explanations);
  expect(explanations).toHaveLength(matched.length);
  return new Map(matched.map((line, i) => [line, explanations[i]!]));
}

/** Rule and snippet line of each line of a file that is judged beside one snippet; `-` where it has none. */
function rulesOf(file: CandidateFile, snippet: Snippet): string[] {
  const [attributed] = attributeCommit(inputOf([file], [snippet]));
  const why = explained(attributed!);
  const lines = attributed!.lines.flatMap(({ start, count }) =>
    Array.from({ length: count }, (_, k) => why.get(start + k)),
  );
  return lines.map((line) => (line ? `${line.rule} ${line.snippetLine}` : '-'));
}

const rulesIn = (lines: readonly string[]) => rulesOf(fileOf('sluice.ts', lines.join('\n')), SNIPPET);

describe('a matched line says', () => {
  it('that it stands as it was accepted, and where in the snippet', () => {
    expect(rulesIn([...LOCK.slice(2), ...LOCK.slice(0, 2)])).toEqual(
      [2, 3, 4, 5, 6, 0, 1].map((line) => `line ${line}`),
    );
  });

  it('that its statement was wrapped anew', () => {
    const wrapped = [
      '  private readonly actuator = new HydraulicActuator(',
      '    this.controller,',
      '    "sluice-east",',
      '  );',
    ];
    expect(rulesIn(LOCK.toSpliced(1, 1, ...wrapped)).slice(0, 6)).toEqual([
      'line 0',
      ...wrapped.map(() => 'statement 1'),
      'line 2',
    ]);
  });

  it('that it has kept its shape, with other names', () => {
    const renamed = LOCK[3]!.replace('clamped', 'opening').replace('percentage', 'share');
    expect(rulesIn(LOCK.with(3, renamed))[3]).toBe('shape 3');
  });

  it('that it is similar to the line that it replaces', () => {
    const rewritten = '    const clamped = Math.min(MAXIMUM_OPENING, percentage) || fallback;';
    expect(rulesIn(LOCK.with(3, rewritten))[3]).toBe('similar 3');
  });

  it('that it is a part of a line that was spread over several', () => {
    const spread = [
      '    const lowest = Math.max(0, percentage);',
      '    const clamped = Math.min(MAXIMUM_OPENING,',
    ];
    expect(rulesIn(LOCK.toSpliced(3, 1, ...spread)).slice(3, 5)).toEqual(['reflow 3', 'reflow 3']);
  });

  it('that lines around it, which an earlier commit brought, show its place', () => {
    const around = LOCK.flatMap((text, line) =>
      line === 4 ? [] : [{ line, h1: BigInt(`0x${lineHashOf(text)}`) }],
    );
    const context = {
      lines: encodeContextLines(around),
      tokenBits: encodeTokenBits(around.map(() => 40)),
      occurrences: encodeOccurrences(around.map(() => 0)),
    };
    const occurrences = encodeOccurrences([5, 5]);
    const file = { ...fileOf('sluice.ts', LOCK.join('\n'), (line) => line === 4), context, occurrences };
    expect(rulesOf(file, SNIPPET)).toEqual(['surroundings 4']);
  });

  it('by how many bits it is known', () => {
    const [attributed] = attributeCommit(inputOf([fileOf('sluice.ts', LOCK.join('\n'))], [SNIPPET]));
    const bits = [...explained(attributed!).values()].map((line) => line.bits);
    expect(bits[1]).toBeGreaterThan(bits[6]!);
  });
});

describe('packed explanations', () => {
  it('come out as they went in, to 1/64 bit', () => {
    const lines: LineExplanation[] = [
      { rule: 'line', snippetLine: 0, bits: 0 },
      { rule: 'surroundings', snippetLine: 65_534, bits: 12.015625 },
    ];
    expect(decodeExplanations(encodeExplanations(lines))).toEqual(lines);
  });

  it('stop at the largest number that they can hold', () => {
    const [line] = decodeExplanations(
      encodeExplanations([{ rule: 'shape', snippetLine: 70_000, bits: 5000 }]),
    );
    expect(line).toEqual({ rule: 'shape', snippetLine: 65_535, bits: 65_535 / 64 });
  });

  it.each([
    ['break off', Buffer.alloc(4)],
    ['name a rule that is not known', Buffer.alloc(5, 99)],
  ])('are refused where they %s', (_fault, bytes) => {
    expect(() => decodeExplanations(bytes.toString('base64'))).toThrow(
      expect.objectContaining({ code: 'explanation-malformed' }) as Error,
    );
  });
});
