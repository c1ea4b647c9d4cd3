import { astBands, signatureOf, tokenHash } from './ast-shingles';

const tokens = (types: string): number[] => types.split(' ').map(tokenHash);
const sixteen = tokens('a b c d e f g h i j k l m n o p');

describe('signatureOf', () => {
  it('needs eight different shingles of five tokens', () => {
    expect(signatureOf(sixteen, 0, 11)).toBeUndefined();
    expect(signatureOf(sixteen, 0, 12)).toBeDefined();
    expect(signatureOf(tokens('a b c d e '.repeat(40).trim()), 0, 200)).toBeUndefined();
  });

  it('depends on the tokens of its slice only', () => {
    expect(signatureOf(sixteen, 2, 16)).toEqual(signatureOf(sixteen.slice(2), 0, 14));
    expect(signatureOf(sixteen, 2, 16)).not.toEqual(signatureOf(sixteen, 1, 16));
  });

  it('gives the bands that astBands makes of the signature', () => {
    const signed = signatureOf(sixteen, 0, 16)!;
    expect(astBands(signed.signature)).toEqual(signed.bands);
  });
});

describe('tokenHash', () => {
  // Published test vectors of 32-bit FNV-1a.
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('of "%s" is its FNV-1a', (text, hash) => {
    expect(tokenHash(text)).toBe(hash);
  });
});
