import { encodeOccurrences } from './line-weights';
import { DEFAULT_POLICY, type AttributedFile, type DeclaredRange, type LineKind } from '@lineprint/contracts';
import { attributeCommit } from './attribute-commit';
import { COMMIT, everyCandidate, fileOf, inputOf, lineHashOf, pathKeyOf, snippetOf } from './fixtures/commit';

const TIDE = `export function waterLevelAt(extremes: Extreme[], moment: number): number {
  const index = extremes.findIndex((extreme) => extreme.time > moment);
  if (index < 1) throw new RangeError('no tide prediction covers this moment');
  const earlier = extremes[index - 1];
  const later = extremes[index];
  const passed = (moment - earlier.time) / (later.time - earlier.time);
  const halfRange = (earlier.metres - later.metres) / 2;
  return (earlier.metres + later.metres) / 2 + halfRange * Math.cos(Math.PI * passed);
}`;

/** Kind of each non-blank line, in order. */
function kindsOf(file: AttributedFile): string {
  const kinds: [number, LineKind][] = file.lines.flatMap((range) =>
    Array.from({ length: range.count }, (_, k): [number, LineKind] => [range.start + k, range.kind]),
  );
  return kinds
    .sort((a, b) => a[0] - b[0])
    .map(([, kind]) => kind)
    .join('');
}

/** Where `tide.ts` has it. */
const AT_TIDE = { pathKey: pathKeyOf('tide.ts') };

function attributeOne(final: string, ai = TIDE): AttributedFile {
  return attributeCommit(inputOf([fileOf('tide.ts', final)], [snippetOf('s1', ai, AT_TIDE)]))[0]!;
}

const replaceLine = (text: string, line: number, by: string[]) =>
  text
    .split('\n')
    .toSpliced(line, 1, ...by)
    .join('\n');

describe('attributeCommit', () => {
  it('calls lines that stand as they were accepted kept, with high confidence', () => {
    const text = `${TIDE}\nexport const STATION = { name: 'Alte Liebe', datum: -5.02 };`;
    const file = attributeOne(text, text);
    expect(kindsOf(file)).toBe('PPPPPPPPPP');
    expect(file.results).toEqual([
      expect.objectContaining({
        codeId: 's1',
        source: 'agent',
        model: 'granite-agent-2',
        evidence: 'matched',
        confidence: 'HIGH',
        similarity: null,
        preserved: 10,
        modified: 0,
        human: 0,
        suspect: 0,
      }),
    ]);
    expect(file.lines).toEqual([{ start: 0, count: 10, kind: 'P', result: 0 }]);
  });

  it('calls lines whose names were changed changed', () => {
    const file = attributeOne(TIDE.replaceAll('earlier', 'former').replaceAll('later', 'next'));
    expect(kindsOf(file)).toBe('PPPMMMMMP');
  });

  it('calls lines that a human inserted human', () => {
    const file = attributeOne(replaceLine(TIDE, 3, ['  logger.debug({ index });', '  counters.lookups++;']));
    expect(kindsOf(file)).toBe('PPPHHPPPPP');
    expect(file.results.map((result) => result.codeId)).toEqual(['s1', null]);
    expect(file.results[1]).toMatchObject({ evidence: 'none', confidence: 'UNIQUE', source: null, human: 2 });
  });

  it('credits nothing for AI lines that were deleted', () => {
    const file = attributeOne(TIDE.split('\n').toSpliced(3, 3).join('\n'));
    expect(kindsOf(file)).toBe('PPPPPP');
  });

  it('follows lines that were put in another order', () => {
    const lines = TIDE.split('\n');
    const files = [fileOf('tide.ts', [...lines.slice(5), ...lines.slice(0, 5)].join('\n'))];
    const snippet = snippetOf('s1', TIDE, { pathKey: pathKeyOf('tide.ts') });
    expect(kindsOf(attributeCommit(inputOf(files, [snippet]))[0]!)).toBe('PPPPPPPPP');
  });

  it('pairs a rewritten line with the one it replaced', () => {
    const file = attributeOne(
      replaceLine(TIDE, 2, [`  if (index < 1) throw new TideError('no tide prediction covers', moment);`]),
    );
    expect(kindsOf(file)).toBe('PPMPPPPPP');
  });

  it('knows a statement that was only wrapped', () => {
    const file = attributeOne(
      replaceLine(TIDE, 0, [
        'export function waterLevelAt(',
        '  extremes: Extreme[],',
        '  moment: number,',
        '): number {',
      ]),
    );
    expect(kindsOf(file)).toBe('PPPPPPPPPPPP');
  });

  it('gives nothing away for code that merely uses the same language', () => {
    const file = attributeOne(`export class Ledger {
  private readonly entries = new Map<string, number>();

  book(account: string, cents: number): void {
    const balance = this.entries.get(account) ?? 0;
    this.entries.set(account, balance + cents);
  }
}`);
    expect(kindsOf(file)).toBe('HHHHHHH');
  });

  it('leaves blank lines out of the ranges', () => {
    const file = attributeOne(`${TIDE}\n\n${'export const STATION = 7_731;'}`);
    expect(file.lines).toEqual([
      { start: 0, count: 9, kind: 'P', result: 0 },
      { start: 10, count: 1, kind: 'H', result: 1 },
    ]);
  });

  it('uses each line of a snippet once', () => {
    const file = attributeOne(`${TIDE}\n${TIDE}`);
    expect(file.results.map(({ preserved, modified }) => preserved + modified)).toEqual([9, 0]);
  });

  it('uses each line of a snippet once over all files of a commit', () => {
    const files = [fileOf('a.ts', TIDE), fileOf('b.ts', TIDE)];
    const attributed = attributeCommit(inputOf(files, [snippetOf('s1', TIDE)]));
    expect(attributed.map(kindsOf)).toEqual(['PPPPPPPPP', 'HHHHHHHHH']);
  });

  it('splits a snippet over the files that its parts went to', () => {
    const lines = TIDE.split('\n');
    const isPast = (line: number) => line > 0;
    const files = [
      fileOf('a.ts', ['import { Extreme } from "./tides";', ...lines.slice(0, 5)].join('\n'), isPast),
      fileOf('b.ts', ['import { level } from "./a";', ...lines.slice(5)].join('\n'), isPast),
    ].map((file) => ({ ...file, pathKeys: [...file.pathKeys, pathKeyOf('a.ts')] }));
    const fields = { pathKey: pathKeyOf('a.ts'), before: lineHashOf('import { Extreme } from "./tides";') };
    const attributed = attributeCommit(inputOf(files, [snippetOf('s1', TIDE, fields)]));
    expect(attributed.map(kindsOf)).toEqual(['PPPPP', 'PPPP']);
  });

  it('places no statement whose first line went to another file, and comes to an end', () => {
    const before = TIDE.split('\n').slice(0, 5);
    const after = TIDE.split('\n').slice(5, 8);
    const statement = [
      'const level = interpolate(',
      '  earlierExtreme.metres,',
      '  laterExtreme.metres,',
      ');',
    ];
    const text = [...before, ...statement, ...after].join('\n');
    const placed = { pathKey: pathKeyOf('first.ts'), before: lineHashOf('const tides = 1;') };
    const snippet = snippetOf('s1', text, placed);
    const first = fileOf('first.ts', [...before, statement[0]].join('\n'));
    const renamed = fileOf('second.ts', [statement.join(''), ...after].join('\n'));
    const second = { ...renamed, pathKeys: [...renamed.pathKeys, ...first.pathKeys] };
    const attributed = attributeCommit(inputOf([first, second], [snippet]));
    expect(attributed.map(kindsOf)).toEqual(['PPPPPP', 'HPPP']);
  });

  it('prefers the snippet of the same path, then the newest, of equal ones', () => {
    const files = [fileOf('tide.ts', TIDE)];
    const codeIds = (...snippets: Parameters<typeof snippetOf>[2][]) =>
      attributeCommit(
        inputOf(
          files,
          snippets.map((fields, index) => snippetOf(`s${index}`, TIDE, fields)),
        ),
      )[0]!.results.map((result) => result.codeId);
    expect(codeIds({ createdAt: 3 }, { createdAt: 2, pathKey: pathKeyOf('tide.ts') })).toEqual(['s1']);
    expect(codeIds({ createdAt: 2 }, { createdAt: 3 })).toEqual(['s1']);
    expect(codeIds({ createdAt: 2 }, { createdAt: 2 })).toEqual(['s0']);
  });

  describe('with little evidence', () => {
    const COMPLETION = '  const passed = (moment - earlier.time) / (later.time - earlier.time);';
    const host = replaceLine(TIDE, 5, [COMPLETION, '  return passed;']);
    const added = (line: number) => line === 5 || line === 6;

    it('flags a single line as suspect and counts it as human', () => {
      const bits = { ...DEFAULT_POLICY.thresholds, suspectBits: 8 };
      const [file] = attributeCommit(
        inputOf([fileOf('tide.ts', host, added)], [snippetOf('s1', COMPLETION)], {
          policy: { ...DEFAULT_POLICY, thresholds: bits },
        }),
      );
      expect(kindsOf(file!)).toBe('HH');
      expect(file!.results[0]).toMatchObject({ codeId: 's1', confidence: 'SUSPECT', human: 1, suspect: 1 });
      expect(file!.results[1]).toMatchObject({ codeId: null, human: 1, suspect: 0 });
    });

    it('counts two lines that stand where they were accepted', () => {
      const snippet = snippetOf('s1', `${COMPLETION}\n  return passed;`, {
        pathKey: pathKeyOf('tide.ts'),
        before: lineHashOf('  const later = extremes[index];'),
        after: lineHashOf('  const halfRange = (earlier.metres - later.metres) / 2;'),
      });
      const [file] = attributeCommit(inputOf([fileOf('tide.ts', host, added)], [snippet]));
      expect(kindsOf(file!)).toBe('PP');
      expect(file!.results[0]).toMatchObject({ confidence: 'LOW' });
    });
  });

  it('counts a completion of one line between the two lines that it was accepted between', () => {
    const completion = '  const passed = (moment - earlier.time) / (later.time - earlier.time);';
    const inPlace = {
      pathKey: pathKeyOf('tide.ts'),
      before: lineHashOf('  const later = extremes[index];'),
      after: lineHashOf('  const halfRange = (earlier.metres - later.metres) / 2;'),
    };
    const files = [fileOf('tide.ts', TIDE, (line) => line === 5)];
    const kinds = (fields: Partial<typeof inPlace>) =>
      kindsOf(attributeCommit(inputOf(files, [snippetOf('s1', completion, fields)]))[0]!);
    expect(kinds(inPlace)).toBe('P');
    expect(kinds({ pathKey: inPlace.pathKey })).toBe('H');
  });

  it('knows a snippet between its neighbours in a file of another name, unless that has had a commit since', () => {
    const completion = '  const passed = (moment - earlier.time) / (later.time - earlier.time);';
    const neighbours = {
      before: lineHashOf('  const later = extremes[index];'),
      after: lineHashOf('  const halfRange = (earlier.metres - later.metres) / 2;'),
    };
    const file = fileOf('tide.ts', TIDE, (line) => line === 5);
    const kinds = (files: ReturnType<typeof fileOf>[], fields: Partial<typeof neighbours>) => {
      const snippet = snippetOf('s1', completion, { ...fields, pathKey: pathKeyOf('elsewhere.ts') });
      return kindsOf(attributeCommit(inputOf(files, [snippet]))[0]!);
    };
    expect(kinds([file], neighbours)).toBe('P');
    expect(kinds([{ ...file, previousCommitAt: snippetOf('s1', '').createdAt }], neighbours)).toBe('H');
    expect(kinds([file], { before: neighbours.before })).toBe('H');
  });

  it('asks less of most of a snippet beside one of its neighbours in a file of another name', () => {
    const lines = TIDE.split('\n');
    const [head, accepted] = [lines[0]!, lines.slice(1, 5)];
    const kinds = (text: string, before: string) => {
      const snippet = snippetOf('s1', text, {
        pathKey: pathKeyOf('elsewhere.ts'),
        before: lineHashOf(before),
      });
      const file = fileOf('tide.ts', [head, ...accepted].join('\n'), (line) => line > 0);
      return kindsOf(attributeCommit(inputOf([file], [snippet]))[0]!);
    };
    const strange = Array.from({ length: 9 }, (_, k) => `log(strange${k}, other${k});`);
    expect(kinds(accepted.join('\n'), head)).toBe('PPPP');
    expect(kinds(accepted.join('\n'), 'begin();')).toBe('HHHH');
    expect(kinds([...accepted, ...strange].join('\n'), head)).toBe('HHHH');
  });

  it('asks more of a snippet that names no neighbour, unless it is intact or the file is new', () => {
    const halves = [TIDE.split('\n').slice(0, 4), TIDE.split('\n').slice(5)];
    const renamed = halves.flat().join('\n').replaceAll('extremes', 'turningPoints');
    const host = `import { Extreme } from './extremes';\n${renamed}\nexport const METRES = 1;`;
    const isAi = (line: number) => line > 0 && line <= 8;
    const kinds = (file: ReturnType<typeof fileOf>, fields: Parameters<typeof snippetOf>[2]) =>
      kindsOf(attributeCommit(inputOf([file], [snippetOf('s1', TIDE, { ...AT_TIDE, ...fields })]))[0]!);
    const before = lineHashOf("import { Extreme } from './extremes';");
    expect(kinds(fileOf('tide.ts', host, isAi), {})).toBe('HHHHHHHH');
    expect(kinds(fileOf('tide.ts', host, isAi), { before })).toMatch(/^[PM]{8}$/);
    expect(kinds(fileOf('tide.ts', host), {})).toMatch(/^H[PM]{8}H$/);
    expect(kinds(fileOf('tide.ts', host.replaceAll('turningPoints', 'extremes'), isAi), {})).toBe('PPPPPPPP');
  });

  it('takes the shape of code alone as proof only in the file that the snippet was accepted in', () => {
    const renamed = TIDE.replace(
      /\b(?!export|function|const|if|throw|new|return)[a-zA-Z]+\b(?=[^.]|$)/g,
      'x$&',
    );
    const kinds = (path: string) => {
      const snippet = snippetOf('s1', TIDE, { pathKey: pathKeyOf('tide.ts') });
      return kindsOf(attributeCommit(inputOf([fileOf(path, renamed)], [snippet]))[0]!);
    };
    expect(kinds('tide.ts')).toContain('MMMM');
    expect(kinds('elsewhere.ts')).toBe('HHHHHHHHH');
  });

  it('believes a line less, the more often it occurs elsewhere', () => {
    const bitsWith = (elsewhere: number) => {
      const file = fileOf('tide.ts', TIDE);
      const occurrences = encodeOccurrences(TIDE.split('\n').flatMap(() => [elsewhere, elsewhere]));
      const snippet = snippetOf('s1', TIDE, { pathKey: pathKeyOf('tide.ts') });
      return attributeCommit(inputOf([{ ...file, occurrences }], [snippet]))[0]!.results[0]!.bits;
    };
    expect(bitsWith(1)).toBeLessThan(bitsWith(0) / 1.4);
    expect(bitsWith(2)).toBeLessThan(bitsWith(1));
  });

  describe('of a commit that names an AI', () => {
    const declared = { tool: 'claude-code', by: 'trailer', source: 'agent' } as const;
    const files = [fileOf('tide.ts', `${TIDE}\nexport const STATION = 7_731;`)];
    const attribute = (snippets: ReturnType<typeof snippetOf>[]) =>
      attributeCommit(inputOf(files, snippets, { commit: { ...COMMIT, declared } }))[0]!;

    it('takes every line that nothing else explains as declared', () => {
      expect(attribute([]).results).toEqual([
        expect.objectContaining({
          codeId: null,
          source: 'agent',
          evidence: 'declared',
          confidence: 'HIGH',
          similarity: null,
          preserved: 10,
          human: 0,
        }),
      ]);
    });

    it('keeps what a client captured apart from what is only declared', () => {
      const { results } = attribute([snippetOf('s1', TIDE)]);
      expect(results.map(({ evidence, preserved }) => [evidence, preserved])).toEqual([
        ['matched', 9],
        ['declared', 1],
      ]);
    });

    it('does not let its own snippets, or those of other such commits, prove it', () => {
      const { results } = attribute([
        snippetOf('s1', TIDE, { declaredBy: COMMIT.sha }),
        snippetOf('s2', TIDE, { declaredBy: 'c'.repeat(40) }),
      ]);
      expect(results.map(({ evidence }) => evidence)).toEqual(['declared']);
    });
  });

  describe('of whose lines a record says who wrote them', () => {
    const model = 'granite-agent-2';
    const declaredLines: DeclaredRange[] = [
      { start: 0, count: 3, kind: 'P', source: 'agent', model },
      { start: 5, count: 1, kind: 'M', source: 'agent', model },
      { start: 6, count: 1, kind: 'H' },
      { start: 40, count: 9, kind: 'P', source: 'agent' },
    ];
    const files = [{ ...fileOf('tide.ts', TIDE), declaredLines }];

    it('takes exactly those lines as declared, and leaves what no record names', () => {
      const file = attributeCommit(inputOf(files, []))[0]!;
      expect(kindsOf(file)).toBe('PPPHHMHHH');
      expect(file.results).toEqual([
        expect.objectContaining({
          ...{ evidence: 'declared', codeId: null, source: 'agent', model, bits: 0 },
          ...{ preserved: 3, modified: 1, human: 0 },
        }),
        expect.objectContaining({ evidence: 'none', human: 5 }),
      ]);
    });

    it('keeps what a client captured apart from what is only declared', () => {
      const captured = snippetOf('s1', TIDE.split('\n').slice(0, 5).join('\n'), AT_TIDE);
      const { results } = attributeCommit(inputOf(files, [captured]))[0]!;
      expect(results.map(({ evidence, preserved, modified }) => [evidence, preserved, modified])).toEqual([
        ['matched', 5, 0],
        ['declared', 0, 1],
        ['none', 0, 0],
      ]);
    });

    it("lets the commit's own word stand for lines that no record names, but not for a person's", () => {
      const declared = { tool: 'claude-code', by: 'trailer', source: 'agent' } as const;
      const file = attributeCommit(inputOf(files, [], { commit: { ...COMMIT, declared } }))[0]!;
      expect(kindsOf(file)).toBe('PPPPPMHPP');
    });

    it('does not let snippets of declared lines prove it', () => {
      const snippet = snippetOf('s1', TIDE, { declaredBy: 'c'.repeat(40) });
      const { results } = attributeCommit(inputOf(files, [snippet]))[0]!;
      expect(results.map(({ evidence }) => evidence)).toEqual(['declared', 'none']);
    });

    it('guesses nothing of a line that a person is said to have written', () => {
      const v1 = snippetOf('v1', TIDE, { protocol: 1, prints: null });
      const input = inputOf(files, [v1]);
      const candidates = input.candidates.map((candidate) => ({ ...candidate, text: 0.95, hunk: 0 }));
      const file = attributeCommit({ ...input, candidates })[0]!;
      expect(file.results.map(({ evidence }) => evidence)).toEqual(['declared', 'estimated', 'none']);
      expect(kindsOf(file)).toBe('PPPPPMHPP');
    });
  });

  it('lets a snippet of a commit that names an AI explain a later human commit', () => {
    const snippet = snippetOf('s1', TIDE, { declaredBy: 'c'.repeat(40) });
    const [file] = attributeCommit(inputOf([fileOf('tide.ts', TIDE)], [snippet]));
    expect(file!.results[0]).toMatchObject({ codeId: 's1', evidence: 'matched', preserved: 9 });
  });

  describe('with a version 1 snippet', () => {
    const v1 = snippetOf('v1', TIDE, { prints: null, protocol: 1, lineCount: 9 });
    const attribute = (text: number, fields: Partial<typeof v1> = {}) =>
      attributeCommit(
        inputOf([fileOf('tide.ts', TIDE)], [{ ...v1, ...fields }], {
          candidates: [{ codeId: 'v1', file: 0, score: 1, text, hunk: 0 }],
        }),
      )[0]!;

    it('takes the lines that are alike as kept, and the others of the snippet as changed', () => {
      expect(kindsOf(attribute(0.95))).toBe('PPPPPPPPP');
      expect(attribute(0.95).results[0]).toMatchObject({
        evidence: 'estimated',
        confidence: 'HIGH',
        similarity: 0.95,
      });
      expect(kindsOf(attribute(0.86))).toBe('PPPPPPPPM');
      expect(kindsOf(attribute(0.6))).toBe('PPPPPPPMM');
      expect(attribute(0.6).results[0]).toMatchObject({ confidence: 'LOW', preserved: 7, modified: 2 });
    });

    it('gives nothing for lines that were deleted, and leaves added ones to their author', () => {
      expect(kindsOf(attribute(0.6, { lineCount: 15 }))).toBe('PPPPPPPPP');
      expect(kindsOf(attribute(0.6, { lineCount: 6 }))).toBe('PPPPPPHHH');
    });

    it('has the tiers of the seed at their edges', () => {
      const tiers = [0.85, 0.55, 0.3, 0.29].map((text) => attribute(text).results[0]!.confidence);
      expect(tiers).toEqual(['LOW', 'SUSPECT', 'SUSPECT', 'UNIQUE']);
    });

    it('finds a hunk for each of two acceptances of one suggestion, the newer one first', () => {
      const files = [fileOf('tide.ts', `${TIDE}\n`)];
      const halves = [
        {
          ...files[0]!,
          hunks: [
            { first: 0, last: 3 },
            { first: 4, last: 8 },
          ],
        },
      ];
      const older = { ...v1, codeId: 'a', lineCount: 4 };
      const newer = { ...v1, codeId: 'b', lineCount: 4, createdAt: v1.createdAt + 1 };
      const candidates = [older, newer].flatMap(({ codeId }) =>
        [0, 1].map((hunk) => ({ codeId, file: 0, score: 1, text: 0.97, hunk })),
      );
      const [file] = attributeCommit(inputOf(halves, [older, newer], { candidates }));
      expect(
        file!.lines.map(({ start, kind, result }) => [start, kind, file!.results[result]!.codeId]),
      ).toEqual([
        [0, 'P', 'b'],
        [4, 'P', 'a'],
        [8, 'H', null],
      ]);
    });

    it('gives a hunk to two suggestions where it has room for both, and their tiers by what is possible', () => {
      const text = `${TIDE}\n${TIDE.replaceAll('e', 'o')}`;
      const snippets = ['first', 'second', 'copy'].map((codeId) => ({ ...v1, codeId }));
      const candidates = snippets.map(({ codeId }, i) => ({
        ...{ codeId, file: 0, score: 1, hunk: 0, text: 0.48 - 0.01 * i },
      }));
      const file = attributeCommit(inputOf([fileOf('tide.ts', text)], snippets, { candidates }))[0]!;
      expect(file.results.map(({ codeId, confidence }) => [codeId, confidence])).toEqual([
        ['first', 'HIGH'],
        ['second', 'HIGH'],
      ]);
      expect(kindsOf(file)).toMatch(/^P{9}P{8}M?[PM]?$/);
    });

    it('only flags the hunk above the suspect similarity', () => {
      expect(kindsOf(attribute(0.4))).toBe('HHHHHHHHH');
      expect(attribute(0.4).results[0]).toMatchObject({ confidence: 'SUSPECT', human: 9, suspect: 9 });
      expect(attribute(0.2).results[0]).toMatchObject({ confidence: 'UNIQUE', human: 9, suspect: 0 });
    });

    it('does not compare a hunk with a snippet of quite another length', () => {
      expect(kindsOf(attribute(0.9, { lineCount: 28 }))).toBe('HHHHHHHHH');
    });

    it('leaves the lines that prints explain alone', () => {
      const exact = snippetOf('v2', TIDE.split('\n').slice(0, 5).join('\n'), AT_TIDE);
      const files = [fileOf('tide.ts', TIDE)];
      const [file] = attributeCommit(
        inputOf(files, [v1, exact], {
          candidates: [
            ...everyCandidate(files, [exact]),
            { codeId: 'v1', file: 0, score: 1, text: 0.9, hunk: 0 },
          ],
        }),
      );
      expect(file!.results.map(({ evidence, preserved }) => [evidence, preserved])).toEqual([
        ['matched', 5],
        ['estimated', 4],
      ]);
    });
  });

  it('lets a declaration prove nothing of commits before it, however near, but of its own child', () => {
    const declaredBy = 'c'.repeat(40);
    const evidenceOf = (createdAt: number, parents: string[]) =>
      attributeCommit(
        inputOf([fileOf('tide.ts', TIDE)], [snippetOf('s1', TIDE, { declaredBy, createdAt })], {
          commit: { ...COMMIT, parents },
        }),
      )[0]!.results.map(({ evidence }) => evidence);
    const other = ['b'.repeat(40)];
    expect(evidenceOf(COMMIT.committedAt - 1000, other)).toEqual(['matched']);
    expect(evidenceOf(COMMIT.committedAt, other)).toEqual(['none']);
    expect(evidenceOf(COMMIT.committedAt + 1000, other)).toEqual(['none']);
    expect(evidenceOf(COMMIT.committedAt, [declaredBy])).toEqual(['matched']);
  });

  describe('sizes that make trying everything quadratic', () => {
    const repeat = (count: number, line: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => line(index)).join('\n');

    it('answers for 50,000 equal lines and as many snippets as recall gives', () => {
      const line = () => 'const total = totalOf(items, rate);';
      const text = repeat(20_000, line);
      const first = snippetOf('s0', text);
      const snippets = Array.from({ length: 150 }, (_, k) => ({ ...first, codeId: `s${k}` }));
      const [file] = attributeCommit(inputOf([fileOf('a.ts', repeat(50_000, line))], snippets));
      expect(file!.lines).toEqual([{ start: 0, count: 50_000, kind: 'H', result: 0 }]);
    });

    it('answers for as many lines as a commit may add, with as many snippets as recall gives', () => {
      const line = (index: number) => `call${index % 9973}(value${index % 4001}, ${index});`;
      const texts = [0, 1, 2, 3].map((k) => repeat(50_000, (index) => line(50_000 * k + index)));
      const files = texts.map((text, k) => fileOf(`${k}.ts`, text));
      const snippets = Array.from({ length: 150 }, (_, k) =>
        snippetOf(
          `s${k}`,
          repeat(200, (index) => line(1000 * k + index)),
        ),
      );
      const lines = attributeCommit(inputOf(files, snippets)).flatMap((file) => file.lines);
      const count = (kind: string) =>
        lines.reduce((sum, range) => sum + (range.kind === kind ? range.count : 0), 0);
      expect(count('P')).toBe(150 * 200);
      expect(count('P') + count('M') + count('H')).toBe(200_000);
    }, 120_000);

    it('answers for long runs that every other line interrupts with a frequent one', () => {
      const line = (index: number) => `call${index}(value${index}, rate);\n  done(items, total);`;
      const text = repeat(10_000, line);
      const first = snippetOf('s0', text, { pathKey: pathKeyOf('a.ts') });
      const snippets = Array.from({ length: 20 }, (_, k) => ({ ...first, codeId: `s${k}` }));
      const [file] = attributeCommit(inputOf([fileOf('a.ts', text)], snippets));
      expect(file!.lines).toEqual([{ start: 0, count: 20_000, kind: 'P', result: 0 }]);
    });
  });

  it('reports the best similarity that a lane has beside the evidence', () => {
    const candidates = [{ codeId: 's1', file: 0, score: 1, text: 0.71, ast: 0.8 }];
    const input = inputOf([fileOf('tide.ts', TIDE)], [snippetOf('s1', TIDE)], { candidates });
    expect(attributeCommit(input)[0]!.results[0]!.similarity).toBe(0.71);
  });

  it('answers nothing for an excluded file, and keeps its counts', () => {
    const excluded = { ...fileOf('package-lock.json', TIDE), excluded: 'lock' };
    const [file] = attributeCommit(inputOf([excluded], [snippetOf('s1', TIDE)]));
    expect(file).toMatchObject({ results: [], lines: [], excluded: 'lock', addedLines: 9 });
  });

  it('leaves out what the policy excludes; of several rules the last one that fits decides', () => {
    const exclusions = [
      { glob: 'legacy/', reason: 'frozen' },
      { glob: 'legacy/live/**', include: true },
    ];
    const paths = ['legacy/tide.ts', 'legacy/live/tide.ts', 'tide.ts'];
    const files = paths.map((path) => ({ ...fileOf(path, TIDE), addedLines: 10, blankLines: 1 }));
    const declared = { tool: 'Desk Agent', by: 'trailer', source: 'agent' } as const;
    for (const commit of [COMMIT, { ...COMMIT, declared }]) {
      const policy = { ...DEFAULT_POLICY, id: 'ours', exclusions };
      const attributed = attributeCommit(inputOf(files, [snippetOf('s1', TIDE)], { policy, commit }));
      expect(attributed.map(({ excluded }) => excluded)).toEqual(['organisation', undefined, undefined]);
      expect(attributed[0]).toMatchObject({ results: [], lines: [], addedLines: 10, blankLines: 0 });
      expect(attributed[1]!.lines).not.toEqual([]);
    }
  });

  it('leaves out inherited lines, and says where each came from', () => {
    const inherited = [{ start: 9, count: 2, how: 'moved' as const, fromFile: 'old.ts', fromLine: 3 }];
    const file = { ...fileOf('tide.ts', TIDE), addedLines: 12, blankLines: 1, inherited };
    const [attributed] = attributeCommit(inputOf([file], [snippetOf('s1', TIDE)]));
    expect(attributed).toMatchObject({ inheritedLines: 2, inherited });
    expect(kindsOf(attributed!)).toBe('PPPPPPPPP');
  });

  it('leaves out lines that another line of history has added, and says which commit did', () => {
    const snippets = [snippetOf('s1', TIDE, AT_TIDE)];
    const copied = [1, 0, 4].map((line) => ({
      file: 0,
      line,
      number: line,
      hash: 0,
      place: 0,
      fromCommit: line < 4 ? 'o' : 'p',
      fromLine: line + 30,
    }));
    const moved = { start: 20, count: 1, how: 'moved' as const, fromLine: 3 };
    const file = { ...fileOf('tide.ts', TIDE), addedLines: 10, inherited: [moved] };
    const copies = [
      { start: 0, count: 2, how: 'copied', fromCommit: 'o', fromLine: 30 },
      { start: 4, count: 1, how: 'copied', fromCommit: 'p', fromLine: 34 },
    ];
    for (const [commit, kinds] of [
      [COMMIT, 'PPPPPP'],
      [
        { ...COMMIT, declared: { tool: 'aider', by: 'trailer' as const, source: 'agent' as const } },
        'PPPPPP',
      ],
    ] as const) {
      const [attributed] = attributeCommit(inputOf([file], snippets, { copied, commit }));
      expect(attributed).toMatchObject({ inheritedLines: 4, inherited: [...copies, moved] });
      expect(kindsOf(attributed!)).toBe(kinds);
      expect(attributed!.lines.map(({ start, count }) => [start, count])).toEqual([
        [2, 2],
        [5, 4],
      ]);
    }
    const policy = { ...DEFAULT_POLICY, exclusions: [{ glob: 'tide.ts' }] };
    const [excluded] = attributeCommit(inputOf([file], snippets, { copied, policy }));
    expect(excluded).toMatchObject({ excluded: 'organisation', inheritedLines: 0, inherited: [] });
  });

  it('answers a commit without files, and a file without added lines', () => {
    expect(attributeCommit(inputOf([], []))).toEqual([]);
    const [file] = attributeCommit(inputOf([fileOf('gone.ts', TIDE, () => false)], [snippetOf('s1', TIDE)]));
    expect(file).toMatchObject({ results: [], lines: [] });
  });

  it('ignores candidates whose snippet was deleted', () => {
    const files = [fileOf('tide.ts', TIDE)];
    const candidates = [{ codeId: 'gone', file: 0, score: 9 }];
    expect(kindsOf(attributeCommit(inputOf(files, [], { candidates }))[0]!)).toBe('HHHHHHHHH');
  });

  it('refuses an event that contradicts itself', () => {
    const file = fileOf('tide.ts', TIDE);
    const cases = [
      inputOf([{ ...file, tokenBits: '' }], []),
      inputOf([{ ...file, blankLines: 1 }], []),
      inputOf([{ ...file, hunks: [{ first: 0, last: 99 }] }], []),
      inputOf([file], [snippetOf('s1', TIDE)], { candidates: [{ codeId: 's1', file: 7, score: 1 }] }),
    ];
    for (const input of cases) {
      expect(() => attributeCommit(input)).toThrow(expect.objectContaining({ code: 'candidates-malformed' }));
    }
  });
});
