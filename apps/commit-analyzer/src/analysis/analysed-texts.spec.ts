import { analyseText, deriveLineKey } from '@lineprint/fingerprint';
import { AnalysedTexts } from './analysed-texts';

const KEY = deriveLineKey(Buffer.alloc(32, 7), 'k1');
const TEXT = 'const a = 1;\n\nconst b = a;\n';

describe('analysed texts', () => {
  it('are read once, and are what reading gives', () => {
    const analyse = new AnalysedTexts().reader('acme', KEY);
    const first = analyse(TEXT, 'typescript');
    expect(first).toEqual(analyseText(TEXT, 'typescript', KEY));
    expect(analyse(['const a = 1;', '', 'const b = a;', ''].join('\n'), 'typescript')).toBe(first);
  });

  it('of another language are others', () => {
    const analyse = new AnalysedTexts().reader('acme', KEY);
    const comment = '# a\n';
    analyse(comment, 'python');
    expect(analyse(comment, 'typescript')).toEqual(analyseText(comment, 'typescript', KEY));
  });

  it('of another organisation are others', () => {
    const texts = new AnalysedTexts();
    const otherKey = deriveLineKey(Buffer.alloc(32, 8), 'k1');
    texts.reader('acme', KEY)(TEXT, 'typescript');
    expect(texts.reader('other', otherKey)(TEXT, 'typescript')).toEqual(
      analyseText(TEXT, 'typescript', otherKey),
    );
  });

  it('are read again after many others', () => {
    const analyse = new AnalysedTexts().reader('acme', KEY);
    const first = analyse(TEXT, 'typescript');
    for (let i = 0; i < 60; i++) analyse(`a${i}\n`.repeat(1_000), 'typescript');
    const again = analyse(TEXT, 'typescript');
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});
