import { cutPieces, PIECE_UNITS } from './pieces';
import { planPieces } from './parse-plan';

const unit = (name: string): string => `def ${name}(rows):\n    total = 0\n\n    return total\n\n`;

describe('cutPieces', () => {
  it('leaves a text of 16,384 characters whole', () => {
    const text = `${'x'.repeat(PIECE_UNITS - 3)}\ny\n`;
    expect(cutPieces(text)).toEqual([{ first: 0, last: 2, text }]);
    expect(cutPieces('')).toEqual([{ first: 0, last: 0, text: '' }]);
  });

  it('cuts between functions', () => {
    const text = Array.from({ length: 2000 }, (_, i) => unit(`f${i}`)).join('');
    const pieces = cutPieces(text);
    expect(pieces.length).toBeGreaterThan(5);
    for (const piece of pieces) expect(piece.text.startsWith('def ') || piece.text === '').toBe(true);
  });

  it('cuts between methods where a class fills the file', () => {
    const method = '  int f(int a) {\n    return a;\n  }\n\n';
    const pieces = cutPieces(`class A {\n${method.repeat(2000)}}\n`);
    for (const piece of pieces.slice(1, -1)) expect(piece.text.startsWith('  int f')).toBe(true);
  });

  it.each([
    ['blank lines', '\n'.repeat(100_000)],
    ['one line of 5 MB between others', `a\n${'x'.repeat(5_000_000)}\nb\n`],
    ['white space', ' '.repeat(100_000)],
    ['many lines', 'let x = 1;\r\n'.repeat(100_000)],
  ])('loses nothing of %s and makes no piece of lines too long', (_name, text) => {
    const pieces = cutPieces(text);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    let line = 0;
    for (const { first, last, text: piece } of pieces) {
      expect(first).toBe(line);
      line = last + 1;
      if (piece.length > PIECE_UNITS) expect(first).toBe(last);
    }
    expect(line).toBe(text.split('\n').length);
  });
});

describe('planPieces', () => {
  it('takes the pieces that have added lines, each with its share of them', () => {
    const content = 'x = 1\n'.repeat(10_000);
    const [pieces] = planPieces([
      {
        language: 'python',
        content,
        ranges: [
          { first: 10, last: 12 },
          { first: 20, last: 6000 },
        ],
      },
    ]);
    expect(pieces!.map(({ first }) => first)).toEqual([0, 2730, 5460]);
    expect(pieces!.map(({ ranges }) => ranges)).toEqual([
      [
        { first: 10, last: 12 },
        { first: 20, last: 2729 },
      ],
      [{ first: 0, last: 2729 }],
      [{ first: 0, last: 540 }],
    ]);
  });
});
