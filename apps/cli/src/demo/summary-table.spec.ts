import type { Figures, Summary } from '../api/read-client';
import { summaryTable } from './summary-table';

const figures = (lines: number): Figures => ({
  lines,
  aiLines: lines,
  high: lines,
  weighted: lines,
  ratio: 1,
});

const summary: Summary = {
  commits: 13_138,
  merges: 512,
  lines: {
    added: 1_234_567,
    preserved: 1_000_000,
    modified: 34_567,
    human: 200_000,
    inherited: 100_000,
    excluded: 1_000_000,
    blank: 123_456,
  },
  aiRatio: 0.824,
  aiRatioMatched: 0.524,
  aiRatioDeclared: 0.3,
  bySource: { agent: figures(1_034_567), human: { ...figures(200_000), aiLines: 0, high: 0, ratio: 0 } },
  byLanguage: { typescript: figures(1_234_567) },
  byPerson: {
    'mara@harbour.example': figures(5),
    '12345678+somebody-with-a-long-name@users.noreply.example.org': figures(1_234_562),
  },
  byProject: { desk: figures(1_234_567) },
  byConfidence: { HIGH: figures(1_234_567) },
  byEvidence: { matched: figures(1_234_567) },
  provisional: {
    commits: 13_138,
    merges: 12,
    lines: { added: 1_234_567, preserved: 1_000_000, modified: 34_567, human: 200_000 },
    aiRatio: 0.824,
  },
};

describe('the summary table', () => {
  it('fits a terminal of 80 columns, however long a name is', () => {
    const rows = summaryTable(summary).split('\n');
    expect(rows.filter((row) => row.length > 80)).toEqual([]);
    expect(rows.filter((row) => /^(1234|mara)/.test(row))).toEqual([
      expect.stringMatching(/^12345678\+somebody-with-a-long-n… +1,234,562 +1,234,562 +100\.0 % +100\.0 %$/),
      expect.stringMatching(/^mara@harbour\.example +5 +5 +100\.0 % +100\.0 %$/),
    ]);
  });

  it('names provisional work only where there is some', () => {
    expect(summaryTable(summary)).toContain(
      '  provisional, on no counted branch: 1,234,567 lines of 13,150 commits (82.4 %)',
    );
    const none = { ...summary, provisional: { ...summary.provisional, commits: 0, merges: 0 } };
    expect(summaryTable(none)).not.toContain('provisional');
  });

  it('names the largest part first and says how many it leaves out', () => {
    const languages = Array.from({ length: 20 }, (_, i) => [`language${i}`, figures(i)] as const);
    const text = summaryTable({ ...summary, byLanguage: Object.fromEntries(languages) });
    expect(text).toMatch(/\n─[^\n]*\nlanguage19 [^\n]*\nlanguage18 /);
    expect(text).toContain('\n… and 7 more');
    expect(text).not.toContain('language0 ');
  });
});
