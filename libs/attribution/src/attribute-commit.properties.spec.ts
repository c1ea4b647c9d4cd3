import type { AttributedFile, DeclaredRange } from '@lineprint/contracts';
import { attributeCommit } from './attribute-commit';
import { decodeExplanations } from './explanation';
import { fileOf, inputOf, pathKeyOf, snippetOf } from './fixtures/commit';
import { SeededRandom } from './fixtures/seeded-random';

const NAMES = [
  'quay',
  'vessel',
  'draught',
  'pilot',
  'tariff',
  'berth',
  'mole',
  'fender',
  'bollard',
  'ledger',
];
const SHAPES = [
  (r: SeededRandom) =>
    `const ${r.pick(NAMES)}${r.below(50)} = ${r.pick(NAMES)}.${r.pick(NAMES)}(${r.below(9)});`,
  (r: SeededRandom) => `if (${r.pick(NAMES)}${r.below(50)} > ${r.below(100)}) {`,
  () => '}',
  (r: SeededRandom) => `return ${r.pick(NAMES)}${r.below(50)} + ${r.pick(NAMES)}.${r.pick(NAMES)};`,
  (r: SeededRandom) => `${r.pick(NAMES)}.push({ ${r.pick(NAMES)}: '${r.pick(NAMES)} ${r.below(100)}' });`,
  () => '',
];

function randomLines(random: SeededRandom, count: number): string[] {
  return Array.from({ length: count }, () => random.pick(SHAPES)(random));
}

/** What a person does to a snippet before the commit. */
function edit(random: SeededRandom, lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    switch (random.below(12)) {
      case 0:
        return [];
      case 1:
        return [line.replaceAll('quay', 'wharf').replaceAll('pilot', 'officer')];
      case 2:
        return [line, random.pick(SHAPES)(random)];
      default:
        return [line];
    }
  });
}

/** What a record says of some lines, whether or not the file adds them. */
function randomRanges(random: SeededRandom): DeclaredRange[] {
  let start = 0;
  return Array.from({ length: random.below(8) }, () => {
    const range = { start: start + random.below(9), count: random.below(9) };
    start = range.start + range.count;
    const kind = random.pick(['P', 'M', 'H'] as const);
    return kind === 'H' ? { ...range, kind } : { ...range, kind, source: 'agent', model: random.pick(NAMES) };
  });
}

/** Two files made of edited snippets and of human lines, from a pool of few names so that much is alike. */
function randomInput(seed: number): ReturnType<typeof inputOf> {
  const random = new SeededRandom(seed);
  const texts = Array.from({ length: 6 }, () => randomLines(random, 1 + random.below(25)));
  const snippets = texts.map((lines, index) =>
    snippetOf(`s${index}`, lines.join('\n'), {
      createdAt: 1_000 + random.below(3),
      pathKey: random.below(2) ? pathKeyOf(random.pick(['a.ts', 'b.ts'])) : null,
    }),
  );
  const files = ['a.ts', 'b.ts'].map((path) => {
    const parts = Array.from({ length: 4 }, () =>
      random.below(3) ? edit(random, random.pick(texts)) : randomLines(random, random.below(20)),
    );
    const text = parts.flat().join('\n');
    const file = fileOf(path, text, () => random.below(10) > 0);
    return random.below(3) ? file : { ...file, declaredLines: randomRanges(random) };
  });
  return inputOf(files, snippets);
}

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

const countOf = (file: AttributedFile) =>
  file.results.reduce((sum, { preserved, modified, human }) => sum + preserved + modified + human, 0);

describe('whatever the commit', () => {
  it('every attributable line is in one range and one count', () => {
    for (const seed of SEEDS) {
      const input = randomInput(seed);
      attributeCommit(input).forEach((file, index) => {
        const numbers = file.lines.flatMap(({ start, count }) =>
          Array.from({ length: count }, (_, k) => start + k),
        );
        expect(new Set(numbers).size).toBe(numbers.length);
        expect(numbers).toHaveLength(input.files[index]!.addedLines);
        expect(countOf(file)).toBe(numbers.length);
      });
    }
  });

  it('no line is declared that no record names, and none that is named is left without an owner', () => {
    for (const seed of SEEDS) {
      const { files, ...input } = randomInput(seed);
      attributeCommit({ files, ...input }).forEach(({ lines, results }, index) => {
        const said = new Map(
          (files[index]!.declaredLines ?? []).flatMap(({ start, count, kind }) =>
            Array.from({ length: count }, (_, k) => [start + k, kind] as const),
          ),
        );
        for (const { start, count, kind, result } of lines) {
          for (let line = start; line < start + count; line++) {
            const { evidence } = results[result]!;
            if (evidence === 'declared') expect(said.get(line)).toBe(kind);
            if (evidence === 'none' || evidence === 'estimated') expect(said.get(line) ?? 'H').toBe('H');
          }
        }
      });
    }
  });

  it('the order of candidates and snippets changes nothing', () => {
    for (const seed of SEEDS) {
      const input = randomInput(seed);
      const random = new SeededRandom(seed);
      const shuffled = {
        ...input,
        candidates: random.shuffle(input.candidates),
        snippets: random.shuffle(input.snippets),
      };
      expect(attributeCommit(shuffled)).toEqual(attributeCommit(input));
    }
  });

  it('no snippet explains more lines than it has', () => {
    for (const seed of SEEDS) {
      const input = randomInput(seed);
      const used = new Map<string, number>();
      for (const { results } of attributeCommit(input)) {
        for (const { codeId, preserved, modified, suspect } of results) {
          if (codeId) used.set(codeId, (used.get(codeId) ?? 0) + preserved + modified + suspect);
        }
      }
      for (const { codeId, prints } of input.snippets) {
        expect(used.get(codeId) ?? 0).toBeLessThanOrEqual(prints!.length);
      }
    }
  });

  it('every matched line has one explanation, by a line that its snippet has', () => {
    for (const seed of SEEDS) {
      const input = randomInput(seed);
      const linesOf = new Map(
        input.snippets.map(({ codeId, prints }) => [codeId, new Set(prints!.map(({ line }) => line))]),
      );
      for (const { lines, results, explanations } of attributeCommit(input)) {
        const matched = lines.flatMap(({ count, result }) => {
          const { evidence, codeId } = results[result]!;
          return evidence === 'matched' ? Array.from({ length: count }, () => codeId!) : [];
        });
        const explained = decodeExplanations(explanations);
        expect(explained).toHaveLength(matched.length);
        explained.forEach(({ snippetLine, bits }, i) => {
          expect(linesOf.get(matched[i]!)!.has(snippetLine)).toBe(true);
          expect(bits).toBeGreaterThanOrEqual(0);
        });
      }
    }
  });

  it('a snippet that matches nothing changes nothing', () => {
    const stranger = snippetOf('stranger', 'SELECT lighthouse FROM coast WHERE flashes = 3;\nCOMMIT WORK;');
    for (const seed of SEEDS) {
      const input = randomInput(seed);
      const withStranger = inputOf(input.files, [...input.snippets, stranger]);
      expect(attributeCommit(withStranger)).toEqual(attributeCommit(input));
    }
  });

  it('a large commit with many candidates is decided whole', () => {
    const random = new SeededRandom(7);
    const texts = Array.from({ length: 150 }, () => randomLines(random, 40));
    const text = texts.flatMap((lines) => edit(random, lines).slice(0, 34)).join('\n');
    const file = fileOf('large.ts', text);
    const snippets = texts.map((lines, index) => snippetOf(`s${index}`, lines.join('\n')));
    const [attributed] = attributeCommit(inputOf([file], snippets));
    expect(countOf(attributed!)).toBe(file.addedLines);
  });
});
