import { addedSpans } from './changed-lines';

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');

describe('addedSpans', () => {
  it('takes every line of a new text', () => {
    expect(addedSpans('', text('a', 'b'))).toEqual([{ first: 0, last: 1 }]);
  });

  it('takes only what was added or changed, not the lines around it', () => {
    expect(addedSpans(text('a', 'b', 'c', 'd'), text('a', 'B', 'c', 'x', 'y', 'd'))).toEqual([
      { first: 1, last: 1 },
      { first: 3, last: 4 },
    ]);
  });

  it('takes nothing when lines were only removed, or nothing changed but line ends', () => {
    expect(addedSpans(text('a', 'b', 'c'), text('a', 'c'))).toEqual([]);
    expect(addedSpans('a\r\nb\r\n', 'a\nb')).toEqual([]);
    expect(addedSpans('', '')).toEqual([]);
  });

  it('finds an insertion among repeated lines', () => {
    expect(addedSpans(text('x', 'x', 'x'), text('x', 'x', 'x', 'x'))).toEqual([{ first: 3, last: 3 }]);
  });

  it('answers for two large texts that share hardly a line', () => {
    const before = text('top', ...Array.from({ length: 40_000 }, (_, i) => `old ${i}`), 'kept', 'end');
    const after = text('top', ...Array.from({ length: 40_000 }, (_, i) => `new ${i}`), 'kept', 'more', 'end');
    expect(addedSpans(before, after)).toEqual([
      { first: 1, last: 40_000 },
      { first: 40_002, last: 40_002 },
    ]);
  });

  it('rebuilds the new text: kept lines stand in the old one, in their order', () => {
    let state = 11;
    const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
    for (let round = 0; round < 200; round++) {
      const old = Array.from({ length: random(30) }, () => `${random(5)}`);
      const now = Array.from({ length: random(30) }, () => `${random(5)}`);
      const spans = addedSpans(text(...old), text(...now));
      const kept = now.filter(
        (_, index) => !spans.some(({ first, last }) => index >= first && index <= last),
      );
      let at = 0;
      for (const line of kept) {
        at = old.indexOf(line, at) + 1;
        expect(at).toBeGreaterThan(0);
      }
    }
  });
});
