import { deriveLineKey } from './line-key';
import { computeLinePrints } from './line-prints';

const key = deriveLineKey(new Uint8Array(32).fill(9), 'k1');
const printsOf = (text: string, language: string) => computeLinePrints(text, language, key);
const h1Of = (line: string, language: string) => printsOf(line, language)[0]!.h1;

/** Every line of `wrapped` has the H3 that `line` has as a statement of its own. */
function expectRewrapped(language: string, wrapped: string, line: string) {
  expect(printsOf(wrapped, language).map(({ h3 }) => h3)).toEqual(
    printsOf(wrapped, language).map(() => h1Of(line, language)),
  );
}

describe('H3 of a re-wrapped statement', () => {
  it.each([
    ['typescript', 'const a =\n  b(c);', 'const a = b(c)'],
    ['typescript', 'const f = (a) =>\n  a +\n  b;', 'const f = (a) => a + b'],
    ['typescript', 'return a &&\n  b ||\n  c', 'return a && b || c'],
    ['go', 'a := b ||\n\tc', 'a := b || c'],
    ['java', 'String a = "b" +\n    "c";', 'String a = "b" + "c";'],
  ])('goes on behind an operator at the end of a line (%s)', expectRewrapped);

  it.each([
    ['python', 'a = b + \\\n    c', 'a = b + c'],
    ['python', 'if a and \\\n        b:', 'if a and b:'],
    ['bash', 'a --b \\\n  --c', 'a --b --c'],
    ['c', '#define A(x) \\\n  ((x) * 2)', '#define A(x) ((x) * 2)'],
  ])('goes on behind a backslash, which is no part of it (%s)', expectRewrapped);

  it('goes on inside the braces of Python, where they hold values', () => {
    expectRewrapped('python', "a = {\n  'b': 1,\n  'c': [2],\n}", "a = {'b': 1, 'c': [2]}");
    const [head, body] = printsOf('function a() {\n  b()\n}', 'typescript');
    expect([head!.h3, body!.h3]).toEqual([head!.h1, body!.h1]);
  });

  it('is the same however deep its lines are indented, in Python too', () => {
    const flat = printsOf('if a:\nb(\nc)\nelse:\nd', 'python');
    const nested = printsOf(
      '        if a:\n            b(\n                c)\n        else:\n            d',
      'python',
    );
    expect(nested).toEqual(flat);
  });

  it('ends with its ten lines, whatever they end in', () => {
    const lines = `${'a +\n'.repeat(11)}b`;
    expect(printsOf(lines, 'go')[0]!.h3).toBe(h1Of('a +', 'go'));
  });
});

describe('the words of a comment', () => {
  const same = (a: string, b: string) => expect(h1Of(`// ${a}`, 'go')).toBe(h1Of(`// ${b}`, 'go'));
  const differ = (a: string, b: string) => expect(h1Of(`// ${a}`, 'go')).not.toBe(h1Of(`// ${b}`, 'go'));

  it('end at typographic marks as at others', () => {
    same('“Größe” – don’t…', '"Größe" - don\'t...');
    same('変数、値。', '変数 値');
  });

  it('are letters of any script, lower-cased in ASCII only, which no release of Unicode changes', () => {
    same('SUM of Größe', 'sum OF Größe');
    differ('Größe', 'Grösse');
    differ('ÄNDERN', 'ändern');
    differ('\u{1df2a}', '\u{1df2b}');
  });

  it('keep lone surrogates apart', () => differ('a\ud800', 'a\udc00'));
});
