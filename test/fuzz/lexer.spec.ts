import {
  analyseText,
  computeLinePrints,
  deriveLineKey,
  languageOf,
  lex,
  linePrintsFromBase64,
  linePrintsToBase64,
  textSignature,
} from '@lineprint/fingerprint';
import { fuzz, mutatedBytes, mutatedText, oddTexts, type SeededRandom } from '../fuzz';
import { hostileTexts, sources } from './sources';

jest.setTimeout(600_000);

const KEY = deriveLineKey(new Uint8Array(32).fill(7), 'fuzz');

const languages = [
  ...new Set(
    (
      'sh c clj cmake cpp cs css dart ex erl fs go graphql groovy hs html ini java js json jl kt less lisp lua mk md nim m ' +
      'ml pl php txt ps1 proto py r rb rs scala scss sql svelte swift tf toml tsx ts vb vue xml yml zig unknown'
    )
      .split(' ')
      .map((extension) => languageOf(`a.${extension}`)),
  ),
  'dockerfile',
  '__proto__',
  '',
];

const pieces: readonly string[] = [
  ...Object.values(sources),
  ...oddTexts.filter(({ length }) => length < 5_000),
  ...hostileTexts.map((text) => text.slice(0, 300)),
  ...[
    '<?php ',
    '?>',
    '<script>',
    '</script>',
    '<<EOF\n',
    'EOF\n',
    '"""',
    "'''",
    'r#"',
    '"#',
    '--[[',
    ']]',
    '=begin\n',
  ],
  ...[
    '{-',
    '-}',
    '(*',
    '*)',
    "@'\n",
    '$(',
    '%w[',
    'q{',
    '<style>',
    '{{',
    '}}',
    '{%',
    '\\"',
    "\\'",
    '//',
    '#',
    '%',
    '--',
  ],
];

function anyText(random: SeededRandom): string {
  const parts = Array.from({ length: random.between(1, 8) }, () => random.pick(pieces));
  const text = parts.join(random.pick(['', '\n', ' ', '\r\n']));
  return random.between(0, 3) === 0
    ? mutatedBytes(Buffer.from(text), random).toString(random.pick(['utf8', 'latin1']))
    : mutatedText(text, random);
}

/** Numbers of the lines that hold more than white space. */
const filledLines = (text: string) =>
  text.split('\n').flatMap((line, number) => (line.trim() === '' ? [] : [number]));

fuzz(
  'any text in any language has a print for each line that is not blank, always the same',
  250,
  (random) => {
    const text = anyText(random);
    const language = random.pick(languages);
    const { prints, tokenBits } = analyseText(text, language, KEY);
    const numbers = prints.map(({ line }) => line);
    // A line may be blank to its language only: between tags, in a string.
    const filled = new Set(filledLines(text));
    expect(numbers.filter((line) => !filled.has(line))).toEqual([]);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(numbers).toHaveLength(filled.size);
    expect(tokenBits).toHaveLength(prints.length);
    for (const bits of tokenBits) expect(Number.isFinite(bits) && bits >= 0).toBe(true);
    expect(computeLinePrints(text, language, KEY)).toEqual(prints);
    expect(linePrintsFromBase64(linePrintsToBase64(prints))).toEqual(prints);
  },
);

fuzz('the lexer puts each token on its line, and leaves no line out', 150, (random) => {
  const text = anyText(random);
  const { tokens, words, types, firstToken } = lex(text, random.pick(languages));
  expect(firstToken).toHaveLength(text.split('\n').length + 1);
  expect(firstToken.at(-1)).toBe(tokens.length);
  firstToken.forEach((first, i) => expect(first).toBeGreaterThanOrEqual(firstToken[i - 1] ?? 0));
  expect(types).toHaveLength(words.length);
  for (const token of tokens) expect(words[token]).toBeDefined();
});

fuzz('line ends of Windows change no print', 150, (random) => {
  const text = anyText(random).replaceAll('\r', '');
  // Behind a backslash at its end a line goes on, and in a string white space may count.
  if (/\\\s*$/m.test(text)) return;
  const language = random.pick(languages);
  const prints = computeLinePrints(text, language, KEY);
  expect(computeLinePrints(text.replaceAll('\n', '\r\n'), language, KEY)).toEqual(prints);
});

fuzz(
  'lines that are added at the end change no exact print of a text without strings and comments',
  100,
  (random) => {
    const lines = () =>
      Array.from({ length: random.between(1, 12) }, () => {
        const name = () => random.pick(['total', 'row', 'size', 'limit', 'rate']);
        return random.pick([
          `${name()} = ${name()}.${name()}(${name()}, 3);`,
          `if (${name()} > 7) {`,
          '}',
          '',
        ]);
      });
    const [above, below] = [lines(), lines()];
    const alone = computeLinePrints(above.join('\n'), 'typescript', KEY);
    const whole = computeLinePrints([...above, ...below].join('\n'), 'typescript', KEY);
    expect(whole.slice(0, alone.length).map(({ line, h1, h2 }) => ({ line, h1, h2 }))).toEqual(
      alone.map(({ line, h1, h2 }) => ({ line, h1, h2 })),
    );
  },
);

fuzz('any text has one signature', 60, (random) => {
  const text = anyText(random);
  const signature = textSignature(text);
  expect(signature).toEqual(textSignature(text));
});
