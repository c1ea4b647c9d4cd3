import { deriveLineKey, hex64, pathKey } from './line-key';
import { analyseText, computeLinePrints } from './line-prints';

const secret = Uint8Array.from({ length: 32 }, (_, i) => i);
const key = deriveLineKey(secret, 'k1');

const printsOf = (text: string, language = 'typescript') => computeLinePrints(text, language, key);
const only = (text: string, language = 'typescript') => {
  const prints = printsOf(text, language);
  expect(prints).toHaveLength(1);
  return prints[0]!;
};

describe('line prints', () => {
  it('are made of every line that is not blank, with its number', () => {
    const text = '\na\n \t\r\n\n  b\n\u00a0\n';
    expect(printsOf(text).map((p) => p.line)).toEqual([1, 4]);
    expect(printsOf('')).toEqual([]);
  });

  it('do not change with carriage returns', () => {
    const text = 'f(\n  "a",\n)\n// b c\nx = `\n  d\n`';
    expect(printsOf(text.replace(/\n/g, '\r\n'))).toEqual(printsOf(text));
  });

  it('match only under the same secret and key id', () => {
    const h1 = only('a').h1;
    expect(computeLinePrints('a', 'go', deriveLineKey(secret, 'k1'))[0]!.h1).toBe(h1);
    expect(computeLinePrints('a', 'go', deriveLineKey(secret, 'k2'))[0]!.h1).not.toBe(h1);
    expect(
      computeLinePrints(
        'a',
        'go',
        deriveLineKey(
          secret.map((b) => b + 1),
          'k1',
        ),
      )[0]!.h1,
    ).not.toBe(h1);
  });

  it('cannot be made with a secret that can be guessed', () => {
    expect(() => deriveLineKey(new Uint8Array(15), 'k1')).toThrow(
      expect.objectContaining({ code: 'line_key_too_short' }),
    );
  });
});

describe('H1', () => {
  it.each([
    ['indentation', 'a = b', '\t  a = b'],
    ['space between tokens', 'a=b', 'a  =  b'],
    ['a trailing comma', 'a: b,', 'a: b'],
    ['a trailing semicolon', 'a();', 'a()'],
    ['quote style', `a('b')`, 'a("b")'],
    ['how an inner quote is escaped', `a('it\\'s')`, `a("it's")`],
    ['a comma before a closer', 'f(a, b,)', 'f(a, b)'],
    ['a comment behind code', 'a() // b', 'a()'],
    ['case and marks of a comment', '// Sum of ALL, rounded.', '/* sum of all rounded */'],
  ])('ignores %s', (_what, a, b) => {
    expect(only(a).h1).toBe(only(b).h1);
  });

  it.each([
    ['a name', 'a = b', 'a = c'],
    ['a string', 'a("b")', 'a("c")'],
    ['white space in a string', 'a("b c")', 'a("b  c")'],
    ['a string for a name', 'f("a")', 'f(a)'],
    ['a number', 'a + 1', 'a + 2'],
    ['the order', 'a - b', 'b - a'],
    ['a comment for its code', '// a', 'a'],
  ])('tells %s', (_what, a, b) => {
    expect(only(a).h1).not.toBe(only(b).h1);
  });

  it('takes a line inside a long string as if it stood alone, so that a lost quote changes no other line', () => {
    const text = 'def f():\n  """\n  Adds two, "numbers".\n  """\n  return a + b';
    const [, , inside, , code] = printsOf(text, 'python');
    expect(inside!.h1).toBe(only('Adds two, "numbers".', 'python').h1);
    const [, prose, , after] = printsOf(text.replace('  """\n', ''), 'python');
    expect([prose!.h1, after!.h1]).toEqual([inside!.h1, code!.h1]);
    expect([prose!.bloom, after!.bloom]).toEqual([inside!.bloom, code!.bloom]);
  });

  it('keeps a line that is only a comma or semicolon', () => {
    expect(only(',').h1).not.toBe(only(';').h1);
  });
});

describe('H2', () => {
  it.each([
    ['names', 'const total = price * count', 'const sum = cost * n'],
    ['strings', 'log("a")', "log('bcd')"],
    ['numbers', 'wait(10)', 'wait(2_000)'],
  ])('abstracts %s', (_what, a, b) => {
    expect(only(a).h2).toBe(only(b).h2);
    expect(only(a).h1).not.toBe(only(b).h1);
  });

  it.each([
    ['keywords', 'const a = b', 'let a = b'],
    ['names after a dot', 'a.push(b)', 'a.pop(b)'],
    ['names after ?.', 'a?.push(b)', 'a?.pop(b)'],
    ['comments', '// first', '// second'],
    ['operators', 'a + b', 'a - b'],
    ['kinds', 'f(a)', 'f("a")'],
  ])('keeps %s', (_what, a, b) => {
    expect(only(a).h2).not.toBe(only(b).h2);
  });

  it('keeps names after an arrow in C, but not in Python', () => {
    expect(only('a->b', 'c').h2).not.toBe(only('a->c', 'c').h2);
    expect(only('def f() -> b:', 'python').h2).toBe(only('def f() -> c:', 'python').h2);
  });
});

describe('H3', () => {
  it('is H1 where the statement is one line', () => {
    for (const print of printsOf('a(b)\nif (c) {\n  d = [1]\n}\n// e (')) expect(print.h3).toBe(print.h1);
  });

  it('is the same for every line of a wrapped statement and for the statement on one line', () => {
    const wrapped = printsOf('const a = call(\n  b, // why\n\n  {c: [d]},\n);');
    const one = only('const a = call(b, { c: [d] })');
    expect(wrapped.map((p) => p.h3)).toEqual(Array.from({ length: 4 }, () => one.h1));
    expect(wrapped[1]!.h1).not.toBe(one.h1);
  });

  it('leaves comment lines inside a statement to themselves', () => {
    const [first, comment, last] = printsOf('call(\n  // why\n  b)');
    expect(comment!.h3).toBe(comment!.h1);
    expect(first!.h3).toBe(last!.h3);
  });

  it('ends where a block opens', () => {
    const [head, condition, body] = printsOf('if (a &&\n  b) {\n  c()');
    expect(head!.h3).toBe(only('if (a && b) {').h1);
    expect(condition!.h3).toBe(head!.h3);
    expect(body!.h3).toBe(body!.h1);
    for (const print of printsOf('it("a", () => {\n  b()\n})')) expect(print.h3).toBe(print.h1);
  });

  it('joins ten lines and not eleven', () => {
    const call = (lines: number) => `f(\n${'a,\n'.repeat(lines - 2)})`;
    expect(new Set(printsOf(call(10)).map((p) => p.h3)).size).toBe(1);
    for (const print of printsOf(call(11))) expect(print.h3).toBe(print.h1);
  });

  it('tells the text of a long string inside', () => {
    const [a] = printsOf('q(`\n  select a\n`)');
    const [b] = printsOf('q(`\n  select b\n`)');
    expect(a!.h1).toBe(b!.h1);
    expect(a!.h3).not.toBe(b!.h3);
  });
});

describe('the Bloom filter and the token count', () => {
  const ones = (n: bigint) => n.toString(2).replace(/0/g, '').length;

  it('has a bit for each token, shared by lines with the same tokens', () => {
    const a = only('total = price * count');
    const b = only('count = price * total');
    expect(a.bloom).toBe(b.bloom);
    expect(ones(a.bloom)).toBeLessThanOrEqual(5);
    expect(a.tokens).toBe(5);
  });

  it('stops counting at 255', () => {
    expect(only('a '.repeat(300)).tokens).toBe(255);
  });

  it('takes a comment of a hundred thousand words', () => {
    expect(only(`// ${'ab cd '.repeat(100_000)}`).tokens).toBe(255);
  });
});

describe('token bits', () => {
  const bitsOf = (text: string, language = 'typescript') => [...analyseText(text, language, key).tokenBits];

  it('align with the prints', () => {
    const { prints, tokenBits } = analyseText('a\n\nb', 'go', key);
    expect(tokenBits).toHaveLength(prints.length);
  });

  it.each([
    ['}', 'typescript'],
    ['});', 'typescript'],
    ['return', 'python'],
    ['else:', 'python'],
    ['} else {', 'java'],
    ['//', 'go'],
  ])('make %s say next to nothing', (line, language) => {
    expect(bitsOf(line, language)[0]).toBeLessThan(1.6);
  });

  it('make a line of rare names say much', () => {
    expect(bitsOf('const invoiceTotal = sumOfLines(openInvoices, taxRate)')[0]).toBeGreaterThan(27);
    expect(bitsOf('if err != nil {', 'go')[0]).toBeLessThan(20);
  });
});

describe('pathKey', () => {
  it('is 16 hex digits that need the key', () => {
    const path = 'src/größe.ts';
    expect(pathKey(path, key)).toMatch(/^[0-9a-f]{16}$/);
    expect(pathKey(path, key)).toBe(pathKey(path, deriveLineKey(secret, 'k1')));
    expect(pathKey(path, key)).not.toBe(pathKey(path, deriveLineKey(secret, 'k2')));
    expect(pathKey(path, key)).not.toBe(pathKey('src/grosse.ts', key));
  });
});

describe('hex64', () => {
  it('pads to 16 digits', () => {
    expect(hex64(0xabn)).toBe('00000000000000ab');
    expect(hex64(0xffff_ffff_ffff_ffffn)).toBe('ffffffffffffffff');
  });
});
