import { deriveLineKey } from './line-key';
import { analyseText } from './line-prints';
import { textSignature } from './text-signature';

const key = deriveLineKey(new Uint8Array(32).fill(7), 'lk_test');

/**
 * [text, its lines that are not blank]. A service's time for these is a tenth: jest makes the lexer slow. The files of
 * full size go through the whole pipeline in test/integration/hostile-inputs.spec.ts.
 */
const hostile: Record<string, readonly [string, number]> = {
  'a long line': [`x = "${'a b,'.repeat(50_000)}"`, 1],
  'a line of quotes': ['"'.repeat(200_000), 1],
  'a line of slashes': ['/'.repeat(200_000), 1],
  'a line of opened templates': ['`${'.repeat(60_000), 1],
  'brackets nested 20,000 deep': ['('.repeat(20_000) + ')'.repeat(20_000), 1],
  'brackets nested 20,000 deep, a line each': ['(\n'.repeat(20_000) + ')\n'.repeat(20_000), 40_000],
  'comments nested 20,000 deep': ['/*\n'.repeat(20_000), 20_000],
  'a million blank lines': ['\n'.repeat(1_000_000), 0],
  'ten thousand heredocs': ['<<EOF\n'.repeat(10_000), 10_000],
  'U+0000': ['\0'.repeat(50_000), 1],
  'lone surrogates': ['a\udc00\ud800\n'.repeat(10_000), 10_000],
  'characters that stand for invalid UTF-8': ['\ufffd\ufffd\n'.repeat(10_000), 10_000],
  'carriage returns': ['x = 1\r'.repeat(20_000), 1],
};

describe.each(Object.entries(hostile))('%s', (_name, [text, lines]) => {
  it.each(['typescript', 'php', 'bash'])('has a print for each line as %s', (language) => {
    expect(analyseText(text, language, key).prints).toHaveLength(lines);
  });

  it('has a text signature', () => {
    expect(textSignature(text)).toHaveLength(128);
  });
});

it('a line of 5 MB and a million lines have a print for each line', () => {
  expect(analyseText(`x = "${'a b,'.repeat(1_250_000)}"`, 'typescript', key).prints).toHaveLength(1);
  expect(analyseText('x\n'.repeat(1_000_000), 'text', key).prints).toHaveLength(1_000_000);
}, 120_000);
