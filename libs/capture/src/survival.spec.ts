import { applyChange, shiftOffset, SURVIVAL_CHECK_SECONDS, survivalOf, survivalWindow } from './survival';

const COMPLETION = 'return berths.filter((berth) => berth.isFree(tide));';
const survival = (window: string, completion = COMPLETION) => survivalOf(completion, window)!;

describe('the survival of a completion', () => {
  it('is checked after 15 and 30 seconds, 2, 5 and 10 minutes', () => {
    expect(SURVIVAL_CHECK_SECONDS).toEqual([15, 30, 2 * 60, 5 * 60, 10 * 60]);
  });

  it('is whole where it stands unchanged, wherever in the window', () => {
    const whole = { wordSimilarity: 1, charSimilarity: 1, stillInCode: true };
    expect(survival(COMPLETION)).toEqual(whole);
    expect(survival(`// all that lie free\n  ${COMPLETION}\n}\n`)).toEqual(whole);
  });

  it('is nothing where it is gone, or where the text is', () => {
    expect(survival('')).toEqual({ wordSimilarity: 0, charSimilarity: 0, stillInCode: false });
    expect(survival('#### ####').stillInCode).toBe(false);
    expect(survival('#### ####').wordSimilarity).toBe(0);
  });

  it('counts a renamed name once in words, and by its characters', () => {
    const { wordSimilarity, charSimilarity, stillInCode } = survival(COMPLETION.replace('tide', 'hour'));
    // return berths . filter ( ( berth ) = > berth . isFree ( tide ) ) ;
    expect(wordSimilarity).toBeCloseTo(1 - 1 / 18);
    expect(charSimilarity).toBeCloseTo(1 - 4 / COMPLETION.length);
    expect(stillInCode).toBe(true);
  });

  it('ends when more than half of the words are other ones, and not before', () => {
    const completion = 'a b c d';
    expect(survival('a b x y', completion)).toMatchObject({ wordSimilarity: 0.5, stillInCode: true });
    expect(survival('a x y z', completion)).toMatchObject({ wordSimilarity: 0.25, stillInCode: false });
  });

  it('does not care for line breaks and indentation in words', () => {
    expect(survival(COMPLETION.replaceAll('(', '(\n    '))).toMatchObject({ wordSimilarity: 1 });
    expect(survival(COMPLETION.replaceAll('(', '(\n    ')).charSimilarity).toBeLessThan(1);
  });

  it('knows words in every script', () => {
    expect(survival('let größe = 泊位 + 1', 'let größe = 泊位')).toMatchObject({ wordSimilarity: 1 });
  });

  it('is not asked of a completion without a word', () => {
    expect(survivalOf('  \n', COMPLETION)).toBeUndefined();
  });

  it('measures a very long completion by its beginning', () => {
    const long = Array.from({ length: 20_000 }, (_, i) => `line${i};`).join('\n');
    const window = survivalWindow(long, 0, long.length);
    expect(window).toHaveLength(3000);
    expect(survival(window, long).charSimilarity).toBe(1);
  });
});

describe('the window around a completion', () => {
  it('holds its length, and at least 100 characters or half its length on both sides', () => {
    const text = 'x'.repeat(5000);
    expect(survivalWindow(text, 1000, 10)).toHaveLength(210);
    expect(survivalWindow(text, 1000, 1000)).toHaveLength(2000);
    expect(survivalWindow(text, 0, 10)).toHaveLength(110);
  });
});

describe('a position in a text that changes', () => {
  const TEXT = 'abcdefghij';
  const at = (offset: number, removed: number, text: string) => ({ offset, removed, text });

  it.each([
    ['stays when something changes behind it', 5, at(6, 2, 'xyz'), 5],
    ['moves with what is put before it', 5, at(2, 0, 'xyz'), 8],
    ['is pushed on by what is put exactly there', 5, at(5, 0, 'xyz'), 8],
    ['moves back with what goes before it', 5, at(1, 2, ''), 3],
    ['moves with a replacement before it', 5, at(1, 3, 'x'), 3],
    ['is where the text was, when the text around it goes', 5, at(3, 5, ''), 3],
    ['is where the replacement begins, when the text around it is replaced', 5, at(3, 5, 'xyz'), 3],
    ['stays when what follows it goes', 5, at(5, 5, 'xyz'), 5],
  ])('%s', (_, position, change, expected) => {
    expect(shiftOffset(position, change)).toBe(expected);
  });

  it('still names the same character after any change that leaves it there', () => {
    for (let offset = 0; offset <= TEXT.length; offset++) {
      for (let removed = 0; removed <= TEXT.length - offset; removed++) {
        const change = at(offset, removed, '+++');
        const after = applyChange(TEXT, change);
        for (let position = 0; position < TEXT.length; position++) {
          if (position >= offset && position < offset + removed) continue;
          expect(after[shiftOffset(position, change)]).toBe(TEXT[position]);
        }
      }
    }
  });
});
