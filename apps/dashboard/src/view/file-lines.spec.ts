import type { LineRange } from '../api/queries';
import { evidenceSentence, fileRows, rowCounts } from './file-lines';

const origin = { commit: 'a'.repeat(40), path: 'a.ts', line: 0, author: 'Mara', userId: 'mara', at: null };
const range = (start: number, count: number, changes: Partial<LineRange> = {}): LineRange => ({
  start,
  count,
  kind: 'P',
  origin,
  copiedFrom: null,
  evidence: 'matched',
  confidence: 'HIGH',
  codeId: 's-1',
  source: 'chat',
  model: null,
  words: null,
  explanations: [],
  ...changes,
});
const blank = (start: number) =>
  range(start, 1, { kind: 'blank', origin: null, codeId: null, evidence: null });

describe('lines of a file', () => {
  it('are as many as the text has, also where no range covers them', () => {
    const rows = fileRows([range(1, 1)], ['', 'x', '']);
    expect(rows.map(({ number, kind, text }) => [number, kind, text])).toEqual([
      [1, 'blank', ''],
      [2, 'P', 'x'],
      [3, 'blank', ''],
    ]);
  });

  it('are as many as the ranges have where there is no text', () => {
    expect(fileRows([range(0, 2), range(2, 3, { kind: 'H' })], null)).toHaveLength(5);
  });

  it('say who wrote them once a block, and blank lines do not end one', () => {
    const other = { ...origin, commit: 'b'.repeat(40) };
    const rows = fileRows([range(0, 2), blank(2), range(3, 1), range(4, 1, { origin: other })], null);
    expect(rows.map(({ begins }) => begins)).toEqual([true, false, false, false, true]);
  });

  it('are counted by kind', () => {
    const rows = fileRows([range(0, 3), range(3, 2, { kind: 'H' }), blank(5)], null);
    expect(rowCounts(rows)).toEqual({
      preserved: 3,
      modified: 0,
      human: 2,
      unknown: 0,
      excluded: 0,
      blank: 1,
    });
  });
});

describe('evidence in a sentence', () => {
  const sentence = (changes: Partial<LineRange>) =>
    evidenceSentence(fileRows([range(0, 1, changes)], null)[0]!);

  it('names the rule, the line of the AI edit and the bits', () => {
    expect(sentence({ explanations: [{ line: 0, rule: 'statement', snippetLine: 7, bits: 31.6 }] })).toBe(
      'The line is the same statement, wrapped differently, as line 8 of an AI edit: 32 bits of evidence.',
    );
  });

  it('is honest about what is not known', () => {
    expect(sentence({ kind: 'unknown', origin: null })).toMatch(/before the part of the history/);
    expect(sentence({ kind: 'H', evidence: 'none', confidence: 'SUSPECT' })).toMatch(/too weakly to count/);
    expect(sentence({ evidence: 'declared' })).toMatch(/commit itself names an AI/);
    expect(sentence({ evidence: 'estimated' })).toMatch(/old client/);
  });
});
