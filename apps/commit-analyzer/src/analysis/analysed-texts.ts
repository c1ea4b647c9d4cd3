import { type AnalysedText, analyseText, type LineKey } from '@lineprint/fingerprint';
import { LRUCache } from 'lru-cache';

/** Prints of lines that are kept, at about 250 bytes each: some 12 MB. */
const MAX_LINES = 50_000;
/** UTF-16 units of the texts that they are kept by. */
const MAX_UNITS = 4_000_000;
const LINES_A_UNIT = MAX_LINES / MAX_UNITS;

/** Reads a text, as `analyseText` does. */
export type Analyse = (text: string, language: string) => AnalysedText;

/**
 * Texts as they were read not long ago. What a file was before a commit is most often what the commit before made of
 * it, so in a history each file is read once instead of twice.
 */
export class AnalysedTexts {
  private readonly texts = new LRUCache<string, AnalysedText>({
    maxSize: MAX_LINES,
    sizeCalculation: ({ prints }, text) => Math.ceil(Math.max(1, prints.length, text.length * LINES_A_UNIT)),
  });

  /** Reads texts of one organisation. */
  reader(tenant: string, key: LineKey): Analyse {
    return (text, language) => {
      const name = `${tenant}\0${language}\0${text}`;
      const known = this.texts.get(name);
      if (known) return known;
      const analysed = analyseText(text, language, key);
      this.texts.set(name, analysed);
      return analysed;
    };
  }
}
