import { labelledFiles } from '../../bench/accuracy/data';
import { scoredLines } from '../../bench/accuracy/score';
import { selfMadeSet } from '../../bench/accuracy/self-made/self-made';

const SEED = 1;
const set = selfMadeSet(SEED);
const snippets = new Map(set.snippets.map(({ id, snippet }) => [id, snippet]));

const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim());
/** The tokens of a text, whatever its layout. */
const tokensOf = (text: string): string => text.replaceAll(/[\s,]/g, '').replaceAll("'", '"');

describe('the self-made set', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(selfMadeSet(SEED)).toEqual(set);
    expect(selfMadeSet(SEED + 1)).not.toEqual(set);
  });

  it('has every edit in several languages, and human-only commits of both kinds', () => {
    const languages = new Map<string, Set<string>>();
    for (const { transform, language } of set.records) {
      languages.set(transform!, (languages.get(transform!) ?? new Set()).add(language!));
    }
    expect(languages.size).toBe(19);
    for (const [, of] of languages) expect(of.size).toBeGreaterThanOrEqual(3);
  });

  it('labels a line as kept only where the snippet has its tokens', () => {
    for (const record of set.records) {
      const origin = [record.base, record.base2].map((id) => snippets.get(id ?? '') ?? '').join('\n');
      const tokens = tokensOf(origin);
      const files = labelledFiles(record);
      for (const { file, line, truth } of scoredLines(files)) {
        const text = files[file]!.lines[line]!;
        if (truth === 'P' && !tokens.includes(tokensOf(text))) throw new Error(`${record.id}: ${text}`);
      }
    }
  });

  it('labels a line as changed only where the snippet has no such line', () => {
    for (const record of set.records) {
      const files = labelledFiles(record);
      const changed = scoredLines(files).filter(({ truth }) => truth === 'M');
      if (changed.length === 0) continue;
      const origin = new Set(linesOf(snippets.get(record.base!)!));
      const same = changed.filter(({ file, line }) => origin.has(files[file]!.lines[line]!.trim()));
      expect(same).toEqual([]);
    }
  });

  it('keeps every line of a snippet that is not edited, once and in order', () => {
    for (const record of set.records.filter(({ transform }) => transform === 'none')) {
      const files = labelledFiles(record);
      const kept = scoredLines(files).filter(({ truth }) => truth === 'P');
      expect(kept.map(({ file, line }) => files[file]!.lines[line])).toEqual(
        snippets
          .get(record.base!)!
          .split('\n')
          .filter((line) => line.trim() !== ''),
      );
    }
  });

  it('has no snippet in human-only commits', () => {
    for (const { transform, truth, base } of set.records) {
      if (!transform!.startsWith('neg_')) continue;
      expect(base).toBeNull();
      expect(truth).toMatch(/^H+$/);
    }
  });
});
