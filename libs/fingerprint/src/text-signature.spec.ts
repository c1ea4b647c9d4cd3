import { createHash } from 'node:crypto';
import {
  EMPTY_HASH,
  hasShingles,
  structureHash,
  textBands,
  textSignature,
  textSignatureWith,
} from './text-signature';

/** The seed's scheme in the plainest words, in exact integers modulo 2^32. */
function fnv(values: readonly number[], seed: number): number {
  let hash = (2166136261n ^ BigInt(seed)) & 0xffff_ffffn;
  for (const value of values) hash = ((hash ^ BigInt(value)) * 16777619n) & 0xffff_ffffn;
  return Number(hash);
}
function plainSignature(text: string): number[] {
  const words = text.split(/[^A-Za-z0-9_]+/).filter((word) => word !== '');
  const pieces: string[] = [];
  if (text.length < 200) for (let i = 0; i + 3 <= text.length; i++) pieces.push(text.substring(i, i + 3));
  else for (let i = 0; i + 3 <= words.length; i++) pieces.push(words.slice(i, i + 3).join(' '));
  const codes = pieces.map((piece) => piece.split('').map((c) => c.charCodeAt(0)));
  return Array.from({ length: 128 }, (_, i) =>
    Math.min(0xffff_ffff, ...codes.map((piece) => fnv(piece, 0x5a827999 + i))),
  );
}

const short = 'function add(a, b) { return a + b }';
const long =
  `${short}\n`.repeat(3) + 'const größe = "変数 \u{1F600}"; // what a word is, is ASCII\n'.repeat(4);

describe('the text signature', () => {
  it.each([
    ['a short text', short],
    ['a long text', long],
    ['three characters', 'abc'],
    ['characters beyond ASCII', '変数 = \u{1F600}é'],
    ['199 characters', 'ab cd ef gh '.repeat(20).slice(0, 199)],
    ['200 characters', 'ab cd ef gh '.repeat(20).slice(0, 200)],
    ['a word longer than any buffer', `x ${'long'.repeat(200)} y z`],
  ])('is what the plain scheme gives for %s', (_what, text) => {
    expect([...textSignature(text)]).toEqual(plainSignature(text));
  });

  it('is all ones without a shingle, which says nothing', () => {
    for (const text of ['', 'ab', '+ '.repeat(150)]) {
      expect([...textSignature(text)]).toEqual(Array.from({ length: 128 }, () => EMPTY_HASH));
      expect(hasShingles(textSignature(text))).toBe(false);
    }
    expect(hasShingles(textSignature('abc'))).toBe(true);
  });

  it('shares nothing across 200 characters, unless both kinds are compared', () => {
    const before = 'const value = compute(value, other); '.repeat(5);
    const after = `${before}const more = compute(other);`;
    const equal = (a: Uint32Array, b: Uint32Array) => a.filter((hash, i) => hash === b[i]).length;
    expect(before.length).toBeLessThan(200);
    expect(after.length).toBeGreaterThanOrEqual(200);
    expect(equal(textSignature(before), textSignature(after))).toBe(0);
    expect(equal(textSignature(before), textSignatureWith(after, 'char'))).toBeGreaterThan(64);
    expect(equal(textSignatureWith(before, 'word'), textSignature(after))).toBeGreaterThan(64);
  });
});

describe('text bands', () => {
  it('hash the low bytes of eight values each', () => {
    const signature = textSignature(long);
    const plain = Array.from({ length: 16 }, (_, band) =>
      fnv(
        [...signature.slice(band * 8, band * 8 + 8)].map((value) => value & 0xff),
        band,
      ),
    );
    expect([...textBands(signature)]).toEqual(plain);
    expect([...textBands([...signature])]).toEqual(plain);
  });
});

describe('the structure hash', () => {
  it('is over the text without white space, string contents and numbers', () => {
    const expected = createHash('sha256').update(`leta="";b='';c=0;d1`).digest('hex').slice(0, 16);
    expect(structureHash(`let a = "x y";\n b\t= 'z'; c = 42; d1`)).toBe(expected);
  });
});
