import { murmur3 } from '../../bench/accuracy/murmur3';
import { opcodes } from '../../bench/accuracy/opcodes';

const tuples = (a: readonly string[], b: readonly string[]) =>
  opcodes(a, b).map(({ tag, i1, i2, j1, j2 }) => [tag, i1, i2, j1, j2]);

describe('the baseline is the first design document’s method:', () => {
  it.each([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['hello', 0, 0x248bfa47],
    ['hello, world', 0, 0x149bbb7f],
    ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
  ])('murmur3 of «%s» with seed %d is the published value', (text, seed, hash) => {
    expect(murmur3(Buffer.from(text), seed)).toBe(hash);
  });

  // Made with Python's difflib.SequenceMatcher(None, a, b).get_opcodes().
  it.each([
    [
      'ecfcff',
      'feadbfab',
      [
        ['insert', 0, 0, 0, 1],
        ['equal', 0, 1, 1, 2],
        ['replace', 1, 2, 2, 5],
        ['equal', 2, 3, 5, 6],
        ['replace', 3, 6, 6, 8],
      ],
    ],
    [
      'acdbdeaeb',
      'afbdcbdbabe',
      [
        ['equal', 0, 1, 0, 1],
        ['insert', 1, 1, 1, 4],
        ['equal', 1, 2, 4, 5],
        ['insert', 2, 2, 5, 6],
        ['equal', 2, 4, 6, 8],
        ['replace', 4, 5, 8, 10],
        ['equal', 5, 6, 10, 11],
        ['delete', 6, 9, 11, 11],
      ],
    ],
    [
      'edbbaabbbbccbe',
      'ffbbfbdcacdbbcac',
      [
        ['replace', 0, 1, 0, 10],
        ['equal', 1, 4, 10, 13],
        ['insert', 4, 4, 13, 14],
        ['equal', 4, 5, 14, 15],
        ['delete', 5, 10, 15, 15],
        ['equal', 10, 11, 15, 16],
        ['delete', 11, 14, 16, 16],
      ],
    ],
  ])('%s becomes %s as in Python', (a, b, expected) => {
    expect(tuples([...a], [...b])).toEqual(expected);
  });

  it('lines that make up more than a hundredth of a long text begin no block, as in Python', () => {
    const a = Array.from({ length: 230 }, (_, i) => (i % 3 ? `${i % 7}` : `x${i}`));
    const b = Array.from({ length: 240 }, (_, i) => (i % 3 ? `${i % 5}` : `x${i + 3}`));
    const codes = opcodes(a, b);
    expect(codes).toHaveLength(137);
    const equal = codes.filter(({ tag }) => tag === 'equal');
    expect(equal.reduce((sum, { i1, i2 }) => sum + i2 - i1, 0)).toBe(96);
  });
});
