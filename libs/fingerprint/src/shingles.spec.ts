import { textShingles } from './shingles';

const wordsOf = (text: string) => text.match(/\w+/g) ?? [];
const long = (words: string) => `${words} ${'- '.repeat(100)}`;

describe('shingles of a text', () => {
  it.each([
    ['', 0],
    ['ab', 0],
    ['abc', 1],
    ['a'.repeat(199), 197],
    [long('one two'), 0],
    [long('one two three'), 1],
    ['word '.repeat(500), 498],
  ])('are as many as the seed cuts, repetitions included', (text, count) => {
    expect(textShingles(text)).toHaveLength(count);
  });

  it('are the same for the same three words, whatever stands between and around them', () => {
    const [a] = textShingles(long('one two_2 three'));
    expect(textShingles(long('(one)\n.two_2é three;'))[0]).toBe(a);
    expect(textShingles(`${long('zero one')} two_2 three`).at(-1)).toBe(a);
  });

  it('differ by their words, and by the order of these', () => {
    const texts = ['one two three', 'one three two', 'two one three', 'onet wo three', 'One two three'];
    expect(new Set(texts.map((words) => textShingles(long(words))[0])).size).toBe(texts.length);
    const pairs = ['abc', 'acb', 'bac', 'ab\u0163', 'ab\ud800'];
    expect(new Set(pairs.map((text) => textShingles(text)[0])).size).toBe(pairs.length);
  });

  it('meet only by chance: none of 50,000 different ones do', () => {
    const text = Array.from({ length: 50_002 }, (_, i) => `w${i.toString(36)}`).join(' ');
    const shingles = textShingles(text);
    expect(shingles).toHaveLength(wordsOf(text).length - 2);
    expect(new Set(shingles).size).toBe(50_000);
  });

  it('do not depend on the texts before', () => {
    const short = textShingles(long('one two three four'));
    textShingles('other words '.repeat(10_000));
    expect(textShingles(long('one two three four'))).toEqual(short);
  });
});
