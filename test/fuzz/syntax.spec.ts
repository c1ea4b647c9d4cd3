import {
  type AstFile,
  openParserPool,
  parsedLanguages,
  type ParserPool,
  type SourceFile,
} from '@lineprint/syntax';
import { fuzz, mutatedBytes, mutatedText, type SeededRandom } from '../fuzz';
import { hostileTexts, sources } from './sources';

jest.setTimeout(600_000);

/** What the answer is when a process dies or hangs: no text may do that. */
const MISFORTUNES = ['timeout', 'crashed', 'failed'];

let pool: ParserPool;
beforeAll(() => {
  pool = openParserPool();
});
afterAll(() => pool.close());

function spoilt(source: string, random: SeededRandom): string {
  switch (random.between(0, 5)) {
    case 0:
      return mutatedBytes(Buffer.from(source), random).toString();
    case 1:
      return tokensSwapped(source, random);
    case 2: {
      const at = random.between(0, source.length);
      return source.slice(0, at) + random.pick(hostileTexts) + source.slice(at);
    }
    case 3:
      return mutatedText(source.repeat(random.between(2, 60)), random);
    default:
      return mutatedText(source, random);
  }
}

function tokensSwapped(source: string, random: SeededRandom): string {
  const tokens = source.split(/\b/);
  for (let left = random.between(1, 10); left > 0; left--) {
    const [a, b] = [random.between(0, tokens.length - 1), random.between(0, tokens.length - 1)];
    [tokens[a], tokens[b]] = [tokens[b]!, tokens[a]!];
  }
  return tokens.join('');
}

const whole = (language: string, content: string): SourceFile => ({
  language,
  content,
  ranges: [{ first: 0, last: content.split('\n').length - 1 }],
});

/** The whole text, or every second stretch of its lines. */
function fileOf(language: string, content: string, random: SeededRandom): SourceFile {
  const file = whole(language, content);
  if (random.between(0, 1) === 0) return file;
  const { last } = file.ranges[0]!;
  const ranges: { first: number; last: number }[] = [];
  for (let first = random.between(0, 3); first <= last;) {
    const end = Math.min(last, first + random.between(0, 9));
    ranges.push({ first, last: end });
    first = end + random.between(2, 5);
  }
  return { language, content, ranges };
}

function expectAnswer({ content }: SourceFile, { status, chunks }: AstFile): void {
  expect(MISFORTUNES).not.toContain(status);
  const lines = content.split('\n').length;
  for (const { first, last, signature, bands } of chunks) {
    expect(first).toBeGreaterThanOrEqual(0);
    expect(last).toBeGreaterThanOrEqual(first);
    expect(last).toBeLessThan(lines);
    expect([signature.length, bands.length]).toEqual([128, 32]);
  }
}

it('has a program of every language to spoil', () => {
  expect(Object.keys(sources).sort()).toEqual([...parsedLanguages].sort());
});

fuzz(
  'spoilt programs of all languages are answered, twice the same, and the pool lives on',
  6,
  async (random) => {
    const files = random
      .shuffle(Object.entries(sources))
      .map(([language, source]) => fileOf(language, spoilt(source, random), random));
    const answers = await pool.astChunks(files);
    files.forEach((file, i) => expectAnswer(file, answers[i]!));
    expect(await pool.astChunks(files)).toEqual(answers);
    const { language, content } = random.pick(files);
    expect(await pool.snippetSignature(language, content)).toEqual(
      await pool.snippetSignature(language, content),
    );
  },
);

fuzz('a spoilt program is answered as one of a language that it is not', 2, async (random) => {
  const files = parsedLanguages.map((language) =>
    fileOf(language, spoilt(random.pick(Object.values(sources)), random), random),
  );
  const answers = await pool.astChunks(files);
  files.forEach((file, i) => expectAnswer(file, answers[i]!));
});

it.each(parsedLanguages)('nesting 20,000 deep and a line of 5 MB are answered in %s', async (language) => {
  const source = sources[language]!;
  const files = [
    `${'(\n'.repeat(20_000)}${')\n'.repeat(20_000)}`,
    `${source}x = "${'a b,'.repeat(1_250_000)}"\n${source}`,
  ].map((content) => whole(language, content));
  const answers = await pool.astChunks(files);
  files.forEach((file, i) => expectAnswer(file, answers[i]!));
  expect(answers[1]!.status).toBe('too-large');
  const [after] = await pool.astChunks([whole(language, source)]);
  expect(after!.status).toBe('parsed');
});
